"""
The queue of sessions, on DBOS: one workflow for each run of a session.

Decides who runs what and how much at a time; the session itself is a fold over its ledger, and a
workflow that is begun again simply asks for it again. A pause ends the workflow, so that nothing
that waits for a person holds a worker.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from dbos import DBOS, DBOSConfig, SetEnqueueOptions, SetWorkflowID, error

APPLICATION = "jam"
VERSION = "sessions-1"
"""Pinned: another release takes up what this one has queued."""
SCHEMA = "jam_queue"
QUEUE = "sessions"
LOOK_EVERY_S = 0.25

Run = Callable[[str, int], None]
"""A session and the number of its run. It meets its own errors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Of the queue, and so the same for all of its processes. ``in_all`` 0: no limit."""

    at_once: int = 2  # of each process
    per_repository: int = 1
    in_all: int = 0


class SessionQueue:
    """``executor``: a name that no other living process has. ``limits`` None: as others set them,
    but for ``at_once``, where it is not 0. ``works``: this process takes sessions, too, and does
    not only queue them."""

    def __init__(
        self,
        url: str,
        *,
        executor: str,
        run: Run,
        limits: Limits | None,
        at_once: int = 0,
        works: bool = True,
    ) -> None:
        self._limits, self._at_once, self._works = limits, at_once, works
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
        logging.getLogger("dbos").addFilter(_is_news)

        @DBOS.workflow(name="session")
        def session(name: str, number: int) -> None:
            run(name, number)

        self._session = session

    def start(self) -> None:
        """From here on sessions run; what a crash interrupted is begun again first."""
        DBOS.listen_queues([QUEUE] if self._works else [])
        DBOS.launch()
        limits = self._limits or Limits()
        self._queue = DBOS.register_queue(
            QUEUE,
            worker_concurrency=limits.at_once,
            partition_concurrency=limits.per_repository,
            global_concurrency=limits.in_all or None,
            polling_interval_sec=LOOK_EVERY_S,
            on_conflict="always_update" if self._limits else "never_update",
        )
        if self._at_once:
            self._queue.set_worker_concurrency(self._at_once)

    def put(self, session: str, *, run: int, repository: int) -> None:
        """Again changes nothing: a run is known by its name. The run before it is nobody's by now;
        where its process is gone, it would hold the repository's place for ever."""
        if run > 1:
            DBOS.cancel_workflow(f"{session}.{run - 1}")
        with (
            SetWorkflowID(f"{session}.{run}"),
            SetEnqueueOptions(queue_partition_key=str(repository)),
        ):
            self._queue.enqueue(self._session, session, run)

    def stop(self) -> None:
        """The runs under way are left where they are; they go on when jam is started again."""
        DBOS.destroy(workflow_completion_timeout_sec=0)


def _is_news(record: logging.LogRecord) -> bool:
    """That a run which somebody else took over is cancelled, was the point of it."""
    failed = record.exc_info[1] if record.exc_info else None
    return not isinstance(failed, error.DBOSAwaitedWorkflowCancelledError)
