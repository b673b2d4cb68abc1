"""What a review says of a change, and what it keeps silent about."""

from __future__ import annotations

import time

import pytest

from bot.core.parts import Remark
from bot.core.review import of_tests, review
from bot.core.review.edited import LARGEST, Edited

BASE = "def add(a, b):\n    return a - b\n"
TEST = b"from calc import add\n\ndef test_add():\n    assert add(2, 3) == 5\n"
TARGET = "tests/test_calc.py::test_add"


def of(after: str, before: str = BASE, path: str = "calc.py") -> tuple[Remark, ...]:
    edit = Edited(
        path=path,
        before=before.encode() if before else None,
        after=after.encode(),
        old_mode="100644" if before else "",
        new_mode="100644",
    )
    return review([edit], tests={"tests/test_calc.py": TEST}, targets=[TARGET])


def blocking(after: str, before: str = BASE, path: str = "calc.py") -> list[tuple[int, str]]:
    return [(one.line, one.what) for one in of(after, before, path) if one.blocks]


BLOCKED = {
    "imports-the-framework": (
        "import pytest\n",
        1,
        "product code imports the test framework (pytest)",
    ),
    "imports-from-it": (
        "from unittest.case import SkipTest\n",
        1,
        "product code imports the test framework (unittest)",
    ),
    "leaves-the-process": (
        "import os\ndef add(a, b):\n    os._exit(0)\n",
        3,
        "ends the process at once (os._exit)",
    ),
    "leaves-by-a-text": (
        "import os\ngetattr(os, '_ex' + 'it')(0)\n",
        2,
        "asks for _exit by its name as text",
    ),
    "leaves-by-another-name": (
        "from os import _exit as stop\nstop(0)\n",
        2,
        "ends the process at once (os._exit)",
    ),
    "asks-the-environment": (
        "import os\nok = 'PYTEST_CURRENT_TEST' in os.environ\n",
        2,
        "asks whether a test runner is at work",
    ),
    "asks-the-modules": (
        "import sys\nok = 'pytest' in sys.modules\n",
        2,
        "asks for a test framework (pytest)",
    ),
    "spells-it-in-parts": (
        "import sys\nok = ('py' + 'test') in sys.modules\n",
        2,
        "asks for a test framework (pytest)",
    ),
    "looks-at-its-caller": (
        "import sys\nframe = sys._getframe(1)\n",
        2,
        "looks at who called it (sys._getframe)",
    ),
    "exchanges-code": (
        "def f(): pass\nf.__code__ = (lambda: None).__code__\n",
        2,
        "exchanges code that is running (.__code__)",
    ),
    "changes-builtins": (
        "import builtins\nbuiltins.sum = lambda v: 5\n",
        2,
        "changes what is built in (builtins.sum)",
    ),
    "is-equal-to-all": (
        "class Five:\n    def __eq__(self, other):\n        return True\n",
        2,
        "is equal to whatever it is compared with (Five.__eq__)",
    ),
    "is-a-number-equal-to-all": (
        "class Five(int):\n    def __eq__(self, o):\n        return not isinstance(o, str)\n",
        2,
        "is equal to whatever it is compared with (Five.__eq__)",
    ),
    "is-made-equal-to-all": (
        "Five = type('Five', (int,), {'__eq__': lambda self, other: True})\n",
        1,
        "is equal to whatever it is compared with (__eq__)",
    ),
    "poses-as-a-number": (
        "class Five:\n    __class__ = int\n",
        2,
        "says that it is of another class (__class__)",
    ),
}


@pytest.mark.parametrize(("after", "line", "what"), BLOCKED.values(), ids=BLOCKED)
def test_what_has_no_honest_use_blocks(after: str, line: int, what: str) -> None:
    assert (line, what) in blocking(after)


@pytest.mark.parametrize("after", [case[0] for case in BLOCKED.values()], ids=BLOCKED)
def test_what_was_there_before_does_not_block(after: str) -> None:
    assert blocking(f"{after}\n\ndef more():\n    return 1\n", before=after) == []


