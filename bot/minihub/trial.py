"""
A minihub for a person to try things on: one repository, an App with its key in a file, and the
words that tell how to use them.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bot.errors import RequestError
from bot.minihub.minihub import Minihub
from bot.minihub.people import File

EXAMPLE: dict[str, File] = {"README.md": "# An example\n"}


class TrialUnusable(RequestError):
    """The minihub cannot be started like this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    port: int = 0
    state: Path | None = None
    repos: tuple[str, ...] = ()  # OWNER/NAME=DIR
    faults: Path | None = None
    hook_url: str = ""
    hook_secret: str = ""


@dataclass(frozen=True, slots=True)
class Running:
    hub: Minihub
    lines: tuple[str, ...]


@contextmanager
def begin(request: Trial) -> Iterator[Running]:
    if request.state is not None and (request.state / "repositories").exists():
        raise TrialUnusable(f"{request.state} holds another minihub; name a fresh folder.")
    if request.hook_url and urlsplit(request.hook_url).scheme not in ("http", "https"):
        raise TrialUnusable(
            f"--hook {request.hook_url!r} is no address: write http://127.0.0.1:8321/webhook"
        )
    try:
        hub = Minihub(request.state, port=request.port)
    except OSError as taken:
        raise TrialUnusable(f"Port {request.port} cannot be used: {taken.strerror}.") from taken
    with hub:
        if request.faults is not None:
            hub.plan(_read(request.faults))
        yield Running(hub, tuple(_people(hub, request)))


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError as missing:
        raise TrialUnusable(f"{path} cannot be read: {missing.strerror}.") from missing


def _people(hub: Minihub, request: Trial) -> Iterator[str]:
    names = [_lay(hub, word) for word in request.repos] or [_example(hub)]
    owners = sorted({name.partition("/")[0] for name in names})
    app = hub.app(hook_url=request.hook_url, hook_secret=request.hook_secret)
    key = hub.folder / "app.pem"
    key.write_text(app.private_key)
    key.chmod(0o600)
    yield f"pages     {hub.url}/"
    yield f"API       {hub.api_url}"
    for name in names:
        yield f"git       {hub.url}/{name}.git"
    for owner in owners:
        installation = hub.install(app, owner)
        person = hub.person(owner)
        yield f"person    {owner}, token {person.token}"
        yield f"installed {app.app.slug} on {owner}, installation {installation.id}"
    yield f"App       id {app.id}, key {key}"
    yield "Ctrl-C ends it."


def _example(hub: Minihub) -> str:
    return hub.repository("ada/example", EXAMPLE).full_name


def _lay(hub: Minihub, word: str) -> str:
    name, equals, folder = word.partition("=")
    if not equals or name.count("/") != 1 or not Path(folder).is_dir():
        raise TrialUnusable(f"{word!r} is not OWNER/NAME=DIR with a folder that is there.")
    return hub.repository(name, source=Path(folder)).full_name


def wait_for_interrupt() -> None:
    """Until Ctrl-C or a plain ``kill``; either way the server ends in order."""
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    ended.wait()
