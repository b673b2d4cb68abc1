"""
What becomes of each flaky test over many scheduled runs: its issue, its quarantine, its end.

A state machine for one fingerprint, with hysteresis: one sighting is not yet an issue's end, and
one quiet run is not yet a mend. What a person closed stays closed. Nothing here reaches a forge:
the caller does what is returned, and says what is there next time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum

from bot.core.flaky.quarantine import Marker

QUIET_RUNS = 3
"""Scheduled searches in a row that did not see it, after which its issue is closed."""
PULLS = 1
"""Open pull requests at a time, where nobody says otherwise."""


class Issue(StrEnum):
    NONE = "none"
    OPEN = "open"
    CLOSED_BY_JAM = "closed by jam"
    CLOSED_BY_PERSON = "closed by a person"


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """One fingerprint, as the forge and the last runs have it."""

    fingerprint: str
    test: str
    issue: Issue = Issue.NONE
    number: int | None = None
    quiet: int = 0  # searches in a row without it
    marker: Marker | None = None
    has_pull: bool = False  # open, of this fingerprint
    refused_pull: bool = False  # a person closed it without merging


class Act(StrEnum):
    OPEN_ISSUE = "open an issue"
    UPDATE_ISSUE = "update the issue"
    REOPEN_ISSUE = "reopen the issue"
    CLOSE_ISSUE = "close the issue"
    QUARANTINE = "set it aside"
    RELEASE = "take it out of quarantine"
    MEND = "open a pull request that mends it"


@dataclass(frozen=True, slots=True)
class Due:
    act: Act
    fingerprint: str


def seen(watched: Watched) -> Watched:
    return replace(watched, quiet=0)


def missed(watched: Watched) -> Watched:
    """A whole search, under the same kinds of condition, in which it did not fail."""
    return replace(watched, quiet=watched.quiet + 1)


def due(
    watched: Sequence[Watched],
    *,
    today: date,
    quarantine: bool,
    mended: Iterable[str] = (),
    open_pulls: int = 0,
    most: int = PULLS,
) -> tuple[Due, ...]:
    """``mended``: fingerprints for which a mend is at hand, or may be tried."""
    at_hand, acts = frozenset(mended), list[Due]()
    pulls = open_pulls
    for one in watched:
        for act in _of_issue(one):
            acts.append(Due(act, one.fingerprint))
        change = _of_change(one, today=today, quarantine=quarantine, has_mend=at_hand)
        if change is not None and pulls < most:
            acts.append(Due(change, one.fingerprint))
            pulls += 1
    return tuple(acts)


def _of_issue(one: Watched) -> tuple[Act, ...]:
    is_seen, is_stable = one.quiet == 0, one.quiet >= QUIET_RUNS
    match one.issue:
        case Issue.NONE:
            return (Act.OPEN_ISSUE,) if is_seen else ()
        case Issue.OPEN:
            if is_stable and one.marker is None:
                return (Act.CLOSE_ISSUE,)
            return (Act.UPDATE_ISSUE,) if is_seen else ()
        case Issue.CLOSED_BY_JAM:
            return (Act.REOPEN_ISSUE,) if is_seen else ()
        case Issue.CLOSED_BY_PERSON:
            return ()


def _of_change(
    one: Watched, *, today: date, quarantine: bool, has_mend: frozenset[str]
) -> Act | None:
    """A mend before a quarantine; an end that has passed before anything new."""
    if one.has_pull:
        return None
    if one.marker is not None and (one.marker.is_over(today) or one.quiet >= QUIET_RUNS):
        return Act.RELEASE
    if one.issue is Issue.CLOSED_BY_PERSON or one.refused_pull:
        return None
    if one.fingerprint in has_mend:
        return Act.MEND
    wants = quarantine and one.marker is None and one.quiet == 0
    return Act.QUARANTINE if wants else None
