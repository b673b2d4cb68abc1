"""
pytest and unittest, as jam's reporter told them.

Only sessions that the gate's own command started count; what tests start themselves is theirs. A
session counts only when it is whole: begun, collected, every test run, ended. The sessions of one
gate are read as one report.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.core.report import Case, Mark, Reading, Report, Uncollectable, Unreadable
from bot.oracles import marks
from bot.oracles.lines import Malformed, Session, Told, read_sessions
from bot.oracles.raw import BAD, MESSAGE, Raw, agreed, merged, not_judged

PASSED, FAILED, INTERRUPTED, INTERNAL, USAGE, NOTHING = range(6)  # pytest's exit statuses
STATUS = {
    INTERRUPTED: Unreadable("the test run was interrupted", cut=True),
    INTERNAL: Unreadable("the test run ended with an error inside pytest", cut=True),
    USAGE: Unreadable("pytest could not use its arguments or its configuration"),
    NOTHING: Unreadable("no tests were collected"),
}


def read_pytest(raw: Raw) -> Reading:
    return _read(raw, "pytest", marks.of_pytest, bad=BAD)


def read_unittest(raw: Raw) -> Reading:
    return _read(raw, "unittest", marks.of_unittest, bad=(*BAD, Mark.XPASSED))


def _read(raw: Raw, kind: str, mark: marks.Marker, *, bad: tuple[Mark, ...]) -> Reading:
    try:
        sessions = [s for s in read_sessions(raw.recording) if s.start.kind == kind]
    except Malformed as error:
        return not_judged(raw) or Unreadable(f"the report cannot be read: {error}")
    top = _top(sessions)
    if not top:
        return not_judged(raw) or Unreadable(f"no report of {kind} reached jam")
    workers = _workers(sessions, top)
    faults = [fault for session in top if (fault := _fault(session, mark, bad=bad))]
    faults += [fault for session in top if (fault := _missing_worker(session, workers))]
    if faults:
        # A cut report is told first: it is the candidate's doing more often than the others.
        return not_judged(raw) or next((fault for fault in faults if fault.cut), faults[0])
    return agreed(_report(top, workers, mark), raw, bad=bad)


def _top(sessions: Sequence[Session]) -> list[Session]:
    """
    Sessions of the gate's own command. One is inside of another that began before it: whoever
    comes later and calls itself the parent of one that is there already takes nothing away.
    """
    top: list[Session] = []
    earlier: set[int] = set()
    for session in sessions:
        if session.start.role == "session":
            if not earlier.intersection(session.start.ancestors):
                top.append(session)
            earlier.add(session.start.pid)
    return top


def _workers(sessions: Sequence[Session], top: Sequence[Session]) -> list[Session]:
    pids = {session.start.pid for session in top}
    return [s for s in sessions if s.start.role == "worker" and s.start.parent in pids]


def _fault(session: Session, mark: marks.Marker, *, bad: tuple[Mark, ...]) -> Unreadable | None:
    if session.abort is not None:
        return Unreadable(f"the test run could not begin: {_last(session.abort.message)}", cut=True)
    if session.end is None or not session.whole:
        where = f" while {session.running} ran" if session.running else ""
        return Unreadable(f"the report breaks off{where}", cut=True)
    status = session.end.status
    if session.broken and status in (PASSED, FAILED, INTERRUPTED):
        return None  # told as such; that the others did not run follows from it
    if status not in (PASSED, FAILED):
        return STATUS.get(status) or Unreadable(f"the test run ended with status {status}")
    return _miscounted(session, mark, bad=bad)


def _missing_worker(session: Session, workers: Sequence[Session]) -> Unreadable | None:
    """Only a worker knows what its tests really raised: each of them must have told all of it."""
    own = [w for w in workers if w.start.parent == session.start.pid]
    told = sum(worker.end is not None and worker.whole for worker in own)
    if session.end is None or told >= session.end.workers:
        return None
    return Unreadable(f"{told} of {session.end.workers} workers told what they did", cut=True)


def _miscounted(
    session: Session, mark: marks.Marker, *, bad: tuple[Mark, ...]
) -> Unreadable | None:
    told = {case.id: mark(case) for case in session.cases}
    ran = {name for name, its in told.items() if its is not None}
    has_bad = any(its in bad for its in told.values())
    collected = set(session.collected)
    if strangers := ran - collected:
        return Unreadable(f"{min(strangers)} ran, though it was not collected")
    if not collected:
        return STATUS[NOTHING]
    # A run may stop at its first failure, never before.
    if collected - ran and not has_bad:
        return Unreadable(f"{len(ran)} of {len(collected)} collected tests ran", cut=True)
    if session.end is not None and (session.end.status or session.end.failed) and not has_bad:
        return Unreadable("the test run failed, though no test did", untold=True)
    return None


def _report(top: Sequence[Session], workers: Sequence[Session], mark: marks.Marker) -> Report:
    cases = [case for session in top for case in _cases(session.cases, mark)]
    # A worker tells only of tests whose failure was reported as passed; it can make none better.
    rewritten = {
        c.id: c
        for session in workers
        for c in _cases(session.cases, mark)
        if c.mark is not Mark.PASSED
    }
    everyone = [*top, *workers]
    return Report(
        cases=merged(rewritten.get(case.id, case) for case in cases),
        uncollectable=_uncollectable(everyone),
        origins=_origins(everyone),
        tampering=tuple(sorted({name for session in everyone for name in session.tampered})),
    )


def _cases(told: Iterable[Told], mark: marks.Marker) -> Iterable[Case]:
    for one in told:
        its = mark(one)
        if its is not None:
            yield Case(
                id=one.id,
                mark=its,
                message="" if its is Mark.PASSED else one.message[-MESSAGE:],
                seconds=round(sum(seconds for *_, seconds in one.phases), 4),
                doubled=marks.is_doubled(one),
            )


def _uncollectable(sessions: Iterable[Session]) -> tuple[Uncollectable, ...]:
    """Told twice, with and without the module that is missing: once is kept."""
    found: dict[str, Uncollectable] = {}
    for broken in (broken for session in sessions for broken in session.broken):
        known = found.get(broken.id)
        if known is None or not known.missing_module:
            message = broken.message[-MESSAGE:] or (known.message if known else "")
            found[broken.id] = Uncollectable(broken.id, message, broken.missing)
    return tuple(found.values())


def _origins(sessions: Iterable[Session]) -> dict[str, str]:
    """Where processes disagree, the file that is not the checkout's is kept."""
    found: dict[str, str] = {}
    for session in sessions:
        for path, file in session.origins.items():
            here = f"{session.start.root.rstrip('/')}/{path}"
            if found.get(path, here) == here:
                found[path] = file
    return found


def _last(text: str) -> str:
    return text.strip().rpartition("\n")[2][-300:]
