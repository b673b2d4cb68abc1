"""What a mend may do to tests, and what it may not, as pairs of files."""

from __future__ import annotations

from textwrap import dedent

import pytest

from bot.core.flaky.finding import Category
from bot.core.flaky.guard import Edit, Ground, guard

BEFORE = """
    import random, time
    import pytest
    from shop import basket, names, settle

    TOLERANCE = 0.05
    EXPECTED = {"a": 1}

    @pytest.fixture
    def shop():
        return basket.Basket()

    def check(total):
        assert total > 0

    @pytest.mark.parametrize("n", [1, 2, 3])
    def test_total(n):
        result = basket.total(n)
        assert result == n * 2

    def test_names():
        assert names.all() == ["a", "b"]

    def test_draws():
        assert {names.draw() for _ in range(10)} == {"a", "b"}

    def test_settles():
        settle.start()
        time.sleep(0.05)
        assert settle.done(timeout=1)

    def test_raises():
        with pytest.raises(ValueError):
            basket.total(-1)

    def test_expected(shop):
        check(shop.total)
        assert shop.as_dict() == EXPECTED
"""


def refused(
    *changes: tuple[str, str],
    path: str = "tests/test_shop.py",
    before: str = BEFORE,
    **ground: object,
) -> list[tuple[str, int]]:
    """Rule and line of what is refused, once these texts are exchanged."""
    old = new = dedent(before)
    for was, now in changes:
        assert was in new, was
        new = new.replace(was, now, 1)
    edit = Edit(path=path, before=old.encode(), after=new.encode())
    said = guard([edit], Ground(**{"category": Category.VICTIM, **ground}))  # type: ignore[arg-type]
    return [(refusal.rule.value, refusal.line) for refusal in said.refusals]


ALLOWED = {
    "a comment and a blank": ("def test_names():\n", "# why\n\ndef test_names():\n"),
    "an assertion with a message": (
        "assert result == n * 2",
        'assert result == n * 2, "the total is double"',
    ),
    "a variable taken out": (
        'assert names.all() == ["a", "b"]',
        'found = names.all()\n    assert found == ["a", "b"]',
    ),
    "a conjunction taken apart": ("assert result == n * 2", "assert result == n * 2\n    assert n"),
    "an assertion moved to a helper": (
        "    check(shop.total)\n    assert shop.as_dict() == EXPECTED",
        "    check_all(shop)\n\ndef check_all(shop):\n    check(shop.total)\n"
        "    assert shop.as_dict() == EXPECTED",
    ),
    "a try with finally": (
        "    settle.start()\n    time.sleep(0.05)\n    assert settle.done(timeout=1)",
        "    settle.start()\n    try:\n        time.sleep(0.05)\n"
        "        assert settle.done(timeout=1)\n    finally:\n        settle.stop()",
    ),
    "an environment variable restored by monkeypatch": (
        "def test_names():\n",
        'def test_names(monkeypatch):\n    monkeypatch.setenv("LANG", "C")\n',
    ),
    "a frozen clock": (
        "def test_names():\n",
        "def test_names(monkeypatch):\n    monkeypatch.setattr(time, 'time', lambda: 0.0)\n",
    ),
    "a poll instead of a sleep": (
        "    time.sleep(0.05)\n",
        "    while not settle.ready():\n        time.sleep(0.01)\n",
    ),
    "a fixture that puts things back": (
        "def test_names():\n",
        "@pytest.fixture(autouse=True)\ndef restored():\n    kept = dict(names.known)\n    yield\n"
        "    names.known.clear()\n    names.known.update(kept)\n\ndef test_names():\n",
    ),
}


@pytest.mark.parametrize("change", ALLOWED.values(), ids=ALLOWED.keys())
def test_what_keeps_every_claim_is_let_through(change: tuple[str, str]) -> None:
    assert refused(change) == []


