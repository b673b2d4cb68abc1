"""What a comment asks of jam: only what is spoken, first on its line, in exactly these words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.core.command import (
    MANUAL,
    Approve,
    Command,
    Fix,
    Heard,
    Help,
    Mistaken,
    Resume,
    Retry,
    Status,
    Stop,
    Undo,
    Verify,
    minimum,
    read,
)
from bot.core.live_lines import LONG
from bot.core.permission import Permission
from bot.core.visible import see

A, B = "tests/test_a.py::test_b", "tests/test_a.py::TestC::test_d[x-1]"

COMMANDS: dict[str, Command] = {
    "/jam fix": Fix(),
    "/jam  fix ": Fix(),
    "/JAM Fix": Fix(),
    "  /jam\tfix": Fix(),
    "/jam\xa0fix": Fix(),
    "/jam fix oracle=unit": Fix(oracle="unit"),
    '/jam fix oracle="unit tests"': Fix(oracle="unit tests"),
    f"/jam fix tests={A}": Fix(tests=(A,)),
    f"/jam fix TESTS={A},{B} release={B}": Fix(tests=(A, B), release=(B,)),
    "/jam fix tests=t[a,b],u": Fix(tests=("t[a,b]", "u")),
    '/jam fix tests="t[a b]",u oracle=unit': Fix(tests=("t[a b]", "u"), oracle="unit"),
    f"/jam fix tests={A},{A}": Fix(tests=(A,)),
    "/jam fix tests=TestSum/negative_numbers#01": Fix(tests=("TestSum/negative_numbers#01",)),
    "/jam fix tests=a=b": Fix(tests=("a=b",)),
    "/jam verify": Verify(),
    "/jam verify DEADBEEF": Verify(sha="deadbeef"),
    f"/jam verify {'a' * 40} tests={A} oracle=unit": Verify(
        sha="a" * 40, tests=(A,), oracle="unit"
    ),
    f"/jam verify tests={A}": Verify(tests=(A,)),
    "/jam retry": Retry(),
    "/jam retry with the other bound": Retry("with the other bound"),
    "/jam retry look at\n`merge`\n> really": Retry("look at\n`merge`\n> really"),
    "/jam resume": Resume(),
    "/jam stop": Stop(),
    "/jam stop, please": Mistaken("There is no `/jam stop,`; did you mean `/jam stop`?"),
    "/jam stop it now!": Stop(),
    "/jam status": Status(),
    "/jam approve": Approve(),
    "/jam undo 3": Undo(3),
    "/jam help me": Help(),
    "/jam": Help(),
    "/jam retry what was spoken, spokenq and spokenqq": Retry(
        "what was spoken, spokenq and spokenqq"
    ),
}
MISTAKES = {
    "/jam fox": "There is no `/jam fox`; did you mean `/jam fix`?",
    "/jam Verifi": "There is no `/jam verifi`; did you mean `/jam verify`?",
    "/jam toast": "There is no `/jam toast`; `/jam help` lists what there is.",
    "/jam @ada `x`": "There is no `/jam @ada`; `/jam help` lists what there is.",
    "/jam resume gh-1": "`/jam resume` takes nothing behind it.",
    "/jam approve? not sure": "There is no `/jam approve?`; did you mean `/jam approve`?",
    "/jam approve not": "`/jam approve` takes nothing behind it.",
    "/jam undo": "`/jam undo` takes how many checkpoints to take back, from 1 to 999.",
    "/jam undo 0": "`/jam undo` takes how many checkpoints to take back, from 1 to 999.",
    "/jam undo -1": "`/jam undo` takes how many checkpoints to take back, from 1 to 999.",
    "/jam undo ٣": "`/jam undo` takes how many checkpoints to take back, from 1 to 999.",
    "/jam fix model=large": (
        "`/jam fix` does not know `model=large`; it takes `oracle=`, `release=`, `tests=`"
    ),
    "/jam fix test=a": "`/jam fix` does not know `test=a`; did you mean `tests=`?",
    "/jam fix the tests": (
        "`/jam fix` does not know `the`; it takes `oracle=`, `release=`, `tests=`"
    ),
    "/jam fix oracle=a oracle=b": "`oracle=` stands there twice; put commas between ids.",
    "/jam fix oracle=": "`oracle=` names no oracle.",
    "/jam fix oracle=../x": "`../x` is not the name of an oracle.",
    '/jam fix tests="a': "A quotation mark does not close.",
    "/jam fix tests=": "In `tests=`, a test id is missing between the commas.",
    "/jam fix tests=a,,b": "In `tests=`, a test id is missing between the commas.",
    "/jam fix tests=a[1": "In `tests=`, the brackets of a test id do not close.",
    "/jam fix tests=a]1[": "In `tests=`, the brackets of a test id do not close.",
    "/jam fix tests=-p,x": (
        "In `tests=`, `-p` is no test id: it begins like an option or leaves the checkout."
    ),
    "/jam fix tests=../a.py::b": (
        "In `tests=`, `../a.py::b` is no test id: it begins like an option or leaves the checkout."
    ),
    "/jam fix release=/etc/x": (
        "In `release=`, `/etc/x` is no test id: it begins like an option or leaves the checkout."
    ),
    "/jam fix tests=$(id)": "In `tests=`, `$(id)` holds what only a shell would read.",
    "/jam fix tests=a\u200bb": "In `tests=`, `a\ufffdb` holds characters that cannot be seen.",
    f"/jam fix tests={'a' * 501}": (f"In `tests=`, `{'a' * 79}…` is longer than 500 characters."),
    f"/jam fix tests={','.join(f't{n}' for n in range(51))}": (
        "In `tests=`, 51 test ids are more than 50."
    ),
    "/jam verify HEAD": "`HEAD` is not a commit: give 7 or more of its digits.",
    "/jam verify abc": "`abc` is not a commit: give 7 or more of its digits.",
    "/jam verify oracle=": "`oracle=` names no oracle.",
    "/jam verify release=a": (
        "`/jam verify` does not know `release=a`; it takes `oracle=`, `tests=`"
    ),
}
SPOKEN = {
    "after words": "Please.\n/jam stop",
    "after a quotation": "> was it so?\n\n/jam stop",
    "with Windows line ends": "Please.\r\n/jam stop\r\nThanks",
    "before a rule": "/jam stop\n---\nsent from a phone",
    "in a list, under its words": "- one\n  /jam stop",
    "before code": "/jam stop\n```\nx\n```",
    "beside an open backtick": "the ` key\n/jam stop",
    "after a comment that ended": "<!-- hidden -->\n\n/jam stop",
    "after code that ended": "```\nx\n```\n/jam stop",
    "three blanks in": "   /jam stop",
    "in a block of HTML, as Markdown": "<details>\n\n/jam stop\n\n</details>",
    "in emphasis that spans it": "*so\n/jam stop\nso*",
}
SILENT = {
    "nothing": "",
    "another word": "/jamfix",
    "another word of a longer name": "/jam-bot fix",
    "in the middle of a line": "please /jam stop",
    "in a list item": "- /jam stop",
    "in a heading": "# /jam stop",
    "quoted": "> /jam stop",
    "quoted without a mark of its own": "> was it\n/jam stop",
    "quoted twice": "> > so\n> /jam stop",
    "quoted in a list": "- > so\n  > /jam stop",
    "in a fence": "```\n/jam stop\n```",
    "in a fence of tildes": "~~~ sh\n/jam stop\n~~~",
    "in a fence that never ends": "```\n/jam stop",
    "in a longer fence": "````\n```\n/jam stop\n```\n````",
    "indented as code": "    /jam stop",
    "indented by a tab": "\t/jam stop",
    "in a code span": "`/jam stop`",
    "in a code span over lines": "see `a\n/jam stop\nb` there",
    "in a code span of its own line": "`\n/jam stop\n`",
    "in a comment": "<!-- /jam stop -->",
    "in a comment over lines": "<!--\n/jam stop\n-->",
    "in a comment that never ends": "<!--\n/jam stop",
    "after a comment that Markdown closes and a browser does not": "<!----><!--\n/jam stop",
    "in a tag that never ends": '<div title="\n\n/jam stop',
    "in a comment within a paragraph": "a <!-- b\n/jam stop\n--> c",
    "in a block of HTML": "<details>\n/jam stop\n</details>",
    "in an attribute": '<a title="\n/jam stop\n">x</a>',
    "in the title of a link": '[x](y "\n/jam stop\n")',
    "in a definition": '[x]: y "\n/jam stop\n"',
    "escaped": "\\/jam stop",
    "in a table": "| a |\n|---|\n| /jam stop |",
    "after a line separator that is none": "x\u2028/jam stop",
    "beyond what a comment can hold": "/jam stop\n" + "x" * LONG,
}


@pytest.mark.parametrize("text", COMMANDS)
def test_every_form_is_understood(text: str) -> None:
    assert read(text) == Heard(COMMANDS[text])


@pytest.mark.parametrize("text", MISTAKES)
def test_every_mistake_is_told_in_a_sentence(text: str) -> None:
    assert read(text) == Heard(Mistaken(MISTAKES[text]))


@pytest.mark.parametrize("case", SPOKEN)
def test_it_is_heard(case: str) -> None:
    assert read(SPOKEN[case]) == Heard(Stop())


@pytest.mark.parametrize("case", SILENT)
def test_it_is_not_heard(case: str) -> None:
    assert read(SILENT[case]) is None


def test_the_first_of_several_counts_and_the_others_are_counted() -> None:
    text = "/jam retry this way\nplease\n\n/jam stop\n\n> /jam fix\n\n/jam help"

    assert read(text) == Heard(Retry("this way\nplease"), others=2)


def test_the_help_names_every_command_once() -> None:
    forms = [re.split(r" ", form)[0] for form, _, _ in MANUAL]
    commands = [read(f"/jam {form} 1" if form == "undo" else f"/jam {form}") for form in forms]

    assert len({type(heard.command) for heard in commands if heard}) == len(forms)
    assert not any(isinstance(heard.command, Mistaken) for heard in commands if heard)


@pytest.mark.parametrize(
    ("command", "takes"),
    [
        (Verify(), Permission.TRIAGE),
        (Verify(sha="deadbeef"), Permission.TRIAGE),
        (Verify(tests=("a",)), Permission.WRITE),
        (Verify(oracle="unit"), Permission.WRITE),
        (Fix(), Permission.WRITE),
        (Retry(), Permission.WRITE),
        (Stop(), Permission.WRITE),
        (Help(), Permission.WRITE),
        (Mistaken(""), Permission.WRITE),
    ],
)
def test_what_a_command_takes(command: Command, takes: Permission) -> None:
    assert minimum(command) is takes


PIECES = (
    *("/jam stop", "/jam fix tests=a", "/jam", "\n", "\n\n", "\r\n", "> ", "- ", "    ", "\t"),
    *("```", "~~~", "`", "``", "<!--", "-->", "<b>", "</b>", "<details>", "[x](", ")", '"', "*"),
    *("_", "#", "===", "---", "|", "|--|", "\\", "word", " ", "&lt;", "1. ", "\u200b", "\x00"),
)
messy = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
_PAGE = MarkdownIt("commonmark").enable(["table", "strikethrough"])


@given(messy)
@settings(max_examples=800, deadline=None)
def test_what_a_page_shows_as_code_or_quotation_is_never_heard(text: str) -> None:
    """Held against another way to know it: the page's HTML, its quotations and code cut out."""
    heard = read(text)
    if heard is None:
        return

    page = re.sub(r"(?s)<(pre|code)>.*?</\1>", "", _PAGE.render(text))
    while (
        shorter := re.sub(r"(?s)<blockquote>(?:(?!<blockquote>).)*?</blockquote>", "", page)
    ) != page:
        page = shorter
    assert "/jam" in re.sub(r"(?s)<!--.*?(?:-->|\Z)", "", page).lower()