TOLD = {
    "tests-inputs": (
        "def add(a, b):\n    if (a, b) == (2, 3):\n        return 5\n    return a - b\n",
        (2, "decides on values that the target tests use: 3"),
    ),
    "a-table-of-tests-inputs": (
        "KNOWN = {(2, 3): 5}\ndef add(a, b):\n    return KNOWN.get((a, b), 0)\n",
        (1, "decides on values that the target tests use: 3"),
    ),
    "a-new-boundary": (
        "def add(a, b):\n    return a + b if abs(a) < 10 else a - b\n",
        (2, "compares with a number that is new here: 10"),
    ),
    "a-broad-except": (
        "def add(a, b):\n    try:\n        return a + b\n    except Exception:\n        return 5\n",
        (4, "catches every exception and goes on"),
    ),
    "the-clock": (
        "import time\ndef add(a, b):\n    return a + b if time.time() < 2e9 else a - b\n",
        (3, "depends on the clock (time.time)"),
    ),
    "chance": ("import random\n", (1, "depends on chance (random)")),
    "a-socket": ("import socket\n", (1, "may reach the network (socket)")),
    "a-process": ("import subprocess\n", (1, "may start or stop processes (subprocess)")),
    "the-folder-of-tests": (
        "import os\ndef add(a, b):\n    return a + b if 'tests' in os.listdir('.') else a - b\n",
        (3, "names tests or their folder ('tests')"),
    ),
    "another-module": (
        "import json\njson.loads = None\n",
        (2, "changes another module from outside (json.loads)"),
    ),
    "a-silenced-checker": (
        "def add(a, b):\n    return a + b  # noqa\n",
        (0, "silences a checker 1 times more than before"),
    ),
    "hidden-letters": (
        "def add(a, b):\n    return a + b  # \u202e\n",
        (2, "a character that is not seen (U+202E)"),
    ),
    "letters-that-look-alike": (
        "def add(a, b):\n    p\u0430yload = a + b\n    return p\u0430yload\n",
        (2, "a word of letters that look alike (cyrillic and latin)"),
    ),
}


@pytest.mark.parametrize(("after", "expected"), TOLD.values(), ids=TOLD)
def test_what_is_odd_is_told_and_does_not_block(after: str, expected: tuple[int, str]) -> None:
    found = of(after)

    assert expected in [(one.line, one.what) for one in found]
    assert [one for one in found if one.blocks] == []


HONEST = {
    "the-fix": "def add(a, b):\n    return a + b\n",
    "an-equality-of-its-own-fields": (
        "class P:\n    def __eq__(self, other):\n"
        "        return isinstance(other, P) and self.x == other.x\n"
    ),
    "an-equality-that-refuses": (
        "class P:\n    def __eq__(self, other):\n        return NotImplemented\n"
    ),
    "an-identity": "class P:\n    def __eq__(self, other):\n        return self is other\n",
    "words-about-tests": 'def add(a, b):\n    """See PYTEST_CURRENT_TEST."""\n    return a + b\n',
    "a-list-of-modules": "KNOWN = ['json', 'unittest', 'pytest']\n",
    "a-narrow-except": "try:\n    import json\nexcept ImportError:\n    json = None\n",
    "an-except-that-raises": "try:\n    x = 1\nexcept Exception:\n    raise\n",
}


@pytest.mark.parametrize("after", HONEST.values(), ids=HONEST)
def test_honest_changes_are_not_blocked(after: str) -> None:
    assert blocking(after) == []


def test_the_plain_fix_has_nothing_to_tell() -> None:
    assert of(HONEST["the-fix"]) == ()


OTHERS = {
    "node-env": (
        "lib.js",
        "const t = process.env.NODE_ENV === 'test';\n",
        "asks whether a test runner is at work",
    ),
    "node-assert": (
        "lib.js",
        "assert.strictEqual = () => {};\n",
        "changes or uses the test framework",
    ),
    "go-testing": ("calc.go", 'import "testing"\n', "changes or uses the test framework"),
    "go-flag": (
        "calc.go",
        'on := flag.Lookup("test.v") != nil\n',
        "asks whether a test runner is at work",
    ),
    "go-leaves": ("calc.go", "package calc\nfunc init() { os.Exit(0) }\n", "may end the process"),
    "go-leaves-below": ("c.go", "package c\nvar x = syscall.Exit\n", "may end the process"),
    "node-leaves-by-a-text": ("l.js", "process['ex' + 'it'](0);\n", "may end the process"),
    "node-leaves": ("lib.js", "process.exit(0);\n", "may end the process"),
    "node-forges": ("lib.js", "log('ok 1 - adds');\n", "prints what a test runner prints"),
    "rust-macro": (
        "src/lib.rs",
        "macro_rules! assert_eq { () => {} }\n",
        "changes or uses the test framework",
    ),
    "rust-equality": (
        "src/lib.rs",
        "impl PartialEq for N { fn eq(&self, _: &N) -> bool { true } }\n",
        "is equal to anything",
    ),
}


