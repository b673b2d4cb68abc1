"""Names of branches are what git takes, and jam's own stay clear of everybody's."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.branch_name import LIMIT, for_issue, is_ours, is_valid, slug


def git_takes(*names: str) -> list[bool]:
    """What the real git says, a process a name."""
    return [
        subprocess.run(
            ["git", "check-ref-format", f"refs/heads/{name}"], capture_output=True
        ).returncode
        == 0
        for name in names
    ]


MENACES = (
    *("", ".", "..", "/", "//", "@", "@{", "a@{b", "a.lock", "a.lock/b", ".a", "a/.b", "a.", "a/"),
    *("/a", "a//b", "a b", "a\tb", "a\nb", "a~b", "a^b", "a:b", "a?b", "a*b", "a[b", "a\\b"),
    *("a..b", "a\x7fb", "a\x00b"[:1], "$(id)", "`id`", 'a"b', "a;b", "a&b", "a|b", "a#b", "ä/漢"),
    *("a]b", "{", "a@b", "a-", "a.lockx", "x" * 240),
)


def test_a_name_is_valid_where_git_takes_it() -> None:
    assert dict(zip(MENACES, map(is_valid, MENACES), strict=True)) == {
        **dict(zip(MENACES, git_takes(*MENACES), strict=True)),
        # git would take a branch called @, and mean HEAD by it.
        "@": False,
    }


@pytest.mark.parametrize("name", ["-x", "HEAD", "a" * 40, "0" * 64, "x" * 300, "a\ud800"])
def test_names_that_mean_something_else_are_none(name: str) -> None:
    assert not is_valid(name)


@given(
    st.lists(
        st.sampled_from([".lock", "@{", "..", "a", "HEAD", *"a./@{-~^:?*[\\ \x7f"]), max_size=8
    )
)
@settings(max_examples=60, deadline=None)
def test_whatever_is_called_valid_git_takes(parts: list[str]) -> None:
    name = "".join(parts)

    if is_valid(name):
        assert git_takes(name) == [True]


@given(st.integers(1, 10**9), st.text(max_size=300), st.sampled_from(["jam/", "bots/jam/", "x"]))
@settings(max_examples=60, deadline=None)
def test_jams_own_names_are_always_taken(number: int, title: str, prefix: str) -> None:
    name = for_issue(number, title, prefix=prefix)

    assert git_takes(name) == [True]
    assert is_valid(name)
    assert is_ours(name, prefix=prefix)
    assert len(name) <= LIMIT
    assert name.isascii()


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Touching intervals are not merged", "jam/issue-12-touching-intervals-are-not-merged"),
        ("Größe: `a/b` #7 & $(id)!", "jam/issue-12-groe-a-b-7-id"),
        ("漢字 🙂", "jam/issue-12-change"),
        ("", "jam/issue-12-change"),
        ("x" * 100, f"jam/issue-12-{'x' * 40}"),
        ("../../etc", "jam/issue-12-etc"),
        ("v1.lock", "jam/issue-12-v1-lock"),
    ],
)
def test_the_name_for_an_issue(title: str, name: str) -> None:
    assert for_issue(12, title) == name


@pytest.mark.parametrize(
    ("taken", "name"),
    [
        ((), "jam/issue-12-a"),
        (("jam/issue-12-b", "jam/issue-1", "jam/issue-12-a-2"), "jam/issue-12-a"),
        (("jam/issue-12-a",), "jam/issue-12-a-2"),
        (("JAM/Issue-12-A", "jam/issue-12-a-2"), "jam/issue-12-a-3"),
        (("jam/issue-12-a/more",), "jam/issue-12-a-2"),
        (("jam",), "jam-issue-12-a"),
        (("jam", "jam-issue-12-a"), "jam-issue-12-a-2"),
    ],
)
def test_the_name_stays_clear_of_those_that_are_taken(taken: tuple[str, ...], name: str) -> None:
    assert for_issue(12, "A", taken=taken) == name
    assert is_ours(name)


@given(st.lists(st.sampled_from(["jam", "jam/issue-1-a", "jam/issue-1-a-2", "jam-issue-1-a"])))
def test_no_taken_name_is_ever_given(taken: list[str]) -> None:
    name = for_issue(1, "a", taken=taken)

    assert not any(
        name == other or name.startswith(f"{other}/") or other.startswith(f"{name}/")
        for other in taken
    )


@pytest.mark.parametrize(
    ("name", "ours"),
    [("jam/issue-1-a", True), ("jam-issue-1-a", True), ("jam", False), ("jammy/issue-1", False)],
)
def test_a_branch_is_jams_by_its_beginning(name: str, ours: bool) -> None:
    assert is_ours(name) is ours


def test_a_long_title_is_cut_between_no_words_but_at_no_dash() -> None:
    assert slug("a" * 39 + " b") == "a" * 39
