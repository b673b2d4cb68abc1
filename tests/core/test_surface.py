"""What decides an oracle's meaning is held; what a repair may have to touch is not."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bot.core.contract import Dialect, Gate, Oracle
from bot.core.frozen import Hold, Rules, plan
from bot.core.surface import discover
from bot.core.tree import TreeEntry

FLAT = ("pkg/__init__.py", "pkg/core.py", "tests/test_core.py", "tests/data/cases.json")
F, S = Hold.FROZEN, Hold.SURFACE


def entry(path: str) -> TreeEntry:
    return TreeEntry(path, "100644", path)


def found(
    *files: str,
    run: str = "python -m pytest -q",
    report: Dialect = Dialect.PYTEST,
    texts: Mapping[str, str] | None = None,
    targets: tuple[str, ...] = (),
    frozen: tuple[str, ...] = (),
) -> Rules:
    texts = texts or {}
    base = {path: entry(path) for path in {*files, *texts}}
    oracle = Oracle(gates=(Gate(run=run, report=report),), frozen=frozen)
    return discover(
        base,
        oracle,
        read=lambda path: texts[path].encode() if path in texts else None,
        targets=targets,
    )


def holds(rules: Rules, *paths: str) -> dict[str, Hold | None]:
    return {path: rules.hold(path) for path in paths}


class TestPython:
    @pytest.mark.parametrize(
        "path",
        [
            "conftest.py", "pkg/conftest.py", "pkg/deep/conftest.py", "CONFTEST.PY",
            "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tests/pytest.ini",
            "tox.ini", "setup.cfg", "pyproject.toml", "setup.py", "noxfile.py", ".coveragerc",
            "sitecustomize.py", "pkg/usercustomize.py", "x.pth", "evil.egg-info/entry_points.txt",
            "a.dist-info/METADATA", "pkg/__pycache__/core.cpython-311.pyc", "pkg/core.so",
            "pkg/core.pyc", "pytest.py", "_pytest/__init__.py", "pluggy.py", "argparse.py",
            "json/__init__.py", "src/re.py", "lib/pytest_cov.py", "random.cpython-311.so",
            ".gitattributes", "sub/.gitattributes", ".gitmodules", ".github/workflows/ci.yml",
            ".github/jam.yml", ".env", ".envrc", ".python-version", "iniconfig/__init__.py",
        ],
    )  # fmt: skip
    def test_a_new_file_that_steers_is_surface(self, path: str) -> None:
        assert found(*FLAT).hold(path) is S

    @pytest.mark.parametrize(
        "path",
        [
            "tests/calc.py", "tests/data/more.json", "tests/__init__.py", "tests/anything",
            "test_new.py", "pkg/test_inner.py", "pkg/core_test.py",
        ],
    )  # fmt: skip
    def test_a_new_test_or_a_file_beside_tests_is_frozen(self, path: str) -> None:
        assert found(*FLAT).hold(path) is F

    @pytest.mark.parametrize(
        "path",
        [
            "pkg/types.py", "pkg/logging.py", "pkg/json/__init__.py", "pkg/setup.py",
            "pkg/templates/pyproject.toml", "pkg/templates/setup.cfg", "pkg/testing.py",
            "pkg/contest.py", "src/other/random.py", "docs/conf.py", "README.md", "CHANGES.rst",
            "requirements.txt", "newmodule.py", "pkg/data.json", "pkg/tests.json", ".gitignore",
            "Dockerfile", "pkg/latest.py", "attest.py", "json/schema.json", "package.json",
            "pkg/pytest_plugin.py", "examples/demo.py", "pkg/test/__init__.py",
        ],
    )  # fmt: skip
    def test_an_ordinary_product_file_is_free(self, path: str) -> None:
        assert found(*FLAT).hold(path) is None

    def test_files_of_the_base_are_sorted(self) -> None:
        rules = found(*FLAT, "pyproject.toml", "conftest.py", "README.md", "setup.py")

        assert dict(rules.held) == {
            "tests/test_core.py": F,
            "tests/data/cases.json": F,
            "pyproject.toml": S,
            "conftest.py": S,
            "setup.py": S,
        }

    def test_a_module_that_the_base_has_may_change_though_it_shadows(self) -> None:
        rules = found(*FLAT, "calendar.py", "typing_extensions.py", "src/mock/__init__.py")

        assert holds(rules, "calendar.py", "typing_extensions.py", "src/mock/patch.py") == {
            "calendar.py": None,
            "typing_extensions.py": None,
            "src/mock/patch.py": None,
        }

    def test_tests_inside_the_package_are_found(self) -> None:
        rules = found("src/cal/__init__.py", "src/cal/prop.py", "src/cal/tests/test_a.py",
                      "src/cal/tests/__init__.py", "src/cal/tests/x.ics",
                      run="PYTHONPATH=src python -m pytest src/cal")  # fmt: skip

        assert holds(
            rules, "src/cal/prop.py", "src/cal/tests/x.ics", "src/cal/setup.cfg", "src/cal/time.py"
        ) == {
            "src/cal/prop.py": None,
            "src/cal/tests/x.ics": F,
            "src/cal/setup.cfg": S,
            "src/cal/time.py": None,
        }

    def test_one_file_of_tests_beside_one_module(self) -> None:
        rules = found("jsonish.py", "tests.py", "setup.py", run="python tests.py")

        assert holds(rules, "tests.py", "jsonish.py", "setup.py", "Tests.py") == {
            "tests.py": F, "jsonish.py": None, "setup.py": S, "Tests.py": F
        }  # fmt: skip

    def test_a_named_folder_of_tests_with_another_name_is_closed(self) -> None:
        rules = found("pkg/a.py", "checks/test_a.py", "checks/test_b.py", "checks/tool.py",
                      run="pytest checks")  # fmt: skip

        assert holds(rules, "checks/tool.py", "checks/new.py", "pkg/new.py") == {
            "checks/tool.py": F, "checks/new.py": F, "pkg/new.py": None
        }  # fmt: skip

    def test_a_named_folder_of_sources_is_not(self) -> None:
        rules = found("src/a.py", "src/b.py", "src/test_a.py", run="pytest --cov=src src")

        assert holds(rules, "src/a.py", "src/new.py", "src/test_a.py") == {
            "src/a.py": None, "src/new.py": None, "src/test_a.py": F
        }  # fmt: skip

    def test_examples_in_docstrings_leave_their_module_free(self) -> None:
        rules = found(
            "pkg/__init__.py",
            "pkg/core.py",
            run="pytest --doctest-modules pkg/core.py",
            targets=("pkg/core.py::pkg.core.add",),
        )

        assert rules.hold("pkg/core.py") is None

    def test_a_folder_of_tests_is_closed_also_where_only_one_of_its_files_is_named(self) -> None:
        rules = found(
            "tests/test_a.py", "tests/data/cases.json", "calc/core.py", frozen=("tests/test_a.py",)
        )

        assert holds(
            rules, "tests/data/cases.json", "tests/calc.py", "tests/more.json", "calc/more.py"
        ) == {
            "tests/data/cases.json": F, "tests/calc.py": S, "tests/more.json": F,
            "calc/more.py": None,
        }  # fmt: skip

    def test_a_module_beside_tests_may_not_have_the_name_of_one_elsewhere(self) -> None:
        rules = found("calc/core.py", "checks/test_a.py", run="pytest checks/test_a.py")

        assert holds(rules, "checks/calc.py", "checks/more.py", "calc/more.py") == {
            "checks/calc.py": S, "checks/more.py": None, "calc/more.py": None
        }  # fmt: skip

    def test_files_of_targets_are_frozen_whatever_their_name(self) -> None:
        rules = found(
            "pkg/core.py", "checks/adding.py", "qa/suite.py", "tests/test_a.py",
            run="make check",
            targets=("checks/adding.py::test_add", "qa.suite.Suite.test_x"),
            frozen=("tests/",),
        )  # fmt: skip

        assert holds(rules, "checks/adding.py", "qa/suite.py", "tests/test_a.py") == {
            "checks/adding.py": F, "qa/suite.py": None, "tests/test_a.py": F
        }  # fmt: skip

    def test_configured_paths_come_on_top_of_the_found_tests(self) -> None:
        rules = found(
            "tests/test_a.py", "more/test_b.py", "conftest.py", "pkg/test.py", frozen=("tests/",)
        )

        assert dict(rules.held) == {"tests/test_a.py": F, "more/test_b.py": F, "conftest.py": S}
        assert holds(rules, "tests/new", "more/conftest.py", "more/test_new.py", "more/x.py") == {
            "tests/new": F, "more/conftest.py": S, "more/test_new.py": F, "more/x.py": None
        }  # fmt: skip


class TestCommands:
    def test_scripts_and_configuration_that_a_command_names_are_held(self) -> None:
        rules = found(
            *FLAT, "ci/run.sh", "ci/other.sh", "cfg/strict.ini", "tools/check.py", "pkg/cli.py",
            run="cd . && sh ./ci/run.sh && python -u tools/check.py && pytest -c cfg/strict.ini",
        )  # fmt: skip

        assert holds(rules, "ci/run.sh", "tools/check.py", "cfg/strict.ini") == dict.fromkeys(
            ("ci/run.sh", "tools/check.py", "cfg/strict.ini"), S
        )
        assert holds(rules, "ci/other.sh", "pkg/cli.py") == {
            "ci/other.sh": None, "pkg/cli.py": None
        }  # fmt: skip

    def test_a_makefile_and_what_it_leads_to_are_held(self) -> None:
        makefile = "include build/extra.mk\n\ntest: lint\n\t@./scripts/test.sh --fast\n"
        rules = found(
            "pkg/core.py", "tests/test_a.py", "scripts/deploy.sh", "build/extra.mk",
            run="make test", report=Dialect.EXIT,
            texts={"Makefile": makefile, "scripts/test.sh": "#!/bin/sh\npython ci/gate.py\n",
                   "ci/gate.py": "print()\n"},
        )  # fmt: skip

        steering = ("Makefile", "build/extra.mk", "scripts/test.sh", "ci/gate.py")
        assert holds(rules, *steering) == dict.fromkeys(steering, S)
        assert holds(rules, "GNUmakefile", "new.mk", "scripts/deploy.sh") == {
            "GNUmakefile": S, "new.mk": S, "scripts/deploy.sh": None
        }  # fmt: skip

    def test_package_scripts_are_followed(self) -> None:
        rules = found(
            "src/a.js", "test/a.test.js", "tools/run.js",
            run="npm test", report=Dialect.TAP,
            texts={"package.json": '{"scripts": {"test": "node tools/run.js"}}'},
        )  # fmt: skip

        assert holds(rules, "package.json", "tools/run.js", "src/a.js", "test/a.test.js") == {
            "package.json": S, "tools/run.js": S, "src/a.js": None, "test/a.test.js": F
        }  # fmt: skip

    def test_a_command_that_nobody_knows_holds_every_familys_files(self) -> None:
        rules = found("src/x.zig", run="zig build test", report=Dialect.EXIT)

        new = ("Makefile", "package.json", "Cargo.toml", "conftest.py")
        assert holds(rules, *new, "src/x.zig") == {**dict.fromkeys(new, S), "src/x.zig": None}

    def test_files_of_other_families_are_free(self) -> None:
        rules = found(*FLAT, "Makefile", "package.json", "go.mod", "Cargo.toml", "web/app.js")

        free = ("Makefile", "package.json", "go.mod", "Cargo.toml", "web/app.js")
        assert holds(rules, *free) == dict.fromkeys(free)


class TestOtherRunners:
    @pytest.mark.parametrize(
        "path",
        [
            "package.json", ".npmrc", "jest.config.js", "vitest.config.ts", "babel.config.cjs",
            ".babelrc", ".mocharc.yml", "tsconfig.json", "src/__mocks__/a.js", "__mocks__/fs.js",
            "node_modules/.bin/jest", "vite.config.mts", "jest.setup.js",
        ],
    )  # fmt: skip
    def test_node(self, path: str) -> None:
        rules = found("src/a.js", "test/a.test.js", run="npx jest", report=Dialect.JUNIT)

        assert rules.hold(path) is S

    @pytest.mark.parametrize("path", ["src/b.ts", "src/package.ts", "src/mocks/a.js", "index.js"])
    def test_node_leaves_sources_free(self, path: str) -> None:
        assert found("src/a.js", "src/a.test.js", run="npx jest").hold(path) is None

    @pytest.mark.parametrize(
        "path", ["Cargo.toml", ".cargo/config.toml", "build.rs", "sub/build.rs", "rust-toolchain"]
    )
    def test_rust(self, path: str) -> None:
        rules = found("src/lib.rs", "tests/it.rs", run="cargo test", report=Dialect.EXIT)

        assert rules.hold(path) is S
        assert holds(rules, "src/lib.rs", "src/new.rs", "tests/it.rs") == {
            "src/lib.rs": None, "src/new.rs": None, "tests/it.rs": F
        }  # fmt: skip

    def test_go(self) -> None:
        rules = found(
            "go.mod", "calc/add.go", "calc/add_test.go", "calc/testdata/x", "vendor/y/y.go",
            run="go test -json ./...", report=Dialect.GO_JSON,
        )  # fmt: skip

        assert dict(rules.held) == {
            "go.mod": S, "calc/add_test.go": F, "calc/testdata/x": F, "vendor/y/y.go": S
        }  # fmt: skip
        assert holds(rules, "calc/main_test.go", "go.work", "calc/sub.go", "vendor/z.go") == {
            "calc/main_test.go": F, "go.work": S, "calc/sub.go": None, "vendor/z.go": S
        }  # fmt: skip


def test_a_plan_tells_surface_from_tests() -> None:
    rules = found(*FLAT, "pyproject.toml")
    base = {path: entry(path) for path in (*FLAT, "pyproject.toml")}
    changed = {**base, "pyproject.toml": TreeEntry("pyproject.toml", "100644", "other")}
    changed |= {path: entry(path) for path in ("conftest.py", "tests/new.py", "pkg/new.py")}
    del changed["tests/test_core.py"]

    done = plan(base, changed, rules)

    assert (done.restored, done.intruders, done.surface) == (
        ("pyproject.toml", "tests/test_core.py"),
        ("conftest.py", "tests/new.py"),
        ("conftest.py", "pyproject.toml"),
    )
