"""
From which file each watched module was really imported. PYTEST_DONT_REWRITE

A plain install judges site-packages instead of the checkout, and stays green whatever changes.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator


def origins(wishes: dict[str, Any]) -> dict[str, str]:
    """The file of every watched path whose module was imported; one from elsewhere wins."""
    root = str(wishes.get("root") or os.getcwd())
    loaded = _loaded()
    found = {}
    for path in wishes.get("watch") or ():
        files = sorted(set(_files_of(path, root, loaded)))
        here = os.path.realpath(os.path.join(root, path))
        if files:
            found[path] = next((file for file in files if file != here), here)
    return found


def _loaded() -> list[tuple[str, str]]:
    result = []
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str):
            result.append((name, os.path.realpath(file)))
    return result


def _files_of(path: str, root: str, loaded: list[tuple[str, str]]) -> Iterator[str]:
    inside = os.path.realpath(root) + os.sep
    for short in _as_installed(path, root):
        module = short[:-3].replace("/", ".")
        module = module[: -len(".__init__")] if module.endswith(".__init__") else module
        for name, file in loaded:
            if file.endswith("/" + path) or (
                name == module and file.endswith("/" + short) and not file.startswith(inside)
            ):
                yield file


def _as_installed(path: str, root: str) -> Iterator[str]:
    """``src/pkg/a.py``, then ``pkg/a.py``: a leading folder that is no package is left out."""
    yield path
    head, slash, rest = path.partition("/")
    while slash and not os.path.exists(os.path.join(root, head, "__init__.py")):
        yield rest
        part, slash, rest = rest.partition("/")
        head = head + "/" + part
