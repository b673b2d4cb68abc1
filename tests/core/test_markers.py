"""jam finds again what jam wrote, and nothing that only looks like it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core import pr_body
from bot.core.facts import Own
from bot.core.ledger import last_seal
from bot.core.markers import Block, Written, find_status, read_block, status
from bot.core.thread import Account
from tests import make

OWN = Own(account=900, app=77)
JAM = Account(900, "jam[bot]", is_bot=True)
NAMESAKE = Account(901, "jam[bot]", is_bot=True)
EVE = Account(8, "eve")
MARK = status(41, 12)
LEDGER = make.sealed(*make.verified_story())
BODY = pr_body.render(LEDGER, issue=12)
BLOCK = Block(
    session="20261130-120000-abcd",
    contract_sha256=make.DIGEST,
    entries=len(LEDGER),
    seal=last_seal(LEDGER),
)
FORGED = f"<!-- jam:session=evil contract={'e' * 64} entries=9 seal={'e' * 64} -->"


def comment(number: int, text: str, author: Account = JAM) -> Written:
    return Written(number, author, text)


OURS = comment(5, f"{MARK}\n\nworking")


class TestTheStatusComment:
    @pytest.mark.parametrize(
        ("comments", "found"),
        [
            ([], None),
            ([comment(1, "hello", EVE), OURS], OURS),
            ([comment(1, f"{MARK}\r\n\r\nworking")], comment(1, f"{MARK}\r\n\r\nworking")),
            ([comment(9, MARK), OURS], OURS),
            ([comment(1, MARK, EVE)], None),
            ([comment(1, MARK, NAMESAKE)], None),
            ([comment(1, status(41, 13))], None),
            ([comment(1, status(42, 12))], None),
            ([comment(1, f"see {MARK}")], None),
            ([comment(1, f"> quoted\n{MARK}")], None),
        ],
        ids=[
            "is not there yet",
            "is jam's own",
            "with Windows line ends",
            "is the oldest of two",
            "is not another's with the same mark",
            "is not a namesake's",
            "is not another issue's",
            "is not another repository's",
            "begins with its mark",
            "begins with its mark, on the first line",
        ],
    )
    def test_of_a_thread(self, comments: list[Written], found: Written | None) -> None:
        assert find_status(comments, own=OWN, repository=41, number=12) == found


class TestTheMachineBlock:
    def test_is_read_back_from_the_body(self) -> None:
        assert read_block(comment(1, BODY), own=OWN) == BLOCK

    def test_is_read_back_from_a_body_that_was_cut(self) -> None:
        cut = pr_body.render(LEDGER, issue=12, limit=1_200)

        assert "… cut here" in cut
        assert read_block(comment(1, cut), own=OWN) == BLOCK

    def test_tells_the_statement_where_there_is_one(self) -> None:
        body = pr_body.render(LEDGER, issue=12, statement="5" * 64)

        assert read_block(comment(1, body), own=OWN) == replace(BLOCK, statement="5" * 64)

    def test_is_read_back_though_somebody_wrote_below_it(self) -> None:
        assert read_block(comment(1, f"{BODY}\r\n\r\nThanks!"), own=OWN) == BLOCK

    @pytest.mark.parametrize("author", [EVE, NAMESAKE, Account(77, "app")])
    def test_of_others_says_nothing(self, author: Account) -> None:
        assert read_block(comment(1, BODY, author), own=OWN) is None

    def test_that_is_forged_in_quoted_output_loses_to_the_real_one(self) -> None:
        body = f"```\n{FORGED}\n```\n\n{BODY}"

        assert read_block(comment(1, body), own=OWN) == BLOCK

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "<!-- jam:session=a -->",
            f"x {FORGED}",
            f"{FORGED} x",
            FORGED.replace("evil", "../evil"),
            FORGED.replace("evil", "a b"),
            FORGED.replace("=9", "=-9"),
            FORGED.replace("=9", f"={'9' * 30}"),
            FORGED.replace("e" * 64, "e" * 63),
        ],
    )
    def test_that_is_not_whole_is_none(self, text: str) -> None:
        assert read_block(comment(1, text), own=OWN) is None

    @given(st.text())
    def test_is_found_below_any_text(self, text: str) -> None:
        assert read_block(comment(1, f"{text}\n\n{FORGED}"), own=OWN) == Block(
            session="evil", contract_sha256="e" * 64, entries=9, seal="e" * 64
        )
