"""What a contract may freeze, and what comes back when a tree differs from the base."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.frozen import Hold, Restoration, Rules, agree, plan, rules
from bot.core.tree import TreeEntry
from bot.errors import SpecError


def tree(*paths: str, **odd: str) -> dict[str, TreeEntry]:
    """Files by name; the content of each is its name."""
    return {path: TreeEntry(path, "100644", path) for path in paths}


BASE = tree(
    "README.md",
    "pkg/core.py",
    "tests/test_core.py",
    "tests/data/a.json",
    "tests/data/deep/b.json",
    "tests2/x.py",
    "checks.py",
)


def rules_of(*patterns: str, base: Mapping[str, TreeEntry] = BASE) -> Rules:
    return rules(base, held={}, patterns=agree(patterns, base))


@pytest.mark.parametrize(
    ("pattern", "held"),
    [
        ("tests/", {"tests/test_core.py", "tests/data/a.json", "tests/data/deep/b.json"}),
        ("tests", {"tests/test_core.py", "tests/data/a.json", "tests/data/deep/b.json"}),
        ("./tests//data/", {"tests/data/a.json", "tests/data/deep/b.json"}),
        ("tests/**/*.json", {"tests/data/a.json", "tests/data/deep/b.json"}),
        ("tests/*/*.json", {"tests/data/a.json"}),
        ("**/b.json", {"tests/data/deep/b.json"}),
        ("tests/**", {"tests/test_core.py", "tests/data/a.json", "tests/data/deep/b.json"}),
        ("test*/", {p for p in BASE if p.startswith("tests")}),
        ("checks.py", {"checks.py"}),
        ("c?ecks.p[xy]", {"checks.py"}),
        ("tests/data/[!b].json", {"tests/data/a.json"}),
    ],
)
def test_a_pattern_holds(pattern: str, held: set[str]) -> None:
    assert set(rules_of(pattern).held) == held


@pytest.mark.parametrize(
    ("pattern", "code", "words"),
    [
        ("/etc/passwd", "spec.frozen_path_invalid", "is absolute"),
        ("~/tests", "spec.frozen_path_invalid", "is absolute"),
        ("C:/tests", "spec.frozen_path_invalid", "is absolute"),
        ("../tests", "spec.frozen_path_invalid", "leaves the repository"),
        ("tests/../../x", "spec.frozen_path_invalid", "leaves the repository"),
        ("", "spec.frozen_path_invalid", "is empty"),
        (".", "spec.frozen_path_invalid", "is empty"),
        ("**", "spec.frozen_path_invalid", "would freeze everything"),
        ("*/**", "spec.frozen_path_invalid", "would freeze everything"),
        ("tests\\x", "spec.frozen_path_invalid", "has a backslash"),
        ("te\nsts", "spec.frozen_path_invalid", "control character"),
        (".git/hooks", "spec.frozen_path_invalid", "is git's own"),
        ("test/", "spec.frozen_missing", "did you mean 'tests'?"),
        ("nothing/like/it", "spec.frozen_missing", "matches nothing in the base"),
        ("link/x.py", "spec.frozen_path_invalid", "goes through a link (link)"),
        ("link", "spec.frozen_path_invalid", "goes through a link (link)"),
        ("sub/x", "spec.frozen_path_invalid", "goes through a submodule (sub)"),
    ],
)
def test_a_pattern_that_cannot_be_meant_is_refused(pattern: str, code: str, words: str) -> None:
    base = {
        **BASE,
        "link": TreeEntry("link", "120000", "x"),
        "sub": TreeEntry("sub", "160000", "x"),
    }

    with pytest.raises(SpecError) as refused:
        agree([pattern], base)

    assert refused.value.code == code
    assert words in str(refused.value)


def test_a_tree_like_the_base_needs_nothing() -> None:
    assert plan(BASE, BASE, rules_of("tests/")) == Restoration()


def test_product_changes_need_nothing() -> None:
    changed = {**BASE, "pkg/core.py": TreeEntry("pkg/core.py", "100644", "fixed")}
    changed |= tree("pkg/new.py", "tests2/new.py", "tests3/x.py")
    del changed["README.md"]

    assert plan(BASE, changed, rules_of("tests/")).nothing


def test_edits_and_removals_come_back_and_what_is_new_goes() -> None:
    changed = {**BASE, "tests/test_core.py": TreeEntry("tests/test_core.py", "100755", "x")}
    changed |= tree("tests/new.py", "tests/data/c.json", "pkg/new.py")
    del changed["tests/data/a.json"]

    assert plan(BASE, changed, rules_of("tests/")) == Restoration(
        put=(BASE["tests/data/a.json"], BASE["tests/test_core.py"]),
        drop=("tests/data/c.json", "tests/new.py"),
        restored=("tests/data/a.json", "tests/test_core.py"),
        intruders=("tests/data/c.json", "tests/new.py"),
    )


@pytest.mark.parametrize("mode", ["100755", "120000", "160000"])
def test_a_mode_is_frozen_too(mode: str) -> None:
    changed = {**BASE, "checks.py": TreeEntry("checks.py", mode, "checks.py")}

    assert plan(BASE, changed, rules_of("checks.py")).restored == ("checks.py",)


@pytest.mark.parametrize("mode", ["100644", "120000", "160000"])
def test_what_stands_in_place_of_a_frozen_folder_goes(mode: str) -> None:
    changed = {path: entry for path, entry in BASE.items() if not path.startswith("tests/")}
    changed["tests"] = TreeEntry("tests", mode, "elsewhere")

    done = plan(BASE, changed, rules_of("tests/"))

    assert (done.drop, len(done.put)) == (("tests",), 3)


def test_a_folder_in_place_of_a_frozen_file_goes() -> None:
    changed = {path: entry for path, entry in BASE.items() if path != "checks.py"}
    changed |= tree("checks.py/__init__.py", "checks.py/deep/x.py")

    done = plan(BASE, changed, rules_of("checks.py"))

    assert done.drop == ("checks.py/__init__.py", "checks.py/deep/x.py")
    assert done.put == (BASE["checks.py"],)


@pytest.mark.parametrize(
    "path", ["Tests/test_core.py", "TESTS/new.py", "tests/DATA/a.json", "Checks.py", "téSTS/x"]
)
def test_another_case_of_a_frozen_name_is_an_intruder(path: str) -> None:
    """On systems that do not tell case apart it would be laid over the frozen file."""
    held = rules_of("tests/", "checks.py").hold(path)

    assert held is (None if path == "téSTS/x" else Hold.FROZEN)


def test_composed_and_decomposed_names_are_one() -> None:
    base = tree("t\u00e9sts/x.py")

    assert rules_of("t\u00e9sts/", base=base).hold("te\u0301sts/x.py") is Hold.FROZEN


def test_a_folder_of_the_base_in_another_case_is_its_own() -> None:
    base = {**BASE, **tree("Tests/product.py")}

    assert rules_of("tests/", base=base).hold("Tests/more.py") is None


PATHS = st.sampled_from(["tests/a", "tests/b/c", "tests", "pkg/a", "pkg", "Tests/a", "tests/a/b"])
TREES = st.dictionaries(PATHS, st.sampled_from(["1", "2"]), max_size=5)


def _possible(names: Mapping[str, str]) -> dict[str, TreeEntry]:
    """Without files below files."""
    return {
        path: TreeEntry(path, "100644", blob)
        for path, blob in names.items()
        if not any(other != path and path.startswith(f"{other}/") for other in names)
    }


@given(TREES)
def test_a_candidate_always_has_the_frozen_files_and_no_other(names: dict[str, str]) -> None:
    base = tree("tests/a", "tests/b/c", "pkg/a")
    held = rules_of("tests/", base=base)
    found = _possible(names)

    done = plan(base, found, held)

    candidate = {path: entry for path, entry in found.items() if path not in done.drop}
    candidate |= {entry.path: entry for entry in done.put}
    frozen = {path: entry for path, entry in candidate.items() if path.startswith("tests")}
    assert frozen == {path: base[path] for path in ("tests/a", "tests/b/c")}
    assert "Tests/a" not in candidate
    assert plan(base, candidate, held).nothing
    assert {p: e for p, e in candidate.items() if p.startswith("pkg")} == {
        p: e for p, e in found.items() if p.startswith("pkg")
    }
