"""The direction of imports and where the world is reached, as tables. A line here is a decision:
change it in review."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Mapping
from functools import cache
from graphlib import TopologicalSorter
from itertools import chain, pairwise
from pathlib import Path

ROOT = Path(__file__).parent.parent
BOT = ROOT / "bot"

#: layer -> the layers it may import
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "core": {"errors", "core"},
    "ports": {"core", "ports"},
    "forge_port": {"core"},
    "oracles": {"errors", "core", "oracles"},
    "agents": {"errors", "core", "ports", "agents"},
    # The last two only to know where they lie: they are bound into a gate, never called.
    "adapters": {"errors", "core", "ports", "forge_port", "adapters", "reporter", "inside"},
    "app": {"errors", "core", "ports", "forge_port", "oracles", "app"},
    "pages": {"errors", "core", "ports", "pages"},
    "web": {"errors", "core", "pages"},
    "cli": {"errors", "core", "ports", "app", "wiring", "minihub", "cli"},
    # A small GitHub knows nothing of jam, or it would agree with jam's mistakes.
    "minihub": {"errors", "minihub"},
    # These run inside a gate, under the repository's own interpreter: they know nothing of jam.
    "reporter": {"reporter"},
    "inside": {"inside"},
}
INSIDE = {"reporter", "inside"}
#: a port that one agent needs and owns, and the adapter that fills it
OWN_PORTS = {"adapters/lab.py": {"agents"}}

#: what reaches the world -> the files and folders that may import it
HOMES: dict[str, tuple[str, ...]] = {
    # git has its own reasons: no shell, no sandbox, an environment that nothing can add to.
    "subprocess": ("adapters/runner.py", "adapters/git.py", "adapters/sandbox/", "minihub/"),
    "anthropic": ("agents/model/",),
    "sqlite3": ("adapters/store.py",),
    "github": ("adapters/github/gateway.py",),
    "requests": ("adapters/github/line.py",),
    "dbos": ("adapters/queue.py",),
    "securesystemslib": ("adapters/signing.py",),
    "cryptography": ("adapters/signing.py", "minihub/"),
    "fastapi": ("web.py",),
    "jinja2": ("pages/", "minihub/"),
    "sqlalchemy": (
        "adapters/database.py",
        "adapters/docket_rows.py",
        "adapters/inbox.py",
        "adapters/github/paces.py",
        "adapters/purse.py",
        "adapters/schema.py",
        "adapters/shared_store.py",
        "adapters/workers.py",
    ),
    "uvicorn": ("wiring/registering.py", "wiring/serving.py", "minihub/"),
    "typer": ("cli/",),
    "rich": ("cli/",),
    "yaml": ("core/yaml_lines.py", "agents/scripted.py", "minihub/"),
}
IMPURE = {
    "asyncio",
    "io",
    "logging",
    "os",
    "random",
    "secrets",
    "shutil",
    "socket",
    "tempfile",
    "time",
    "uuid",
}
#: besides the standard library: two parsers, which are functions from text to events and tokens,
#: and scipy, whose statistics are functions of counts
PURE_PACKAGES = {"bot", "pydantic", "pydantic_core", "yaml", "markdown_it", "scipy"}
#: what is imported -> what is installed, where the names differ
DISTRIBUTIONS = {
    "markdown_it": "markdown-it-py",
    "pydantic_core": "pydantic",
    "jwt": "pyjwt",
    "yaml": "pyyaml",
    "github": "pygithub",
    "opentelemetry": "opentelemetry-sdk",
}

LONGEST_FILE = 300
LONGEST_FUNCTION = 60

FILES = {path.relative_to(BOT).as_posix(): path for path in sorted(BOT.rglob("*.py"))}
TESTS = {path.relative_to(ROOT).as_posix(): path for path in sorted((ROOT / "tests").rglob("*.py"))}
JUDGED = [name for name in FILES if name.partition("/")[0] not in INSIDE]


def layer(name: str) -> str:
    return name.partition("/")[0].removesuffix(".py")


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(path.read_text())))


@cache
def imported(path: Path) -> frozenset[str]:
    names: set[str] = set()
    for node in nodes(path):
        match node:
            case ast.Import(names=aliases):
                names |= {alias.name for alias in aliases}
            case ast.ImportFrom(module=str(module), names=aliases):
                names |= {f"{module}.{alias.name}" for alias in aliases}
            case _:
                pass
    return frozenset(names)


def roots(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imported(path)}


def called(path: Path) -> set[str]:
    return {ast.unparse(node.func) for node in nodes(path) if isinstance(node, ast.Call)}


def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [node for node in nodes(path) if isinstance(node, kinds)]


def found(wrong: Mapping[str, object]) -> dict[str, object]:
    """Only the files in which something is wrong, so that a failure names them and nothing else."""
    return {name: what for name, what in wrong.items() if what}


def test_layers_are_imported_downwards_only() -> None:
    reached = {
        name: {other.split(".")[1] for other in imported(path) if other.startswith("bot.")}
        for name, path in FILES.items()
    }
    free = {"__version__"}

    assert (
        found(
            {
                name: layers
                - free
                - MAY_IMPORT.get(layer(name), layers)
                - OWN_PORTS.get(name, set())
                for name, layers in reached.items()
            }
        )
        == {}
    )


def test_the_world_is_reached_only_from_its_home() -> None:
    assert (
        found(
            {
                name: {
                    root for root in roots(FILES[name]) & HOMES.keys() if not _at(name, HOMES[root])
                }
                for name in JUDGED
            }
        )
        == {}
    )


def _at(name: str, homes: tuple[str, ...]) -> bool:
    return name.startswith(homes)


def test_core_and_oracles_are_pure() -> None:
    pure = [name for name in JUDGED if layer(name) in {"core", "oracles"}]

    assert (
        found(
            {
                name: (roots(FILES[name]) & IMPURE)
                | (roots(FILES[name]) - sys.stdlib_module_names - PURE_PACKAGES)
                | (called(FILES[name]) & {"open", "print", "input"})
                for name in pure
            }
        )
        == {}
    )


def test_the_environment_is_read_only_in_wiring() -> None:
    reading = {
        name: {
            node.attr
            for node in nodes(FILES[name])
            if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"}
        }
        for name in JUDGED
        if layer(name) != "wiring"
    }

    assert found(reading) == {}


def test_only_servers_are_asynchronous() -> None:
    waiting = {
        name: [f.name for f in functions(path) if isinstance(f, ast.AsyncFunctionDef)]
        for name, path in FILES.items()
        if name not in {"web.py", "minihub/server.py"}
    }

    assert found(waiting) == {}


def test_files_are_short() -> None:
    lines = {name: len(path.read_text().splitlines()) for name, path in FILES.items()}

    assert {name: length for name, length in lines.items() if length > LONGEST_FILE} == {}


def test_functions_are_short() -> None:
    long = {
        name: [
            function.name
            for function in functions(path)
            if (function.end_lineno or 0) - function.lineno >= LONGEST_FUNCTION
        ]
        for name, path in FILES.items()
    }

    assert found(long) == {}


def test_every_module_says_what_it_is() -> None:
    silent = {
        name: not ast.get_docstring(ast.parse(path.read_text()))
        for name, path in FILES.items()
        if path.read_text()
    }

    assert found(silent) == {}


def test_no_module_is_named_for_a_drawer() -> None:
    drawers = {"utils", "util", "helpers", "helper", "common", "misc", "base", "manager", "service"}
    parts = {name: set(name.removesuffix(".py").split("/")) & drawers for name in FILES}

    # The model's service is a service: somebody else's machine that answers requests.
    assert found(parts) == {"agents/model/service.py": {"service"}}


def test_imports_have_no_cycle() -> None:
    names = {_module(name): path for name, path in FILES.items()}
    graph = {name: _reached(path, names) - {name} for name, path in names.items()}

    assert list(TopologicalSorter(graph).static_order())  # CycleError names the cycle


def _module(name: str) -> str:
    return f"bot.{name.removesuffix('.py').replace('/', '.')}".removesuffix(".__init__")


def _reached(path: Path, names: Mapping[str, Path]) -> set[str]:
    """``from bot.a import b`` reaches the module bot.a.b where there is one, else bot.a."""
    reached: set[str] = set()
    for name in imported(path):
        reached |= {name} & names.keys() or {name.rpartition(".")[0]} & names.keys()
    return reached


def test_a_ledger_that_lies_in_a_repository_is_only_compared() -> None:
    """It is history: no session goes on from it, and no verdict in it counts again."""
    reading = {name for name, path in FILES.items() if "keepsake.read" in called(path)}

    assert reading == {"wiring/attesting.py"}
    assert called(FILES["wiring/attesting.py"]) & {"conduct", "engine.run", "engine.begin"} == set()


def test_errors_are_met_in_one_place_of_each_door() -> None:
    """Elsewhere a family may be told apart or given words, but never swallowed whole."""
    met = {
        name
        for name, path in FILES.items()
        for node in nodes(path)
        if isinstance(node, ast.ExceptHandler)
        and node.type
        and "JamError" in ast.unparse(node.type)
    }

    # The doctor tells what does not work here; an error is its subject.
    assert met == {"cli/edge.py", "web.py", "wiring/machine.py"}


def test_printing_happens_on_the_command_line_only() -> None:
    printing = {layer(name) for name in JUDGED if "print" in called(FILES[name])}

    assert printing <= {"cli"}


def test_tests_patch_nothing() -> None:
    patching = {name: called(path) & {"monkeypatch.setattr"} for name, path in TESTS.items()}

    assert found(patching) == {}


def test_every_test_asserts() -> None:
    silent = {
        name: [
            function.name
            for function in functions(path)
            if function.name.startswith("test_") and function.name not in _asserting(path)
        ]
        for name, path in TESTS.items()
    }

    assert found(silent) == {}


def _asserting(path: Path) -> set[str]:
    """Functions that assert by themselves, expect an error, or call one of the file that does."""
    asserting: set[str] = set()
    while True:
        more = {f.name for f in functions(path) if _asserts(f, asserting)} - asserting
        if not more:
            return asserting
        asserting |= more


def _asserts(function: ast.AST, asserting: set[str]) -> bool:
    return any(
        isinstance(node, ast.Assert)
        or (isinstance(node, ast.Attribute) and node.attr.startswith(("raises", "assert")))
        or (isinstance(node, ast.Name) and node.id in asserting)
        for node in ast.walk(function)
    )


def named_dependencies() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    return {re.split(r"[><=\[]", line)[0].lower() for line in listed} - {"jam"}


class TestTheProject:
    def test_names_what_it_imports(self) -> None:
        """What comes along with something else today may be gone tomorrow."""
        foreign = set().union(*(roots(FILES[name]) for name in JUDGED)) - sys.stdlib_module_names

        needed = {DISTRIBUTIONS.get(name, name) for name in foreign - {"bot"}}
        assert needed - named_dependencies() == set()

    def test_imports_what_it_names(self) -> None:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        always = {re.split(r"[><=\[]", line)[0].lower() for line in project["dependencies"]}
        foreign = set().union(*(roots(FILES[name]) for name in JUDGED))

        assert always - {DISTRIBUTIONS.get(name, name) for name in foreign} == set()

    def test_locks_what_it_names(self) -> None:
        lock = (ROOT / "requirements.lock").read_text()
        locked = set(re.findall(r"^([a-z0-9-]+)==", lock, re.M))

        assert named_dependencies() - locked == set()
        assert lock.count("--hash=sha256:") >= len(locked)

    def test_locks_all_that_a_job_of_the_action_needs(self) -> None:
        """One that is missing is found out by the first job that imports it."""
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        wanted, lines = ["action"], list(extras["dependencies"])
        for extra in wanted:
            for line in extras["optional-dependencies"][extra]:
                also = re.match(r"jam\[(.+)\]", line)
                wanted += also[1].split(",") if also else []
                lines += [] if also else [line]
        versions = [
            dict(re.findall(r"^([a-z0-9-]+)==([^ ]+)", (ROOT / file).read_text(), re.M))
            for file in ("action/requirements.lock", "requirements.lock")
        ]

        assert {re.split(r"[><=\[]", line)[0].lower() for line in lines} - versions[
            0
        ].keys() == set()
        assert versions[0].items() - versions[1].items() == set()

    def test_hooks_use_the_locked_versions(self) -> None:
        lock = (ROOT / "requirements.lock").read_text()
        hooks = (ROOT / ".pre-commit-config.yaml").read_text()
        pinned = dict(re.findall(r"\[([a-z-]+)==([0-9.]+)\]", hooks))
        locked = dict(re.findall(r"^([a-z0-9-]+)==([^ ]+)", lock, re.M))

        assert {name: locked.get(name, pinned[name]) for name in pinned} == pinned

    def test_names_no_path_of_a_machine(self) -> None:
        suspicious = re.compile(r"/(work|root|home)/[a-z]")
        texts = [ROOT / name for name in ("Makefile", ".ci/run", "README.md", "CONTRIBUTING.md")]
        naming = [
            path.name
            for path in [*texts, *FILES.values()]
            if suspicious.search(path.read_text(errors="ignore"))
        ]

        assert naming == []

    def test_changes_are_told_newest_first(self) -> None:
        heads = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.M)
        versions = [tuple(map(int, head.split("."))) for head in heads[1:]]

        assert heads[:1] == ["Unreleased"]
        assert all(newer > older for newer, older in pairwise(versions))
