"""What is tried for which measured fault, as whole files."""

from __future__ import annotations

from textwrap import dedent

from bot.agents.flaky_repair.operators import patches
from bot.agents.flaky_repair.sheet import Sheet
from bot.core.flaky.condition import Condition
from bot.core.flaky.finding import Category, Finding, Leaked, Standing
from bot.core.flaky.guard import Edit, Ground, guard
from bot.core.flaky.runs import Count

PATH = "tests/test_a.py"


def tried(
    text: str,
    category: Category,
    *leaked: Leaked,
    product: str = "",
    test: str = "test_a",
    setters: tuple[str, ...] = (),
) -> list[tuple[str, str]]:
    """Operator and new text, each let through by the guard."""
    finding = Finding(
        commit="a" * 40,
        gate="tests",
        test=f"{PATH}::{test}",
        tests=(f"{PATH}::{test}",),
        standing=Standing.FLAKY,
        category=category,
        condition=Condition(),
        before=Count(condition=Condition(), runs=7, failed=7),
        plain=Count(condition=Condition(), runs=7, failed=0),
        polluters=tuple(one.by for one in leaked),
        leaked=leaked,
        setters=tuple(f"{PATH}::{name}" for name in setters),
        signature="x",
    )
    old = {PATH: dedent(text), "shop.py": dedent(product)}
    tests, others = {PATH: Sheet(PATH, old[PATH])}, {"shop.py": Sheet("shop.py", old["shop.py"])}
    found = list(patches(finding, tests, others))
    where = frozenset(one.where for one in leaked)
    for patch in found:
        edits = [
            Edit(path=path, before=old[path].encode(), after=new.encode())
            for path, new in patch.texts.items()
        ]
        assert guard(edits, Ground(category=category, leaked=where)).refusals == ()
    return [(patch.operator, text) for patch in found for text in patch.texts.values()]


def leak(where: str, before: str, after: str) -> Leaked:
    return Leaked(where=where, before=before, after=after, by=f"{PATH}::test_b")


BODY = """\
import shop


def test_a():
    assert shop.price() == 1
"""


def test_a_container_is_emptied_and_filled_again() -> None:
    (restored, reset) = tried(BODY, Category.VICTIM, leak("shop.PRICES", "dict()", "dict('a': 1)"))[
        :2
    ]

    assert restored == (
        "restore",
        '''\
import shop
import copy
import importlib
import pytest


@pytest.fixture(autouse=True)
def leaves_things_as_they_were():
    """Puts back what tests of this file change: shop.PRICES."""
    owner_0 = importlib.import_module("shop")
    kept_0 = copy.copy(owner_0.PRICES)
    yield
    owner_0.PRICES.clear()
    owner_0.PRICES.update(kept_0)


def test_a():
    assert shop.price() == 1
''',
    )
    assert reset[0] == "reset"
    assert 'monkeypatch.setattr(importlib.import_module("shop"), "PRICES", {})' in reset[1]


def test_state_of_the_process_is_put_back() -> None:
    (operator, text), *_ = tried(
        BODY,
        Category.VICTIM,
        leak("os.environ['LANG']", "absent", "'de'"),
        leak("os.getcwd()", "/a", "/b"),
        leak("locale.setlocale(LC_ALL)", "C", "de"),
        leak("random.getstate()", "0x1", "0x2"),
    )

    assert operator == "restore"
    kept = text[text.index("    kept_0") : text.index("\n\n\ndef test_a")]
    assert kept.splitlines() == [
        '    kept_0 = os.environ.get("LANG")',
        "    kept_1 = os.getcwd()",
        "    kept_2 = locale.setlocale(locale.LC_ALL)",
        "    yield",
        "    locale.setlocale(locale.LC_ALL, kept_2)",
        "    os.chdir(kept_1)",
        "    if kept_0 is None:",
        '        os.environ.pop("LANG", None)',
        "    else:",
        '        os.environ["LANG"] = kept_0',
    ]


def test_a_test_of_chance_draws_more_before_it_is_seeded() -> None:
    text = """\
        import shop

        def test_a():
            assert {shop.draw() for _ in range(10)} == {1, 2}
    """

    found = tried(text, Category.RANDOM)

    assert [operator for operator, _ in found] == ["more draws", "seed", "seed"]
    assert "range(100)" in found[0][1]
    assert "import random\nimport shop" in found[1][1]
    assert "    random.seed(20011)\n    assert" in found[1][1]


def test_what_is_made_of_a_set_is_sorted_before_the_test_is_touched() -> None:
    text = "import shop\n\ndef test_a():\n    assert shop.names() == ['a', 'b']\n"
    product = "def names(found=()):\n    return list(set(found))\n"

    found = tried(text, Category.UNORDERED, product=product)

    assert found == [
        ("sort", "def names(found=()):\n    return sorted(set(found))\n"),
        (
            "compare without order",
            "import shop\n\ndef test_a():\n    assert sorted(shop.names()) == sorted(['a', 'b'])\n",
        ),
    ]


def test_a_sleep_becomes_a_wait_for_what_is_claimed() -> None:
    text = """\
        import time

        def test_a(job):
            job.start()
            time.sleep(0.1)
            assert job.done
    """

    ((operator, new),) = tried(text, Category.CONCURRENCY)

    assert operator == "wait for the condition"
    assert new == dedent("""\
        import time

        def test_a(job):
            job.start()
            deadline = time.monotonic() + 10
            while not (job.done) and time.monotonic() < deadline:
                time.sleep(0.01)
            assert job.done
    """)


def test_a_fixed_port_becomes_any_and_shared_files_get_a_folder() -> None:
    text = "def test_a(s):\n    s.bind(('localhost', 8765))\n    assert s\n"

    found = dict(tried(text, Category.RESOURCE))

    assert "s.bind(('localhost', 0))" in found["any port"]
    assert "monkeypatch.chdir(tmp_path)" in found["own folder"]


def test_what_modules_keep_is_put_back_where_no_leak_was_measured() -> None:
    product = """\
        PARSERS = {}
        NAMES = ["a"]

        def parser(name):
            PARSERS[name] = name
            return PARSERS[name]

        def price():
            return NAMES
    """

    (operator, text), *_ = tried(BODY, Category.REPEATED, product=product)

    assert operator == "restore containers"
    assert "owner_0.PARSERS.update(kept_0)" in text
    assert "NAMES" not in text


def test_a_brittle_test_does_itself_what_it_had_of_another() -> None:
    text = """\
        import shop

        def test_first():
            '''Opens it.'''
            shop.open("main")
            till = shop.till()
            assert till.is_open

        def test_a():
            assert shop.price() == 1
    """

    found = tried(text, Category.BRITTLE, setters=("test_first",))

    assert [operator for operator, _ in found] == ["own set-up"]
    assert found[0][1].endswith(
        "def test_a():\n    shop.open('main')\n    till = shop.till()\n"
        "    assert shop.price() == 1\n"
    )


def test_a_set_up_that_needs_more_is_not_guessed() -> None:
    text = """\
        import shop

        def test_first(till):
            shop.open(till)
            assert till.is_open

        def test_a():
            assert shop.price() == 1
    """

    assert tried(text, Category.BRITTLE, setters=("test_first",)) == []


def test_what_has_no_known_shape_gets_no_patch() -> None:
    assert tried(BODY, Category.NETWORK) == []
    assert (
        tried(BODY, Category.VICTIM, leak("sys.modules['a']", "0x1", "0x2"))[0][0] == "own folder"
    )
