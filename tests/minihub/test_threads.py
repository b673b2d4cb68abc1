"""Issues, labels, comments and reactions, by the real PyGithub."""

from __future__ import annotations

import github
import pytest

from bot.minihub.minihub import AppKey, Minihub
from bot.minihub.people import NotAllowed
from bot.minihub.seen import CommentSeen, ThreadSeen
from tests.minihub.hubs import as_installation, as_person, rest


def events(hub: Minihub) -> list[str]:
    return [f"{each.event}.{each.action}" for each in hub.hub.recorder.webhooks]


def test_a_thread_is_what_was_said_in_it(hub: Minihub, app: AppKey, lib: str) -> None:
    number = hub.person("eve").open_issue(lib, "Wrong", "It is *wrong*.")
    hub.person("cleo").label(lib, number, "jam")
    repo = as_installation(hub, app, lib).get_repo(lib)
    issue = repo.get_issue(number)
    comment = issue.create_comment("I look.")
    comment.edit("I looked.")
    comment.create_reaction("rocket")
    issue.create_reaction("eyes")
    issue.create_reaction("eyes")
    issue.remove_from_labels("jam")
    issue.edit(state="closed")

    assert hub.thread(lib, number) == ThreadSeen(
        number=1,
        title="Wrong",
        body="It is *wrong*.",
        by="eve",
        state="closed",
        labels=(),
        reactions=(("eyes", "jam[bot]"),),
        comments=(
            CommentSeen(
                id=comment.id,
                by="jam[bot]",
                body="I looked.",
                reactions=(("rocket", "jam[bot]"),),
            ),
        ),
    )
    assert events(hub)[1:] == [
        "issues.opened",
        "issues.labeled",
        "issue_comment.created",
        "issue_comment.edited",
        "issues.unlabeled",
        "issues.closed",
    ]


def test_everything_about_issues_is_read_back(hub: Minihub, app: AppKey, lib: str) -> None:
    repo = as_person(hub, "ada").get_repo(lib)
    label = repo.create_label("jam:green", "00ff00", "It is green")
    label.edit("jam:red", "ff0000")
    issue = repo.create_issue("One", "b", labels=["jam:red", "new"], assignee="ben")
    issue.edit(title="Two", body="", labels=["bug"], assignees=["cleo"])
    issue.add_to_assignees("ben")
    issue.remove_from_assignees("cleo")
    issue.lock("off-topic")
    issue.unlock()
    issue.set_labels("a", "b")
    issue.create_comment("x").delete()
    kept = issue.create_comment("y")
    mine = kept.create_reaction("heart")
    heart = [each.content for each in kept.get_reactions()]
    kept.delete_reaction(mine.id)

    again = repo.get_issue(issue.number)
    assert (again.title, [each.name for each in again.labels]) == ("Two", ["a", "b"])
    assert [each.login for each in again.assignees] == ["ben"]
    assert [each.body for each in again.get_comments()] == ["y"]
    assert ([each.id for each in repo.get_issues_comments()], heart) == ([kept.id], ["heart"])
    assert list(kept.get_reactions()) == []
    assert repo.get_label("jam:red").color == "ff0000"
    assert [each.number for each in repo.get_issues(state="open", labels=["a"])] == [1]
    repo.get_label("jam:red").delete()
    again.delete_labels()
    assert list(again.get_labels()) == []


def test_an_issue_form_labels_for_anybody_with_the_opener_as_sender(
    hub: Minihub, app: AppKey, lib: str
) -> None:
    hub.person("eve").open_by_form(lib, "Please", "do", labels=["jam", "bug"])

    assert events(hub)[1:] == ["issues.opened", "issues.labeled", "issues.labeled"]
    assert b'"sender":{"login":"eve"' in hub.hub.recorder.webhooks[-1].body


def test_a_strangers_labels_are_dropped_without_a_word(hub: Minihub, lib: str) -> None:
    number = hub.person("eve").open_issue(lib, "Please", labels=["jam"])

    assert hub.thread(lib, number).labels == ()
    with pytest.raises(NotAllowed, match="403"):
        hub.person("eve").label(lib, number, "jam")


def test_a_locked_thread_takes_no_strangers_comment(hub: Minihub, lib: str) -> None:
    issue = as_person(hub, "ada").get_repo(lib).create_issue("Quiet")
    issue.lock("resolved")

    with pytest.raises(NotAllowed, match="locked"):
        hub.person("eve").comment(lib, issue.number, "but")
    hub.person("ben").comment(lib, issue.number, "fine")
    assert [each.by for each in hub.thread(lib, issue.number).comments] == ["ben"]


@pytest.mark.parametrize("size", [65_536, 65_537], ids=["just fits", "one too many"])
def test_a_body_holds_65536_code_points(hub: Minihub, lib: str, size: int) -> None:
    repo = as_person(hub, "ada").get_repo(lib)
    text = "\N{CROCODILE}" * size

    if size == 65_536:
        assert repo.create_issue("t", text).create_comment(text).body == text
    else:
        with pytest.raises(github.GithubException) as refused:
            repo.create_issue("t", text)
        assert refused.value.status == 422
        assert refused.value.data["errors"][0]["message"] == (
            "body is too long (maximum is 65536 characters)"
        )


def test_lists_come_in_pages_with_links(hub: Minihub, lib: str) -> None:
    for place in range(5):
        hub.person("ada").open_issue(lib, f"number {place}")
    answer = rest(hub, "GET", f"/repos/{lib}/issues?per_page=2&page=2&state=all")

    assert [each["number"] for each in answer.json()] == [3, 2]
    assert {rel: link["url"].partition("?")[2] for rel, link in answer.links.items()} == {
        "prev": "per_page=2&page=1&state=all",
        "next": "per_page=2&page=3&state=all",
        "last": "per_page=2&page=3&state=all",
        "first": "per_page=2&page=1&state=all",
    }
    gh = as_person(hub, "ada", per_page=2)
    found = gh.get_repo(lib).get_issues(state="all", sort="created", direction="asc")
    assert ([each.number for each in found], found.totalCount) == ([1, 2, 3, 4, 5], 5)


def test_a_missing_field_is_named(hub: Minihub, lib: str) -> None:
    answer = rest(hub, "POST", f"/repos/{lib}/issues", hub.person("ada").token, json={})

    assert (answer.status_code, answer.json()["errors"]) == (
        422,
        [{"resource": "Issue", "code": "missing_field", "field": "title"}],
    )


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"{", 400), (b"[]", 400), (b'{"title": 7}', 422), (b"\xff\xfe", 400)],
    ids=["cut", "a list", "a number", "no UTF-8"],
)
def test_a_broken_body_is_refused(hub: Minihub, lib: str, body: bytes, status: int) -> None:
    answer = rest(hub, "POST", f"/repos/{lib}/issues", hub.person("ada").token, data=body)

    assert answer.status_code == status
