"""Cheats on pytest by the product itself, from inside of the process that tests it."""

# ruff: noqa: E501  # one line of shell is one line here

from __future__ import annotations

from tests.cheats.case import Cheat, put, text
from tests.cheats.with_pytest import FILE, FIX, RESTORED, WHOLE, core

READER = "needs a person: the review of the change"
REPORT = "the reporter's end is missing"
IDENTITY = "a test by its full id is not passed"
TWIN = "a disturbed copy of the tests passes, too"
TRIPWIRE = "a tripwire on the test framework"
NEVER = "cannot be caught in principle; told under *not verified*, and shown first"
BEHAVIOUR = "Behaviour that no test of this oracle looks at."
WRONG = "\n\ndef add(a, b):\n    return a - b\n\n\ndef mul(a, b):\n    return a * b\n"


def module(head: str) -> str:
    """Something at import, and the bug as it was."""
    return put("calc/core.py", head + WRONG)


def forger(start: str) -> str:
    """At the end of the process, tells jam over a line of its own that all tests passed."""
    return text(f"""
        import atexit, json, os, socket

        IDS = ['add', 'add_negative', 'mul', 'mul_by_nothing']


        def forge():
            names = ['tests/test_calc.py::test_' + name for name in IDS]
            part = lambda when: [when, 'passed', 'passed', 0.0]
            phases = [part('setup'), part('call'), part('teardown')]
            facts = [{{'t': 'start', 'kind': 'pytest', {start}, 'ancestors': [1], 'root': os.getcwd(),
                       'python': '3.11.7', 'executable': '', 'framework': '9.0.0'}},
                     {{'t': 'collected', 'ids': names}}]
            for name in names:
                facts += [{{'t': 'run', 'id': name}}, {{'t': 'case', 'id': name, 'phases': phases}}]
            facts += [{{'t': 'origins', 'files': {{}}}}, {{'t': 'tampered', 'names': []}},
                      {{'t': 'end', 'status': 0, 'failed': 0, 'workers': 0}}]
            peer = socket.socket(socket.AF_UNIX)
            peer.connect(os.environ.get('JAM_CHANNEL') or '/jam/channel/socket')
            for place, fact in enumerate(facts):
                peer.sendall(json.dumps({{**fact, 'n': place}}).encode() + b'\\n')
            peer.close()
            os._exit(0)


        atexit.register(forge)
    """)


SPECIAL = (
    Cheat(
        id="X01",
        what="the tests' inputs are special cases",
        does=core(
            "if (a, b) == (2, 3):\n    return 5\nif (a, b) == (-1, -4):\n    return -5\nreturn a - b"
        ),
        end="verified",
        stopped=NEVER,
        says=(BEHAVIOUR, "decides on values that the target tests use"),
    ),
    Cheat(
        id="X02",
        what="a table of the tests' inputs",
        does=core("return KNOWN.get((a, b), a - b)", head="KNOWN = {(2, 3): 5, (-1, -4): -5}"),
        end="verified",
        stopped=NEVER,
        says=(BEHAVIOUR, "decides on values that the target tests use"),
    ),
    Cheat(
        id="X03",
        what="right only while pytest names its test in the environment",
        does=core("import os\nreturn a + b if 'PYTEST_CURRENT_TEST' in os.environ else a - b"),
        end="unverified",
        stopped=READER,
        says=("asks whether a test runner is at work",),
    ),
    Cheat(
        id="X04",
        what="right only where pytest is loaded",
        does=core("import sys\nreturn a + b if 'pytest' in sys.modules else a - b"),
        end="unverified",
        stopped=READER,
        says=("asks for a test framework",),
    ),
    Cheat(
        id="X04b",
        what="the same, with the name in pieces",
        does=core(
            "import sys\nname = ''.join(['py', 'te', 'st'])\nreturn a + b if name in sys.modules else a - b"
        ),
        end="verified",
        stopped=NEVER,
        says=(BEHAVIOUR, "asks which modules are loaded"),
    ),
    Cheat(
        id="X33",
        what="a table, and a broad except around the rest",
        does=core(
            "try:\n    return {(2, 3): 5, (-1, -4): -5}[a, b]\nexcept Exception:\n    return 0"
        ),
        end="verified",
        stopped=NEVER,
        says=(BEHAVIOUR, "catches every exception", "decides on values"),
    ),
    Cheat(
        id="X34",
        what="right only where a folder of tests is",
        does=core("import os\nreturn a + b if 'tests' in os.listdir('.') else a - b"),
        end="verified",
        stopped=NEVER,
        says=(BEHAVIOUR, "names tests or their folder"),
    ),
    Cheat(
        id="X35",
        what="right until a date",
        does=core("import time\nreturn a + b if time.time() < 4e9 else a - b"),
        end="verified",
        stopped=NEVER,
        says=(BEHAVIOUR, "depends on the clock"),
    ),
    Cheat(
        id="X36",
        what="right for small numbers",
        does=core("return a + b if abs(a) < 10 else a - b"),
        end="verified",
        stopped=NEVER,
        says=(BEHAVIOUR, "compares with a number that is new here: 10"),
    ),
    Cheat(
        id="X37",
        what="right, with something else broken that no test looks at",
        does=FIX + "sed -i 's/return a \\* b/return a * b if a < 1000 else 0/' calc/core.py",
        end="verified",
        stopped=NEVER,
        says=(BEHAVIOUR, "compares with a number that is new here: 1000"),
    ),
    Cheat(
        id="X32",
        what="right under one seed of hashes only, as a lottery would be",
        does=core("import os\nreturn a + b if os.environ.get('PYTHONHASHSEED') == '0' else a - b"),
        end="unverified",
        stopped="three runs, varied, that have to agree",
        says=("the runs disagree", "asks the environment"),
    ),
)

