"""
What must hold in every ledger, whoever wrote it.

Seals show that nothing was changed; these show that what was written makes sense. Each invariant
is a function from the facts to the sentences that say what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bot.core import written
from bot.core.conclude import EXIT_CODES, is_at_home
from bot.core.entries import (
    Adjudicated,
    AnyFact,
    Baselined,
    Composed,
    Ended,
    Froze,
    Judged,
    Moved,
    Opened,
    Turned,
)
from bot.core.flaky import mend_invariants
from bot.core.ledger import Sealed
from bot.core.parts import Colour
from bot.core.session import Session, replay
from bot.core.settled import settled_run
from bot.core.steps import PREFLIGHTS, PROBES, SEEDS

Facts = Sequence[AnyFact]


def broken(ledger: Sequence[Sealed]) -> tuple[str, ...]:
    """One sentence per invariant that does not hold; empty when all do."""
    facts = [sealed.fact for sealed in ledger]
    session = replay(ledger)
    chosen = OF_MENDS if mend_invariants.is_mend(facts) else INVARIANTS
    return tuple(sentence for invariant in chosen for sentence in invariant(facts, session))


def _opens_once(facts: Facts, _: Session) -> Iterable[str]:
    openings = [place for place, fact in enumerate(facts) if isinstance(fact, Opened)]
    if facts and openings != [0]:
        yield "a ledger begins with one 'opened' and has no other"


def _ends_once(facts: Facts, _: Session) -> Iterable[str]:
    ends = [place for place, fact in enumerate(facts) if isinstance(fact, Ended)]
    if len(ends) > 1:
        yield "there is more than one outcome"
    if ends and ends[0] != len(facts) - 1:
        yield "something was written after the outcome"


def _turns_in_order(facts: Facts, _: Session) -> Iterable[str]:
    numbers = [fact.number for fact in facts if isinstance(fact, Turned)]
    if numbers != list(range(1, len(numbers) + 1)):
        yield "turns are not numbered in order"


def _one_word(facts: Facts, session: Session) -> Iterable[str]:
    moves = [place for place, fact in enumerate(facts) if isinstance(fact, Moved)]
    here = facts[moves[-1] :] if moves else facts  # what was concluded elsewhere came to nothing
    if sum(isinstance(fact, Adjudicated) for fact in here) > 1:
        yield "the session was concluded more than once"
    if session.ended and session.adjudicated is None:
        yield "there is an outcome without adjudication"
    if session.ended and session.adjudicated and session.ended.end != session.adjudicated.end:
        yield "the outcome is not what adjudication said"
    if session.ended and session.ended.exit_code != EXIT_CODES[session.ended.end]:
        yield f"exit code {session.ended.exit_code} does not belong to {session.ended.end!r}"


def _frozen_unchanged(facts: Facts, _: Session) -> Iterable[str]:
    digest = ""
    for fact in facts:
        if isinstance(fact, Froze):
            digest = fact.sha256
        if isinstance(fact, Composed) and fact.frozen_sha256 != digest:
            yield f"the candidate of checkpoint {fact.checkpoint} does not hold the frozen files"


def _published_is_adjudicated(_: Facts, session: Session) -> Iterable[str]:
    published, word = session.published, session.adjudicated
    if published is None:
        return
    if word is None or (published.tree, published.head_tree) != (word.tree, word.head_tree):
        yield "what was published is not what was adjudicated"
    elif word.end == "verified" and published.head_tree != published.tree:
        record = session.with_tests
        if record is None or record.colour is not Colour.GREEN or record.tree != word.head_tree:
            yield "the published head has no green record"
        elif not is_at_home(record, session):
            yield "the published head was judged in another environment than the base"


def _verified_was_red(facts: Facts, session: Session) -> Iterable[str]:
    if not _verified(session) or session.adjudicated is None:
        return
    if session.adjudicated.level != "L3":
        return
    runs = [run for run in session.preflights if run.tree == session.ground]
    if len(runs) < PREFLIGHTS or any(run.colour is not Colour.RED for run in runs):
        yield f"verified, but the base was not red {PREFLIGHTS} times"
    baseline = session.baseline
    if baseline is None or baseline.targets_count == 0:
        yield "verified, but nothing had to become green"
    if not any(isinstance(fact, Baselined) for fact in facts):
        yield "verified without a baseline"
    if missing := [name for name in PROBES if name not in {p.name for p in session.probes}]:
        yield f"verified, but nobody tried the checks {', '.join(missing)}"


def _verified_is_green(_: Facts, session: Session) -> Iterable[str]:
    if not _verified(session) or session.adjudicated is None:
        return
    tree = session.adjudicated.tree
    runs = [run for run in session.adjudications if run.tree == tree and not run.cached]
    numbers = {run.number for run in runs if settled_run(session, run) is Colour.GREEN}
    if numbers != set(range(len(SEEDS))):
        yield "verified, but not every clean-room run of the published tree was green"
    if not all(is_at_home(run, session) for run in runs):
        yield "verified in another environment than the base was judged in"
    if tree == session.ground:
        yield "verified, but nothing was changed"


def _checks_were_made(_: Facts, session: Session) -> Iterable[str]:
    """A check that is said to have passed has its own entry; one that failed verifies nothing."""
    made = {probe.name: probe.result for probe in session.probes}
    checks = session.adjudicated.checks if session.adjudicated else ()
    for check in checks:
        if check.name != "neutrality" and made.get(check.name, "not applicable") != check.result:
            yield f"the check {check.name!r} is said to be {check.result!r} and was not"
    if _verified(session) and "failed" in {*made.values(), *(check.result for check in checks)}:
        yield "verified, but a sensitivity check failed"


def _written_reports_were_tried(_: Facts, session: Session) -> Iterable[str]:
    word = session.adjudicated
    if not _verified(session) or word is None or word.level != "L3":
        return
    if name := written.unanswered(session, {check.name: check.result for check in word.checks}):
        yield f"verified by a report that tested code can write, without the check {name}"


def _verified_needs_no_reader(_: Facts, session: Session) -> Iterable[str]:
    word = session.adjudicated
    if _verified(session) and word and any(remark.blocks for remark in word.remarks):
        yield "verified, but the review of the change says that a person has to look"


def _greens_are_green(facts: Facts, _: Session) -> Iterable[str]:
    """A judgement's colour follows from its gates; a green gate has nothing lost or unmended."""
    for place, fact in enumerate(facts):
        if not isinstance(fact, Judged):
            continue
        for gate in fact.gates:
            bad = gate.lost_count or gate.unmended_count or gate.failing or gate.integrity
            if gate.colour is Colour.GREEN and bad:
                yield f"entry {place}: gate {gate.gate!r} is called green and is not"
        worst = [Colour.RED, Colour.ERROR, Colour.GREEN]
        colours = {gate.colour for gate in fact.gates}
        if colours and fact.colour is not next(c for c in worst if c in colours):
            yield f"entry {place}: the colour does not follow from the gates"


def _verified(session: Session) -> bool:
    ended = session.ended is not None and session.ended.end == "verified"
    said = session.adjudicated is not None and session.adjudicated.end == "verified"
    return ended or said


INVARIANTS: tuple[Callable[[Facts, Session], Iterable[str]], ...] = (
    _opens_once,
    _ends_once,
    _turns_in_order,
    _one_word,
    _frozen_unchanged,
    _published_is_adjudicated,
    _verified_was_red,
    _verified_is_green,
    _checks_were_made,
    _written_reports_were_tried,
    _verified_needs_no_reader,
    _greens_are_green,
)
OF_MENDS: tuple[Callable[[Facts, Session], Iterable[str]], ...] = (
    _opens_once,
    _ends_once,
    _turns_in_order,
    _one_word,
    _published_is_adjudicated,
    *mend_invariants.INVARIANTS,
)
"""A mend is measured by runs, not by the oracle's colours."""
