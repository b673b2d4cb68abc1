"""
The queue of sessions, on DBOS: one workflow for each run of a session.

Decides who runs what and how much at a time; the session itself is a fold over its ledger, and a
workflow that is begun again simply asks for it again. A pause ends the workflow, so that nothing
that waits for a person holds a worker.
"""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Callable
from pathlib import Path

from dbos import DBOS, DBOSConfig, SetEnqueueOptions, SetWorkflowID

from bot.errors import StateUnusable

APPLICATION = "jam"
VERSION = "sessions-1"
"""Pinned: another release takes up what this one has queued."""
SCHEMA = "jam_queue"
QUEUE = "sessions"
LOOK_EVERY_S = 0.25
EXECUTORS = 64

Run = Callable[[str, int], None]
"""A session and the number of its run. It meets its own errors."""


class SessionQueue:
    """``at_once``: sessions of this process, 0 for none; ``per_repository``: of all processes."""

    def __init__(
        self, url: str, *, folder: Path, run: Run, at_once: int, per_repository: int
    ) -> None:
        self._handle, executor = _claim(folder)
        self._at_once, self._per_repository = at_once, per_repository
        config: DBOSConfig = {
            "name": APPLICATION,
            "system_database_url": url,
            "dbos_system_schema": SCHEMA,
            "application_version": VERSION,
            "executor_id": executor,
            "enable_otlp": False,
            "log_level": "ERROR",
        }
        DBOS.destroy(destroy_registry=True)
        DBOS(config=config)

        @DBOS.workflow(name="session")
        def session(name: str, number: int) -> None:
            run(name, number)

        self._session = session

    def start(self) -> None:
        """From here on sessions run; what a crash interrupted is begun again first."""
        DBOS.listen_queues([QUEUE] if self._at_once else [])
        DBOS.launch()
        self._queue = DBOS.register_queue(
            QUEUE,
            worker_concurrency=max(1, self._at_once),
            partition_concurrency=self._per_repository,
            polling_interval_sec=LOOK_EVERY_S,
        )

    def put(self, session: str, *, run: int, repository: int) -> None:
        """Again changes nothing: a run is known by its name."""
        with (
            SetWorkflowID(f"{session}.{run}"),
            SetEnqueueOptions(queue_partition_key=str(repository)),
        ):
            self._queue.enqueue(self._session, session, run)

    def stop(self) -> None:
        """The runs under way are left where they are; they go on when jam is started again."""
        DBOS.destroy(workflow_completion_timeout_sec=0)
        os.close(self._handle)


def _claim(folder: Path) -> tuple[int, str]:
    """A name that no other living process has: the same as before, after a crash."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for number in range(EXECUTORS):
        handle = os.open(folder / f"executor-{number}", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            continue
        return handle, f"{socket.gethostname()}-{number}"
    raise StateUnusable(f"{EXECUTORS} processes of jam use {folder} already")
