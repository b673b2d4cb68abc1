"""A session that dies anywhere is resumed at the step that was due, and ends the same."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

import pytest

from bot.app import engine
from bot.app.conduct import conduct
from bot.core import invariants, ledger
from bot.core.entries import AnyFact, Ended, Moved, Published, Stopped, Suspended, Turned
from bot.core.ledger import Sealed
from bot.core.next_step import next_step
from bot.core.session import Session, replay
from bot.core.steps import Prepare, Step
from bot.errors import GitFailed, LedgerBroken, Superseded, TransientError
from tests.make import (
    AT,
    adjudicated,
    composed,
    ended,
    opened,
    probed,
    terms,
    turned,
    verified_story,
)

STORY = verified_story()
ID = opened().session


class MemoryJournal:
    """A journal that can lose power before or after the n-th append."""

    def __init__(self, *facts: AnyFact, dies: Callable[[int, str], bool] = lambda n, w: False):
        self.lines: list[str] = []
        self.appends = 0
        self._dies = dies
        for place, fact in enumerate(facts):
            entries = ledger.append(ledger.read(self.lines), fact)
            self.lines.append(ledger.line(entries[place]))

    def read(self, session_id: str) -> tuple[str, ...]:
        return tuple(self.lines)

    def append(self, session_id: str, line: str, *, place: int, after: str) -> None:
        self.appends += 1
        if self._dies(self.appends, "before"):
            raise OSError("power")
        last = ledger.seal_of(self.lines[-1]) if self.lines else ledger.ORIGIN
        if (place, after) != (len(self.lines), last):
            raise LedgerBroken("another writer")
        self.lines.append(line)
        if self._dies(self.appends, "after"):
            raise OSError("power")

    @property
    def facts(self) -> tuple[AnyFact, ...]:
        return tuple(entry.fact for entry in ledger.read(self.lines))


class ScriptedHands:
    """Does what the good story did: the fact due at each place, whatever the step is called."""

    def __init__(self, journal: MemoryJournal, story: tuple[AnyFact, ...] = STORY) -> None:
        self.journal = journal
        self.story = story
        self.steps: list[str] = []

    def perform(self, step: Step, session: Session) -> tuple[AnyFact, ...]:
        self.steps.append(type(step).__name__)
        due = self.story[len(self.journal.lines)]
        if step.__class__.__name__ == "Adjudicate":
            runs = [f for f in self.story if f.kind == "judged" and f.purpose == "adjudication"]
            return tuple(run for run in runs if run.number in step.numbers)  # type: ignore[union-attr]
        if step.__class__.__name__ == "Probe":
            return tuple(f for f in self.story if f.kind == "probed" and f.name in step.names)  # type: ignore[union-attr]
        return (due,)


def run(journal: MemoryJournal, hands: ScriptedHands, *, stop: Event | None = None) -> Ended:
    return conduct(ID, journal, hands, terms=terms(), stop=stop or Event(), now=lambda: AT)


def test_a_session_runs_to_its_end() -> None:
    journal = MemoryJournal(opened())

    assert run(journal, ScriptedHands(journal)) == ended()
    assert journal.facts == STORY


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("place", range(1, len(STORY)))
def test_a_crash_at_any_append_changes_nothing(place: int, when: str) -> None:
    journal = MemoryJournal(opened(), dies=lambda n, w: (n, w) == (place, when))
    with pytest.raises(OSError, match="power"):
        run(journal, ScriptedHands(journal))

    assert run(journal, ScriptedHands(journal)) == ended()
    assert journal.facts == STORY


def test_an_ended_session_is_told_again_and_not_run() -> None:
    journal = MemoryJournal(*STORY)
    hands = ScriptedHands(journal)

    assert run(journal, hands) == ended()
    assert hands.steps == []


def test_a_ledger_that_was_changed_is_not_gone_on_with() -> None:
    journal = MemoryJournal(*STORY[:5])
    journal.lines[2] = journal.lines[2].replace('"frozen":3', '"frozen":4')

    with pytest.raises(LedgerBroken, match="entry 2"):
        run(journal, ScriptedHands(journal))


def test_a_verified_that_its_ledger_does_not_bear_is_neither_published_nor_told() -> None:
    lie = (*STORY[:12], probed("sabotage", "failed"), *STORY[13:])
    journal = MemoryJournal(*lie[:16])
    hands = ScriptedHands(journal, lie)

    with pytest.raises(LedgerBroken, match=r"does not bear the word verified: .* check failed"):
        run(journal, hands)
    assert (hands.steps, journal.facts) == ([], lie[:16])


def test_what_the_world_does_not_give_now_rests_and_is_resumed() -> None:
    class Unlucky(ScriptedHands):
        def perform(self, step: Step, session: Session) -> tuple[AnyFact, ...]:
            raise GitFailed("no space left")

    journal = MemoryJournal(*STORY[:6])
    with pytest.raises(TransientError, match="no space left"):
        run(journal, Unlucky(journal))

    assert journal.facts[-1] == Suspended(at=AT, why="no space left")
    story = (*journal.facts, *STORY[6:])
    assert run(journal, ScriptedHands(journal, story)) == ended()


def test_a_stop_is_written_once_and_the_session_is_judged() -> None:
    stop = Event()
    stop.set()
    cancelled = ended(end="cancelled", exit_code=4)
    work = (turned(1, "go on"),)
    runs = STORY[9:15]
    word = adjudicated(end="cancelled")
    story = (*STORY[:6], *work, Stopped(by="a person"), composed(), *runs, word, cancelled)
    journal = MemoryJournal(*story[:7])

    assert run(journal, ScriptedHands(journal, story), stop=stop) == cancelled
    assert journal.facts == story


def test_a_worker_that_lost_the_session_writes_nothing_not_even_that_it_rests() -> None:
    class Late(ScriptedHands):
        def perform(self, step: Step, session: Session) -> tuple[AnyFact, ...]:
            raise Superseded

    journal = MemoryJournal(*STORY[:3])

    with pytest.raises(Superseded):
        run(journal, Late(journal))
    assert journal.facts == STORY[:3]


class TestSettingOut:
    class Hands(ScriptedHands):
        def before(self, session: Session) -> tuple[AnyFact, ...]:
            return (Stopped(by="what is known before"),)

    @pytest.mark.parametrize("kept", [0, 1, 2, 3, 4], ids=str)
    def test_a_crash_in_it_is_gone_on_with(self, kept: int) -> None:
        known = Stopped(by="what is known before")
        moved = Moved(at=AT)
        whole = (opened(), known, moved, known)
        journal = MemoryJournal(*whole[:kept])
        engine.begin(opened(), journal, self.Hands(journal))
        again = journal.facts
        engine.begin(opened(), journal, self.Hands(journal))

        assert journal.facts == again
        assert again == (whole[:2] if kept < 3 else whole)


def test_what_was_concluded_before_it_moved_is_concluded_anew_and_breaks_no_ledger() -> None:
    upto = next(n for n, fact in enumerate(STORY) if isinstance(fact, Published))
    head = next(fact.checkpoint for fact in reversed(STORY) if isinstance(fact, Turned))
    moved = Moved(at=AT, checkpoint=head, turns=1, finishes=True)
    entries: tuple[Sealed, ...] = ()
    for fact in (*STORY[:upto], moved):
        entries = ledger.append(entries, fact)

    assert invariants.broken(entries) == ()
    assert next_step(replay(entries), terms()) == Prepare()
