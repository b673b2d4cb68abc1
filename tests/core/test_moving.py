"""Which turns of a session stand where it goes on, by the checkpoints that were sent."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.core import ledger, moving
from bot.core.entries import AnyFact, Moved, Reproduced, Turned
from bot.core.ledger import Sealed
from bot.core.moving import Sent
from bot.core.parts import Held
from bot.core.session import Session, learn

AT = datetime(2026, 11, 30, tzinfo=UTC)


def name(number: int) -> str:
    return f"{number:040x}"


def turn(number: int, *, left: int = 0, wish: str = "go on") -> Turned:
    """``left``: its tree, where it changed anything."""
    held = Held(number=number, commit=name(100 + left), tree=name(left), changed=1)
    return Turned(
        number=number,
        agent="scripted",
        wish=wish,  # type: ignore[arg-type]
        seconds=1.0,
        memory_sha256=f"{number:064x}",
        checkpoint=held if left else None,
    )


def told(*facts: AnyFact) -> tuple[Sealed, ...]:
    entries: tuple[Sealed, ...] = ()
    for fact in facts:
        entries = ledger.append(entries, fact)
    return entries


def sent(tree: int, *, is_thinned: bool = False) -> Sent:
    return Sent(commit=name(900 + tree), tree=name(tree), is_thinned=is_thinned)


def head(number: int, tree: int) -> Held:
    return Held(number=number, commit=name(900 + tree), tree=name(tree), changed=1)


FINISHED = (turn(1, left=1), turn(2), turn(3, left=3, wish="finish"))


@pytest.mark.parametrize(
    ("facts", "there", "moved"),
    [
        pytest.param(
            FINISHED,
            {1: sent(1), 3: sent(3)},
            Moved(at=AT, checkpoint=head(3, 3), turns=3, finishes=True),
            id="all of it was sent",
        ),
        pytest.param(
            FINISHED,
            {1: sent(1)},
            Moved(at=AT, checkpoint=head(1, 1), turns=2, lost=1),
            id="the last was not: what changed nothing stands",
        ),
        pytest.param(
            FINISHED,
            {3: sent(3)},
            Moved(at=AT, lost=3),
            id="a first that is missing takes what came after along",
        ),
        pytest.param(FINISHED, {}, Moved(at=AT, lost=3), id="nothing was"),
        pytest.param(
            FINISHED,
            {1: sent(1), 3: sent(77)},
            Moved(at=AT, checkpoint=head(1, 1), turns=2, lost=1),
            id="another tree under the number is of a turn that was cut short",
        ),
        pytest.param(
            FINISHED,
            {1: sent(1), 3: sent(77, is_thinned=True)},
            Moved(at=AT, checkpoint=head(3, 77), turns=3, finishes=True),
            id="what says that something stayed behind is the turn's all the same",
        ),
        pytest.param(
            (turn(1), turn(2, wish="give up")),
            {},
            Moved(at=AT, turns=2, agent=1),
            id="turns without a change need nothing, and who gave up has given up",
        ),
        pytest.param(
            (*FINISHED, Moved(at=AT, checkpoint=head(1, 1), turns=2, lost=1), turn(4, left=4)),
            {1: sent(1), 3: sent(3), 4: sent(4)},
            Moved(at=AT, checkpoint=head(4, 4), turns=3),
            id="what was lost once stays lost",
        ),
        pytest.param(
            (turn(1, left=1), Reproduced(checkpoint=1, tree=name(5), paths=("t.py",)), turn(2)),
            {1: sent(1)},
            Moved(at=AT),
            id="after a reproduction it begins again",
        ),
        pytest.param((), {}, Moved(at=AT), id="no turn yet"),
    ],
)
def test_a_turn_stands_when_its_checkpoint_can_be_had(
    facts: tuple[AnyFact, ...], there: dict[int, Sent], moved: Moved
) -> None:
    assert moving.move(told(*facts), there, at=AT) == moved


def test_only_checkpoints_that_may_stand_are_asked_for() -> None:
    moved = Moved(at=AT, checkpoint=head(1, 1), turns=2, lost=1)

    assert moving.numbers(told(*FINISHED)) == (1, 3)
    assert moving.numbers(told(*FINISHED, moved, turn(4, left=4))) == (1, 4)


def test_a_session_that_moved_knows_what_it_did_and_nothing_of_what_was_judged() -> None:
    spent = {"cents": 4.0, "tokens": 7, "seconds": 9.0, "turns": 3, "refusals": 2}
    memories = tuple(("scripted", str(number)) for number in range(3))
    before = Session(
        **spent,  # type: ignore[arg-type]
        memories=memories,
        last=FINISHED[2],
        head=FINISHED[2].checkpoint,
        agent=1,
        gate_errors=1,
        had_red_run=True,
        guard_restores=5,
        approved=frozenset({"make"}),
    )
    after = learn(before, Moved(at=AT, checkpoint=head(1, 1), turns=2, lost=1))

    assert (
        after
        == Session(
            **spent,  # type: ignore[arg-type]
            memories=memories[:2],
            head=head(1, 1),
            had_red_run=True,
            guard_restores=5,
            approved=frozenset({"make"}),
        )
    )
