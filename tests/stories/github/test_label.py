"""A label on an issue, from the person who puts it on to the pull request that they read."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from bot.minihub.seen import CheckSeen
from tests.stories.github.world import FILES, REPO, TITLE, World, agent, world
from tests.stories.project import CONTRACT, FIX, FIXED

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
BRANCH = "jam/issue-1-one-is-left-and-i-am-told-nothing-is"


def ask(one: World) -> int:
    number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
    one.ben.label(REPO, number, "jam")
    return number


def check_of(one: World, number: int) -> CheckSeen:
    return one.checks(one.pull(number).head_sha)[0]


def test_a_label_becomes_a_verified_pull_request(tmp_path: Path) -> None:
    with world(tmp_path, options=agent(tmp_path, FIX)) as one:
        base = one.hub.refs(REPO)["refs/heads/main"]
        number = ask(one)
        one.said_in(number, "**Verified.**")
        thread, pull, check = one.thread(number), one.pull(2), check_of(one, 2)
        refs = one.hub.refs(REPO, "refs/jam/")
        judged = one.hub.file(REPO, pull.head_sha, "ledgerlib.py")

    assert thread.labels == ()
    assert thread.reactions == (("rocket", "jam[bot]"),)
    assert [comment.by for comment in thread.comments] == ["jam[bot]"]
    assert " · #2 · " in thread.comments[0].body
    assert judged == FIXED.encode()
    assert (pull.draft, pull.base, pull.head) == (False, "main", f"ada:{BRANCH}")
    assert (pull.thread.title, pull.reviewers) == (f"fix: {TITLE} (#1)", ("ben",))
    assert pull.thread.body.startswith(f"Fixes #1: {TITLE}\n")
    assert "tests/test_free.py::test_one_is_left" in pull.thread.body
    assert (check.name, check.status, check.conclusion) == ("jam", "completed", "success")
    assert [re.sub(r"gh-\w+", "S", name) for name in refs] == [
        "refs/jam/checkpoints/S/1",
        "refs/jam/evidence/S",
    ]
    assert one.hub.checks(REPO, base) == ()


def test_a_change_that_does_not_mend_is_told_and_kept(tmp_path: Path) -> None:
    script = (
        "- shell: echo '# nothing' >> ledgerlib.py\n- finish: true\n- give_up: I am out of ideas\n"
    )
    with world(tmp_path, options=agent(tmp_path, script)) as one:
        number = ask(one)
        said = one.said_in(number, "**Failed.**")
        session = re.search(r"refs/jam/checkpoints/(gh-\w+)", said)
        refs = one.hub.refs(REPO, "refs/jam/")
        thread, branches = one.thread(number), one.hub.refs(REPO, "refs/heads/")

    assert one.pulls() == ()
    assert list(branches) == ["refs/heads/main"]
    assert session is not None
    assert list(refs) == [f"refs/jam/checkpoints/{session[1]}/1"]
    assert "git fetch origin" in said
    assert thread.reactions == (("confused", "jam[bot]"),)


def test_the_label_again_asks_again_on_the_same_branch(tmp_path: Path) -> None:
    with world(tmp_path, options=agent(tmp_path, FIX)) as one:
        number = ask(one)
        one.said_in(number, "**Verified.**")
        first = one.pull(2).head_sha
        one.ben.label(REPO, number, "jam")
        one.until(lambda: one.log.count("published on branch") == 2)
        one.until(lambda: one.thread(number).reactions == (("rocket", "jam[bot]"),))
        pulls, second = one.pulls(), one.pull(2).head_sha
        comments = [comment.by for comment in one.thread(number).comments]

    assert pulls == (2,)
    assert second == first  # the same tree was there already
    assert comments == ["jam[bot]"]


def test_strangers_and_triagers_start_nothing(tmp_path: Path) -> None:
    with world(tmp_path, options=agent(tmp_path, FIX)) as one:
        number = one.eve.open_by_form(REPO, TITLE, "free(3, 2) is 0.", labels=["jam"])
        said = one.said_in(number, "permission")
        again = one.ada.open_issue(REPO, "Another", "text")
        one.hub.person("cleo").label(REPO, again, "jam")
        one.said_in(again, "permission")
        thread = one.thread(number)

    assert "`eve` has read permission here; this takes write." in said
    assert thread.reactions == (("confused", "jam[bot]"),)
    assert "judging" not in one.log


BAD = CONTRACT.replace("gates:", "gats:").format(python=sys.executable)


@pytest.mark.parametrize(
    ("contract", "words"),
    [(None, "there is no .github/jam.yml"), (BAD, ".github/jam.yml:4")],
    ids=["none", "mistaken"],
)
def test_a_contract_that_cannot_be_used_is_told_line_by_line(
    tmp_path: Path, contract: str | None, words: str
) -> None:
    files = {name: text for name, text in FILES.items() if name != ".github/jam.yml"}
    files |= {".github/jam.yml": contract} if contract else {}
    with world(tmp_path, files=files) as one:
        number = ask(one)
        said = one.said_in(number, "The contract cannot be used")

    assert words in said
    assert one.pulls() == ()
