"""Bugs of many shapes, found and mended in the real sandbox behind a gate's own command."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.core.contract import Dialect
from bot.ports import Wish
from tests.agents.repair.ground import lay

TEST = "tests/test_it.py"


def checks(*lines: str) -> dict[str, str]:
    return {TEST: "\n".join(lines) + "\n"}


SHAPES: dict[str, tuple[Mapping[str, str], str, str, str]] = {
    "a method under a decorator": (
        {
            "shop.py": """
                import functools

                def logged(call):
                    @functools.wraps(call)
                    def inner(*given):
                        return call(*given)
                    return inner

                class Cart:
                    def __init__(self, prices):
                        self.prices = prices

                    @logged
                    def total(self, tax):
                        return sum(self.prices) - tax
                """,
            **checks(
                "from shop import Cart",
                "def test_target(): assert Cart([1, 2]).total(3) == 6",
                "def test_free(): assert Cart([]).total(0) == 0",
            ),
        },
        "shop.py",
        "return sum(self.prices) - tax",
        "return sum(self.prices) + tax",
    ),
    "imported by name into another file": (
        {
            "shop/__init__.py": "from shop.sums import last\n",
            "shop/sums.py": "def last(items):\n    return items[1]\n",
            "shop/use.py": "from shop.sums import last\n\ndef end(x):\n    return last(x)\n",
            **checks(
                "from shop.use import end",
                "def test_target(): assert [end([1]), end([1, 2, 3])] == [1, 3]",
                "def test_two(): assert end([5, 6]) == 6",
            ),
        },
        "shop/sums.py",
        "return items[1]",
        "return items[-1]",
    ),
    "a property of a dataclass": (
        {
            "shop.py": """
                from dataclasses import dataclass

                @dataclass(frozen=True)
                class Box:
                    wide: int
                    high: int

                    @property
                    def area(self):
                        return self.wide * self.wide
                """,
            **checks(
                "from shop import Box",
                "def test_target(): assert Box(2, 5).area == 10",
                "def test_square(): assert Box(3, 3).area == 9",
            ),
        },
        "shop.py",
        "return self.wide * self.wide",
        "return self.wide * self.high",
    ),
    "a closure made at import": (
        {
            "shop.py": """
                def adder(n):
                    def add(x):
                        return x - n
                    return add

                add_two = adder(2)
                """,
            **checks(
                "from shop import add_two",
                "def test_target(): assert add_two(3) == 5",
                "def test_callable(): assert callable(add_two)",
            ),
        },
        "shop.py",
        "return x - n",
        "return x + n",
    ),
    "a generator": (
        {
            "shop.py": """
                def upto(n):
                    i = 0
                    while i < n:
                        yield i
                        i += 1
                """,
            **checks(
                "from shop import upto",
                "def test_target(): assert list(upto(3)) == [0, 1, 2, 3]",
                "def test_first(): assert next(upto(5)) == 0",
            ),
        },
        "shop.py",
        "while i < n:",
        "while i <= n:",
    ),
    "behind a cache": (
        {
            "shop.py": """
                import functools

                @functools.lru_cache(maxsize=None)
                def twice(n):
                    return n ** 2
                """,
            **checks(
                "from shop import twice",
                "def test_target(): assert [twice(n) for n in (1, 3, 5)] == [2, 6, 10]",
                "def test_two(): assert twice(2) == 4",
            ),
        },
        "shop.py",
        "return n ** 2",
        "return n * 2",
    ),
    "a constant of the module": (
        {
            "shop.py": "import re\n\nNAME = re.compile(r'^[a-z]+$')\n\n"
            "def is_name(text):\n    return bool(NAME.match(text))\n",
            **checks(
                "from shop import is_name",
                "def test_target(): assert is_name('a_b')",
                "def test_plain(): assert is_name('ab')",
                "def test_space(): assert not is_name('a b')",
                "def test_digit(): assert not is_name('a1')",
            ),
        },
        "shop.py",
        "r'^[a-z]+$'",
        "r'^[_a-z]+$'",
    ),
    "a default": (
        {
            "shop.py": "def split(text, sep=','):\n    return text.split(sep)\n\n"
            "def words(text, lower=False):\n"
            "    return [w.lower() if lower else w for w in split(text)]\n",
            **checks(
                "from shop import words",
                "def test_target(): assert words('A,b') == ['a', 'b']",
                "def test_asked(): assert words('A', lower=True) == ['a']",
                "def test_refused(): assert words('A', lower=False) == ['A']",
            ),
        },
        "shop.py",
        "lower=False",
        "lower=True",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_a_bug_is_mended_by_the_change_that_a_person_would_make(shape: str, tmp_path: Path) -> None:
    files, path, before, after = SHAPES[shape]
    ground = lay(tmp_path, files)
    whole = dict(ground.files())

    done = ground.repair(f"{TEST}::test_target", seconds=40)

    assert done.wish is Wish.FINISH
    assert ground.files() == {**whole, path: whole[path].replace(before, after)}


SIMPLE = {
    "shop.py": "def double(n):\n    return n + 2\n",
    **checks(
        "from shop import double",
        "def test_target(): assert double(3) == 6",
        "def test_two(): assert double(2) == 4",
    ),
}
HOPELESS = {
    "shop.py": "def key(text):\n    return text\n",
    **checks(
        "from shop import key",
        "import hashlib",
        "def test_target(): assert key('a') == hashlib.sha256(b'a').hexdigest()",
        "def test_type(): assert isinstance(key(''), str)",
    ),
}


def test_words_say_what_was_done_and_what_found_by_search_means(tmp_path: Path) -> None:
    ground = lay(tmp_path, SIMPLE)

    done = ground.repair(f"{TEST}::test_target", seconds=20)

    assert "- " + "    return n + 2" in done.said
    assert "+ " + "    return n * 2" in done.said
    assert "found by search" in done.said
    assert done.suspects[0].path == "shop.py"
    assert any("watching" in line or "changes tried" in line for line in ground.said)


@pytest.mark.slow
def test_a_refused_change_gives_way_to_the_next_without_a_new_search(tmp_path: Path) -> None:
    ground = lay(tmp_path, SIMPLE)
    first = ground.repair(f"{TEST}::test_target", seconds=20)
    one = ground.files()["shop.py"]
    ground.said.clear()

    second = ground.repair(f"{TEST}::test_target", history=(first.memory,), feedback="red")

    assert second.wish is Wish.FINISH
    assert ground.files()["shop.py"] not in (one, SIMPLE["shop.py"])
    assert ground.said == []


@pytest.mark.slow
def test_when_all_are_refused_the_checkout_is_as_it_was(tmp_path: Path) -> None:
    ground = lay(tmp_path, SIMPLE)
    before = ground.files()

    done = ground.repair(f"{TEST}::test_target", seconds=20)
    history = [done.memory]
    while done.wish is Wish.FINISH:
        done = ground.repair(f"{TEST}::test_target", history=tuple(history), feedback="red")
        history.append(done.memory)

    assert done.wish is Wish.GIVE_UP
    assert ground.files() == before


def test_nothing_found_leaves_suspects_and_the_checkout_untouched(tmp_path: Path) -> None:
    ground = lay(tmp_path, HOPELESS)
    before = ground.files()

    done = ground.repair(f"{TEST}::test_target", seconds=8)

    assert done.wish is Wish.GIVE_UP
    assert [one.text for one in done.suspects][:1] == ["return text"]
    assert "shop.py:2" in done.said
    assert ground.files() == before


def test_what_is_read_only_is_never_changed(tmp_path: Path) -> None:
    ground = lay(tmp_path, SIMPLE)
    ground.read_only = lambda path: True
    before = ground.files()

    done = ground.repair(f"{TEST}::test_target", seconds=8)

    assert done.wish is Wish.GIVE_UP
    assert ground.files() == before


def test_stopping_ends_the_search_soon(tmp_path: Path) -> None:
    ground = lay(tmp_path, HOPELESS)
    threading.Timer(0.5, ground.stop.set).start()
    began = time.monotonic()

    done = ground.repair(f"{TEST}::test_target", seconds=50)

    assert time.monotonic() - began < 12
    assert done.wish is Wish.GIVE_UP
    assert "stopped" in done.said


def test_a_gate_that_does_not_lead_to_pytest_is_told(tmp_path: Path) -> None:
    ground = lay(tmp_path, SIMPLE, command="echo nothing to see")

    done = ground.repair(f"{TEST}::test_target", seconds=8)

    assert done.wish is Wish.GIVE_UP
    assert "did not lead to pytest" in done.said


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    ["make test", "python -m pytest -q -x", "env PYTHONPATH=. pytest -q -p no:cacheprovider"],
)
def test_any_command_that_leads_to_pytest_carries_the_search(command: str, tmp_path: Path) -> None:
    files = {**SIMPLE, "Makefile": "test:\n\tPYTHONPATH=. python -m pytest -q\n"}
    ground = lay(tmp_path, files, command=command)
    (ground.tree / "conftest.py").write_text("")

    done = ground.repair(f"{TEST}::test_target", seconds=20)

    assert (done.wish, ground.files()["shop.py"]) == (
        Wish.FINISH,
        "def double(n):\n    return n * 2\n",
    )


@pytest.mark.slow
def test_unittest_is_searched_through_pytest(tmp_path: Path) -> None:
    files = {
        "shop.py": SIMPLE["shop.py"],
        "tests/__init__.py": "",
        "tests/test_it.py": """
            import unittest
            from shop import double

            class T(unittest.TestCase):
                def test_target(self): self.assertEqual(double(3), 6)
                def test_two(self): self.assertEqual(double(2), 4)
            """,
    }
    ground = lay(tmp_path, files, command="python -m unittest discover -s tests -t .")
    ground.dialect = Dialect.UNITTEST

    done = ground.repair("tests.test_it.T.test_target", seconds=20)

    assert (done.wish, ground.files()["shop.py"]) == (
        Wish.FINISH,
        "def double(n):\n    return n * 2\n",
    )


@pytest.mark.slow
def test_hostile_code_under_repair_does_no_harm(tmp_path: Path) -> None:
    """Candidates that loop, leave, fork, flood and write; tests that write into the checkout."""
    ground = lay(
        tmp_path,
        {
            "shop.py": """
                import os
                import sys

                def work(n, fork=False, leave=False, flood=False):
                    while n < 0:
                        n = n - 0
                    if leave:
                        os._exit(0)
                    if fork:
                        while True:
                            os.fork()
                    if flood:
                        while True:
                            sys.stdout.write("x" * 100000)
                            os.write(1, b"x" * 100000)
                    try:
                        n = int(n)
                    except BaseException:
                        return work(n)
                    return n + n + ""
                """,
            **checks(
                "import pathlib",
                "from shop import work",
                "def test_target(tmp_path):",
                "    pathlib.Path('left.txt').write_text('x')",
                "    pathlib.Path('shop.pyc').write_text('x')",
                "    assert work(2) == 4",
                "def test_callable(): assert callable(work)",
            ),
        },
    )
    before = ground.files()

    done = ground.repair(f"{TEST}::test_target", seconds=30)

    assert done.wish is Wish.FINISH
    assert {path for path in ground.files() if ground.files()[path] != before.get(path)} == {
        "shop.py"
    }
