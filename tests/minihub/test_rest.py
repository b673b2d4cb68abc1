"""The calls that no client above makes: each answers as described, and says the right thing."""

from __future__ import annotations

import pytest

from bot.minihub.ci import Acted, Play
from bot.minihub.minihub import AppKey, Minihub
from tests.minihub.hubs import as_installation, rest
from tests.minihub.test_apps import signed


@pytest.fixture
def full(hub: Minihub, app: AppKey, lib: str) -> Minihub:
    """One of everything: issue 1 with a comment, pull request 2, a failed workflow."""
    ada = hub.person("ada")
    ada.open_issue(lib, "Wrong", labels=["bug"])
    ada.comment(lib, 1, "Yes.")
    ada.call("POST", f"/repos/{lib}/issues/1/reactions", content="eyes")
    ada.push(lib, "mend", {"new": "x"})
    ada.open_pull(lib, head="mend", title="Mend")
    jobs = (Acted(name="test", conclusion="failure", log="no\n"),)
    sha = hub.refs(lib)["refs/heads/main"]
    ada.run_ci(lib, Play(sha=sha, branch="main", jobs=jobs, artifacts={"report": {"r": b"x"}}))
    return hub


def run_of(hub: Minihub) -> int:
    return hub.hub.store.repo("ada/lib").runs[0].id


def get(hub: Minihub, path: str) -> object:
    answer = rest(hub, "GET", f"/repos/ada/lib{path}", hub.person("ada").token)
    assert answer.status_code == 200, answer.text
    return answer.json()


READ = {
    "labels": ("/labels", lambda said: [each["name"] for each in said][:1] == ["bug"]),
    "reactions": ("/issues/1/reactions", lambda said: said[0]["content"] == "eyes"),
    "statuses": ("/commits/main/statuses", lambda said: said == []),
    "rules": ("/rules/branches/main", lambda said: said == []),
    "workflows": ("/actions/workflows", lambda said: said["workflows"][0]["name"] == "CI"),
    "one workflow": ("/actions/workflows/ci.yml", lambda said: said["state"] == "active"),
    "its runs": ("/actions/workflows/ci.yml/runs", lambda said: said["total_count"] == 1),
    "runs of nobody": ("/actions/runs?actor=eve", lambda said: said["total_count"] == 0),
    "branches": ("/branches", lambda said: [each["name"] for each in said] == ["main", "mend"]),
}


@pytest.mark.parametrize(("path", "is_right"), READ.values(), ids=READ)
def test_what_is_read(full: Minihub, path: str, is_right: object) -> None:
    assert is_right(get(full, path))


def test_single_things_are_read_by_number(full: Minihub) -> None:
    repo = full.hub.store.repo("ada/lib")
    run = repo.runs[0]
    job, artifact, comment = run.jobs[0], run.artifacts[0], repo.issues[1].comments[0]

    assert get(full, f"/actions/jobs/{job.id}")["steps"][0]["conclusion"] == "failure"
    assert get(full, f"/actions/artifacts/{artifact.id}")["name"] == "report"
    assert get(full, f"/issues/comments/{comment.id}")["body"] == "Yes."


def test_acts_without_an_answer(full: Minihub, lib: str) -> None:
    ada, repo = full.person("ada").token, full.hub.store.repo(lib)
    reaction = repo.issues[1].reactions[0].id
    ada_at = f"/repos/{lib}"

    def status(method: str, path: str, **how: object) -> int:
        return rest(full, method, path, ada, **how).status_code

    assert status("DELETE", f"{ada_at}/issues/1/reactions/{reaction}") == 204
    assert status("DELETE", f"{ada_at}/issues/1/reactions/{reaction}") == 404
    assert status("GET", f"{ada_at}/collaborators/ben") == 204
    assert status("GET", f"{ada_at}/collaborators/eve") == 404
    assert status("GET", f"{ada_at}/pulls/2/merge") == 404
    full.person("ada").merge(lib, 2)
    assert status("GET", f"{ada_at}/pulls/2/merge") == 204
    fields = {"event_type": "go", "client_payload": {"a": 1}}
    assert status("POST", f"{ada_at}/dispatches", json=fields) == 204
    wide = {"event_type": "go", "client_payload": {str(n): n for n in range(11)}}
    assert status("POST", f"{ada_at}/dispatches", json=wide) == 422
    assert status("POST", f"{ada_at}/actions/runs/{run_of(full)}/rerun-failed-jobs") == 201
    assert status("POST", f"{ada_at}/actions/runs/{run_of(full)}/rerun-failed-jobs") == 403


def test_a_reviewer_is_unasked(full: Minihub, lib: str) -> None:
    path, ada = f"/repos/{lib}/pulls/2/requested_reviewers", full.person("ada").token
    rest(full, "POST", path, ada, json={"reviewers": ["ben"]})
    asked = full.pull(lib, 2).reviewers
    rest(full, "DELETE", path, ada, json={"reviewers": ["ben"]})

    assert (asked, full.pull(lib, 2).reviewers) == (("ben",), ())


def test_a_repository_is_made_once(full: Minihub) -> None:
    eve = full.person("eve").token
    answers = [rest(full, "POST", "/user/repos", eve, json={"name": "own"}) for _ in range(2)]

    assert [each.status_code for each in answers] == [201, 422]


def test_an_app_suspends_and_removes_its_own_installation(
    full: Minihub, app: AppKey, lib: str
) -> None:
    key, number = signed(app), next(iter(full.hub.store.installations))
    at = f"/app/installations/{number}"
    statuses = [
        rest(full, method, path, key).status_code
        for method, path in (
            ("PUT", f"{at}/suspended"),
            ("POST", f"{at}/access_tokens"),
            ("DELETE", f"{at}/suspended"),
            ("DELETE", at),
            ("DELETE", at),
        )
    ]

    assert statuses == [204, 403, 204, 204, 404]
    assert rest(full, "GET", "/apps/jam").json()["id"] == app.id
    assert rest(full, "GET", "/app").status_code == 401


UNKNOWN = (
    "/issues/99",
    "/pulls/1",
    "/check-runs/1",
    "/actions/runs/1",
    "/git/blobs/abc",
    "/nothing",
)


@pytest.mark.parametrize("path", [*UNKNOWN, "/issues/x", "/contents/none", "/branches/none"])
def test_what_is_not_there_is_not_found(full: Minihub, path: str) -> None:
    answer = rest(full, "GET", f"/repos/ada/lib{path}", full.person("ada").token)

    assert (answer.status_code, answer.json()["status"]) == (404, "404")


def test_a_bug_of_the_hubs_own_is_kept_and_answered(full: Minihub, lib: str) -> None:
    """And then fails the test that met it, unless it looks, as this one does."""
    full.hub.store.repo(lib).issues[1].labels = None
    answer = rest(full, "GET", f"/repos/{lib}/issues/1", full.person("ada").token)

    assert (answer.status_code, len(full.hub.bugs)) == (500, 1)
    assert "TypeError" in full.hub.bugs.pop()


def test_an_app_speaks_as_its_bot(full: Minihub, app: AppKey, lib: str) -> None:
    comment = as_installation(full, app, lib).get_repo(lib).get_issue(1).create_comment("Hi.")

    assert (comment.user.login, comment.user.type, comment.user.id) == (
        "jam[bot]",
        "Bot",
        app.app.bot.id,
    )
    assert comment.raw_data["performed_via_github_app"]["id"] == app.id
