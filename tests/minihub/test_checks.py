"""Check runs, statuses, workflow runs, logs and artifacts."""

from __future__ import annotations

import io
import json
import zipfile

import github
import pytest
import requests

from bot.minihub.ci import Acted, Play
from bot.minihub.minihub import AppKey, Minihub
from bot.minihub.seen import CheckSeen
from tests.minihub.hubs import as_installation, as_person, rest

LOG = "FAILED tests/test_a.py::test_f - assert 1 == 2\n"


def annotation(line: int) -> dict[str, object]:
    return {
        "path": "lib/a.py",
        "start_line": line,
        "end_line": line,
        "annotation_level": "failure",
        "message": f"line {line}",
    }


def main(hub: Minihub, lib: str) -> str:
    return hub.refs(lib)["refs/heads/main"]


def test_a_check_run_is_made_filled_and_completed(hub: Minihub, app: AppKey, lib: str) -> None:
    repo, sha = as_installation(hub, app, lib).get_repo(lib), main(hub, lib)
    start = len(hub.hub.recorder.webhooks)
    run = repo.create_check_run("jam", sha, external_id="s1", status="in_progress")
    many = [annotation(line) for line in range(1, 61)]
    run.edit(output={"title": "t", "summary": "s", "annotations": many[:50]})
    run.edit(
        conclusion="success",
        output={"title": "t", "summary": "done", "text": "more", "annotations": many[50:]},
        actions=[{"label": "Again", "description": "d", "identifier": "again"}],
    )

    assert hub.checks(lib, sha) == (
        CheckSeen(
            id=run.id,
            name="jam",
            status="completed",
            conclusion="success",
            title="t",
            summary="done",
            text="more",
            annotations=tuple(("lib/a.py", line, f"line {line}") for line in range(1, 61)),
        ),
    )
    again = repo.get_check_run(run.id)
    assert (again.external_id, again.app.slug, again.output.annotations_count) == ("s1", "jam", 60)
    assert len(list(again.get_annotations())) == 60
    commit = repo.get_commit(sha)
    assert [each.id for each in commit.get_check_runs(check_name="jam", status="completed")] == [
        run.id
    ]
    suite = repo.get_check_suite(run.raw_data["check_suite"]["id"])
    assert [each.conclusion for each in commit.get_check_suites()] == ["success"]
    assert [each.id for each in suite.get_check_runs()] == [run.id]
    assert [(each.event, each.action) for each in hub.hub.recorder.webhooks[start:]] == [
        ("check_run", "created"),
        ("check_run", "completed"),
        ("check_suite", "completed"),
    ]
    suite.rerequest()
    hub.person("ada").rerun_check(lib, run.id)
    assert [(each.event, each.action) for each in hub.hub.recorder.webhooks[-2:]] == [
        ("check_suite", "rerequested"),
        ("check_run", "rerequested"),
    ]


REFUSED = {
    "51 annotations": {
        "output": {"title": "t", "summary": "s", "annotations": [annotation(1)] * 51}
    },
    "no title": {"output": {"summary": "s"}},
    "a long summary": {"output": {"title": "t", "summary": "s" * 65_536}},
    "no such conclusion": {"conclusion": "good"},
    "completed without a conclusion": {"status": "completed"},
    "four actions": {
        "actions": [{"label": "a", "description": "b", "identifier": str(n)} for n in range(4)]
    },
    "an annotation without a path": {
        "output": {"title": "t", "summary": "s", "annotations": [{"message": "m"}]}
    },
}


@pytest.mark.parametrize("fields", REFUSED.values(), ids=REFUSED)
def test_a_check_run_that_github_would_refuse_is_refused(
    hub: Minihub, app: AppKey, lib: str, fields: dict[str, object]
) -> None:
    repo, sha = as_installation(hub, app, lib).get_repo(lib), main(hub, lib)

    with pytest.raises(github.GithubException) as refused:
        repo.create_check_run("jam", sha, **fields)
    assert (refused.value.status, hub.checks(lib, sha)) == (422, ())


