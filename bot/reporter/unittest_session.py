"""
Tells what happens in one run of a ``unittest`` suite. PYTEST_DONT_REWRITE

What a test really raised, and what was said of it, are both told; decides nothing about either.
"""

from __future__ import annotations

import os
import sys

from .origins import origins
from .pinning import pin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator

    from .tripwires import Tripwires
    from .wire import Wire

MESSAGE = 4000
IDS_PER_LINE = 500
PARTS = ("setup", "call")  # and from then on tear-down and clean-ups


class _Case:
    def __init__(self) -> None:
        self.parts: list[str] = []  # what set-up, the test, tear-down … really raised
        self.said: list[str] = []
        self.subs: list[str] = []
        self.message = ""


class Session:
    """One run of a suite."""

    def __init__(
        self, line: Wire, wishes: dict[str, Any], tests: list[Any], tripwires: Tripwires
    ) -> None:
        self._line = line
        self._wishes = wishes
        self._root = str(wishes.get("root") or os.getcwd())
        self._tripwires = tripwires
        self._tests = {id(test): test for test in tests}
        self._cases: dict[int, _Case] = {}

    def owns(self, test: Any) -> bool:
        return id(test) in self._tests

    def name(self, test: Any) -> str:
        return name_of(test, self._root)

    def tell_collected(self) -> None:
        names = []
        for test in self._tests.values():
            if is_broken(test):
                message = str(getattr(test, "_exception", ""))
                self._line.send(
                    "broken", id=test._testMethodName, message=message, missing=missing_in(message)
                )
            else:
                names.append(self.name(test))
        for at in range(0, len(names), IDS_PER_LINE):
            self._line.send("collected", ids=names[at : at + IDS_PER_LINE])

    def begin(self, test: Any) -> None:
        if not is_broken(test):
            self._cases[id(test)] = _Case()
            seed = (self._wishes.get("measure") or {}).get("random_seed")
            if seed is not None:
                pin(seed)
            self._line.send("run", id=self.name(test))

    def raised(self, test: Any, kind: type[BaseException] | None) -> None:
        case = self._cases.get(id(test))
        if case is not None:
            case.parts.append(_raw(kind))

    def sub_raised(self, test: Any, kind: type[BaseException] | None) -> None:
        case = self._cases.get(id(test))
        if case is not None and kind is not None:
            case.subs.append(_raw(kind))

    def told(self, test: Any, message: str) -> None:
        case = self._cases.get(id(test))
        if case is not None:
            case.message = case.message or message[-MESSAGE:]

    def said(self, test: Any, saying: str, message: str) -> None:
        case = self._cases.get(id(test))
        if case is not None:
            case.said.append(saying)
            self.told(test, message)
        elif saying == "skipped":  # Python 3.12.1 never starts what a decorator skips
            self._tell_unstarted(test, saying, message)

    def said_of_group(self, holder: Any, saying: str, message: str) -> None:
        """What is set up for a class or a module failed or was skipped: its tests do not run."""
        scope = holder.id().partition("(")[2].rstrip(")")
        for test in self._tests.values():
            if test.id().startswith(scope + ".") and not is_broken(test):
                self._tell_unstarted(test, saying, message)

    def _tell_unstarted(self, test: Any, saying: str, message: str) -> None:
        phases = [["setup", saying, "", 0.0]]
        self._line.send("case", id=self.name(test), phases=phases, message=message[-MESSAGE:])

    def end_of(self, test: Any) -> None:
        case = self._cases.pop(id(test), None)
        if case is None:
            return
        phases = [
            [PARTS[at] if at < len(PARTS) else "teardown", "", raw, 0.0]
            for at, raw in enumerate(case.parts)
        ]
        phases.extend(["call", saying, "", 0.0] for saying in case.said)
        facts: dict[str, Any] = {"message": case.message} if case.message else {}
        if case.subs:
            facts["subs"] = case.subs
        self._line.send("case", id=self.name(test), phases=phases, **facts)

    def end(self, *, is_successful: bool) -> None:
        self._line.send("origins", files=origins(self._wishes))
        self._line.send("tampered", names=self._tripwires.changed())
        self._line.send("end", status=0 if is_successful else 1, failed=0, workers=0)
        self._line.close()


def name_of(test: Any, root: str) -> str:
    """The test's id; for a test of a script that was started by its path, with that path."""
    name = str(test.id())
    if not name.startswith("__main__."):
        return name
    script = os.path.relpath(getattr(sys.modules["__main__"], "__file__", "") or "", root)
    return script.replace(os.sep, "/") + "::" + name[len("__main__.") :]


def is_broken(test: Any) -> bool:
    """Stands for a module that could not be loaded."""
    return type(test).__module__ == "unittest.loader" and type(test).__name__ == "_FailedTest"


def missing_in(message: str) -> str:
    """The loader keeps the traceback's text only."""
    words = "ModuleNotFoundError: No module named '"
    found = [line for line in message.splitlines() if line.startswith(words)]
    return found[-1][len(words) :].partition("'")[0].partition(".")[0] if found else ""


def _raw(kind: type[BaseException] | None) -> str:
    if kind is None:
        return "passed"
    names = {k.__module__ + "." + k.__name__ for k in kind.__mro__}
    return "skipped" if "unittest.case.SkipTest" in names else "failed"


def flat(suite: Any) -> Iterator[Any]:
    try:
        inner = iter(suite)
    except TypeError:
        yield suite
        return
    for test in inner:
        yield from flat(test)