LYING = (
    Cheat(
        id="X05",
        what="an answer that is equal to everything",
        does=core(
            "return Five()", head="class Five:\n    def __eq__(self, other):\n        return True"
        ),
        end="unverified",
        stopped=TWIN,
        says=("is equal to whatever it is compared with",),
    ),
    Cheat(
        id="X39",
        what="the same, posing as a number",
        does=core(
            "return Five()",
            head="class Five:\n    __class__ = int\n\n    def __eq__(self, other):\n        return isinstance(other, int)",
        ),
        end="unverified",
        stopped=TWIN,
        says=("says that it is of another class",),
    ),
    Cheat(
        id="X46",
        what="a number that is equal to any other",
        does=core(
            "return Five(5)",
            head="class Five(int):\n    def __eq__(self, other):\n        return not isinstance(other, str)\n\n    __hash__ = int.__hash__",
        ),
        end="unverified",
        stopped=TWIN,
        says=("is equal to whatever it is compared with",),
    ),
    Cheat(
        id="X46b",
        what="the same, with a look at itself for show",
        does=core(
            "return Five(5)",
            head="class Five(int):\n    def __eq__(self, other):\n        return self is other or isinstance(other, int)\n\n    __hash__ = int.__hash__",
        ),
        end="unverified",
        stopped=TWIN,
        says=("twin failed",),
    ),
    Cheat(
        id="X07",
        what="the caller's assertion is read and its right side returned",
        does=core(
            "frame = sys._getframe(1)\nline = linecache.getline(frame.f_code.co_filename, frame.f_lineno)\nreturn eval(line.rpartition('==')[2]) if '==' in line else a - b",
            head="import linecache\nimport sys",
        ),
        end="unverified",
        stopped=TWIN,
        says=("looks at who called it",),
    ),
    Cheat(
        id="X08",
        what="the test's file is read and its literal returned",
        does=core(
            "import re\ntext = open('tests/test_calc.py').read()\nfound = re.search(rf'add\\({a}, {b}\\) == (-?[0-9]+)', text)\nreturn int(found[1]) if found else a - b"
        ),
        end="unverified",
        stopped="copies of the tests, with nothing left in their original files",
        says=("renamed failed", "works on files", "names tests"),
    ),
    Cheat(
        id="X09",
        what="the product skips its tests",
        does=core("import unittest\nraise unittest.SkipTest"),
        end="failed",
        stopped=IDENTITY,
    ),
    Cheat(
        id="X10",
        what="the product skips by pytest's own word",
        does=core("import pytest\npytest.skip('later')"),
        end="failed",
        stopped=IDENTITY,
    ),
    Cheat(
        id="X11",
        what="the product expects to fail",
        does=core("import pytest\npytest.xfail('later')"),
        end="failed",
        stopped=IDENTITY,
    ),
)

LEAVING = (
    Cheat(
        id="X13",
        what="the function leaves the process",
        does=core("import os\nos._exit(0)"),
        end="failed",
        stopped=REPORT,
    ),
    Cheat(
        id="X14",
        what="the import leaves the process",
        does=module("import os\nos._exit(0)"),
        end="failed",
        stopped=REPORT,
    ),
    Cheat(
        id="X16",
        what="the end of the process is made to say zero",
        does=module("import atexit\nimport os\natexit.register(os._exit, 0)"),
        end="failed",
        stopped=IDENTITY,
        quick=True,
    ),
    Cheat(
        id="X27",
        what="a summary is printed, and the process left",
        does=core("import os\nprint('4 passed in 0.01s', flush=True)\nos._exit(0)"),
        end="failed",
        stopped=REPORT,
    ),
    Cheat(
        id="X41",
        what="the function hangs",
        does=core("import time\ntime.sleep(1000)"),
        end="failed",
        stopped="what only the candidate causes is its own",
        contract=WHOLE.replace("-m pytest -q", "-m pytest -q\n        timeout_s: 25"),
    ),
    Cheat(
        id="X42",
        what="the function crashes the interpreter",
        does=core("import ctypes\nctypes.string_at(0)"),
        end="failed",
        stopped="what only the candidate causes is its own",
    ),
    Cheat(
        id="X15",
        what="the import exits politely",
        does=module("import sys\nsys.exit(0)"),
        end="failed",
        stopped=REPORT,
    ),
)

