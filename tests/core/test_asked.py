"""What a session was asked survives being written down; logs name their failing tests; and the
manifest in the repository is the one that is sent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.core import app_manifest, check_log
from bot.core.asked import Asked, NotAsked, spell, unspell
from bot.core.decision import At, Failed, Flaky, Named, Retry, Start, Told, Undo, Verify, Words
from bot.core.event import CheckKind
from bot.core.forge_values import OfComment, OfThread
from bot.core.thread import Account, Pull, Repository, Thread

BEN = Account(7, "ben")
WHERE = Repository(id=1, name="ada/lib", default_branch="main", installation=2)
PULL = Pull(
    number=9,
    author=BEN,
    head_sha="a" * 40,
    head_branch="x",
    head_repository=None,
    base_branch="main",
    body='\ud800 odd & "quoted"',
)
START = {"session": "s", "where": WHERE, "by": BEN}
WISHES = {
    "an issue": Start(**START, subject=Told("One", "two"), thread=Thread(number=7)),
    "a number": Start(**START, subject=Named(7), tests=("a::b", "c"), release=("d",)),
    "words": Start(**START, subject=Words("do it"), base=At("work", "b" * 40)),
    "a check": Start(**START, subject=Failed(kind=CheckKind.SUITE, id=3, names=("test",))),
    "a schedule": Start(**START, subject=Flaky()),
    "another try": Retry(**START, thread=PULL.thread, pull=PULL, words="again", review=4),
    "a verification": Verify(id="v", where=WHERE, by=BEN, pull=PULL, is_fork=True),
    "taking back": Undo(session="s", where=WHERE, by=BEN, count=2),
}


@pytest.mark.parametrize("wish", WISHES.values(), ids=WISHES)
@pytest.mark.parametrize(
    "spot", [None, OfThread(7), OfComment(8)], ids=["none", "thread", "comment"]
)
def test_what_was_asked_is_read_back_as_it_was(wish: object, spot: object) -> None:
    asked = Asked(wish=wish, spot=spot)  # type: ignore[arg-type]

    assert unspell(spell(asked)) == asked


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"is": "os.system"}', '{"is": "Flaky"}'])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(NotAsked):
        unspell(text)


LOG = b"""\
\xef\xbb\xbf2026-11-30T10:00:00.0000000Z ##[group]Run tests
2026-11-30T10:00:01.0000000Z \x1b[31mFAILED\x1b[0m tests/test_a.py::test_b[x-1] - assert 1 == 2
2026-11-30T10:00:01.0000000Z ERROR tests/test_c.py - ImportError: no
2026-11-30T10:00:01.0000000Z FAILED ../../etc/passwd.py::x - no
2026-11-30T10:00:01.0000000Z FAIL: test_d (tests.test_e.Case)
2026-11-30T10:00:01.0000000Z --- FAIL: TestGo/sub (0.00s)
2026-11-30T10:00:01.0000000Z \xff\xfe odd
"""


def test_a_log_names_its_failing_tests() -> None:
    assert check_log.failing(check_log.read(LOG)) == (
        "tests/test_a.py::test_b[x-1]",
        "tests/test_c.py",
        "tests.test_e.Case.test_d",
        "TestGo/sub",
    )


def test_an_excerpt_is_bounded_and_keeps_the_end() -> None:
    shown = check_log.excerpt("begin\n" + "x\n" * 50_000 + "the end\n", limit=1_000)

    assert len(shown) < 1_200
    assert shown.endswith("the end")


def test_the_manifest_of_the_repository_is_the_one_that_is_sent() -> None:
    kept = json.loads((Path(__file__).parents[2] / "github-app-manifest.json").read_text())

    assert kept == app_manifest.manifest()
    assert "workflows" not in app_manifest.PERMISSIONS


def test_what_an_app_lacks_is_named() -> None:
    granted = {**app_manifest.PERMISSIONS, "checks": "read", "issues": "none"}

    assert app_manifest.missing_permissions(granted) == ("checks: write", "issues: write")
    assert app_manifest.missing_permissions(app_manifest.PERMISSIONS) == ()
    assert app_manifest.missing_events(("issues",)) == tuple(
        event for event in app_manifest.EVENTS if event != "issues"
    )
