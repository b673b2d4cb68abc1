"""
What to try for which category, best first: text for text, nothing is run here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from bot.agents.flaky_repair import restoring, shapes, sharing
from bot.agents.flaky_repair.sheet import Function, Sheet
from bot.core.flaky.finding import Category, Finding, Leaked

FILES = 6
PRODUCT = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    texts: Mapping[str, str]  # path -> the whole new file
    operator: str
    said: str


Sheets = Mapping[str, Sheet]


def patches(finding: Finding, tests: Sheets, product: Sheets) -> Iterator[Patch]:
    """``tests``: the files of tests that have a part in it; ``product``: what may be at fault."""
    seen: set[tuple[tuple[str, str], ...]] = set()
    for operator in BY_CATEGORY.get(finding.category, ()):
        for patch in operator(finding, tests, product):
            key = tuple(sorted(patch.texts.items()))
            if key not in seen and _is_sound(patch):
                seen.add(key)
                yield patch


def _restored(finding: Finding, tests: Sheets, _: Sheets) -> Iterator[Patch]:
    """In the files of those that leave something changed."""
    leaked = restoring.from_polluters(finding)
    by_file: dict[str, list[Leaked]] = {}
    for one in leaked:
        by_file.setdefault(one.by.partition("::")[0], []).append(one)
    texts = {}
    for path, group in by_file.items():
        guarded = restoring.of(group)
        if path in tests and guarded:
            fixture = restoring.fixture(guarded, name="leaves_things_as_they_were")
            modules = tuple({name for one in guarded for name in one.modules})
            texts[path] = tests[path].with_fixture(fixture, modules=modules)
    if texts and len(texts) <= FILES:
        what = ", ".join(dict.fromkeys(one.where for one in leaked))[:200]
        by = ", ".join(dict.fromkeys(one.by for one in leaked))[:200]
        yield Patch(
            texts=texts,
            operator="restore",
            said=f"{by} left changed what other tests rely on ({what}). A fixture puts it back.",
        )


def _reset(finding: Finding, tests: Sheets, _: Sheets) -> Iterator[Patch]:
    """In the victims' file, where those that pollute are too many or out of reach."""
    found = tuple(dict.fromkeys(restoring.resets(finding.leaked)))
    path = finding.test.partition("::")[0]
    if found and path in tests:
        fixture = restoring.reset_fixture(found)
        text = tests[path].with_fixture(fixture, modules=("importlib",))
        names = ", ".join(f"{owner}.{name}" for owner, name, _ in found)
        yield Patch(
            texts={path: text},
            operator="reset",
            said=f"Tests of {path} relied on what others leave changed; they begin with {names} "
            "as it is without them.",
        )


def _of_test(
    shape: Callable[[Sheet, Function], Iterator[str]], operator: str, said: str
) -> Callable[[Finding, Sheets, Sheets], Iterator[Patch]]:
    """A shape of one test, tried on the one that was measured."""

    def tried(finding: Finding, tests: Sheets, _: Sheets) -> Iterator[Patch]:
        path = finding.test.partition("::")[0]
        sheet = tests.get(path)
        test = sheet.test(finding.test) if sheet else None
        if sheet is None or test is None:
            return
        for text in shape(sheet, test):
            yield Patch(texts={path: text}, operator=operator, said=said)

    return tried


def _sorted(_: Finding, __: Sheets, product: Sheets) -> Iterator[Patch]:
    for path, sheet in list(product.items())[:PRODUCT]:
        for text in shapes.sorted_results(sheet):
            yield Patch(
                texts={path: text},
                operator="sort",
                said=f"{path} made a list of a set, whose order is by chance; it is sorted now.",
            )


def _folder(finding: Finding, tests: Sheets, _: Sheets) -> Iterator[Patch]:
    path = finding.test.partition("::")[0]
    if path in tests:
        yield Patch(
            texts={path: shapes.own_folder(tests[path])},
            operator="own folder",
            said=f"Tests of {path} shared files; each works in a folder of its own now.",
        )


def _containers(finding: Finding, tests: Sheets, product: Sheets) -> Iterator[Patch]:
    """Where no leak was measured: what the product keeps in its modules is put back."""
    if finding.leaked:
        return
    found = [
        one
        for sheet in list(product.values())[:PRODUCT]
        for one in sharing.containers(sheet, by=finding.test)
    ]
    guarded = restoring.of(found)
    paths = [test.partition("::")[0] for test in (finding.polluters or (finding.test,))]
    texts = {
        path: tests[path].with_fixture(
            restoring.fixture(guarded, name="leaves_modules_as_they_were"),
            modules=tuple({name for one in guarded for name in one.modules}),
        )
        for path in dict.fromkeys(paths)
        if path in tests
    }
    if guarded and texts and len(texts) <= FILES:
        what = ", ".join(one.where for one in guarded)[:200]
        yield Patch(
            texts=texts,
            operator="restore containers",
            said=f"No leak was measured; the product keeps {what} between tests. A fixture puts "
            "it back.",
        )


def _own_setup(finding: Finding, tests: Sheets, _: Sheets) -> Iterator[Patch]:
    """In the brittle test, what it had of a test of its own file."""
    path = finding.test.partition("::")[0]
    sheet = tests.get(path)
    test = sheet.test(finding.test) if sheet else None
    if sheet is None or test is None:
        return
    for name in finding.setters[:FILES]:
        setter = sheet.test(name) if name.partition("::")[0] == path else None
        for text in sharing.own_setup(sheet, test, setter) if setter else ():
            yield Patch(
                texts={path: text},
                operator="own set-up",
                said=f"{finding.test} relied on what {name} had done; it does it itself now.",
            )


def _is_sound(patch: Patch) -> bool:
    try:
        for path, text in patch.texts.items():
            compile(text, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


_DRAWS = _of_test(
    shapes.more_draws,
    "more draws",
    "Too few draws to see every outcome; ten times as many leave next to no chance.",
)
_SEED = _of_test(shapes.seeded, "seed", "The test draws at random; it starts from a seed now.")
_LOOSE = _of_test(
    shapes.without_order,
    "compare without order",
    "The order was by chance and is not promised; the same things are compared in any order.",
)
_WAIT = _of_test(
    shapes.waiting,
    "wait for the condition",
    "The test slept and hoped; it waits until what it claims is so.",
)
_PORT = _of_test(shapes.any_port, "any port", "The test wanted one port; it takes a free one.")

Operator = Callable[[Finding, Sheets, Sheets], Iterator[Patch]]
UNKNOWN_SHAPE = "No known shape of this fault is left to try."
LEFT = {
    Category.TIME: (
        "It fails at certain times. Stopping the clock might only hide that the product is wrong "
        "then: a person or a model has to look."
    ),
    Category.BRITTLE: (
        "What it needs of other tests is not to be read from them: a person or a model has to look."
    ),
    Category.NETWORK: "It needs the network: a person or a model has to say what stands for it.",
}
"""What is said when nothing is left, where there is more to say."""
BY_CATEGORY: Mapping[Category, tuple[Operator, ...]] = {
    Category.VICTIM: (_restored, _reset, _containers, _folder),
    Category.BRITTLE: (_own_setup, _reset),
    Category.REPEATED: (_restored, _reset, _containers, _folder),
    Category.RANDOM: (_DRAWS, _SEED),
    Category.UNORDERED: (_sorted, _LOOSE),
    Category.CONCURRENCY: (_WAIT, _PORT),
    Category.TIME: (_WAIT,),
    Category.RESOURCE: (_PORT, _folder, _restored),
    Category.UNKNOWN: (_restored, _DRAWS),
}
