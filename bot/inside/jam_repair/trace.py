"""
Which lines of which files a test runs, where it raised, and what types its variables had.

Only files that may be edited are followed; everything else runs at full speed.
"""

from __future__ import annotations

import copy
import os
import sys
import threading
from types import CodeType, FrameType, TracebackType
from typing import Any, Callable, Dict, Iterable, Set, Tuple

Place = Tuple[str, int]  # path, line
FunctionKey = Tuple[str, int]  # path, first line
Types = Dict[str, Set[str]]
TYPES_PER_NAME = 6
NAMES_PER_FUNCTION = 60


class Files:
    """Files that may be edited, by what ``co_filename`` says of them."""

    def __init__(self, root: str, paths: Iterable[str]) -> None:
        self._paths = {os.path.realpath(os.path.join(root, path)): path for path in paths}
        self._seen: dict[str, str | None] = {}

    def path(self, filename: str) -> str | None:
        try:
            return self._seen[filename]
        except KeyError:
            found = self._seen[filename] = self._paths.get(os.path.realpath(filename))
            return found


class Tracer:
    """Follows one test between ``start`` and ``stop``."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self.lines: dict[str, set[int]] = {}
        self.types: dict[FunctionKey, Types] = {}
        self.calls: dict[FunctionKey, int] = {}
        self._local: dict[CodeType, Any] = {}

    def start(self) -> None:
        threading.settrace(self._enter)
        sys.settrace(self._enter)

    def stop(self) -> None:
        sys.settrace(None)
        threading.settrace(None)

    def _enter(self, frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        try:
            local = self._local[code]
        except KeyError:
            path = self._files.path(code.co_filename)
            local = self._local[code] = path and self._follow(path, code)
        if local is not None:
            local(frame, event, None)
        return local

    def _follow(self, path: str, code: CodeType) -> Callable[[FrameType, str, Any], Any]:
        lines = self.lines.setdefault(path, set())
        key = (path, code.co_firstlineno)
        types = self.types.setdefault(key, {})
        named = not code.co_name.startswith("<")
        calls = self.calls

        def follow(frame: FrameType, event: str, _: Any) -> Any:
            if event == "line":
                lines.add(frame.f_lineno)
            elif event == "return":
                if named and calls.get(key, 0) < 200:
                    _note_types(frame, types)
            elif event == "call":
                calls[key] = calls.get(key, 0) + 1
                if named and calls[key] < 200:
                    _note_types(frame, types)
            elif event == "exception":
                lines.add(frame.f_lineno)
            return follow

        return follow


def _note_types(frame: FrameType, types: Types) -> None:
    for name, value in frame.f_locals.items():
        kinds = types.get(name)
        if kinds is None:
            if len(types) >= NAMES_PER_FUNCTION:
                continue
            kinds = types[name] = set()
        if len(kinds) < TYPES_PER_NAME:
            kinds.add(type(value).__name__)


def raised_at(error: BaseException | None, files: Files) -> list[Place]:
    """The lines of editable files that the exception went through, innermost first."""
    places: list[Place] = []
    seen: set[int] = set()
    while error is not None and id(error) not in seen and len(places) < 50:
        seen.add(id(error))
        trace: TracebackType | None = error.__traceback__
        frames: list[Place] = []
        while trace is not None:
            path = files.path(trace.tb_frame.f_code.co_filename)
            if path is not None:
                frames.append((path, trace.tb_lineno))
            trace = trace.tb_next
        places.extend(frames[::-1][:20])
        error = error.__cause__ or error.__context__
    return places


class Captured:
    """Copies of the arguments that a function was really called with."""

    def __init__(self, files: Files, key: FunctionKey, *, most: int) -> None:
        self._files, self._key, self._most = files, key, most
        self.arguments: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def start(self) -> None:
        sys.setprofile(self._called)

    def stop(self) -> None:
        sys.setprofile(None)

    def _called(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or code.co_firstlineno != self._key[1]:
            return
        if len(self.arguments) >= self._most or self._files.path(code.co_filename) != self._key[0]:
            return
        sys.setprofile(None)  # copying may run code of the repository
        try:
            self.arguments.append(_arguments(frame))
        except Exception:
            pass  # what cannot be copied cannot be tried again
        finally:
            sys.setprofile(self._called)


def _arguments(frame: FrameType) -> tuple[tuple[Any, ...], dict[str, Any]]:
    code, values = frame.f_code, frame.f_locals
    count = code.co_argcount
    names = code.co_varnames
    positional = [values[name] for name in names[:count]]
    keywords = {name: values[name] for name in names[count : count + code.co_kwonlyargcount]}
    after = count + code.co_kwonlyargcount
    if code.co_flags & 0x04:
        positional.extend(values[names[after]])
        after += 1
    if code.co_flags & 0x08:
        keywords.update(values[names[after]])
    return copy.deepcopy((tuple(positional), keywords))