REFUSED = {
    "an equality becomes a membership": (
        ('assert names.all() == ["a", "b"]', 'assert "a" in names.all()'),
        [("assertion", 22)],
    ),
    "an equality becomes a truth": (
        ("assert result == n * 2", "assert result"),
        [("assertion", 19)],
    ),
    "assert True": (("assert result == n * 2", "assert True"), [("assertion", 19)]),
    "an assertion is taken away": (("    assert result == n * 2\n", ""), [("assertion", 17)]),
    "an alternative is added": (
        ("assert result == n * 2", "assert result == n * 2 or n == 3"),
        [("assertion", 19)],
    ),
    "an assertion under if": (
        ("    assert result == n * 2", "    if result:\n        assert result == n * 2"),
        [("assertion", 20)],
    ),
    "an assertion under if False": (
        ("    assert result == n * 2", "    if False:\n        assert result == n * 2"),
        [("assertion", 20)],
    ),
    "an early return": (
        ("    result = basket", "    if n > 1:\n        return\n    result = basket"),
        [("assertion", 17)],
    ),
    "an exception swallowed": (
        (
            "    assert result == n * 2",
            "    try:\n        assert result == n * 2\n    except AssertionError:\n        pass",
        ),
        [("assertion", 20), ("catch", 21)],
    ),
    "an exception suppressed": (
        (
            "    assert result == n * 2",
            "    import contextlib\n    with contextlib.suppress(AssertionError):\n"
            "        assert result == n * 2",
        ),
        [("catch", 20), ("assertion", 21)],
    ),
    "an assertion in a function that nobody calls": (
        ("    assert result == n * 2", "    def later():\n        assert result == n * 2"),
        [("assertion", 17)],
    ),
    "an assertion in a helper under a condition": (
        (
            "    assert result == n * 2",
            "    claim(result, n)\n\ndef claim(result, n):\n    if n:\n"
            "        assert result == n * 2",
        ),
        [("assertion", 23)],
    ),
    "a result that is the expectation": (
        ("    assert result == n * 2", "    result = n * 2\n    assert result == n * 2"),
        [("assertion", 19)],
    ),
    "an expected value beside the tests": (
        ('EXPECTED = {"a": 1}', "EXPECTED = {}"),
        [("assertion", 7)],
    ),
    "a wider tolerance": (
        ("TOLERANCE = 0.05", "TOLERANCE = 0.5"),
        [("assertion", 6), ("tolerance", 6)],
    ),
    "a longer time limit": (("timeout=1)", "timeout=10)"), [("assertion", 30), ("tolerance", 30)]),
    "a broader exception": (("raises(ValueError)", "raises(Exception)"), [("assertion", 33)]),
    "more where an exception is expected": (
        ("            basket.total(-1)"[4:], "        names.all()\n        basket.total(-1)"),
        [("assertion", 33)],
    ),
    "a test deleted": (
        ('def test_names():\n    assert names.all() == ["a", "b"]\n', ""),
        [("test", 0)],
    ),
    "a test renamed": (("def test_names()", "def check_names()"), [("test", 0)]),
    "a test in a comment": (
        ("def test_names():\n    assert", "def _():\n    assert"),
        [("test", 0)],
    ),
    "a test hidden by another": (
        ("def test_draws()", "def test_names():\n    pass\n\ndef test_draws()"),
        [("assertion", 24), ("assertion", 24)],
    ),
    "a test set to None": (
        ("def test_draws()", "test_names = None\n\ndef test_draws()"),
        [("test", 24)],
    ),
    "a test that cannot be called": (("def test_names", "async def test_names"), [("test", 21)]),
    "a test that yields": (
        ("    assert result == n * 2", "    assert result == n * 2\n    yield"),
        [("test", 17)],
    ),
    "a parameter taken away": (("[1, 2, 3]", "[1, 2]"), [("test", 16), ("test", 17)]),
    "a skip": (
        ("def test_names", "@pytest.mark.skip\ndef test_names"),
        [("skip", 21), ("test", 21)],
    ),
    "an xfail": (
        ("def test_names", "@pytest.mark.xfail(strict=False)\ndef test_names"),
        [("skip", 21), ("test", 21)],
    ),
    "a skip within": (
        ("def test_names():\n", "def test_names():\n    pytest.skip('flaky')\n"),
        [("skip", 22)],
    ),
    "a skip by another name": (
        ("import pytest\n", "import pytest\nfrom pytest import skip as later\n"),
        [("skip", 4)],
    ),
    "a skip by a text": (
        ("def test_names():\n", "def test_names():\n    getattr(pytest, 'skip')()\n"),
        [("hidden", 22)],
    ),
    "a mark for the whole file": (
        ("TOLERANCE =", "pytestmark = pytest.mark.skipif(True, reason='x')\nTOLERANCE ="),
        [("skip", 6), ("skip", 6)],
    ),
    "a retry decorator": (
        ("def test_names", "@pytest.mark.flaky(reruns=3)\ndef test_names"),
        [("retry", 21), ("retry", 21), ("test", 21)],
    ),
    "a retry of one's own": (
        (
            "    assert result == n * 2",
            "    for _ in range(3):\n        result = basket.total(n)\n"
            "        if result == n * 2:\n"
            "            break\n    assert result == n * 2",
        ),
        [("assertion", 17)],
    ),
    "a retry library": (
        ("import pytest\n", "import pytest\nfrom tenacity import retry as again\n"),
        [("retry", 4), ("retry", 4)],
    ),
    "a sleep": (
        ("def test_names():\n", "def test_names():\n    time.sleep(1)\n"),
        [("sleep", 22), ("sleep", 22)],
    ),
    "a sleep by another name": (
        (
            "def test_names():\n",
            "nap = time.sleep\n\ndef test_names():\n    nap(0.01)\n",
        ),
        [("sleep", 24)],
    ),
    "a wait that is a sleep": (
        ("def test_names():\n", "def test_names():\n    threading.Event().wait(1)\n"),
        [("sleep", 22)],
    ),
    "a longer sleep": (("time.sleep(0.05)", "time.sleep(0.5)"), [("sleep", 29)]),
    "a sleep in a loop": (
        ("    time.sleep(0.05)", "    for _ in range(20):\n        time.sleep(0.05)"),
        [("sleep", 30)],
    ),
    "a seed where chance is not at fault": (
        ("def test_names():\n", "def test_names():\n    random.seed(1)\n"),
        [("seed", 22)],
    ),
    "a double of what is tested": (
        (
            "def test_names():\n",
            "def test_names(monkeypatch):\n"
            "    monkeypatch.setattr(names, 'all', lambda: ['a', 'b'])\n",
        ),
        [("mock", 22)],
    ),
    "a double by assignment": (
        ("def test_names():\n", "def test_names():\n    names.all = lambda: ['a', 'b']\n"),
        [("mock", 22)],
    ),
    "a comparison that means something else": (
        ("TOLERANCE =", "class Any(dict):\n    def __eq__(self, other): return True\nTOLERANCE ="),
        [("assertion", 7)],
    ),
    "a marker of order": (
        ("def test_names", "@pytest.mark.order(1)\ndef test_names"),
        [("order", 21), ("test", 21)],
    ),
    "a hook": (
        (
            "def check(total)",
            "def pytest_collection_modifyitems(items):\n    items.sort()\n\ndef check(total)",
        ),
        [("order", 13)],
    ),
    "a text that speaks of the hash seed": (
        (
            "def test_names():\n",
            "def test_names(monkeypatch):\n    monkeypatch.setenv('PYTHONHASHSEED', '0')\n",
        ),
        [("pin", 22)],
    ),
    "a context that swallows": (
        (
            "    assert result == n * 2",
            "    with stack() as s:\n        s.push(swallow)\n        assert result == n * 2",
        ),
        [("assertion", 21)],
    ),
    "a fixture under the name of what is tested": (
        ("def test_names():\n", "def test_names(names):\n"),
        [("mock", 21)],
    ),
    "another module under the name of what is tested": (
        ("def test_names():\n", "def test_names():\n    import fakes as names\n"),
        [("mock", 22)],
    ),
    "a variable under the name of what is tested": (
        ("def test_names():\n", "def test_names():\n    names = Names()\n"),
        [("mock", 22)],
    ),
    "an assertion that means something else": (
        ("def test_names():\n", "def test_names(self):\n    self.assertEqual = print\n"),
        [("assertion", 22)],
    ),
    "something executed": (
        ("def test_names():\n", "def test_names():\n    exec('x = 1')\n"),
        [("hidden", 22)],
    ),
    "order dropped where order is not at fault": (
        ('names.all() == ["a", "b"]', 'sorted(names.all()) == ["a", "b"]'),
        [("assertion", 22)],
    ),
    "more draws where chance is not at fault": (("range(10)", "range(100)"), [("assertion", 25)]),
}


