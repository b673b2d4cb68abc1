"""
Fixtures that put back what tests leave changed, one shape for each kind of state.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.core.flaky.finding import Finding
from bot.core.flaky.runs import Leaked

ABSENT = "absent"
ENVIRON = re.compile(r"os\.environ\['([A-Za-z_][A-Za-z0-9_]*)'\]")
GLOBAL = re.compile(r"([A-Za-z_][\w.]*)\.([A-Za-z_]\w*)")
KINDS = {"dict(": "update", "set(": "update", "list(": "extend"}
MOST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """``keep`` runs before a test, ``put_back`` after it; both without indentation."""

    where: str
    modules: tuple[str, ...]
    keep: tuple[str, ...]
    put_back: tuple[str, ...]


SWITCHES: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "os.getcwd()": (("os",), ("{kept} = os.getcwd()",), ("os.chdir({kept})",)),
    "sys.path": (("sys",), ("{kept} = list(sys.path)",), ("sys.path[:] = {kept}",)),
    "sys.argv": (("sys",), ("{kept} = list(sys.argv)",), ("sys.argv[:] = {kept}",)),
    "sys.getrecursionlimit()": (
        ("sys",),
        ("{kept} = sys.getrecursionlimit()",),
        ("sys.setrecursionlimit({kept})",),
    ),
    "locale.setlocale(LC_ALL)": (
        ("locale",),
        ("{kept} = locale.setlocale(locale.LC_ALL)",),
        ("locale.setlocale(locale.LC_ALL, {kept})",),
    ),
    "logging.root.level": (
        ("logging",),
        ("{kept} = logging.root.level",),
        ("logging.root.setLevel({kept})",),
    ),
    "logging.root.manager.disable": (
        ("logging",),
        ("{kept} = logging.root.manager.disable",),
        ("logging.disable({kept})",),
    ),
}
NOISE = ("sys.modules[", "threading.", "random.getstate", "warnings.", "file ", "tempfile.")


def of(leaked: Iterable[Leaked]) -> tuple[Guarded, ...]:
    found: dict[str, Guarded] = {}
    for one in leaked:
        number = len(found)
        if number < MOST and one.where not in found and (made := _of(one, f"kept_{number}")):
            found[one.where] = made
    return tuple(found.values())


def _of(one: Leaked, kept: str) -> Guarded | None:
    if one.where.startswith(NOISE):
        return None
    if one.where in SWITCHES:
        modules, keep, back = SWITCHES[one.where]
        return Guarded(
            where=one.where,
            modules=modules,
            keep=tuple(line.format(kept=kept) for line in keep),
            put_back=tuple(line.format(kept=kept) for line in back),
        )
    if name := ENVIRON.fullmatch(one.where):
        return _environment(one.where, name.group(1), kept)
    if name := GLOBAL.fullmatch(one.where):
        return _global(one, name.group(1), name.group(2), kept)
    return None


def _environment(where: str, name: str, kept: str) -> Guarded:
    return Guarded(
        where=where,
        modules=("os",),
        keep=(f'{kept} = os.environ.get("{name}")',),
        put_back=(
            f"if {kept} is None:",
            f'    os.environ.pop("{name}", None)',
            "else:",
            f'    os.environ["{name}"] = {kept}',
        ),
    )


def _global(one: Leaked, owner: str, name: str, kept: str) -> Guarded:
    """A container is emptied and filled again, since others may hold it; else it is set again."""
    holder = f"owner_{kept.removeprefix('kept_')}"
    find = f'{holder} = importlib.import_module("{owner}")'
    kind = next((way for start, way in KINDS.items() if one.before.startswith(start)), "")
    keep: tuple[str, ...] = ()
    back: tuple[str, ...]
    if one.before == ABSENT:
        back = (f'vars({holder}).pop("{name}", None)',)
    elif kind and one.after.startswith(tuple(KINDS)):
        keep = (f"{kept} = copy.copy({holder}.{name})",)
        back = (f"{holder}.{name}.clear()", f"{holder}.{name}.{kind}({kept})")
    else:
        keep = (f"{kept} = copy.copy({holder}.{name})",) if kind else (f"{kept} = {holder}.{name}",)
        back = (f"{holder}.{name} = {kept}",)
    modules = ("copy", "importlib") if kind else ("importlib",)
    return Guarded(where=one.where, modules=modules, keep=(find, *keep), put_back=back)


def fixture(guarded: Iterable[Guarded], *, name: str) -> str:
    parts = tuple(guarded)
    what = ", ".join(one.where for one in parts)
    lines = ["@pytest.fixture(autouse=True)", f"def {name}():"]
    lines.append(f'    """Puts back what tests of this file change: {what[:60]}."""')
    lines += [f"    {line}" for one in parts for line in one.keep]
    lines.append("    yield")
    lines += [f"    {line}" for one in reversed(parts) for line in one.put_back]
    return "\n".join(lines) + "\n"


def resets(leaked: Iterable[Leaked]) -> Iterator[tuple[str, str, str]]:
    """Owner, name and plain value that it had: what a victim can begin with by itself."""
    for one in leaked:
        found = GLOBAL.fullmatch(one.where)
        value = _plain(one.before)
        if found and value is not None and not one.where.startswith(NOISE):
            yield found.group(1), found.group(2), value


def _plain(words: str) -> str | None:
    empty = {"dict()": "{}", "list()": "[]", "set()": "set()", "tuple()": "()"}
    if words in empty:
        return empty[words]
    is_plain = re.fullmatch(r"-?\d+(\.\d+)?|True|False|None|'[^'\\]*'", words)
    return words if is_plain else None


def reset_fixture(found: Iterable[tuple[str, str, str]]) -> str:
    lines = [
        "@pytest.fixture(autouse=True)",
        "def begins_with_a_clean_state(monkeypatch):",
        '    """Other tests leave this changed; tests of this file begin with it as it is."""',
    ]
    for owner, name, value in found:
        module = f'importlib.import_module("{owner}")'
        lines.append(f'    monkeypatch.setattr({module}, "{name}", {value})')
    return "\n".join(lines) + "\n"


def from_polluters(finding: Finding) -> tuple[Leaked, ...]:
    """By the polluters, where any are known; else by whoever."""
    named = frozenset((*finding.polluters, *finding.tests))
    own = tuple(one for one in finding.leaked if one.by in named)
    return own or finding.leaked
