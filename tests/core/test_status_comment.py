"""The one comment of a thread: what a person reads at each moment of a session."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.core.command import MANUAL, read
from bot.core.entries import AnyFact, Reproduced
from bot.core.ledger import Sealed
from bot.core.markers import status
from bot.core.parts import Colour, Purpose
from bot.core.status_comment import (
    LIMIT,
    Asking,
    Broken,
    Edit,
    Later,
    Leave,
    Over,
    Place,
    Posted,
    Queued,
    Quiet,
    Resting,
    Running,
    Scene,
    help_table,
    pace,
    render,
)
from tests import make

PLACE = Place(repository=41, number=12, asked_by="ada")
MARK = status(41, 12)
STORY = make.verified_story()
PAGE = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def until(count: int) -> tuple[Sealed, ...]:
    return make.sealed(*STORY[:count])


def over(end: str, *facts: AnyFact, **word: Any) -> Over:
    """A session that ended so, published or not."""
    told = make.adjudicated(end=end, **word)
    ended = make.ended(end=end, exit_code=1, why=told.why, at=make.AT + timedelta(seconds=252))
    return Over(make.sealed(*STORY[:12], told, *facts, ended))


def lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line]


BEGUN = [
    "- [x] began at `bbbbbbbbbbbb` of `main`, judged by `unit`",
    "- [x] prepared the environment",
    "- [x] the base is red: 1 test to mend, 14 to keep",
]
WORKED = [*BEGUN, "- [x] worked on it (1 turn, 1 checkpoint kept)"]
SESSION = "session `20261130-120000-abcd`"
STOP = "`/jam stop` ends it; what was done is kept."
AGAIN = "`/jam retry` tries again, with your words behind it · `/jam help`"
KEPT = (
    "What the agent did is kept, 1 checkpoint: `git fetch origin "
    "'refs/jam/checkpoints/20261130-120000-abcd/*:refs/jam/checkpoints/20261130-120000-abcd/*'`"
)
SCENES: dict[str, tuple[Scene, list[str]]] = {
    "nothing but an answer": (Quiet(), []),
    "next in the queue": (
        Queued(1),
        ["**jam has this in its queue for `ada`**: next in line", STOP],
    ),
    "third in the queue": (
        Queued(3),
        ["**jam has this in its queue for `ada`**: number 3 in line", STOP],
    ),
    "just begun": (
        Running(),
        [
            "**jam is working on this for `ada`**",
            "- [ ] agree on the contract",
            "- [ ] prepare the environment",
            "- [ ] run the tests on the untouched base",
            "- [ ] change the code",
            "- [ ] judge it in clean rooms",
            "- [ ] publish the change",
            STOP,
        ],
    ),
    "at work": (
        Running(until(7)),
        [
            f"**jam is working on this for `ada`** · {SESSION}",
            *BEGUN,
            "- [ ] work on it (1 turn, 1 checkpoint kept)",
            "- [ ] judge it in clean rooms",
            "- [ ] publish the change",
            STOP,
        ],
    ),
    "being judged": (
        Running(until(11)),
        [
            f"**jam is working on this for `ada`** · {SESSION}",
            *WORKED,
            "- [ ] judge it in clean rooms (2 of 3 runs so far)",
            "- [ ] publish the change",
            STOP,
        ],
    ),
    "asking": (
        Asking(until(7), "pip install requests"),
        [
            f"**jam asks before it goes on** · {SESSION}",
            "```",
            "pip install requests",
            "```",
            *BEGUN,
            "- [ ] work on it (1 turn, 1 checkpoint kept)",
            "- [ ] judge it in clean rooms",
            "- [ ] publish the change",
            "`/jam approve` lets it go on · `/jam stop` ends it",
        ],
    ),
    "resting": (
        Resting(until(6), "the model's service did not answer"),
        [
            f"**jam rests**: the model's service did not answer · {SESSION}",
            *BEGUN,
            "- [ ] change the code",
            "- [ ] judge it in clean rooms",
            "- [ ] publish the change",
            "`/jam resume` goes on · `/jam stop` ends it",
        ],
    ),
    "verified": (
        over("verified", make.published()),
        [
            "**Verified.** Green in every clean room, and red without the change. "
            f"It took 4 min 12 s. · {SESSION}",
            *WORKED,
            "- [x] judged: green in 3 of 3 clean rooms, evidence level L3",
            "- [x] published on `jam/intervals` for review",
            AGAIN,
        ],
    ),
    "unverified": (
        over(
            "unverified",
            make.published(draft=True),
            level="L2",
            why="below L3",
            review=("conftest.py was changed",),
            not_verified=("whether it helps on Windows",),
        ),
        [
            f"**Unverified.** Below L3. It took 4 min 12 s. · {SESSION}",
            *WORKED,
            "- [x] judged: green in 3 of 3 clean rooms, evidence level L2",
            "- [x] published on `jam/intervals` as a draft",
            "- conftest.py was changed",
            "- whether it helps on Windows",
            AGAIN,
        ],
    ),
    "failed": (
        over("failed", level="none", why="the tests still fail"),
        [
            f"**Failed.** The tests still fail. It took 4 min 12 s. · {SESSION}",
            *WORKED,
            "- [x] judged: green in 3 of 3 clean rooms, evidence level none",
            KEPT,
            AGAIN,
        ],
    ),
    "cancelled": (
        over("cancelled", level="none", why="stopped by ada"),
        [
            f"**Cancelled.** Stopped by ada. It took 4 min 12 s. · {SESSION}",
            *WORKED,
            "- [x] judged: green in 3 of 3 clean rooms, evidence level none",
            KEPT,
            AGAIN,
        ],
    ),
    "over before it had an end": (
        Over(until(6)),
        [
            f"**jam has stopped** · {SESSION}",
            *BEGUN,
            "- [ ] change the code",
            "- [ ] judge it in clean rooms",
            "- [ ] publish the change",
            AGAIN,
        ],
    ),
    "broken": (
        Broken("entry 3 does not follow from the one before it"),
        [
            "**Something is wrong with jam itself**: entry 3 does not follow from the one "
            "before it. A person has to look.",
            "`/jam retry` tries again",
        ],
    ),
}


@pytest.mark.parametrize("scene", SCENES)
def test_what_a_person_reads(scene: str) -> None:
    shown, told = SCENES[scene]

    assert lines(render(PLACE, shown)) == [MARK, *told]


@pytest.mark.parametrize("scene", [Resting, Over, Broken])
def test_no_reason_can_say_a_command_in_jams_name(scene: type) -> None:
    why = "It broke.\n\n/jam stop\n\n/jam fix"
    told = {
        Resting: Resting(until(6), why),
        Over: over("failed", why=why),
        Broken: Broken(why),
    }

    assert read(render(PLACE, told[scene], answer=why)) is None


@pytest.mark.parametrize(
    ("seconds", "took"), [(0, "0 s"), (59, "59 s"), (60, "1 min 0 s"), (7_261, "2 h 1 min")]
)
def test_the_time_it_took_is_told_as_people_say_it(seconds: int, took: str) -> None:
    ended = make.ended(at=make.AT + timedelta(seconds=seconds))
    told = render(PLACE, Over(make.sealed(*STORY[:-1], ended)))

    assert f"It took {took}." in told


def test_a_green_base_without_any_change_is_told_so() -> None:
    ledger = make.sealed(
        *make.to_red_base()[:-1],
        make.baselined(targets=(), targets_count=0),
        make.adjudicated(end="failed", level="none", changes=(), files=0),
        make.ended(end="failed", exit_code=1),
    )

    assert lines(render(PLACE, Over(ledger)))[4:7] == [
        "- [x] the base is green (14 tests to keep)",
        "- [x] changed nothing",
        "- [x] judged: nothing to judge, evidence level none",
    ]


def test_the_comment_links_what_belongs_to_it() -> None:
    place = Place(repository=41, number=12, pull=13, page="https://jam.example/s/1")
    told = lines(render(place, Running(until(7))))

    assert told[1] == (
        f"**jam is working on this** · #13 · {SESSION} · [page](https://jam.example/s/1)"
    )


def test_on_a_pull_request_it_offers_verification() -> None:
    place = Place(repository=41, number=13, is_pull=True)
    told = lines(render(place, over("verified", make.published())))

    assert told[-1] == f"`/jam verify` judges it again · {AGAIN}"


def test_an_answer_stands_above_the_foot_and_is_set_apart() -> None:
    told = render(PLACE, Queued(1), answer="Only this.\n\nAnd that.")

    assert lines(told)[2:] == ["> Only this.", ">", "> And that.", STOP]


def test_a_reproduction_and_refusals_are_told() -> None:
    ledger = make.sealed(
        *make.to_red_base(),
        Reproduced(checkpoint=1, tree=make.FIXED, paths=("tests/test_new.py",)),
        make.froze(),
        make.preflight(0, tree=make.FIXED),
        make.preflight(1, tree=make.FIXED),
        make.baselined(),
        make.turned(2),
        make.composed(2),
        make.judged(Purpose.STOP_GATE, Colour.RED),
        make.turned(3),
    )
    told = lines(render(PLACE, Running(ledger)))

    assert told[5:7] == [
        "- [x] the agent wrote a test that shows the issue (`tests/test_new.py`)",
        "- [ ] work on it (3 turns, 3 checkpoints kept, sent back 1 time)",
    ]


class TestHelp:
    def test_is_a_table_with_every_command(self) -> None:
        rows = [token for token in PAGE.parse(help_table()) if token.type == "tr_open"]

        assert len(rows) == len(MANUAL) + 1
        assert "| `/jam undo N` | take back the last N checkpoints | write |" in help_table()

    def test_starts_nothing_when_jam_reads_it(self) -> None:
        """The oldest loop of all: a bot that reads its own help."""
        comments = [render(PLACE, scene, with_help=True) for scene, _ in SCENES.values()]

        assert [read(comment) for comment in comments] == [None] * len(comments)


class TestPace:
    POSTED = Posted("old", make.AT)

    @pytest.mark.parametrize(
        ("posted", "text", "after_s", "move"),
        [
            (None, "new", 0, Edit()),
            (POSTED, "old", 100, Leave()),
            (POSTED, "new", 0, Later(10.0)),
            (POSTED, "new", 9.5, Later(0.5)),
            (POSTED, "new", 10, Edit()),
            (POSTED, "new", -3600, Later(10.0)),
        ],
        ids=[
            "the first is written at once",
            "the same is never written",
            "another waits",
            "another waits what is left",
            "another after ten seconds",
            "a clock that went back holds nothing up for long",
        ],
    )
    def test_of_edits(
        self, posted: Posted | None, text: str, after_s: float, move: Edit | Later | Leave
    ) -> None:
        assert pace(posted, text, now=make.AT + timedelta(seconds=after_s)) == move

    def test_nothing_ticks(self) -> None:
        """What is shown while a session runs changes with the ledger alone."""
        running = [render(PLACE, Running(until(count))) for count in range(len(STORY))]

        assert len(set(running)) < len(running)
        assert render(PLACE, Running(until(9))) == render(PLACE, Running(until(9)))


FRAGMENTS = (
    *"`~|\\<>&*_[]()!#+-=:@ \t\n\r",
    *("```", "~~~", "\n\n", "<!--", "-->", "<b>", "</details>", "<img src=x>", "![x](http://a/b)"),
    *("[x](y)", "http://a.b/c", "@ada", "Fixes #12", "GH-4", "- [x] ", "1. ", "> ", "# ", "---"),
    *("word", "\u200b", "\x1b[31m", "/jam stop", "\n/jam stop", MARK),
)
messy = st.lists(st.sampled_from(FRAGMENTS), max_size=20).map("".join)
VISIBLE = {"text", "text_special", "code_inline", "strong_open", "strong_close", "softbreak"}


@given(messy)
@settings(max_examples=100, deadline=None)
def test_foreign_text_adds_nothing_to_the_page(text: str) -> None:
    facts = make.sealed(
        make.opened(base_name=text or "x", oracle=text or "x", agents=(text or "x",)),
        *STORY[1:7],
        Reproduced(checkpoint=1, tree=make.FIXED, paths=(text, text)),
    )
    place = Place(repository=41, number=12, asked_by=text)
    pages = [
        render(place, scene)
        for scene in (Running(facts), Asking(facts, text), Resting(facts, text), Broken(text))
    ]

    for page in pages:
        assert read(page) is None
        body = page.removeprefix(MARK)
        assert len(page) < LIMIT
        tokens = PAGE.parse(body)
        assert not [token for token in tokens if token.type in {"html_block", "heading_open"}]
        spans = [child for token in tokens for child in token.children or []]
        assert {span.type for span in spans} <= VISIBLE
        loose = "".join(span.content for span in spans if span.type != "code_inline")
        assert not re.search(r"@\w|#\d|://|GH-\d", loose)


def test_what_a_file_is_called_says_nothing_in_a_comment() -> None:
    path = "a\n\n/jam stop @ada fixes #1 <img src=x> **b**"
    text = render(PLACE, over("unverified", review=(f"It changes what the tests mean: {path}.",)))

    looks = next(line for line in lines(text) if line.startswith("- It changes"))
    assert looks == (
        "- It changes what the tests mean: a /jam stop `@ada` fixes `#1` \\<img src=x> "
        "\\*\\*b\\*\\*."
    )