@pytest.mark.parametrize(("change", "found"), REFUSED.values(), ids=REFUSED.keys())
def test_what_lets_a_test_see_less_is_refused(
    change: tuple[str, str], found: list[tuple[str, int]]
) -> None:
    assert refused(change) == found


def test_order_may_be_dropped_where_it_was_measured_to_waver() -> None:
    fine = [
        ('names.all() == ["a", "b"]', 'sorted(names.all()) == ["a", "b"]'),
        ('names.all() == ["a", "b"]', 'sorted(names.all()) == sorted(["b", "a"])'),
        ('names.all() == ["a", "b"]', 'Counter(names.all()) == Counter(["a", "b"])'),
        (
            'assert names.all() == ["a", "b"]',
            "assert set(names.all()) == set(['a', 'b'])\n"
            "    assert len(names.all()) == len(['a', 'b'])",
        ),
    ]

    assert [refused(one, category=Category.UNORDERED) for one in fine] == [[], [], [], []]


def test_a_value_lost_with_the_order_is_refused() -> None:
    poor = [
        ('names.all() == ["a", "b"]', 'set(names.all()) == {"a", "b"}'),
        ('names.all() == ["a", "b"]', 'sorted(names.all()) == ["a"]'),
        ('names.all() == ["a", "b"]', 'sorted(names.all(), key=len) == ["a", "b"]'),
        ('names.all() == ["a", "b"]', 'len(names.all()) == len(["a", "b"])'),
    ]

    found = [refused(one, category=Category.UNORDERED) for one in poor]
    assert found == [[("assertion", 22)]] * 4


