"""Pull requests, forks, reviews and merges, by the real PyGithub."""

from __future__ import annotations

import github
import pytest

from bot.minihub.minihub import AppKey, Minihub
from bot.minihub.people import NotAllowed
from bot.minihub.seen import PullSeen, ReviewSeen, ThreadSeen
from tests.minihub.hubs import as_installation, as_person, rest

MEND = {"lib/a.py": "def f():\n    return 2\n"}


def events(hub: Minihub, start: int = 0) -> list[str]:
    return [f"{each.event}.{each.action}" for each in hub.hub.recorder.webhooks[start:]]


def test_a_draft_becomes_ready_and_is_merged(hub: Minihub, app: AppKey, lib: str) -> None:
    ada = hub.person("ada")
    issue = ada.open_issue(lib, "Wrong")
    ada.push(lib, "jam/issue-1", MEND)
    repo = as_installation(hub, app, lib).get_repo(lib)
    start = len(hub.hub.recorder.webhooks)
    pull = repo.create_pull(
        base="main", head="jam/issue-1", title="Mend", body=f"Fixes #{issue}", draft=True
    )
    pull.create_review_request(reviewers=["ben"])
    pull.edit(title="Mended")
    pull.mark_ready_for_review()
    sha = pull.head.sha
    merged = as_person(hub, "ben").get_repo(lib).get_pull(pull.number).merge(sha=sha)

    assert hub.pull(lib, pull.number) == PullSeen(
        thread=ThreadSeen(
            number=2,
            title="Mended",
            body="Fixes #1",
            by="jam[bot]",
            state="closed",
            labels=(),
            reactions=(),
            comments=(),
        ),
        head="ada:jam/issue-1",
        head_sha=sha,
        base="main",
        draft=False,
        merged=True,
        reviewers=("ben",),
        reviews=(),
    )
    assert hub.thread(lib, issue).state == "closed"
    assert hub.refs(lib)["refs/heads/main"] == merged.sha
    assert events(hub, start) == [
        "pull_request.opened",
        "pull_request.review_requested",
        "pull_request.edited",
        "pull_request.ready_for_review",
        "pull_request.closed",
        "issues.closed",
        "push.None",
        "check_suite.requested",
    ]


def test_what_pygithub_reads_of_a_pull_request(hub: Minihub, lib: str) -> None:
    ada = hub.person("ada")
    sha = ada.push(lib, "mend", MEND | {"new": "x\n"})
    number = ada.open_pull(lib, head="mend", title="Mend", draft=True)
    repo = as_person(hub, "ada").get_repo(lib)
    pull = repo.get_pull(number)

    assert (pull.draft, pull.mergeable, pull.mergeable_state) == (True, True, "draft")
    assert (pull.additions, pull.deletions, pull.changed_files, pull.commits) == (2, 1, 2, 1)
    assert [(each.filename, each.status) for each in pull.get_files()] == [
        ("lib/a.py", "modified"),
        ("new", "added"),
    ]
    assert "+    return 2" in next(iter(pull.get_files())).patch
    assert [each.sha for each in pull.get_commits()] == [sha]
    assert [each.number for each in repo.get_pulls(head="ada:mend", base="main")] == [number]
    assert list(repo.get_pulls(head="ada:other")) == []
    assert [each.number for each in repo.get_commit(sha).get_pulls()] == [number]
    assert (pull.is_merged(), list(pull.get_review_comments())) == (False, [])
    assert [each.login for each in pull.get_review_requests()[0]] == []
    assert pull.as_issue().pull_request.html_url.endswith(f"/pull/{number}")
    pull.mark_ready_for_review()
    pull.convert_to_draft()
    assert hub.pull(lib, number).draft
    diff = rest(
        *(hub, "GET", f"/repos/{lib}/pulls/{number}", ada.token),
        headers={"Accept": "application/vnd.github.v3.diff"},
    )
    assert diff.text.startswith("diff --git a/lib/a.py b/lib/a.py")


REFUSED = {
    "twice": ({"head": "mend", "base": "main"}, "A pull request already exists for ada:mend."),
    "nothing new": ({"head": "same", "base": "main"}, "No commits between main and same"),
    "no such head": ({"head": "nowhere", "base": "main"}, None),
    "no such base": ({"head": "mend", "base": "nowhere"}, None),
    "no such owner": ({"head": "eve:mend", "base": "main"}, None),
}