@given(messy, st.sampled_from(["> ", "    "]))
@settings(max_examples=500, deadline=None)
def test_a_comment_that_is_quoted_whole_asks_for_nothing(text: str, mark: str) -> None:
    lines = re.split(r"\r\n|\r|\n", text)

    assert read("\n".join(f"{mark}{line}" for line in lines)) is None


@given(st.text(max_size=400))
@settings(max_examples=400, deadline=None)
def test_any_text_behind_the_word_is_an_answer(text: str) -> None:
    assert isinstance(read(f"/jam {text}"), Heard | None)


@given(
    st.lists(st.from_regex(r"[A-Za-z0-9_./:#@+-]{1,30}", fullmatch=True), min_size=1, max_size=9)
)
def test_plain_ids_arrive_as_they_were_written_or_are_refused(ids: list[str]) -> None:
    heard = read(f"/jam fix tests={','.join(ids)}")

    assert heard is not None
    if isinstance(heard.command, Fix):
        assert heard.command.tests == tuple(dict.fromkeys(ids))
    else:
        assert any(name.startswith(("-", "/")) or ".." in name for name in ids)


@given(st.text(min_size=1, max_size=60))
def test_no_id_can_hold_what_an_argument_must_not(name: str) -> None:
    heard = read(f'/jam fix tests="{name}"')

    if heard is not None and isinstance(heard.command, Fix):
        for test in heard.command.tests:
            assert test == see(test).text
            assert not set("\t\n") & set(test)
            assert not test.startswith(("-", "/"))
            assert "`" not in test
            assert "$(" not in test