def test_a_test_of_chance_may_draw_more_and_seed_itself() -> None:
    more = ("range(10)", "range(100)")
    out = (
        'assert {names.draw() for _ in range(10)} == {"a", "b"}',
        'values = {names.draw() for _ in range(100)}\n    assert values == {"a", "b"}',
    )
    seed = ("def test_draws():\n", "def test_draws():\n    random.seed(7)\n")

    assert [refused(one, category=Category.RANDOM) for one in (more, out, seed)] == [[], [], []]


def test_chance_may_not_be_fixed_for_a_whole_file_nor_drawn_less() -> None:
    for_all = ("TOLERANCE =", "random.seed(7)\nTOLERANCE =")
    fewer = ("range(10)", "range(5)")

    assert refused(for_all, category=Category.RANDOM) == [("seed", 6)]
    assert refused(fewer, category=Category.RANDOM) == [("assertion", 25)]


def test_what_was_measured_to_leak_may_be_set() -> None:
    change = (
        "def test_names():\n",
        "def test_names(monkeypatch):\n    monkeypatch.setattr(names, 'known', {})\n",
    )

    assert refused(change, leaked=frozenset({"shop.names.known"})) == []
    assert refused(change) == [("mock", 22)]


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("pytest.ini", "setting"),
        ("pyproject.toml", "setting"),
        ("sub/tox.ini", "setting"),
        (".github/workflows/ci.yml", "setting"),
        ("requirements-dev.txt", "setting"),
        ("sitecustomize.py", "setting"),
        ("tests/data/expected.json", "data"),
    ],
)
def test_files_that_a_mend_leaves_alone(path: str, rule: str) -> None:
    edit = Edit(path=path, before=b"a", after=b"b")

    refusals = guard([edit], Ground(category=Category.VICTIM)).refusals

    assert [refusal.rule.value for refusal in refusals] == [rule]


