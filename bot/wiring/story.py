"""
The whole story of ``jam demo``: a small GitHub with the bundled example, people who act on it, and
the parts of ``jam serve`` that answer them, all in this process and on this machine.

It decides who does what and when; what jam does about it is not in here. Whatever ends it early,
all that it made goes with it.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import NoReturn, TypeVar

from bot.adapters import example, folders, sandbox
from bot.adapters.docket import Docket
from bot.adapters.example import Laid
from bot.app.requests import Answer, DemoRequest, ServeRequest
from bot.core.contract import SandboxKind
from bot.core.docket import Kind
from bot.errors import JamError
from bot.minihub.minihub import AppKey, Minihub
from bot.minihub.people import Person
from bot.minihub.seen import CheckSeen
from bot.ports import Say
from bot.wiring import serving, story_pages
from bot.wiring.serve_settings import ServeSettings
from bot.wiring.serving_parts import assemble

OWNER, WRITER = "ada", "ben"
REPO = f"{OWNER}/{example.NAME}"
PATIENCE_S = 600.0
LOOK_EVERY_S = 0.1
INTERRUPTED = 130
UNDER_WAY = ("**jam is ", "**jam has this in its queue")
Found = TypeVar("Found")


class NothingCame(JamError):
    """The story did not go on in time. Nobody's mistake but jam's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What came of it. ``pull`` 0: nothing was published."""

    issue: int
    pull: int = 0
    checks: tuple[CheckSeen, ...] = ()

    @property
    def verified(self) -> bool:
        return [check.conclusion for check in self.checks] == ["success", "success"]


class Interrupted(Exception):
    """The person wants it to end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Everything that is there once the story can begin."""

    hub: Minihub
    app: AppKey
    docket: Docket
    url: str  # of jam's own pages
    say: Say
    stop: Event

    @property
    def owner(self) -> Person:
        return self.hub.person(OWNER)

    @property
    def writer(self) -> Person:
        return self.hub.person(WRITER)

    def until(self, look: Callable[[], Found]) -> Found:
        """What ``look`` sees, once it sees something."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            if found := look():
                return found
            if self.stop.wait(LOOK_EVERY_S):
                raise Interrupted
        raise NothingCame(f"after {PATIENCE_S:.0f} s nothing had come of it")


def tell(request: DemoRequest, *, say: Say, stop: Event) -> Answer:
    kind = request.sandbox or SandboxKind.AUTO
    sandbox.choose(kind)  # a machine without one is told at once
    laid = example.lay(request.into, sandbox=kind.value)
    tempfile.tempdir = str((request.into / "tmp").absolute())
    Path(tempfile.tempdir).mkdir()
    try:
        with _stage(request, laid, say=say, stop=stop) as stage:
            try:
                told = _play(stage, laid)
            except (Interrupted, KeyboardInterrupt):
                _vanish(request.into, say)
            places = _addresses(stage, told)
            kept = story_pages.keep(request.into / "pages", places)
            answer = _answer(stage, told, kept)
            if request.wait:
                for name, place in places.items():
                    say(f"{name:14}  {place}")
                say("these stay up until Ctrl-C")
                stop.wait()
    except BaseException:
        folders.remove(request.into)
        raise
    return answer


def _vanish(into: Path, say: Say) -> NoReturn:
    """What runs in sandboxes dies with this process, and nobody waits for it."""
    logging.disable()  # threads that still run miss what is removed under them
    say("interrupted; nothing is left of it")
    while into.exists():
        try:
            folders.remove(into)
        except OSError:  # a thread of ours wrote into it meanwhile
            continue
    sys.stderr.flush()
    os._exit(INTERRUPTED)


@contextmanager
def _stage(request: DemoRequest, laid: Laid, *, say: Say, stop: Event) -> Iterator[Stage]:
    secret = secrets.token_hex(16)
    with (
        Minihub(request.into / "hub") as hub,
        socket.create_server(("127.0.0.1", 0)) as door,
    ):
        url = "http://{}:{}".format(*door.getsockname())
        hub.person(OWNER), hub.person(WRITER)
        hub.repository(REPO, source=laid.repo, roles={WRITER: "write"})
        app = hub.app(hook_url=f"{url}/webhook", hook_secret=secret)
        told = ServeSettings(
            hook_secrets=(secret,),
            app=str(app.id),
            private_key=app.private_key,
            api_url=hub.api_url,
            database_url="",
            url=url,
            pages="open",
            bots=frozenset(),
        )
        asked = ServeRequest(
            state=request.into / "state",
            agent=request.agent,
            allow_no_sandbox=request.sandbox is SandboxKind.NONE,
        )
        parts = assemble(asked, told, say=lambda line: say(f"  {line}"))
        say(f"a small GitHub     {hub.url}/{REPO}")
        say(f"jam, an App on it  {url}/")
        with serving.beside(parts, told, asked, door):
            hub.install(app, OWNER)
            yield Stage(hub=hub, app=app, docket=parts.docket, url=url, say=say, stop=stop)


