"""
What several runs on one tree come to, once ids that waver on the base are set aside.
"""

from __future__ import annotations

from bot.core.entries import Judged
from bot.core.parts import Colour
from bot.core.session import Session
from bot.core.steps import DISPUTABLE, SEEDS


def in_dispute(run: Judged) -> frozenset[str]:
    """The ids that made this run red, if they alone did."""
    if any(g.failing or g.reasons or g.integrity for g in run.gates):
        return frozenset()
    if any(g.lost_count + g.unmended_count > DISPUTABLE for g in run.gates):
        return frozenset()
    return frozenset(i for g in run.gates for i in (*g.lost, *g.unmended))


def runs_of(session: Session, tree: str) -> tuple[Judged, ...]:
    """
    Adjudication's runs, and the stop gate's where it saw the same tree red: a target that wavers
    must not pass because it was asked often enough. The gate ran as adjudication's first does.
    """
    runs = tuple(run for run in session.adjudications if run.tree == tree)
    gate = session.answers.get(tree)
    if gate is None or gate.colour is not Colour.RED or not runs:
        return runs
    return (*runs, gate.model_copy(update={"number": 0}))


def settled(session: Session, tree: str) -> Colour | None:
    """
    What adjudication says of ``tree``, wavering ids set aside. None: its runs disagree in a way
    that the base does not show.
    """
    colours = {settled_run(session, run) for run in runs_of(session, tree)}
    if Colour.ERROR in colours:
        return Colour.ERROR
    if len(colours) == 1:
        return colours.pop()
    return None


def settled_run(session: Session, run: Judged) -> Colour:
    """A target is never set aside, whatever wavers beside it; nor is a gate that did not judge."""
    if any(g.unmended_count or g.colour is Colour.ERROR for g in run.gates):
        return run.colour
    ids = in_dispute(run)
    wavering = {i for d in session.disputes if d.seed == SEEDS[run.number] for i in d.wavering}
    if run.colour is Colour.RED and ids and ids <= wavering:
        return Colour.GREEN
    return run.colour
