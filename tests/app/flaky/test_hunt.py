"""The whole search over suites that live in memory: what is found, what it is called, and why."""

from __future__ import annotations

import random

import pytest

from bot.core.flaky.condition import Condition, Order
from bot.core.flaky.factors import factors
from bot.core.flaky.finding import Category, Finding, Standing
from bot.core.flaky.search_report import Unjudged
from bot.core.flaky.telling import headline
from tests.app.flaky.world import Moment, Test, World, hunt, steady, suite

SUBJECT = "tests/test_m.py::test_subject"
OTHER = "tests/test_m.py::test_other"


def only(world: World, **more: float) -> Finding:
    report = hunt(world, **more)
    assert len(report.findings) == 1, report.findings
    return report.findings[0]


def after_other(moment: Moment) -> bool:
    return OTHER not in moment.before


def needs_other(moment: Moment) -> bool:
    return OTHER in moment.before


def by_chance(moment: Moment) -> bool:
    return moment.chance.random() > 0.2


def under_load() -> Test:
    """Waits for something that busy processes delay; no seed reaches it."""
    chance = random.Random(11)
    return lambda moment: chance.random() > (0.9 if moment.condition.load else 0.1)


CAUSES: dict[str, tuple[Test, Category]] = {
    "another test before it": (after_other, Category.VICTIM),
    "no other test before it": (needs_other, Category.BRITTLE),
    "itself before it": (lambda m: SUBJECT not in m.before, Category.REPEATED),
    "a random draw": (by_chance, Category.RANDOM),
    "the order of a set": (lambda m: (m.condition.hash_seed or 0) % 3 != 2, Category.UNORDERED),
    "the day": (lambda m: m.condition.clock is None or m.condition.clock.day != 29, Category.TIME),
    "the zone": (lambda m: m.condition.zone != "Asia/Kathmandu", Category.TIME),
    "the language": (lambda m: m.condition.locale != "C", Category.PLATFORM),
    "files of an earlier run": (lambda m: not m.condition.reused_folder, Category.RESOURCE),
    "want of network": (lambda m: m.condition.network, Category.NETWORK),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_the_category_is_what_the_experiment_shows(cause: str) -> None:
    subject, category = CAUSES[cause]
    world = World(tests=suite(other=steady, subject=subject), seed=3)
    report = hunt(world)
    if category is Category.NETWORK:  # without words of a network in its failure it is broken
        assert (report.findings, report.broken) == ((), ((SUBJECT, f"AssertionError | {SUBJECT}"),))
        return

    found = report.findings
    is_repeated = category is Category.REPEATED
    standing = Standing.REPEATED if is_repeated else Standing.FLAKY
    assert [(one.test, one.standing, one.category) for one in found] == [
        (SUBJECT, standing, category)
    ]
    assert report.exit_code == (0 if is_repeated else 1)
    assert report.complete


def test_a_victim_is_told_with_its_polluter_and_a_command() -> None:
    found = only(World(tests=suite(subject=after_other, other=steady)))

    assert (found.polluters, found.condition, found.counter) == (
        (OTHER,),
        Condition(tests=(OTHER, SUBJECT), order=Order.GIVEN),
        Condition(tests=(SUBJECT,)),
    )
    assert found.command == f"python -m pytest -q {OTHER} {SUBJECT}"
    assert found.before.failed == found.before.runs >= 7


def test_every_polluter_of_a_victim_is_found() -> None:
    names = ("tests/test_m.py::test_one", "tests/test_m.py::test_two", "tests/test_z.py::test_3")

    def subject(moment: Moment) -> bool:
        return not set(names).intersection(moment.before)

    found = only(World(tests=suite(one=steady, subject=subject, two=steady)))

    assert sorted(found.polluters) == sorted(names)


def test_two_tests_that_pollute_only_together_are_found_together() -> None:
    pair = {"tests/test_a.py::test_1", "tests/test_z.py::test_2"}
    found = only(World(tests=suite(subject=lambda m: not pair <= set(m.before))))

    assert set(found.polluters) == pair


def test_victims_of_one_polluter_are_one_finding() -> None:
    world = World(
        tests=suite(subject=after_other, second=after_other, third=after_other, other=steady)
    )
    found = only(world)

    assert set(found.tests) == {
        SUBJECT, "tests/test_m.py::test_second", "tests/test_m.py::test_third",
    }  # fmt: skip


def test_two_tests_that_pollute_each_other_are_two_findings() -> None:
    world = World(
        tests=suite(subject=after_other, other=lambda m: SUBJECT not in m.before, last=steady)
    )
    report = hunt(world)

    assert {(one.test, one.polluters) for one in report.findings} == {
        (SUBJECT, (OTHER,)),
        (OTHER, (SUBJECT,)),
    }


def test_a_victim_in_the_usual_order_is_flaky_and_not_broken() -> None:
    found = only(World(tests=suite(other=steady, subject=after_other)))

    assert (found.plain.failed, found.plain.runs) == (found.plain.runs, found.plain.runs)
    assert (found.category, found.standing) == (Category.VICTIM, Standing.FLAKY)


def test_a_brittle_test_is_told_with_what_it_needs() -> None:
    found = only(World(tests=suite(other=steady, subject=needs_other)))

    assert (found.setters, found.condition) == ((OTHER,), Condition(tests=(SUBJECT,)))


def test_load_is_blamed_when_it_makes_the_rate_another_one() -> None:
    found = only(World(tests=suite(subject=under_load())), seconds=4000)

    assert (found.category, found.standing) == (Category.CONCURRENCY, Standing.FLAKY)


def test_chance_that_no_seed_decides_is_not_called_randomness() -> None:
    found = only(World(tests=suite(subject=_restless()), seed=5))

    assert (found.category, found.standing) == (Category.UNKNOWN, Standing.FLAKY)


def _restless() -> Test:
    turns = iter(range(10_000))
    return lambda _moment: next(turns) % 5 != 0


def test_what_always_fails_is_broken() -> None:
    report = hunt(World(tests=suite(subject=lambda _m: False)))

    assert (report.findings, [test for test, _ in report.broken]) == ((), [SUBJECT])
    assert report.exit_code == 0


def test_one_failure_proves_nothing() -> None:
    runs = iter(range(10_000))
    world = World(tests=suite(subject=lambda _m: next(runs) != 9))
    found = only(world)

    assert (found.standing, found.before.failed) == (Standing.SUSPECT, 1)
    assert hunt(World(tests=suite())).exit_code == 0


def test_a_run_that_dies_is_counted_apart() -> None:
    def dies(condition: Condition, order: object) -> str:
        return "the test run ended with an error inside pytest" if condition.order_seed % 2 else ""

    report = hunt(World(tests=suite(), broken_when=dies))
    shuffled = next(arm for arm in report.arms if arm.name == "shuffled")

    assert report.findings == ()
    assert shuffled.invalid >= 4
    assert "error inside pytest" in report.unjudged[0].why


def test_without_a_baseline_nothing_is_judged() -> None:
    report = hunt(World(tests=suite(), broken_when=lambda _c, _o: "no tests were collected"))

    assert (report.exit_code, report.runs) == (3, 1)
    assert report.unjudged[0] == Unjudged(
        test="", why="the plain run cannot be judged: no tests were collected"
    )


def test_nothing_that_passes_is_no_baseline() -> None:
    report = hunt(World(tests={SUBJECT: lambda _m: False}))

    assert report.exit_code == 3


def test_a_run_in_which_all_fails_at_once_is_the_machines() -> None:
    def fails_in_a_zone(moment: Moment) -> bool:
        return moment.condition.zone != "Pacific/Auckland"

    names = {f"tests/test_a.py::test_{n}": fails_in_a_zone for n in range(30)}
    report = hunt(World(tests=names))

    assert report.findings == ()
    assert any("30 of 30 tests failed at once" in one.why for one in report.unjudged)


def test_a_short_budget_names_what_it_did_not_reach() -> None:
    report = hunt(World(tests=suite(subject=by_chance, other=by_chance), seed=2), seconds=35)

    assert not report.finished
    assert {one.standing for one in report.findings} <= {Standing.SUSPECT, Standing.FLAKY}
    assert report.runs <= 50


@pytest.mark.parametrize("seed", range(20))
def test_a_stable_suite_is_left_alone(seed: int) -> None:
    report = hunt(World(tests=suite(20), seed=seed))

    assert (report.findings, report.broken, report.unjudged) == ((), (), ())


def test_what_wavers_plainly_is_flaky_also_where_the_time_ends_too_soon() -> None:
    names = [f"t{n}" for n in range(12)]
    tests = dict.fromkeys(names, lambda m: m.chance.random() > 0.5)
    found = hunt(World(tests=suite(**tests), seed=2), seconds=200).findings[-1]

    assert found.why[0].endswith("the time ran out before it was looked at")
    assert (found.standing, found.condition) == (Standing.FLAKY, Condition())
    assert found.before == found.plain
    assert found.before.failed >= 2 <= found.before.runs - found.before.failed


@pytest.mark.parametrize("seed", range(6))
def test_what_wavers_plainly_is_not_replayed(seed: int) -> None:
    world = World(tests=suite(subject=by_chance), seed=seed)
    found = hunt(world).findings[0]
    varied = {factor for one in world.asked if one.tests for factor in factors(one)}

    assert found.plain.failed >= 1
    assert varied == {"random seed"}


def test_what_fails_only_when_it_is_repeated_comes_last() -> None:
    twice = "tests/test_m.py::test_twice"
    zone, _ = CAUSES["the zone"]
    report = hunt(World(tests=suite(twice=lambda m: twice not in m.before, subject=zone)))

    assert [one.category for one in report.findings] == [Category.TIME, Category.REPEATED]


def test_victims_that_pollute_each_other_too_are_one_finding() -> None:
    """As humanize 3.2.0 has them: what fails the others fails after the others itself."""
    last = "tests/test_m.py::test_last"

    def clean(name: str) -> Test:
        return lambda m: not {OTHER, last, SUBJECT}.difference({name}).intersection(m.before)

    names = {"other": OTHER, "subject": SUBJECT, "last": last}
    tests: dict[str, Test] = {key: clean(name) for key, name in names.items()}
    report = hunt(World(tests=suite(victim=after_other, **tests)))

    assert {one.category for one in report.findings} == {Category.VICTIM}
    assert len(report.findings) == 2  # what one polluter fails, and that polluter


def test_a_polluter_among_many_costs_few_runs() -> None:
    """Shuffles in which the victim passed have told already who does no harm."""
    world = World(tests=suite(400, subject=after_other, other=steady))
    report = hunt(world)
    searched = [one for one in world.asked if 2 < len(one.tests) < 200]

    assert report.findings[0].polluters == (OTHER,)
    assert len(searched) <= 10, len(searched)


def test_a_cause_that_the_time_did_not_reach_is_told_so() -> None:
    found = hunt(World(tests=suite(subject=by_chance), seed=2), seconds=60).findings[0]

    assert (found.standing, found.category, found.why) == (
        Standing.FLAKY,
        Category.UNKNOWN,
        ("the time ran out before it was compared with runs under load",),
    )


def polluted_by_three(budget: float) -> tuple[Finding, ...]:
    """Proof of the first polluter takes about 70 runs here; to find all of them, many more."""
    names = {f"tests/test_z.py::test_{n}" for n in (7, 60, 130)}
    tests = suite(400, subject=lambda m: not names.intersection(m.before))
    return hunt(World(tests=tests), seconds=budget).findings


@pytest.mark.parametrize("budget", [60, 80, 100, 120, 140, 160])
def test_what_was_proven_before_the_time_ended_is_told(budget: float) -> None:
    (found,) = polluted_by_three(budget)

    assert (found.test, found.standing, found.category) == (
        SUBJECT, Standing.FLAKY, Category.VICTIM,
    )  # fmt: skip
    assert found.condition.tests[-1] == SUBJECT
    assert found.counter == Condition(tests=(SUBJECT,))


def test_a_polluter_that_the_time_did_not_single_out_is_told_as_open() -> None:
    cut = [polluted_by_three(budget) for budget in range(26, 60)]
    open_ones = [one for (one,) in cut if one.category is Category.VICTIM and not one.polluters]

    assert open_ones
    assert all("the time ended before it was known which" in one.why[2] for one in open_ones)
    assert all(one.standing is Standing.FLAKY for one in open_ones)


@pytest.mark.parametrize("budget", [15, 20])
def test_a_search_that_was_cut_off_is_not_clean(budget: float) -> None:
    report = hunt(World(tests=suite(subject=by_chance, other=by_chance), seed=2), seconds=budget)

    assert {one.standing for one in report.findings} == {Standing.SUSPECT}
    assert (report.complete, report.exit_code) == (False, 3)
    assert headline(report) == ("No flaky test was proven among 10, and not all could be judged.")


def test_a_victim_that_is_not_idempotent_either_is_flaky() -> None:
    """As ConfigArgParse 1.2.3 has one: what hurts nobody does not hide what does."""
    cleaner = "tests/test_m.py::test_cleaner"  # the reversed run is right for it

    def subject(moment: Moment) -> bool:
        spoiled = OTHER in moment.before and cleaner not in moment.before
        return not spoiled and SUBJECT not in moment.before

    found = only(World(tests=suite(subject=subject, other=steady, cleaner=steady)))

    assert (found.standing, found.category) == (Standing.FLAKY, Category.VICTIM)
