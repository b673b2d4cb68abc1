"""
Commands as people write them, unchanged: they report, and nobody's environment is written.

The environment is the one that these tests run in.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.adapters.channel import Channel, Wishes
from bot.adapters.rig import REPORTER, Around, Plugin, build
from bot.adapters.sandbox import NoJail, choose
from bot.adapters.toolchain import Toolchain, readable_for
from bot.core.contract import Dialect, Gate, SandboxKind
from bot.core.report import Report
from bot.oracles import PARSERS, Raw
from bot.ports import Jail, Limits, Ran, View

BIN = Path(sys.executable).parent
PATH = f"{BIN}:/usr/bin:/bin"
TEST = """\
import unittest
from calc import add
class T(unittest.TestCase):
    def test_add(self): self.assertEqual(add(2, 3), 5)
if __name__ == "__main__":
    unittest.main()
"""
FILES = {
    "calc.py": "def add(a, b): return a + b\n",
    "src/other.py": "",
    "tests/__init__.py": "",
    "tests/test_add.py": TEST,
    "conftest.py": "",
    "Makefile": "test:\n\tPYTHONPATH=. python -m pytest -q\n",
    "run.py": "import subprocess, sys\n"
    "sys.exit(subprocess.call([sys.executable, '-m', 'pytest', '-q']))\n",
}
#: these need nothing but what an environment and PATH can do
EASY = (
    "python -m pytest",
    "pytest -q",
    "PYTHONPATH=. python -m pytest -q -p no:cacheprovider -o addopts= tests/test_add.py",
    "PYTHONPATH=src pytest",
    "make test",
    "python run.py",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 pytest",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 pytest -p xdist -n 1",
)
#: these see neither, and are reached through their site-packages
HARD = (
    f"PYTHONPATH=src {BIN}/pytest",
    f"{BIN}/python -I -m pytest tests",
    f"env -i PATH={PATH} {BIN}/pytest",
    f"env -i {BIN}/python -I -m pytest tests",
    f"PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 PYTHONPATH=src {BIN}/pytest",
)
SUITES = ("python -m unittest", "python -m unittest discover -s tests -t .")
SCRIPTS = ("PYTHONPATH=. python tests/test_add.py", f"PYTHONPATH=. {BIN}/python tests/test_add.py")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = tmp_path_factory.mktemp("checkout")
    for name, text in FILES.items():
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).write_text(text)
    return tree


@pytest.fixture(scope="module")
def jail(tree: Path) -> Jail:
    jail = choose(SandboxKind.BWRAP)
    jail.adopt(tree)
    return jail


@pytest.fixture(scope="module")
def toolchain(tree: Path) -> Toolchain:
    return readable_for("python -m pytest", path=PATH, home=Path("/nonexistent"), tree=tree)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    tmp_path.chmod(0o755)
    return tmp_path


def run(
    command: str,
    dialect: Dialect,
    *,
    jail: Jail,
    toolchain: Toolchain,
    tree: Path,
    home: Path,
    plugins: tuple[Plugin, ...] = (REPORTER,),
) -> tuple[Ran, bytes]:
    around = Around(path=toolchain.path, interpreters=toolchain.interpreters, tree=tree, at=tree)
    is_jailed = jail.level == "bwrap"
    rig = build(plugins, around=around, folder=home / "rig", is_jailed=is_jailed)
    env = {"PATH": toolchain.path, "PYTHONDONTWRITEBYTECODE": "1"}
    view = View(tree=tree, at=tree, readable=toolchain.readable, binds=toolchain.binds, env=env)
    with Channel.open(Wishes(dialect=dialect.value, root=str(tree)), within=home) as channel:
        over = rig.talking(channel.folder).laid_over(view)
        ran = jail.run(["sh", "-c", command], view=over, limits=Limits(timeout_s=50))
        return ran, channel.close().to_bytes()


def passed(ran: Ran, recording: bytes, dialect: Dialect) -> int | str:
    """How many tests, or all that is known of why not."""
    raw = Raw(
        exit_code=ran.exit_code,
        output=ran.output,
        recording=recording,
        report_file=None,
        gate=Gate(run="the command", report=dialect),
    )
    reading = PARSERS[dialect](raw)
    if isinstance(reading, Report) and not reading.tampering:
        return len(reading.cases)
    return f"{reading}\n{ran.output}"


@pytest.mark.parametrize("command", [EASY[2], HARD[3], HARD[4]])
def test_a_command_in_a_sandbox_reports_at_first_glance(
    command: str, jail: Jail, toolchain: Toolchain, tree: Path, home: Path
) -> None:
    """What real checkouts use, and the two that are hardest to reach."""
    heard = run(command, Dialect.PYTEST, jail=jail, toolchain=toolchain, tree=tree, home=home)

    assert passed(*heard, Dialect.PYTEST) == 1


@pytest.mark.slow
@pytest.mark.parametrize("command", EASY + HARD)
def test_a_command_in_a_sandbox_reports(
    command: str, jail: Jail, toolchain: Toolchain, tree: Path, home: Path
) -> None:
    heard = run(command, Dialect.PYTEST, jail=jail, toolchain=toolchain, tree=tree, home=home)

    assert passed(*heard, Dialect.PYTEST) == 1


@pytest.mark.parametrize("command", SUITES + SCRIPTS)
def test_unittest_in_a_sandbox_reports(
    command: str, jail: Jail, toolchain: Toolchain, tree: Path, home: Path
) -> None:
    heard = run(command, Dialect.UNITTEST, jail=jail, toolchain=toolchain, tree=tree, home=home)

    assert passed(*heard, Dialect.UNITTEST) == 1


@pytest.mark.slow
@pytest.mark.parametrize("command", EASY)
def test_a_command_without_a_sandbox_reports(
    command: str, toolchain: Toolchain, tree: Path, home: Path
) -> None:
    heard = run(command, Dialect.PYTEST, jail=NoJail(), toolchain=toolchain, tree=tree, home=home)

    assert passed(*heard, Dialect.PYTEST) == 1


def test_a_command_that_cannot_be_reached_runs_as_ever_and_reports_nothing(
    toolchain: Toolchain, tree: Path, home: Path
) -> None:
    command = f"PYTHONPATH=src {BIN}/pytest -q"

    ran, recording = run(
        command, Dialect.PYTEST, jail=NoJail(), toolchain=toolchain, tree=tree, home=home
    )

    assert ran.exit_code == 0, ran.output
    assert "no report of pytest reached jam" in str(passed(ran, recording, Dialect.PYTEST))


def test_code_in_site_packages_knows_itself_by_its_own_path(
    jail: Jail, toolchain: Toolchain, tree: Path, home: Path
) -> None:
    code = "import os, pytest, _pytest as p; print(os.path.realpath(p.__file__))"
    import _pytest

    ran, _ = run(
        f"{BIN}/python -c '{code}'",
        Dialect.PYTEST,
        jail=jail,
        toolchain=toolchain,
        tree=tree,
        home=home,
    )

    assert ran.output.strip() == os.path.realpath(_pytest.__file__)


def test_site_packages_look_as_they_are_but_for_the_plugins(
    jail: Jail, toolchain: Toolchain, tree: Path, home: Path
) -> None:
    site = toolchain.interpreters[0].site_packages[0]
    before = {entry.name for entry in site.iterdir()}

    ran, _ = run(
        f"ls -a {site}", Dialect.PYTEST, jail=jail, toolchain=toolchain, tree=tree, home=home
    )

    shown = set(ran.output.split()) - {".", ".."}
    added = {"jam_reporter", "jam_reporter-1.dist-info", "jam_start.py", "jam_start.pth"}
    assert shown == before | added
    assert {entry.name for entry in site.iterdir()} == before


def test_another_plugin_comes_through_the_same_door(
    jail: Jail, toolchain: Toolchain, tree: Path, home: Path
) -> None:
    source = home / "own"
    source.mkdir()
    (source / "__init__.py").write_text("")
    (source / "hooks.py").write_text(
        "def pytest_sessionfinish(session): print('own plugin was here')\n"
    )
    own = Plugin(source=source, package="own_plugin", pytest="own_plugin.hooks")

    ran, recording = run(
        f"PYTHONPATH=src {BIN}/pytest -s",
        Dialect.PYTEST,
        jail=jail,
        toolchain=toolchain,
        tree=tree,
        home=home,
        plugins=(REPORTER, own),
    )

    assert "own plugin was here" in ran.output
    assert passed(ran, recording, Dialect.PYTEST) == 1


def test_an_environments_own_sitecustomize_still_runs(toolchain: Toolchain, home: Path) -> None:
    tree, around = home / "tree", home / "around"
    for folder in (tree, around):
        folder.mkdir()
    (around / "sitecustomize.py").write_text("word = 'customized'\n")

    ran, _ = run(
        f"PYTHONPATH={around} python -c 'import sitecustomize; print(sitecustomize.word)'",
        Dialect.PYTEST,
        jail=NoJail(),
        toolchain=toolchain,
        tree=tree,
        home=home,
    )

    assert ran.output == "customized\n"


def test_path_and_pythonpath_of_the_view_come_after_the_rigs_own(home: Path) -> None:
    around = Around(path="/usr/bin", interpreters=(), tree=home, at=home)
    rig = build((REPORTER,), around=around, folder=home / "rig")
    env: Mapping[str, str] = {"PATH": "/usr/bin", "PYTHONPATH": "lib", "WORD": "kept"}

    view = rig.laid_over(View(tree=home, at=home, env=env))

    assert view.env == {
        "PATH": "/jam/rig/shims:/usr/bin",
        "PYTHONPATH": "/jam/rig/kit:lib",
        "TOX_OVERRIDE": "testenv.pass_env+=PYTHONPATH,JAM_CHANNEL"
        ";env_run_base.pass_env+=PYTHONPATH,JAM_CHANNEL",
        "WORD": "kept",
    }