@pytest.mark.parametrize(("fields", "said"), REFUSED.values(), ids=REFUSED)
def test_a_pull_request_that_cannot_be_is_refused(
    hub: Minihub, lib: str, fields: dict[str, str], said: str | None
) -> None:
    ada = hub.person("ada")
    ada.push(lib, "mend", MEND)
    main = hub.refs(lib)["refs/heads/main"]
    ada.call("POST", f"/repos/{lib}/git/refs", ref="refs/heads/same", sha=main)
    ada.open_pull(lib, head="mend", title="First")

    with pytest.raises(github.GithubException) as refused:
        as_person(hub, "ada").get_repo(lib).create_pull(title="Second", **fields)
    assert (refused.value.status, refused.value.data["errors"][0].get("message")) == (422, said)


def test_a_fork_is_proposed_from_and_followed(hub: Minihub, app: AppKey, lib: str) -> None:
    eve = as_person(hub, "eve")
    fork = eve.get_repo(lib).create_fork()
    hub.person("eve").push(fork.full_name, "mend", MEND)
    start = len(hub.hub.recorder.webhooks)
    pull = eve.get_repo(lib).create_pull(base="main", head="eve:mend", title="Mend")
    head = hub.person("eve").push(fork.full_name, "mend", {"more": "x"})

    again = as_person(hub, "ada").get_repo(lib).get_pull(pull.number)
    assert (again.head.repo.full_name, again.head.sha, again.base.repo.fork) == (
        "eve/lib",
        head,
        False,
    )
    assert again.maintainer_can_modify
    assert hub.refs(lib)[f"refs/pull/{pull.number}/head"] == head
    assert events(hub, start) == ["pull_request.opened", "pull_request.synchronize"]
    assert [each.full_name for each in as_person(hub, "ada").get_repo(lib).get_forks()] == [
        "eve/lib"
    ]
    assert eve.get_repo("eve/lib").parent.full_name == lib


def test_a_conflict_has_no_merge_ref(hub: Minihub, lib: str) -> None:
    ada = hub.person("ada")
    ada.push(lib, "mend", MEND)
    number = ada.open_pull(lib, head="mend", title="Mend")
    before = hub.refs(lib, "refs/pull/").keys()
    ada.push(lib, "main", {"lib/a.py": "other\n"})
    pull = as_person(hub, "ada").get_repo(lib).get_pull(number)

    assert sorted(before) == [f"refs/pull/{number}/head", f"refs/pull/{number}/merge"]
    assert list(hub.refs(lib, "refs/pull/")) == [f"refs/pull/{number}/head"]
    assert (pull.mergeable, pull.mergeable_state) == (False, "dirty")
    with pytest.raises(github.GithubException) as refused:
        pull.merge()
    assert refused.value.status == 405


def test_mergeable_is_not_known_at_once_when_asked_for(hub: Minihub, lib: str) -> None:
    hub.hub.mergeable_lag = 1
    hub.person("ada").push(lib, "mend", MEND)
    number = hub.person("ada").open_pull(lib, head="mend", title="Mend")
    repo = as_person(hub, "ada").get_repo(lib)

    assert [repo.get_pull(number).mergeable for _ in range(2)] == [None, True]


def test_a_stale_head_is_not_merged(hub: Minihub, lib: str) -> None:
    old = hub.person("ada").push(lib, "mend", MEND)
    number = hub.person("ada").open_pull(lib, head="mend", title="Mend")
    hub.person("ada").push(lib, "mend", {"more": "x"})

    with pytest.raises(github.GithubException) as refused:
        as_person(hub, "ada").get_repo(lib).get_pull(number).merge(sha=old)
    assert refused.value.status == 409


def test_merging_by_push_is_noticed(hub: Minihub, app: AppKey, lib: str) -> None:
    ada = hub.person("ada")
    sha = ada.push(lib, "mend", MEND)
    number = ada.open_pull(lib, head="mend", title="Mend")
    ada.call("PATCH", f"/repos/{lib}/git/refs/heads/main", sha=sha)

    assert hub.pull(lib, number).merged
    assert "pull_request.closed" in events(hub)


def test_a_squash_is_one_commit(hub: Minihub, lib: str) -> None:
    ada = hub.person("ada")
    ada.push(lib, "mend", MEND)
    ada.push(lib, "mend", {"more": "x"})
    number = ada.open_pull(lib, head="mend", title="Mend")
    ada.merge(lib, number, method="squash")
    repo = as_person(hub, "ada").get_repo(lib)

    assert [each.commit.message for each in repo.get_commits()] == [f"Mend (#{number})", "Begin"]


