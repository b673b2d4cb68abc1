"""
The hub itself: store, clock, limits, faults and the courier, and the one way to tell the world
that something happened (``emit``). Knows no route and no socket.
"""

from __future__ import annotations

from pathlib import Path

from bot.minihub import events
from bot.minihub.clock import Clock
from bot.minihub.courier import Courier
from bot.minihub.downloads import Downloads
from bot.minihub.faults import Plan
from bot.minihub.limits import Limits
from bot.minihub.links import Links
from bot.minihub.recorder import Recorder, Sent
from bot.minihub.records import App, Installation
from bot.minihub.store import Store


class Hub:
    def __init__(self, folder: Path, *, clock: Clock | None = None) -> None:
        self.clock = clock or Clock()
        self.store = Store(folder, self.clock)
        self.links = Links()
        self.limits = Limits(self.clock)
        self.faults = Plan()
        self.recorder = Recorder()
        self.courier = Courier(self.faults)
        self.downloads = Downloads(self.clock)
        self.manifests: dict[str, tuple[App, int]] = {}  # code -> the App, and its key's number
        self.bugs: list[str] = []  # tracebacks of the hub's own; each was answered with 500
        self.mergeable_lag = 0  # how many reads of a pull request say ``mergeable: null`` first

    def emit(self, event: events.Event) -> None:
        """Tell every App that is installed where it happened and asked for it."""
        for installation in events.receivers(self.store, event):
            content = events.body(self.links, event, installation)
            self.recorder.sent(Sent(event=event.name, action=event.action, body=content))
            self._send(installation.app, event, content, installation)

    def ping(self, app: App) -> None:
        event = events.Event(name="ping", action=None, sender=app.owner)
        content = events.ping(self.links, app)
        self.recorder.sent(Sent(event="ping", action=None, body=content))
        self._send(app, event, content, None)

    def _send(
        self, app: App, event: events.Event, content: bytes, installation: Installation | None
    ) -> None:
        if app.hook_url:
            delivery = events.deliver(self.store, app, event, content, installation=installation)
            self.store.deliveries.append(delivery)
            self.courier.send(delivery)
