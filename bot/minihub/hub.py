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
from bot.minihub.records import App
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
        self.mergeable_lag = 0  # how many reads of a pull request say ``mergeable: null`` first

    def emit(self, event: events.Event) -> None:
        """Tell every App that is installed where it happened and asked for it."""
        for installation in events.receivers(self.store, event):
            content = events.body(self.links, event, installation)
            self.recorder.sent(Sent(event=event.name, action=event.action, body=content))
            if installation.app.hook_url:
                delivery = events.deliver(self.store, event, installation, content)
                self.store.deliveries.append(delivery)
                self.courier.send(delivery)