def _play(stage: Stage, laid: Laid) -> Told:
    """The acts, and what came of them."""
    hub, say = stage.hub, stage.say
    title, _, body = laid.issue.read_text().removeprefix("# ").partition("\n")
    number = stage.owner.open_issue(REPO, title, body.strip())
    say(f"{OWNER} opens issue #{number}: {title}")
    stage.writer.label(REPO, number, "jam")
    say(f"{WRITER} puts the label `jam` on it")
    _carried(stage, "issues", "labeled")
    stage.until(lambda: _is_over(hub, number, hub.thread(REPO, number).reactions))
    pulls = hub.pulls(REPO)
    if not pulls:
        return Told(issue=number)
    pull = hub.pull(REPO, pulls[0])
    say(f"jam opens pull request #{pulls[0]}: {pull.thread.title}")
    for check in hub.checks(REPO, pull.head_sha):
        say(f"check {check.name}: {check.conclusion}, {check.title}")
    comment = stage.writer.comment(REPO, pulls[0], "/jam verify")
    say(f"{WRITER} writes on it: /jam verify")
    _carried(stage, "issue_comment", "created")
    stage.until(lambda: _is_over(hub, pulls[0], _signs(hub, pulls[0], comment)))
    checks = hub.checks(REPO, pull.head_sha)
    for check in checks:
        say(f"check {check.name}: {check.conclusion}, {check.title}")
    return Told(issue=number, pull=pulls[0], checks=checks)


def _carried(stage: Stage, event: str, action: str) -> None:
    sent = stage.until(
        lambda: [
            one
            for one in stage.hub.deliveries(stage.app)
            if (one.event, one.action) == (event, action) and one.status_code
        ]
    )
    stage.say(f"GitHub sends {event}.{action}, signed; jam answers {sent[-1].status_code}")


def _is_over(hub: Minihub, number: int, signs: tuple[tuple[str, str], ...]) -> bool:
    """jam's last sign is on what it was asked, and its comment tells of the end as well."""
    said = [one.body for one in hub.thread(REPO, number).comments if one.by not in (OWNER, WRITER)]
    under_way = not said or any(words in said[-1] for words in UNDER_WAY)
    return not under_way and any(sign in ("rocket", "confused") for sign, _ in signs)


def _signs(hub: Minihub, number: int, comment: int) -> tuple[tuple[str, str], ...]:
    return next(c.reactions for c in hub.thread(REPO, number).comments if c.id == comment)


def _answer(stage: Stage, told: Told, kept: dict[str, str]) -> Answer:
    """What a person reads on the thread, and where to look at the rest."""
    thread = stage.hub.thread(REPO, told.pull or told.issue)
    said = [one.body for one in thread.comments if one.by != WRITER]
    texts = [thread.body, *said] if told.pull else said
    places = [f"  {name:14}  {path}" for name, path in kept.items()]
    return Answer(
        text="\n".join([*texts, "", "Kept to look at, in a browser:", "", *places]),
        document={
            "verified": told.verified,
            "issue": told.issue,
            "pull": told.pull,
            "checks": {check.name: check.conclusion for check in told.checks},
            "pages": kept,
        },
        exit_code=0 if told.verified else 1,
    )


def _addresses(stage: Stage, told: Told) -> dict[str, str]:
    """What there is to look at, by the name that it is kept under."""
    on = f"{stage.hub.url}/{REPO}"
    found = {"issue": f"{on}/issues/{told.issue}"}
    if told.pull:
        found |= {"pull": f"{on}/pull/{told.pull}", "files": f"{on}/pull/{told.pull}/files"}
    found |= {f"check-{check.name.split()[-1]}": f"{on}/runs/{check.id}" for check in told.checks}
    found |= {"sessions": f"{stage.url}/"}
    for listed in stage.docket.latest(limit=10):
        found[f"session-{listed.kind}"] = f"{stage.url}/sessions/{listed.session}"
        if listed.kind is Kind.FIX and told.pull:
            found["checkpoint"] = f"{stage.url}/sessions/{listed.session}/checkpoints/1"
    return found | {"queue": f"{stage.url}/queue", "spend": f"{stage.url}/spend"}
