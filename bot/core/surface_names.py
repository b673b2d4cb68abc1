"""
Names that decide what an oracle means, one table for each family of runners.

Says of a path whether it is a test by its name, and whether it is configuration, collection or
start-up code of a runner. Does not know which files there are, nor which runners a repository
uses: ``bot.core.surface`` finds that out.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from enum import StrEnum


class Family(StrEnum):
    """Runners that obey the same files."""

    PYTHON = "python"
    MAKE = "make"
    NODE = "node"
    RUST = "rust"
    GO = "go"
    JVM = "jvm"
    RUBY = "ruby"
    PHP = "php"
    DOCKER = "docker"


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


PROGRAMS: Mapping[Family, frozenset[str]] = {
    Family.PYTHON: _words(
        "pytest py.test tox nox hatch uv uvx poetry pdm coverage trial nose2 green pipenv rye",
        "unittest python pypy",
    ),
    Family.MAKE: _words("make gmake just task ninja"),
    Family.NODE: _words(
        "npm npx yarn pnpm pnpx bun bunx deno node jest vitest mocha ava tap jasmine karma",
        "playwright cypress tsc tsx ts-node turbo nx lerna",
    ),
    Family.RUST: _words("cargo rustc cross nextest"),
    Family.GO: _words("go gotestsum ginkgo"),
    Family.JVM: _words("mvn mvnw gradle gradlew java sbt bazel ant"),
    Family.RUBY: _words("bundle rspec rake ruby"),
    Family.PHP: _words("php phpunit composer pest"),
    Family.DOCKER: _words("docker docker-compose podman"),
}


def family_of(program: str) -> Family | None:
    plain = re.sub(r"\d+(\.\d+)*$", "", program)  # python3.12
    return next((family for family, names in PROGRAMS.items() if {plain, program} & names), None)


def _names(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts))


#: Obeyed wherever they lie. Matched against the whole path, folded.
EVERYWHERE: Mapping[Family | None, re.Pattern[str]] = {
    None: _names(r"(.*/)?\.git(attributes|modules)", r"\.github/.*"),
    Family.PYTHON: _names(
        r"(.*/)?(conftest|sitecustomize|usercustomize)\.py[cod]?",
        r"(.*/)?[^/]*\.(pth|py[cod]|so|egg-link)",
        r"(.*/)?[^/]*\.(egg-info|dist-info)(/.*)?",
        r"(.*/)?__pycache__/.*",
        r"(.*/)?\.pytest_cache/.*",
    ),
    Family.MAKE: _names(r"(.*/)?(gnu)?makefile", r"(.*/)?[^/]*\.mk", r"(.*/)?\.?justfile"),
    Family.NODE: _names(r"(.*/)?(__mocks__|node_modules)/.*", r"(.*/)?\.npmrc"),
    Family.RUST: _names(r"(.*/)?cargo\.toml", r"(.*/)?\.cargo/.*", r"(.*/)?build\.rs"),
    Family.GO: _names(r"(.*/)?go\.(mod|work)", r"vendor/.*"),
    Family.JVM: _names(r"(.*/)?(pom\.xml|[^/]*\.gradle(\.kts)?|gradle\.properties)", r"\.mvn/.*"),
    Family.RUBY: _names(r"(.*/)?(\.rspec|rakefile|gemfile)"),
    Family.PHP: _names(r"(.*/)?phpunit[^/]*\.xml(\.dist)?"),
    Family.DOCKER: _names(
        r"(.*/)?dockerfile[^/]*", r"(.*/)?(docker-)?compose[^/]*\.ya?ml", r"(.*/)?\.dockerignore"
    ),
}

#: Obeyed where a runner looks for configuration: the root, and every folder above a test.
#: Matched against the last name, folded.
BESIDE_TESTS: Mapping[Family | None, re.Pattern[str]] = {
    None: _names(
        r"\.env(\.(local|test))?",
        r"\.envrc",
        r"\.tool-versions",
        r"\.?mise\.toml",
        r"\.(python|node|ruby|go)-version",
        r"\.nvmrc",
        r"rust-toolchain.*",
    ),
    Family.PYTHON: _names(
        r"\.?pytest\.(toml|ini)",
        r"tox\.(ini|toml)",
        r"setup\.cfg",
        r"pyproject\.toml",
        r"\.coveragerc",
        r"(uv|hatch)\.toml",
        r"(unittest|nose2?)\.cfg",
        r"\.noserc",
    ),
    Family.MAKE: _names(r"taskfile\.ya?ml", r"build\.ninja"),
    Family.NODE: _names(
        r"package\.json",
        r"[tj]sconfig.*\.json",
        r"bunfig\.toml",
        r"deno\.jsonc?",
        r"(jest|vitest|vite|babel|ava|playwright|cypress|webpack|rollup|swc|tap)"
        r"\.(config|setup|workspace|globals?)\..*",
        r"karma\.conf\..*",
        r"\.(babel|mocha|swc|nyc|c8|tap|jest)rc(\..*)?",
        r"\.pnp\..*",
        r"\.yarnrc.*",
        r"pnpm-workspace\.yaml",
        r"turbo\.json",
        r"nx\.json",
    ),
    Family.RUST: _names(r"nextest\.toml", r"clippy\.toml", r"rustfmt\.toml"),
}

#: Start-up code that is an ordinary name inside a package: obeyed beside tests, outside packages.
SCRIPTS: Mapping[Family, re.Pattern[str]] = {
    Family.PYTHON: _names(r"setup\.py", r"noxfile\.py", r"toxfile\.py", r"runtests\.py"),
}

_TEST_FILE = _names(
    r"(.*/)?test_[^/]*\.py", r"(.*/)?[^/]*_tests?\.(py|go|rb|exs|php|dart)", r"(.*/)?tests?\.py",
    r"(.*/)?[^/]*\.(test|spec|cy)\.[cm]?[jt]sx?", r"(.*/)?[^/]*\.snap",
    r"(.*/)?[^/]*_spec\.rb", r"(.*/)?[^/]*tests?\.(java|kt|cs|php|swift)", r"(.*/)?[^/]*\.bats",
    r"(.*/)?tests/[^/]*\.rs", r"(.*/)?[^/]*\.t",
)  # fmt: skip
_TEST_FOLDER = re.compile(
    r"((unit|integration|functional|system|regression|smoke|api|acceptance|e2e)[_-]?)?tests?"
    r"|tests?[_-](unit|integration|functional|system|regression|smoke)"
    r"|specs?|__tests__|t|e2e"
)
#: Nothing but tests read these, whatever lies beside them.
_TEST_DATA = re.compile(r"test[_-]?data|__snapshots__|__fixtures__")


def is_test_file(path: str) -> bool:
    """By its name alone, as runners collect."""
    return _TEST_FILE.fullmatch(path.casefold()) is not None


def may_be_test_folder(name: str) -> bool:
    return _TEST_FOLDER.fullmatch(name.casefold()) is not None


def is_test_data(name: str) -> bool:
    return _TEST_DATA.fullmatch(name.casefold()) is not None


#: Of the standard library, but shadowed by many a repository without harm.
_HARMLESS = _words("test this antigravity idlelib turtledemo lib2to3")
_OTHER_RELEASES = _words(
    "tomllib distutils imp asyncore asynchat smtpd cgi cgitb compression annotationlib",
    "concurrent zoneinfo graphlib",
)
_FRAMEWORK = _words(
    "pytest py pluggy iniconfig packaging pygments exceptiongroup tomli colorama xdist execnet",
    "coverage hypothesis attr attrs sortedcontainers mock nose nose2 trial twisted tox nox",
    "virtualenv setuptools pkg_resources pip wheel site typing_extensions importlib_metadata",
    "zipp jam_reporter",
)
_FRAMEWORK_PREFIX = (
    "_pytest",
    "pytest_",
    "_hypothesis",
    "hypothesis_",
    "_distutils",
    "__editable_",
)
_RESERVED = (set(sys.stdlib_module_names) | _OTHER_RELEASES | _FRAMEWORK) - _HARMLESS
_MODULE = re.compile(r"([^/.]+)(/__init__)?(\.[^/]*)?\.(py[cdow]?|so)")


def shadows(path: str) -> str | None:
    """The module that ``path``, seen from a place on the import path, would stand in for."""
    found = _MODULE.fullmatch(path.casefold())
    if found is None:
        return None
    name = found.group(1)
    return name if name in _RESERVED or name.startswith(_FRAMEWORK_PREFIX) else None
