"""
An undisturbed copy of a test module under names that nothing knows: module and test functions.

A test function keeps its name where the module itself speaks of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bot.core.sensitivity.ids import TestName
from bot.core.sensitivity.module import Module, is_test
from bot.core.sensitivity.source import Edit, Function, Opaque, Source

OWN_NAME = frozenset({"__file__", "__name__", "snapshot", "getsource", "getmodule", "currentframe"})
NAME = re.compile(rb"(?:async\s+)?def\s+")


@dataclass(frozen=True, slots=True)
class Copy:
    """``names``: of every test that was asked for, where it is in the copy."""

    path: str
    content: bytes
    names: Mapping[str, TestName]


def rename(
    module: Module, tests: Mapping[str, TestName], *, path: str, token: str
) -> Copy | Opaque:
    """``tests``: by id, all of them of this module."""
    new = _new_names(module, token)
    source = module.source
    content = source.edited(
        _renaming(source, module.functions[name], new[name]) for name in sorted(new)
    )
    if isinstance(content, Opaque):
        return content
    moved = {}
    for test, name in tests.items():
        other = new.get(module.find(name))
        names = (*name.names[:-1], other) if other else name.names
        moved[test] = name.moved(path, names)
    return Copy(path, content, moved)


def speaks_of_itself(module: Module, path: str) -> bool:
    """Does what the module at ``path`` does depend, by its text, on what it is called?"""
    main_guards = module.mentions["__main__"]
    own = sum(module.mentions[word] for word in OWN_NAME)
    return own > main_guards or speaks_of(module, path)


def speaks_of(module: Module, path: str) -> bool:
    """Does ``module``, whichever it is, name the one at ``path``?"""
    return module.mentions[path.rpartition("/")[2].removesuffix(".py")] > 0


def _new_names(module: Module, token: str) -> dict[str, str]:
    tests = [
        name
        for name in module.functions
        if is_test(last := name.rpartition(".")[2])
        and "<locals>" not in name
        and not module.mentions[last]
    ]
    return {
        name: f"test_{token}_{number:04}"
        for number, name in enumerate(sorted(tests, key=lambda n: module.functions[n].lineno))
    }


def _renaming(source: Source, node: Function, name: str) -> Edit:
    at = source.start(node)
    found = NAME.match(source.text, at)
    assert found is not None, "a function begins with its keyword"  # noqa: S101
    end = found.end() + len(node.name.encode())
    return Edit(found.end(), end, name)
