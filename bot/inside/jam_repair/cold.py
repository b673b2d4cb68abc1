"""
The slow way, for edits that live objects cannot take: import and collect anew.

Before pytest loads anything of the repository, the process forks. One half goes on as the search;
the other waits, and forks once for every candidate: that child goes on with pytest's start as if
nothing had happened, but an import hook gives it the changed text. Nothing is written anywhere.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import json
import os
import select
import socket
import sys
import time
from types import CodeType
from typing import Any, Sequence

from . import children
from .children import Forks
from .trial import PASSED, Timer, Trials


class Job:
    """What a child of the waiting half has to do. ``files``: test files worth collecting."""

    def __init__(self, facts: dict[str, Any], writer: int) -> None:
        self.overrides: dict[str, str] = facts["overrides"]
        self.ids: list[str] = facts["ids"]
        self.files: list[str] | None = facts["files"]
        self.limits: dict[str, float] = facts["limits"]
        self.seconds: float = facts["seconds"]
        self._writer = writer
        self._owner = os.getpid()

    def tell(self, what: Any) -> None:
        if os.getpid() != self._owner:
            os._exit(0)
        os.write(self._writer, json.dumps(what).encode() + b"\n")


class Other:
    """The search's end of the line to the waiting half."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._waiting = b""

    def ask(self, facts: dict[str, Any]) -> dict[str, Any] | None:
        """What the child said; None when the waiting half is gone."""
        try:
            self._line.sendall(json.dumps(facts).encode() + b"\n")
            while b"\n" not in self._waiting:
                more = self._line.recv(1 << 16)
                if not more:
                    return None
                self._waiting += more
        except OSError:
            return None
        line, self._waiting = self._waiting.split(b"\n", 1)
        answer: dict[str, Any] = json.loads(line)
        return answer


def split() -> Any:
    """Fork. Returns ``Other`` in the search, a ``Job`` in each child of the waiting half.

    The waiting half itself never returns.
    """
    mine, theirs = socket.socketpair()
    waiting = os.getpid()
    pid = os.fork()
    if pid == 0:
        mine.close()
        children.die_with_parent()
        if os.getppid() != waiting:
            os._exit(1)
        children.adopt_orphans()
        return Other(theirs)
    theirs.close()
    children.adopt_orphans()
    children.keep(pid)
    return _wait(mine, pid)


def _wait(line: socket.socket, search: int) -> Job:
    waiting = b""
    while True:
        more = line.recv(1 << 20)
        if not more:
            _leave(search)
        waiting += more
        while b"\n" in waiting:
            text, waiting = waiting.split(b"\n", 1)
            job = _fork(json.loads(text), line)
            if job is not None:
                return job


def _leave(search: int) -> None:
    code = 1
    try:
        status = os.waitpid(search, 0)[1]
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1
        children.sweep()
    finally:
        os._exit(code)


def _fork(facts: dict[str, Any], line: socket.socket) -> Job | None:
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        line.close()
        children.confine()
        return Job(facts, writer)
    os.close(writer)
    said = _listen(reader, facts["seconds"])
    os.close(reader)
    children.end(pid)
    line.sendall(json.dumps(said).encode() + b"\n")
    return None


def _listen(reader: int, seconds: float) -> dict[str, Any]:
    said, until = b"", time.monotonic() + seconds
    while True:
        left = until - time.monotonic()
        if left <= 0 or not select.select([reader], [], [], left)[0]:
            break
        more = os.read(reader, 1 << 16)
        if not more or len(said) > children.ANSWER_BYTES:
            break
        said += more
    lines = [json.loads(line) for line in said.split(b"\n")[:-1]]
    return {
        "marks": dict(line for line in lines if line[0] != "loaded"),
        "loaded": ["loaded", True] in lines,
    }


class Finder(importlib.abc.MetaPathFinder):
    """Finds what the others find, but loads changed text for the files that have some."""

    def __init__(self, overrides: dict[str, str]) -> None:
        self.overrides = {os.path.realpath(file): text for file, text in overrides.items()}
        self.loaded = False

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            if finder is self or find is None:
                continue
            spec = find(name, path, target)
            if spec is not None:
                return self._overridden(spec)
        return None

    def _overridden(self, spec: Any) -> Any:
        origin = spec.origin if isinstance(spec.origin, str) else ""
        text = self.overrides.get(os.path.realpath(origin)) if origin else None
        if text is None:
            return spec
        spec.loader = _Loader(spec.name, origin, text, self)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, text: str, finder: Finder) -> None:
        super().__init__(name, path)
        self._text, self._finder = text, finder

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002  # importlib's signature
        self._finder.loaded = True
        code: CodeType = compile(self._text, self.path, "exec", dont_inherit=True)
        return code


class Cold:
    """One child's work, in the hooks of pytest that come after its start."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._finder = Finder(job.overrides)
        self._broken: set = set()  # type: ignore[type-arg]  # ids of what could not be collected
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if isinstance(file, str) and os.path.realpath(file) in self._finder.overrides:
                del sys.modules[name]
        sys.meta_path.insert(0, self._finder)

    def is_worth_collecting(self, path: str) -> bool:
        return self._job.files is None or not os.path.isfile(path) or path in self._job.files

    def note(self, report: Any) -> None:
        if report.failed:
            self._broken.add(report.nodeid)

    def run(self, session: Any) -> None:
        job = self._job
        if self._finder.loaded:
            job.tell(["loaded", True])
        trials, timer = Trials(session), Timer()
        Forks()
        wanted = list(_wanted(trials, job.ids, self._broken))
        for place, (id_, item) in enumerate(wanted):
            following = wanted[place + 1][1] if place + 1 < len(wanted) else None
            mark = "failed"
            if item is not None:
                limit = job.limits.get(id_, 1.0)
                mark = trials.run(item, seconds=limit, timer=timer, following=following).mark
            job.tell([id_, mark])
            if mark != PASSED:
                break
        os._exit(0)


def _wanted(trials: Trials, ids: Sequence[str], broken: Any) -> Any:
    """The items asked for; for a file, all in it; None for what is not there."""
    for id_ in ids:
        if id_ in trials.by_id:
            yield id_, trials.by_id[id_]
            continue
        inside = [item for item in trials.by_id.values() if item.nodeid.startswith(f"{id_}::")]
        if not inside or id_ in broken:
            yield id_, None
        for item in inside:
            yield item.nodeid, item