def test_a_deleted_file_and_one_that_is_not_python_are_refused() -> None:
    gone = Edit(path="tests/test_a.py", before=b"x = 1\n", after=None)
    broken = Edit(path="tests/test_b.py", before=b"x = 1\n", after=b"x = = 1\n")

    sentences = [r.sentence for r in guard([gone, broken], Ground(category=Category.TIME)).refusals]

    assert sentences == [
        "tests/test_a.py: the file is deleted",
        "tests/test_b.py: cannot be read as Python, so nothing can be said of its tests",
    ]


PRODUCT = """
    import time

    def total(n):
        return n * 2
"""


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("    time.sleep(0.1)\n", "sleep"),
        ("    try:\n        n += 1\n    except Exception:\n        pass\n", "catch"),
        ("    import os; n += 'PYTEST_CURRENT_TEST' in os.environ\n", "hidden"),
        ("    time.seed(4)\n", "seed"),
    ],
)
def test_a_product_is_not_bent_to_its_tests_either(line: str, rule: str) -> None:
    change = ("def total(n):\n", f"def total(n):\n{line}")

    found = refused(change, path="shop/basket.py", before=PRODUCT)

    assert {name for name, _ in found} == {rule}


def test_a_change_of_the_product_is_told_as_a_possible_real_bug() -> None:
    edit = Edit(path="shop/basket.py", before=b"x = {1}\n", after=b"x = [1]\n")

    said = guard([edit], Ground(category=Category.UNORDERED))

    assert said.refusals == ()
    assert [remark.place for remark in said.remarks] == ["shop/basket.py"]


def test_what_a_person_allows_is_told_and_not_refused() -> None:
    before = dedent(BEFORE).encode()
    edit = Edit(
        path="tests/test_shop.py", before=before, after=before.replace(b"sleep(0.05)", b"sleep(1)")
    )

    said = guard([edit], Ground(category=Category.TIME, allowed=frozenset({"sleep"})))

    assert said.refusals == ()
    assert [one.sentence for one in said.lifted] == [
        "tests/test_shop.py, line 29: sleeps 1 s where the longest sleep was 0.05 s"
    ]


SETS = """
    import importlib

    def test_without_a_file():
        i18n = importlib.import_module("shop.i18n")
        i18n.__file__ = None
        assert i18n.place() is None

    def test_delay(wait, took):
        assert (wait - 5) <= took <= (wait + 5)
"""


def test_what_a_test_set_may_be_set_so_that_it_is_put_back() -> None:
    by_monkeypatch = (
        'test_without_a_file():\n    i18n = importlib.import_module("shop.i18n")\n'
        "    i18n.__file__ = None",
        'test_without_a_file(monkeypatch):\n    i18n = importlib.import_module("shop.i18n")\n'
        "    monkeypatch.setattr(i18n, '__file__', None)",
    )
    another = ("i18n.__file__ = None", "monkeypatch.setattr(i18n, 'place', lambda: None)")

    assert refused(by_monkeypatch, before=SETS) == []
    assert refused(another, before=SETS) == [("mock", 6)]


def test_a_tolerance_within_an_assertion_is_part_of_it() -> None:
    wider = ("(wait - 5) <= took <= (wait + 5)", "(wait - 10) <= took <= (wait + 10)")

    assert refused(wider, before=SETS, category=Category.CONCURRENCY) == [("assertion", 10)]
