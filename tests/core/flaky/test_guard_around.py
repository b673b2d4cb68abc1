"""Ways around the guard that speak none of its words, and honest mends that look like them."""

from __future__ import annotations

import pytest

from bot.core.flaky.finding import Category
from tests.core.flaky.test_guard import refused

NAMES = "def test_names():\n"
CLAIM = '    assert names.all() == ["a", "b"]'
EXPECTED = "    assert shop.as_dict() == EXPECTED"
TOTAL = "    result = basket.total(n)\n"

REFUSED: dict[str, tuple[tuple[str, str], set[tuple[str, int]]]] = {
    "a busy loop": (
        (NAMES, f"{NAMES}    for _ in range(10**7):\n        pass\n"),
        {("sleep", 22)},
    ),
    "a shell that sleeps": (
        (NAMES, f"{NAMES}    import os\n    os.system('sleep 1')\n"),
        {("sleep", 23)},
    ),
    "a wait on what nobody else knows": (
        (NAMES, f"{NAMES}    quiet = threading.Barrier(2)\n    quiet.wait(1)\n"),
        {("sleep", 23)},
    ),
    "a result made of its expectation": ((TOTAL, "    result = int(n * 2)\n"), {
        ("assertion", 17), ("assertion", 18),
    }),
    "a result bent to its expectation": (
        (TOTAL, "    result = max(basket.total(n), n * 2)\n"),
        {("assertion", 18)},
    ),
    "a result from a loop": (
        ("    assert result ==", "    for result in (n * 2,):\n        print(result)\n"
         "    assert result =="),
        {("assertion", 19)},
    ),
    "a result from a context": (
        ("    assert result ==", "    with pytest.warns() as result:\n        n.go()\n"
         "    assert result =="),
        {("assertion", 19)},
    ),
    "a result in passing": (
        ("    assert result ==", "    print(result := n * 2)\n    assert result =="),
        {("assertion", 19)},
    ),
    "an expectation of the test's own": (
        (EXPECTED, f"    EXPECTED = shop.as_dict()\n{EXPECTED}"),
        {("assertion", 38)},
    ),
    "an expectation that is an argument": (
        ("def test_expected(shop)", "def test_expected(shop, EXPECTED)"),
        {("assertion", 38)},
    ),
    "an expectation changed in place": (
        (EXPECTED, f"    EXPECTED.update(shop.as_dict())\n{EXPECTED}"),
        {("assertion", 38)},
    ),
    "an expectation that equals everything": (
        ('EXPECTED = {"a": 1}', 'EXPECTED = type("A", (), {"__eq__": lambda *_: True})()'),
        {("hidden", 7)},
    ),
    "another exception of the kind": (("basket.total(-1)", "int('x')"), {("assertion", 32)}),
    "another input": (("basket.total(-1)", "basket.total(None)"), {("assertion", 32)}),
    "a fixture that gives something else": (
        ("    return basket.Basket()", "    return Fake()\n\nclass Fake:\n    total = 1"),
        {("assertion", 39)},
    ),
    "a fixture that empties a test": (
        (NAMES, "@pytest.fixture(autouse=True)\ndef quiet(request):\n"
         f"    request.node.obj = lambda *a: None\n\n{NAMES}"),
        {("hidden", 23)},
    ),
    "a test whose code is another's": (
        ("def test_draws", "test_names.__code__ = (lambda: None).__code__\n\ndef test_draws"),
        {("hidden", 24)},
    ),
    "a product changed through its namespace": (
        (NAMES, f"{NAMES}    names.__dict__['all'] = lambda: ['a', 'b']\n"),
        {("hidden", 22)},
    ),
    "another module in the place of the product": (
        (NAMES, f"{NAMES}    import sys\n    sys.modules['shop'] = None\n"),
        {("mock", 23)},
    ),
    "a builtin that means something else": (
        ("def test_draws", "def range(number):\n    return [1]\n\ndef test_draws"),
        {("mock", 24)},
    ),
    "a helper that is another": (
        ("def test_names", "check = print\n\ndef test_names"),
        {("mock", 21)},
    ),
    "a helper wrapped": (
        ("def check(", "def quiet(f):\n    return print\n\n@quiet\ndef check("),
        {("test", 16)},
    ),
    "a clock stopped for all tests": (
        ("TOLERANCE =", "time.time = lambda: 0.0\nTOLERANCE ="),
        {("mock", 6)},
    ),
    "a question asked until the answer is right": (
        ("    assert result ==", "    while result != n * 2:\n        result = basket.total(n)\n"
         "    assert result =="),
        {("retry", 19)},
    ),
    "a draw until it is right": (
        ("    assert {names.draw()", "    while names.draw() != 'b':\n        n = 1\n"
         "    assert {names.draw()"),
        {("retry", 25)},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("change", "found"), REFUSED.values(), ids=REFUSED.keys())
def test_what_goes_around_the_words_is_refused(
    change: tuple[str, str], found: set[tuple[str, int]]
) -> None:
    assert set(refused(change)) == found


LET_THROUGH: dict[str, tuple[tuple[str, str], Category]] = {
    "a poll through a helper": (
        (TOTAL, "    result = until(lambda: basket.total(n))\n"),
        Category.CONCURRENCY,
    ),
    "an event that somebody sets": (
        ("    time.sleep(0.05)\n", "    done = threading.Event()\n    settle.on_done(done.set)\n"
         "    done.wait(1)\n"),
        Category.CONCURRENCY,
    ),
    "a file of the test's own": (
        ("    settle.start()\n", "    settle.start(tmp_path / 'log')\n"),
        Category.RESOURCE,
    ),
    "a clock that is put back": (
        (CLAIM, f"    kept = time.time\n    try:\n        time.time = lambda: 0.0\n    "
         f"{CLAIM}\n    finally:\n        time.time = kept"),
        Category.TIME,
    ),
    "a narrower fixture": (
        ("@pytest.fixture\n", "@pytest.fixture(scope='function')\n"),
        Category.VICTIM,
    ),
    "a fixture that a test asks for": (("def test_names()", "def test_names(shop)"),
        Category.BRITTLE,
    ),
    "a set-up before the test": ((NAMES, f"{NAMES}    names.load()\n"), Category.BRITTLE),
    "a loop over things": (
        (NAMES, f"{NAMES}    for name in ('a', 'b'):\n        names.add(name)\n"),
        Category.BRITTLE,
    ),
    "a sorted answer": (
        (CLAIM, '    found = sorted(names.all())\n    assert found == ["a", "b"]'),
        Category.UNORDERED,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("change", "category"), LET_THROUGH.values(), ids=LET_THROUGH.keys())
def test_an_honest_mend_that_looks_like_it_is_let_through(
    change: tuple[str, str], category: Category
) -> None:
    assert refused(change, category=category) == []


def test_what_was_measured_to_leak_may_be_emptied() -> None:
    before = "SEEN = []\n\ndef test_once():\n    SEEN.append(1)\n    assert len(SEEN) == 1\n"
    change = ("def test_once():\n", "def test_once():\n    SEEN.clear()\n")

    assert refused(change, before=before, leaked=frozenset({"tests.test_a.SEEN"})) == []
    assert refused(change, before=before) == [("assertion", 5)]
