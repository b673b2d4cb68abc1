"""
``jam doctor``: what works on this machine, found by trying it, and what to do about the rest.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.util import find_spec

from bot.adapters import escape, git, sandbox
from bot.adapters.repository import open_repository
from bot.app.requests import Answer, DoctorRequest
from bot.core import contract_file
from bot.core.contract import SandboxKind
from bot.errors import JamError
from bot.ports import Say
from bot.wiring.finding import Finding
from bot.wiring.ground import CONTRACT, contract_of
from bot.wiring.settings import Settings, read

ROOM_BYTES = 1 << 30
SKEW_S = 30.0


def doctor(request: DoctorRequest, *, say: Say) -> Answer:
    settings = read()
    findings: list[Finding] = []
    for part in (_git, _sandbox, _state, _keys, _repository):
        say(f"looking at the {part.__name__.strip('_')}")
        findings += part(request, settings)
    if request.app:
        say("asking GitHub about the App")
        findings += _app(request, settings)
    if os.environ.get("GITHUB_EVENT_NAME") and find_spec("github") is not None:
        say("asking GitHub about this job")
        findings += _job()
    bad = [finding for finding in findings if finding.good is False]
    return Answer(
        text="\n".join(_line(finding) for finding in findings),
        document={
            "findings": [
                {"what": f.what, "good": f.good, "told": f.told, "remedy": f.remedy}
                for f in findings
            ]
        },
        exit_code=1 if bad else 0,
    )


def _app(request: DoctorRequest, settings: Settings) -> Iterator[Finding]:
    """Its packages are an extra."""
    if any(find_spec(name) is None for name in ("github", "sqlalchemy")):
        remedy = 'pip install "jam[app]"'
        yield Finding(what="App", good=False, told="the extra is not installed", remedy=remedy)
        return
    from bot.wiring import app_doctor

    yield from app_doctor.look(request, settings)


def _job() -> Iterator[Finding]:
    from bot.wiring import action_doctor

    yield from action_doctor.look(os.environ)


def _line(finding: Finding) -> str:
    mark = {True: "ok  ", False: "NO  ", None: "note"}[finding.good]
    remedy = f"\n      what to do: {finding.remedy}" if finding.remedy else ""
    return f"{mark}  {finding.what}: {finding.told}{remedy}"


def _git(_: DoctorRequest, __: Settings) -> Iterator[Finding]:
    path = shutil.which("git")
    if path is None:
        yield Finding(what="git", good=False, told="not found", remedy="install git")
        return
    yield Finding(what="git", good=True, told=git.version())


def _sandbox(_: DoctorRequest, __: Settings) -> Iterator[Finding]:
    try:
        jail = sandbox.choose(SandboxKind.AUTO)
    except JamError as none:
        yield Finding(what="sandbox", good=False, told="none works", remedy=str(none))
        return
    probes = escape.run(jail)
    yield Finding(what="sandbox", good=True, told=f"{jail.level}, level {escape.grade(jail)}")
    for probe in probes:
        yield Finding(
            what=f"sandbox: {probe.name}",
            good=probe.held,
            told=probe.what,
            remedy="" if probe.held else probe.remedy,
        )


def _state(request: DoctorRequest, settings: Settings) -> Iterator[Finding]:
    state = (request.state or settings.state).absolute()
    try:
        state.mkdir(parents=True, exist_ok=True)
        probe = state / ".jam-doctor"
        probe.write_bytes(b"jam")
        skew_s = abs(probe.stat().st_mtime - time.time())
        probe.unlink()
    except OSError as error:
        told = f"{state} cannot be written ({error.strerror})"
        yield Finding(what="state", good=False, told=told, remedy="name another with --state")
        return
    yield _clock(skew_s)
    free = shutil.disk_usage(state).free
    enough = free > ROOM_BYTES
    yield Finding(
        what="state",
        good=True if enough else None,
        told=f"{state}, {free >> 20:,} MiB free",
        remedy="" if enough else "free some space: rooms and checkpoints need it",
    )


def _clock(skew_s: float) -> Finding:
    """Against the file system's, which may be another machine's; GitHub's is `doctor --app`'s."""
    told = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC, {skew_s:.1f} s from the state folder's"
    if skew_s <= SKEW_S:
        return Finding(what="clock", good=True, told=told)
    return Finding(what="clock", good=False, told=told, remedy="set the clock, by NTP say")


def _keys(_: DoctorRequest, settings: Settings) -> Iterator[Finding]:
    installed = find_spec("anthropic") is not None
    has_key = bool(settings.anthropic_key)
    told = {
        (True, True): "ready",
        (True, False): "no ANTHROPIC_API_KEY; `repair` needs none",
        (False, True): "the extra is not installed",
        (False, False): "not set up; `repair` needs neither key nor extra",
    }[installed, has_key]
    remedy = "" if installed or not has_key else 'pip install "jam[anthropic]"'
    yield Finding(
        what="agent anthropic", good=True if installed and has_key else None, told=told,
        remedy=remedy,
    )  # fmt: skip


def _repository(request: DoctorRequest, _: Settings) -> Iterator[Finding]:
    if request.repo is None:
        return
    try:
        repository = open_repository(request.repo)
        base = repository.resolve()
        yield Finding(what="repository", good=True, told=f"{repository.top} at {base[:12]}")
        contract, source = contract_of(repository, base, None)
        name, oracle = contract_file.choose_oracle(contract)
    except JamError as error:
        yield Finding(what="repository", good=False, told=str(error))
        return
    commands = ", ".join(gate.run for gate in oracle.gates)
    yield Finding(what=CONTRACT, good=True, told=f"{source}: oracle {name} runs {commands}")
