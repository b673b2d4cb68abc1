"""
Carries webhooks, in a thread of its own, one after the other: a slow receiver delays the next
delivery and never a caller. What the receiver said is written into the delivery.
"""

from __future__ import annotations

import http.client
import queue
import threading
import time
from enum import Enum, auto
from urllib.parse import urlsplit

from bot.minihub.faults import Fault, Plan
from bot.minihub.records import Delivery

PATIENCE_S = 10.0  # GitHub's own
ANSWER_LIMIT = 64 << 10


class _Word(Enum):
    """What the thread is told between deliveries."""

    END = auto()
    LET_GO = auto()


class Courier:
    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._queue: queue.Queue[Delivery | _Word] = queue.Queue()
        self._held: list[tuple[int, Delivery]] = []
        self._thread: threading.Thread | None = None
        self.patience_s = PATIENCE_S

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="minihub-courier", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        if self._thread:
            self._queue.put(_Word.END)
            self._thread.join()
            self._thread = None

    def send(self, delivery: Delivery) -> None:
        self._queue.put(delivery)

    def wait(self, *, timeout_s: float = 30.0) -> bool:
        """Until everything sent so far was carried, or the time is over; held ones go last."""
        self._queue.put(_Word.LET_GO)
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            if not self._queue.unfinished_tasks:
                return True
            time.sleep(0.005)
        return False

    def _run(self) -> None:
        while (item := self._queue.get()) is not _Word.END:
            try:
                if isinstance(item, Delivery):
                    self._carry(item)
                else:
                    self._let_go(passed=len(self._held) and max(left for left, _ in self._held))
            finally:
                self._queue.task_done()
        self._queue.task_done()

    def _carry(self, delivery: Delivery) -> None:
        name = delivery.event if delivery.action is None else f"{delivery.event}.{delivery.action}"
        fault = self._plan.take(f"DELIVER {name}")
        if fault and fault.kind == "hold":
            self._held.append((fault.copies, delivery))
            return
        self._strike(delivery, fault)
        self._let_go(passed=1)

    def _strike(self, delivery: Delivery, fault: Fault | None) -> None:
        if fault and fault.kind == "drop":
            delivery.status, delivery.status_code = "failed to connect to host", 502
            return
        if fault and fault.kind == "slow":
            time.sleep(fault.seconds)
        copies = fault.copies if fault and fault.kind == "duplicate" else 0
        for _ in range(1 + copies):
            self._post(delivery)

    def _let_go(self, *, passed: int) -> None:
        """So many more deliveries have passed those that are held."""
        self._held = [(left - passed, delivery) for left, delivery in self._held]
        due = [delivery for left, delivery in self._held if left <= 0]
        self._held = [(left, delivery) for left, delivery in self._held if left > 0]
        for delivery in due:
            self._post(delivery)

    def _post(self, delivery: Delivery) -> None:
        began = time.monotonic()
        url = urlsplit(delivery.app.hook_url)
        line = http.client.HTTPConnection(
            url.hostname or "", url.port or 80, timeout=self.patience_s
        )
        try:
            line.request("POST", url.path or "/", delivery.body, delivery.headers)
            answer = line.getresponse()
            delivery.answer = answer.read(ANSWER_LIMIT).decode(errors="replace")
            delivery.answer_headers = dict(answer.getheaders())
            delivery.status_code = answer.status
            delivery.status = "OK" if 200 <= answer.status < 300 else answer.reason
        except TimeoutError:
            delivery.status, delivery.status_code = "timed out", 504
        except (OSError, http.client.HTTPException):
            delivery.status, delivery.status_code = "failed to connect to host", 502
        finally:
            line.close()
        delivery.duration = round(time.monotonic() - began, 3)