def test_only_an_app_makes_a_check_run_and_only_its_own_app_changes_it(
    hub: Minihub, app: AppKey, lib: str
) -> None:
    sha = main(hub, lib)
    with pytest.raises(github.GithubException) as person:
        as_person(hub, "ada").get_repo(lib).create_check_run("jam", sha)
    other = hub.app("other")
    hub.install(other, "ada")
    run = as_installation(hub, app, lib).get_repo(lib).create_check_run("jam", sha)
    with pytest.raises(github.GithubException) as stranger:
        as_installation(hub, other, lib).get_repo(lib).get_check_run(run.id).edit(name="mine")

    assert [each.value.data["message"] for each in (person, stranger)] == [
        "You must authenticate via a GitHub App.",
        f"Invalid app_id `{other.id}` - check run can only be modified by the GitHub App that "
        "created it.",
    ]


def test_statuses_are_combined(hub: Minihub, lib: str) -> None:
    commit = as_person(hub, "ben").get_repo(lib).get_commit(main(hub, lib))
    commit.create_status("pending", context="ci")
    commit.create_status("success", context="ci", description="fine")
    commit.create_status("failure", context="lint", target_url="https://example.org/")

    assert (commit.get_combined_status().state, len(list(commit.get_statuses()))) == ("failure", 3)


def played(hub: Minihub, lib: str) -> int:
    jobs = (
        Acted(name="test (3.12)", conclusion="failure", log=LOG),
        Acted(name="lint", conclusion="success", log="fine\n"),
    )
    play = Play(
        sha=main(hub, lib), branch="main", jobs=jobs, artifacts={"report": {"r.xml": b"<x/>"}}
    )
    return hub.person("ben").run_ci(lib, play)


def test_a_failing_workflow_is_told_and_its_log_read(hub: Minihub, app: AppKey, lib: str) -> None:
    start = len(hub.hub.recorder.webhooks)
    number = played(hub, lib)
    repo = as_installation(hub, app, lib).get_repo(lib)
    run = repo.get_workflow_run(number)

    assert (run.name, run.event, run.conclusion, run.head_branch) == (
        "CI",
        "push",
        "failure",
        "main",
    )
    assert (run.actor.login, run.path) == ("ben", ".github/workflows/ci.yml")
    jobs = {each.name: each for each in run.jobs()}
    assert {name: each.conclusion for name, each in jobs.items()} == {
        "test (3.12)": "failure",
        "lint": "success",
    }
    assert requests.get(jobs["test (3.12)"].logs_url(), timeout=20).text == LOG
    assert [each.id for each in repo.get_workflow_runs(branch="main", status="failure")] == [number]
    assert [each.event + "." + str(each.action) for each in hub.hub.recorder.webhooks[start:]] == [
        "workflow_run.requested",
        "check_run.created",
        "check_run.completed",
        "check_run.created",
        "check_run.completed",
        "check_suite.completed",
        "workflow_run.completed",
    ]
    told = json.loads(hub.hub.recorder.webhooks[-1].body)
    assert (told["workflow_run"]["conclusion"], told["sender"]["login"]) == ("failure", "ben")


def test_a_log_address_lives_a_minute_and_takes_no_token(
    hub: Minihub, app: AppKey, lib: str
) -> None:
    from datetime import timedelta

    number, ada = played(hub, lib), hub.person("ada").token
    first = rest(hub, "GET", f"/repos/{lib}/actions/runs/{number}/logs", ada)
    location = first.headers["Location"]
    with_token = requests.get(location, headers={"Authorization": f"Bearer {ada}"}, timeout=20)
    without = requests.get(location, timeout=20)
    hub.skew(timedelta(seconds=61))
    late = requests.get(location, timeout=20)

    assert (first.status_code, first.text) == (302, "")
    assert (with_token.status_code, without.status_code, late.status_code) == (400, 200, 404)
    names = zipfile.ZipFile(io.BytesIO(without.content)).namelist()
    assert names == ["0_test (3.12).txt", "1_lint.txt"]


def test_artifacts_rerun_and_cancel(hub: Minihub, lib: str) -> None:
    run = as_person(hub, "ada").get_repo(lib).get_workflow_run(played(hub, lib))
    artifact = next(iter(run.get_artifacts()))
    content = requests.get(
        rest(hub, "GET", artifact.archive_download_url, hub.person("ada").token).headers[
            "Location"
        ],
        timeout=20,
    ).content

    assert zipfile.ZipFile(io.BytesIO(content)).read("r.xml") == b"<x/>"
    assert run.rerun()
    assert (run.update(), run.run_attempt) == (True, 2)
    assert run.cancel()
    assert not run.cancel()
