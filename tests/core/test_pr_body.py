"""What a maintainer reads: every number from an entry, nothing foreign outside its fence."""

from __future__ import annotations

import random
import re

import pytest
from markdown_it import MarkdownIt

from bot.core.entries import AnyFact
from bot.core.ledger import last_seal
from bot.core.parts import Change, Colour
from bot.core.pr_body import LIMIT, Reader, render
from tests.make import (
    FIXED,
    TARGET,
    adjudicated,
    adjudications,
    baselined,
    composed,
    ended,
    opened,
    published,
    sealed,
    to_red_base,
    turned,
    verified_story,
)

STORY = verified_story()
PAGE = MarkdownIt("gfm-like", {"linkify": False})


def failed_story() -> tuple[AnyFact, ...]:
    lines = (("lib/a.py", 7, 0.91),)
    word = adjudicated(end="failed", level="none", why="still red: t::x", changes=(), files=0)
    last = turned(1, "give up", suspects=lines)
    reds = adjudications(Colour.RED)[:1]
    return (*to_red_base(), last, composed(), *reds, word, ended(end="failed", exit_code=1))


def test_the_verdict_names_command_counts_rooms_and_targets() -> None:
    body = render(sealed(*STORY), issue=7)

    assert body.startswith("Fixes #7: Intervals that touch are not merged\n")
    assert (
        "`python -m pytest -q`: before: 14 passed, 1 failed, 0 skipped; "
        "after: 15 passed, 0 failed, 0 skipped, green in 3 of 3 clean rooms."
    ) in body
    assert f"Had to become green: `{TARGET}`." in body
    assert f"tree of the change `{FIXED[:12]}`" in body


@pytest.mark.parametrize("reader", [Reader.PULL, Reader.ANSWER])
def test_on_a_forge_nothing_is_said_of_a_shell_or_of_a_machine(reader: Reader) -> None:
    said = opened(agents=("scripted:/srv/agent.yml", "command:/opt/x/bin/coder --key 1", "repair"))
    turn = turned(1, "finish", agent="scripted:/srv/agent.yml", said="It was the comparison.")
    story = [{"opened": said, "turned": turn}.get(fact.kind, fact) for fact in STORY]
    body = render(sealed(*story), reader=reader)

    own = "(scripted, then command:coder, then repair; not checked)"
    assert (own in body) == (reader is Reader.PULL)
    assert "In a comment: `/jam verify` judges" in body
    assert [word for word in ("/srv", "/opt", "`jam ", "--key") if word in body] == []


def test_of_a_change_that_is_only_judged_nobody_is_said_to_have_worked_on_it() -> None:
    story = [
        opened(given="f" * 40, agents=("given",)) if fact.kind == "opened" else fact
        for fact in failed_story()
    ]
    body = render(sealed(*story), reader=Reader.ANSWER)

    assert "The question is whether the change mends 1 test that fails on the base." in body
    assert [word for word in ("agent's own words", "the agent left") if word in body] == []


def test_sections_come_in_the_order_in_which_they_are_wanted() -> None:
    review = adjudicated(review=("It is large.",), not_verified=("Speed.",))
    body = render(sealed(*STORY[:-3], review, published(), ended()))
    headings = re.findall(r"^### (.*)$", body, re.MULTILINE)

    assert headings == [
        "Look at this first", "Evidence", "Changed files", "Frozen paths", "Not verified", "Used",
    ]  # fmt: skip


@pytest.mark.parametrize("end", ["partial", "unverified", "failed", "cancelled"])
def test_an_issue_is_closed_only_by_what_was_verified(end: str) -> None:
    body = render(sealed(*STORY[:-3], adjudicated(end=end), published(), ended()), issue=7)

    assert body.startswith("Refs #7: ")
    assert "**Verified.**" not in body


def test_every_judgement_is_a_row_with_its_seal() -> None:
    ledger = sealed(*STORY)
    body = render(ledger)

    for entry in ledger:
        if entry.fact.kind in ("judged", "turned", "baselined", "froze"):
            assert f"`{entry.seal[:12]}`" in body