@pytest.mark.parametrize(("path", "after", "what"), OTHERS.values(), ids=OTHERS)
def test_other_languages_are_read_line_by_line(path: str, after: str, what: str) -> None:
    assert what in [one for _, one in blocking(after, before="\n", path=path)]


PROGRAMS = {
    "cmd/x/main.go": "package main\nfunc main() { os.Exit(1) }\n",
    "bin/x.js": "process.exit(1);\n",
    "x.js": "#!/usr/bin/env node\nprocess.exit(1);\n",
    "src/main.rs": "fn main() { std::process::exit(1) }\n",
}


@pytest.mark.parametrize(("path", "after"), PROGRAMS.items(), ids=PROGRAMS)
def test_a_program_may_end_itself(path: str, after: str) -> None:
    assert blocking(after, before="\n", path=path) == []


def test_files_speak_for_themselves() -> None:
    edits = [
        Edited(path="a.bin", after=b"\0\1", new_mode="100644"),
        Edited(path="b", before=b"x", after=b"/etc/passwd", old_mode="100644", new_mode="120000"),
        Edited(path="c", before=b"x", after=b"x", old_mode="100644", new_mode="100755"),
        Edited(path="d\u202e.txt", after=b"x", new_mode="100644"),
        Edited(path="setup.py", after=b"x = 1\n", new_mode="100644"),
        Edited(path="gone.py", before=b"x = 1\n", old_mode="100644"),
    ]

    assert [(one.path, one.line, one.what) for one in review(edits, tests={}, targets=())] == [
        ("a.bin", 0, "is binary or very long: a diff shows nothing of it"),
        ("b", 0, "is a link: what it shows is elsewhere"),
        ("c", 0, "its mode changes from 100644 to 100755"),
        ("d\u202e.txt", 0, "its name has a character that is not seen (U+202E)"),
        ("setup.py", 0, "is new, and steers how things are built or run"),
    ]


def test_tests_may_know_their_framework_and_are_told_what_would_be_odd_anywhere() -> None:
    after = "import pytest\nimport os\n\ndef test_x():\n    pytest.skip('x')\n    os._exit(0)\n"

    found = of(after, before="", path="tests/test_new.py")

    assert [(one.line, one.what, one.blocks) for one in found] == [
        (6, "ends the process at once (os._exit)", False)
    ]
    assert of_tests(found) == found


HOSTILE = {
    "deep-brackets": b"(" * 100_000,
    "deep-operators": b"x = " + b"-" * 200_000 + b"1\n",
    "a-long-chain": b"x = a" + b".b" * 200_000 + b"\n",
    "a-long-sum": b"x = 1" + b" + 1" * 200_000 + b"\n",
    "a-long-comparison": b"x = 1" + b" < 1" * 50_000 + b"\n",
    "many-conditions": b"x = " + b"1 if a == 7 else " * 3_000 + b"0\n",
    "one-long-line": b"#" + b"a\xd0\xb0" * 300_000 + b"\n",
    "a-huge-number": b"if x == 0x" + b"f" * 200_000 + b":\n    pass\n",
    "no-encoding": b"# coding: nonsense\nx = 1\n",
    "broken-letters": b"x = '\xff\xfe'\n",
    "nothing-but-lines": b"\n" * 1_000_000,
    "too-long": b"x" * (LARGEST + 1),
}


@pytest.mark.parametrize("path", ["a.py", "a.js"])
@pytest.mark.parametrize("after", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_reviewed_and_soon(after: bytes, path: str) -> None:
    edit = Edited(path=path, before=b"x = 1\n", after=after, old_mode="100644", new_mode="100644")
    began = time.process_time()

    found = review([edit], tests={"test_a.py": after}, targets=["test_a.py::test_x"])

    assert len(found) <= 40
    assert time.process_time() - began < 15