def test_deleting_a_branch_closes_its_pull_request(hub: Minihub, lib: str) -> None:
    ada = hub.person("ada")
    ada.push(lib, "mend", MEND)
    number = ada.open_pull(lib, head="mend", title="Mend")
    ada.delete_branch(lib, "mend")

    assert (hub.thread(lib, number).state, hub.pull(lib, number).merged) == ("closed", False)


def test_reviews_are_given_and_dismissed(hub: Minihub, app: AppKey, lib: str) -> None:
    ada, ben = hub.person("ada"), hub.person("ben")
    ada.push(lib, "mend", MEND)
    number = ada.open_pull(lib, head="mend", title="Mend")
    start = len(hub.hub.recorder.webhooks)
    ben.review(lib, number, "REQUEST_CHANGES", "Also the other one.")
    review = as_person(hub, "ben").get_repo(lib).get_pull(number).create_review(event="APPROVE")
    review.dismiss("too early")

    assert hub.pull(lib, number).reviews == (
        ReviewSeen(by="ben", state="CHANGES_REQUESTED", body="Also the other one."),
        ReviewSeen(by="ben", state="DISMISSED", body=""),
    )
    assert events(hub, start) == [
        "pull_request_review.submitted",
        "pull_request_review.submitted",
        "pull_request_review.dismissed",
    ]
    with pytest.raises(NotAllowed, match="own pull request"):
        ada.review(lib, number, "APPROVE")
    found = as_person(hub, "ada").get_repo(lib).get_pull(number)
    assert [each.state for each in found.get_reviews()] == ["CHANGES_REQUESTED", "DISMISSED"]
    assert found.get_review(review.id).user.login == "ben"


def test_review_is_not_asked_of_a_stranger(hub: Minihub, lib: str) -> None:
    hub.person("ada").push(lib, "mend", MEND)
    number = hub.person("ada").open_pull(lib, head="mend", title="Mend")

    with pytest.raises(github.GithubException) as refused:
        as_person(hub, "ada").get_repo(lib).get_pull(number).create_review_request(["eve"])
    assert refused.value.status == 422


def test_an_unknown_mutation_and_an_unknown_node_are_errors(hub: Minihub, lib: str) -> None:
    ada = hub.person("ada").token
    unknown = {"query": "query { viewer { login } }"}
    nobody = {
        "query": "mutation M($input: MarkPullRequestReadyForReviewInput!) "
        "{ markPullRequestReadyForReview(input: $input) { pullRequest { isDraft } } }",
        "variables": {"input": {"pullRequestId": "PR_nothing"}},
    }
    answers = [
        rest(hub, "POST", f"{hub.url}/api/graphql", ada, json=each).json()
        for each in (unknown, nobody)
    ]

    assert [each["errors"][0]["type"] for each in answers] == ["undefinedField", "NOT_FOUND"]


def test_a_pull_request_gets_another_base(hub: Minihub, lib: str) -> None:
    ada = hub.person("ada")
    ada.push(lib, "next", {"b": "x"})
    ada.push(lib, "mend", MEND)
    number = ada.open_pull(lib, head="mend", title="Mend")
    pull = as_person(hub, "ada").get_repo(lib).get_pull(number)
    pull.edit(base="next", state="closed")
    pull.edit(state="open")

    assert hub.pull(lib, number).base == "next"
    with pytest.raises(github.GithubException) as refused:
        pull.edit(base="nowhere")
    assert refused.value.status == 422
    ada.merge(lib, number)
    with pytest.raises(github.GithubException, match="Cannot reopen"):
        pull.edit(state="open")


def test_a_pull_request_takes_labels_and_comments_as_an_issue_does(
    hub: Minihub, app: AppKey, lib: str
) -> None:
    ada = hub.person("ada")
    ada.push(lib, "mend", MEND)
    number = ada.open_pull(lib, head="mend", title="Mend")
    start = len(hub.hub.recorder.webhooks)
    ada.label(lib, number, "jam")
    ada.comment(lib, number, "/jam verify")

    assert events(hub, start) == ["pull_request.labeled", "issue_comment.created"]
    assert b'"pull_request":{"url"' in hub.hub.recorder.webhooks[-1].body
    assert b"head_sha" not in hub.hub.recorder.webhooks[-1].body