def test_the_machine_block_holds_session_contract_and_last_seal() -> None:
    ledger = sealed(*STORY)

    assert render(ledger).endswith(
        f"<!-- jam:session={opened().session} contract={opened().contract_sha256} "
        f"entries={len(ledger)} seal={last_seal(ledger)} -->"
    )


def test_a_statement_is_named_where_a_stranger_looks_for_it() -> None:
    ref = f"refs/jam/evidence/{opened().session}"
    body = render(sealed(*STORY), statement="5" * 64)

    assert f"`git fetch origin {ref}:{ref}`" in body
    assert body.endswith(f" statement={'5' * 64} -->")


def test_a_failed_session_says_where_it_stands() -> None:
    body = render(sealed(*failed_story()))

    assert "### Where it stands" in body
    assert f"`jam checkpoints list {opened().session}`" in body
    assert "`lib/a.py`, line 7: suspicion 0.91" in body


def test_a_body_that_is_too_long_is_cut_at_the_end_and_says_so() -> None:
    files = tuple(Change(path=f"{'d' * 180}/{n}.py", added=n, removed=0) for n in range(100))
    long = adjudicated(changes=files, files=400)
    body = render(sealed(*STORY[:-3], long, published(), ended()), limit=9_000)

    assert len(body) <= 9_000
    assert body.startswith("> This body was too long for the page and is cut")
    assert "… cut here." in body
    assert "### Evidence" in body
    assert body.rstrip().endswith("-->")


def test_no_body_is_over_the_limit() -> None:
    crabs = "\U0001f980" * 190
    files = tuple(Change(path=f"{crabs}/{n}", added=n, removed=0) for n in range(100))
    targets = tuple(f"{'t' * 290}::{n}" for n in range(40))
    long = adjudicated(changes=files, files=4000, review=("x" * 30_000,) * 3)
    story = (*STORY[:5], baselined(targets=targets), *STORY[6:-3], long, published(), ended())

    assert len(render(sealed(*story))) <= LIMIT


NASTY = (
    "`", "```", "~~~", "<!--", "-->", "<img src=x>", "[a](http://b)", "![a](//b)", "@ada", "#1",
    "| a | b |", "\n", "\n\n", "# h", "> q", "- l", "1. l", "***", "___", "Fixes #9", "&lt;",
    "\\", "<details>", "\u202e", "\u200b", "\x1b[31m", "https://evil.example", "$x$", ":+1:", "  ",
    "\t", "</td>", "<data-0a>", "jam:session=1", "--", "=", "===", "+", "~", "word", "\U000e0041",
)  # fmt: skip


def nasty(chance: random.Random) -> str:
    return "".join(chance.choice(NASTY) for _ in range(chance.randint(1, 14)))


def story_of(text: str) -> tuple[AnyFact, ...]:
    """Every place where somebody else's words stand."""
    files = (Change(path=text[:100] or "x", added=1, removed=1),)
    return (
        opened(title=text, commands=((text, text),)),
        *STORY[1:5],
        baselined(targets=(text,)),
        turned(1, "finish", said=f"{text} said"),
        *STORY[7:-3],
        adjudicated(changes=files),
        published(branch=text),
        ended(),
    )


LIVE = {"link_open", "image", "html_inline"}


def shape_of(text: str) -> tuple[list[str], set[str]]:
    tokens = PAGE.parse(render(sealed(*story_of(text))))
    inner = {child.type for token in tokens for child in token.children or ()}
    blocks = ("heading_open", "table_open", "tr_open", "hr", "fence", "html_block")
    return [token.tag for token in tokens if token.type in blocks], inner & LIVE


SHAPE = shape_of("word")[0]


@pytest.mark.parametrize("seed", range(6))
def test_foreign_text_cannot_break_out(seed: int) -> None:
    """Headings, tables and rows are the same whatever the words are, and nothing is live."""
    chance = random.Random(seed)
    for _ in range(15):
        text = nasty(chance)
        assert shape_of(text) == (SHAPE, set()), repr(text)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(4))
def test_foreign_text_cannot_break_out_in_ten_thousand_tries(part: int) -> None:
    chance = random.Random(f"ten thousand, part {part}")
    for _ in range(2_500):
        text = nasty(chance)
        assert shape_of(text) == (SHAPE, set()), repr(text)