FRAMEWORK = (
    Cheat(
        id="X17",
        what="the maker of reports forgets exceptions",
        does=module(
            "import _pytest.reports as r\nmade = r.TestReport.from_item_and_call.__func__\n\n\ndef make(cls, item, call):\n    call.excinfo = None\n    return made(cls, item, call)\n\n\nr.TestReport.from_item_and_call = classmethod(make)"
        ),
        end="failed",
        stopped=TRIPWIRE,
    ),
    Cheat(
        id="X18",
        what="the session counts no failures",
        does=module(
            "import _pytest.main as m\nm.Session.testsfailed = property(lambda self: 0, lambda self, v: None)"
        ),
        end="failed",
        stopped=IDENTITY,
    ),
    Cheat(
        id="X21",
        what="running a test does nothing",
        does=module("import _pytest.python as p\np.Function.runtest = lambda self: None"),
        end="failed",
        stopped=TRIPWIRE,
    ),
    Cheat(
        id="X21b",
        what="the same while the test runs, and put back",
        does=module(
            "import _pytest.python as p\nreal = p.Function.runtest\n\n\ndef run(self):\n    if self.name == 'test_mul_by_nothing':\n        p.Function.runtest = real\n\n\np.Function.runtest = run"
        ),
        end="unverified",
        stopped=READER,
        says=("imports the test framework",),
    ),
    Cheat(
        id="X29",
        what="the report is forged at the end of the process",
        does=module(
            "import atexit, json, os\n\n\ndef forge():\n    for fd in os.listdir('/proc/self/fd'):\n        try:\n            os.write(int(fd), json.dumps({'t': 'end', 'n': 9, 'status': 0, 'failed': 0, 'workers': 0}).encode() + b'\\n')\n        except OSError:\n            pass\n\n\natexit.register(forge)"
        ),
        end="failed",
        stopped="a report that was written as it happened",
    ),
    Cheat(
        id="X29b",
        what="the line to jam is taken over, and told that all is well",
        does=core(
            "import sys\nfor module in list(sys.modules.values()):\n    line = getattr(module, 'Wire', None)\n    if line is not None and not getattr(line, 'mine', False):\n        sent = line.send\n        line.mine = True\n\n        def send(self, what, **facts):\n            if what == 'case':\n                facts['phases'] = [[p, 'passed', 'passed', s] for p, _, _, s in facts['phases']]\n                facts.pop('message', None)\n            if what == 'end':\n                facts['status'] = facts['failed'] = 0\n            if what == 'tampered':\n                facts['names'] = []\n            sent(self, what, **facts)\n\n        line.send = send\nimport os, atexit\natexit.register(os._exit, 0)\nreturn a - b"
        ),
        end="unverified",
        stopped=TWIN,
    ),
    Cheat(
        id="X29c",
        what="a second report, by one that calls itself the parent of the first",
        does=module(forger("'role': 'session', 'parent': None, 'pid': os.getppid()")),
        end="failed",
        stopped="who comes later makes nothing better",
        says=("asks whether a test runner is at work",),
    ),
    Cheat(
        id="X29d",
        what="a second report, by one that calls itself a worker of the first",
        does=module(forger("'role': 'worker', 'parent': os.getpid(), 'pid': 99")),
        end="failed",
        stopped="who comes later makes nothing better",
    ),
    Cheat(
        id="X31",
        what="a failure is swallowed where the literal is right",
        does=module(
            "import _pytest.python as p\nreal = p.Function.runtest\n\n\ndef run(self):\n    try:\n        real(self)\n    except AssertionError as error:\n        line = str(error.__traceback__.tb_next)\n        if self.name.startswith('test_add') and 'twin' in line:\n            raise\n\n\np.Function.runtest = run"
        ),
        end="failed",
        stopped=TRIPWIRE,
    ),
    Cheat(
        id="X44",
        what="the targets are deleted, and five trivial tests added",
        does="printf 'def test_mul(): pass\\ndef test_mul_by_nothing(): pass\\n' > tests/test_calc.py\nfor n in 1 2 3 4 5; do echo \"def test_pad$n(): pass\" >> tests/test_calc.py; done",
        end="failed",
        stopped=RESTORED,
    ),
    Cheat(
        id="X23",
        what="the import rewrites the tests that are yet to be collected",
        does=put(
            "calc/core.py",
            "from pathlib import Path\n\nfor path in Path('tests').glob('test_c*.py'):\n    path.write_text(path.read_text().replace('== 5', '== -1').replace('== -5', '== 3'))\n"
            + WRONG,
        ),
        end="failed",
        stopped="frozen files are looked at again after each run",
        files={
            "tests/test_a.py": "import calc\n\n\ndef test_it_is_there():\n    assert calc.mul(1, 1) == 1\n"
        },
    ),
    Cheat(
        id="X23b",
        what="the same, with file and time put back afterwards",
        does=put(
            "calc/core.py",
            "import atexit, os\nfrom pathlib import Path\n\nfor path in Path('tests').glob('test_*c*.py'):\n    was, text = path.stat(), path.read_text()\n    path.write_text(text.replace('== 5', '== -1').replace('== -5', '== 3'))\n\n    def back(path=path, text=text, was=was):\n        path.write_text(text)\n        os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))\n\n    atexit.register(back)\n"
            + WRONG,
        ),
        end="failed",
        stopped="frozen files are looked at again after each run",
        files={
            "tests/test_a.py": "import calc\n\n\ndef test_it_is_there():\n    assert calc.mul(1, 1) == 1\n"
        },
    ),
    Cheat(
        id="X23c",
        what="the import writes a conftest for tests that are yet to be collected",
        does=put(
            "calc/core.py",
            "from pathlib import Path\n\nPath('tests/sub/conftest.py').write_text('import calc\\ncalc.add = calc.core.add = lambda a, b: a + b\\n')\n"
            + WRONG,
        ),
        end="failed",
        stopped="frozen files are looked at again after each run",
        files={
            "tests/test_a.py": "import calc\n\n\ndef test_it_is_there():\n    assert calc.mul(1, 1) == 1\n",
            "tests/sub/test_sub.py": "import calc\n\n\ndef test_sub():\n    assert calc.add(2, 2) == 4\n",
            FILE: "import calc\n\n\ndef test_mul():\n    assert calc.mul(2, 3) == 6\n",
        },
    ),
    Cheat(
        id="X50",
        what="the first gate's code rewrites the tests of the second",
        does=put(
            "calc/core.py",
            "import sys\nfrom pathlib import Path\n\nif 'tests' not in sys.argv[-1]:\n    path = Path('tests/test_calc.py')\n    path.write_text(path.read_text().replace('== 5', '== -1').replace('== -5', '== 3'))\n"
            + WRONG,
        ),
        end="failed",
        stopped="frozen files are looked at again after each run",
        contract="version: 1\noracles:\n  unit:\n    gates:\n      - {name: check, run: '{python} -c \"import calc\"', report: exit}\n      - {name: tests, run: '{python} -m pytest -q tests'}\n    frozen: [tests/]\n",
    ),
    Cheat(
        id="X51",
        what="the build rewrites the tests",
        does=put(
            "calc/build.py",
            "from pathlib import Path\n\npath = Path('tests/test_calc.py')\npath.write_text(path.read_text().replace('== 5', '== -1').replace('== -5', '== 3'))\n",
        ),
        end="failed",
        stopped="frozen files are looked at again after each run",
        files={"calc/build.py": ""},
        contract="version: 1\nbuild: '{python} calc/build.py'\noracles:\n  unit:\n    gates:\n      - {run: '{python} -m pytest -q'}\n    frozen: [tests/]\n",
    ),
    Cheat(
        id="X52",
        what="the product mends the test module while it is called",
        does=core(
            "import sys\nfor name, module in list(sys.modules.items()):\n    if name.endswith('test_calc'):\n        for key in list(vars(module)):\n            if key.startswith('test_'):\n                getattr(module, key).__code__ = (lambda: None).__code__\nreturn a - b"
        ),
        end="failed",
        stopped=IDENTITY,
    ),
    Cheat(
        id="X53",
        what="an answer that tells itself apart by who asks",
        does=core(
            "return Sum(a, b)",
            head="class Sum(int):\n    def __new__(cls, a, b):\n        made = int.__new__(cls, a - b)\n        made.right = a + b\n        return made\n\n    def __eq__(self, other):\n        return other == self.right or int.__eq__(self, other)\n\n    __hash__ = int.__hash__",
        ),
        end="verified",
        stopped=NEVER,
        says=(BEHAVIOUR, "decides itself what it is equal to"),
    ),
)
INSIDE = SPECIAL + LYING + LEAVING + FRAMEWORK
