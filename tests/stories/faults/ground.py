"""
A whole App under faults: a small GitHub that does wrong, ``jam serve`` in a process of its own, and
what has to hold whatever went wrong. The gate is one short program: a session takes seconds.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.minihub.faults import Fault
from bot.minihub.people import File
from tests.stories.github.world import REPO, SECRET, World, agent, world
from tests.stories.project import FIXED, PRODUCT

CONTRACT = f"""\
version: 1
oracles:
  unit:
    gates:
      - run: {sys.executable} -B -c 'import sys, ledgerlib; sys.exit(ledgerlib.free(3, 2) != 1)'
        report: exit
publish: {{accept: L2}}
"""
FILES: dict[str, File] = {"ledgerlib.py": PRODUCT, ".github/jam.yml": CONTRACT}
MEND = "- shell: sed -i 's/left > 1/left > 0/' ledgerlib.py\n- finish: true\n"
TITLE = "One is left"
SIGNS = ("rocket", "confused")
RESTS = "**jam rests**"


@contextmanager
def ground(
    home: Path,
    *,
    script: str = MEND,
    files: Mapping[str, File] = FILES,
    options: tuple[str, ...] = (),
    environment: Mapping[str, str] | None = None,
    rests: bool = False,
) -> Iterator[World]:
    """What jam leaves is seen at the end. ``rests``: a session is not over, and keeps its work."""
    passing = home / "tmp"
    passing.mkdir()
    outside = {"TMPDIR": str(passing), **(environment or {})}
    chosen = (*agent(home, script), *options)
    with world(home, files=files, options=chosen, environment=outside) as one:
        one.hub.hub.limits.creations_per_hour = 10_000
        yield one
        if not rests:
            tidy(one)
        quiet(one)


def ask(one: World) -> int:
    number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
    one.ben.label(REPO, number, "jam")
    return number


def end_of(one: World, number: int, *, timeout_s: float = 90.0) -> str:
    """Waits for the end as a patient person does: where jam says that it rests, they ask it to go
    on. Returns what jam says at the end."""
    asked: set[str] = set()
    began = time.monotonic()

    def over() -> str:
        said = one.said(number)
        if RESTS in said and said not in asked:
            asked.add(said)
            one.ben.comment(REPO, number, "/jam resume")
        told = "**jam is" not in said and "in its queue" not in said and RESTS not in said
        return said if said and told and _signed(one, number) else ""

    try:
        return one.until(over, timeout_s=timeout_s)
    except AssertionError as never:
        raise AssertionError(
            f"after {time.monotonic() - began:.0f} s: {one.thread(number)}\n{never}"
        ) from never


def struck(one: World) -> bool:
    return not one.hub.hub.faults.unused()


def hold(one: World, nth: int, *, when: str, match: str = "*") -> None:
    """jam's n-th call from now on is never answered."""
    one.hub.hub.faults.clear()
    one.hub.plan(Fault(match=match, kind="timeout", seconds=3600, when=when, nth=nth))


def killed_at(one: World, nth: int, when: str) -> bool:
    """jam is killed in its n-th call for an issue, and started again. Whether there was one."""
    hold(one, nth, when=when)
    number = ask(one)
    try:
        one.until(lambda: struck(one) or _signed(one, number))
        there = struck(one)
        if there:
            time.sleep(0.2)  # what the call does, it has done
            one.kill()
            one.hub.hub.faults.clear()
            one.start()
        end_of(one, number)
        held(one, number)
    except AssertionError as broken:
        raise AssertionError(f"killed {when} call {nth} had its effect: {broken}") from broken
    return there


def suffer(one: World, fault: Fault, *, ends_after_s: float = 0.0) -> int:
    """An issue whose session meets the fault; whatever ended is asked for again."""
    one.hub.hub.faults.clear()
    one.hub.plan(fault)
    number = ask(one)
    if ends_after_s:
        time.sleep(ends_after_s)
        one.hub.hub.faults.clear()
    try:
        said = end_of(one, number)
        if "**Verified.**" not in said:
            one.ben.comment(REPO, number, "/jam retry")
            one.until(lambda: "**Verified.**" in one.said(number))
    except AssertionError as broken:
        raise AssertionError(f"{fault}: {broken}") from broken
    return number


def _signed(one: World, number: int) -> bool:
    return any(sign in SIGNS for sign, _ in one.thread(number).reactions)


@dataclass(frozen=True, slots=True)
class Made:
    """What a forge has of one issue."""

    branches: int
    pulls: int
    checks: tuple[str | None, ...]
    comments: int


ONCE = Made(branches=1, pulls=1, checks=("success",), comments=1)
KEPT = Made(branches=0, pulls=0, checks=(), comments=1)


def made(one: World, number: int) -> Made:
    branches = [
        name
        for name in one.hub.refs(REPO, "refs/heads/")
        if name.startswith(f"refs/heads/jam/issue-{number}-")
    ]
    pulls = [
        pull
        for pull in map(one.pull, one.pulls())
        if f"refs/heads/{pull.head.partition(':')[2]}" in branches
    ]
    checks = [check.conclusion for pull in pulls for check in one.checks(pull.head_sha)]
    jams = [each for each in one.thread(number).comments if each.by == "jam[bot]"]
    return Made(len(branches), len(pulls), tuple(checks), len(jams))


def held(one: World, number: int, want: Made = ONCE) -> Made:
    """At most one of everything, nothing elsewhere, and the change bit for bit."""
    found = made(one, number)
    assert found == want, f"{found} and not {want}\n{one.said(number)}\n{one.log[-4_000:]}"
    outside = [
        name
        for name in one.hub.refs(REPO)
        if not re.match(r"refs/(heads/(main$|jam/)|pull/|jam/)", name)
    ]
    assert outside == []
    assert one.hub.file(REPO, "refs/heads/main", "ledgerlib.py") == PRODUCT.encode()
    for pull in map(one.pull, one.pulls()):
        assert one.hub.file(REPO, pull.head_sha, "ledgerlib.py") == FIXED.encode()
    assert one.hub.hub.bugs == []
    assert "a bug at" not in one.log
    return found


def quiet(one: World) -> None:
    """jam ends in order and without having told a secret, and nothing of it is left: no process, no
    folder for passing things."""
    one.hub.hub.faults.clear()
    one.hub.wait()
    assert one.server is not None
    if one.server.poll() is None:
        told = one.log + one.page("/") + one.page("/queue")
        assert [word for word in secrets(one) if word in told] == []
        one.server.send_signal(signal.SIGTERM)
        assert one.server.wait(timeout=25) == 0
    end = time.monotonic() + 5
    while left(one.home) and time.monotonic() < end:
        time.sleep(0.1)
    assert left(one.home) == []


def secrets(one: World) -> tuple[str, ...]:
    """The hook's, the key line by line, and every token that was ever given out."""
    key = [line for line in one.app.private_key.splitlines() if "-----" not in line]
    return (SECRET, *key, *one.hub.hub.store.tokens)


def tidy(one: World) -> None:
    """What a session worked in goes at its end, a moment after it was told."""
    sessions = one.home / "state" / "sessions"
    one.until(lambda: not [p for name in ("tree", "work") for p in sessions.glob(f"*/{name}")])


def left(home: Path) -> list[str]:
    """Processes that name this world."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes()
        except OSError:
            continue
        if os.fsencode(home) in words and int(entry.parent.name) != os.getpid():
            found.append(words.decode(errors="replace"))
    return found
