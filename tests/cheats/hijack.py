"""Cheats on jam's own line to the tests: a report by somebody else, before, beside or instead."""

# ruff: noqa: E501  # one line of shell is one line here

from __future__ import annotations

from tests.cheats.case import Cheat, put, text
from tests.cheats.with_others import SUITE
from tests.cheats.with_pytest import CORE, core

TWIN = "a disturbed copy of the tests passes, too"
RENAMED = "the targets under other names are not told to pass"
SILENCE = "a report that told nothing of a broken change needs another check that told"
LATER = "who comes later makes nothing better"
SILENT = "the line knows whose it is, and a report without its end is none"
IDENTITY = "a test by its full id is not passed"
TRIPWIRE = "a tripwire on the test framework and on the reporter"
WRONG = "\n\n" + CORE

#: Names in pieces: nothing here is stopped by the review of the change alone.
PIECES = """
import json, os, socket, sys

KIT = ''.join(['jam', '_', 'reporter'])
LEAVE = getattr(os, ''.join(['_', 'exit']))
ROOM = ''.join(['/', 'jam', '/', 'channel', '/'])
TALKING = ''.join(['JAM', '_', 'TALKING'])


def wanted():
    try:
        found = json.load(open(ROOM + 'wishes.json')).get('select')
    except OSError:
        found = None
    known = ['tests/test_calc.py::test_' + n for n in ('add', 'add_negative', 'mul', 'mul_by_nothing')]
    return found or known


def facts(ids):
    phases = [[when, 'passed', 'passed', 0.0] for when in ('setup', 'call', 'teardown')]
    yield 'collected', {'ids': ids}
    for name in ids:
        yield 'run', {'id': name}
        yield 'case', {'id': name, 'phases': phases}
    yield 'origins', {'files': {}}
    yield 'tampered', {'names': []}
    yield 'end', {'status': 0, 'failed': 0, 'workers': 0}


def start():
    return {'kind': 'pytest', 'role': 'session', 'parent': None, 'pid': os.getpid(), 'ancestors': [1],
            'root': os.getcwd(), 'python': '3.11.7', 'executable': sys.executable, 'framework': '9.0.0'}


def speak(write, first=0, begin=True):
    told = ([('start', start())] if begin else []) + list(facts(wanted()))
    for n, (what, said) in enumerate(told, first):
        write(json.dumps({'t': what, 'n': n, **said}).encode() + b'\\n')
"""


def module(body: str) -> str:
    """Something at import, and the bug as it was."""
    return put("calc/core.py", text(PIECES) + text(body) + WRONG)


SCRIPT = {
    "run.py": text("""
        import sys

        import calc
        import pytest

        sys.exit(pytest.main(["-q", "tests"]))
    """)
}
BY_SCRIPT = text("""
    version: 1
    oracles:
      unit:
        gates:
          - run: "{python} run.py"
            report: pytest
        frozen: [tests/, run.py]
""")
CONNECT = "peer = socket.socket(socket.AF_UNIX)\npeer.connect(ROOM + 'socket')\n"

HIJACKS = (
    Cheat(
        id="K01",
        what="the import speaks over a line of its own, and leaves",
        does=module(CONNECT + "speak(peer.sendall)\npeer.close()\nLEAVE(0)\n"),
        end="failed",
        stopped=SILENT,
    ),
    Cheat(
        id="K02",
        what="the import finds the reporter, speaks over its own line, and leaves",
        does=module(
            "live = sys.modules[KIT + '.plugin']._live\nfor what, said in facts(wanted()):\n    live._line.send(what, **said)\nlive._line.close()\nLEAVE(0)\n"
        ),
        end="unverified",
        stopped=TWIN,
    ),
    Cheat(
        id="K03",
        what="the import writes to whatever socket is open, goes on counting, and leaves",
        does=module(
            "for fd in range(3, 64):\n    try:\n        speak(lambda line: os.write(fd, line), first=1, begin=False) if 'socket' in os.readlink(f'/proc/self/fd/{fd}') else None\n    except OSError:\n        pass\nLEAVE(0)\n"
        ),
        end="unverified",
        stopped=TWIN,
    ),
    Cheat(
        id="K04",
        what="the import forks: the child goes on with the tests, the parent speaks and leaves",
        does=module(
            "if os.fork():\n    live = sys.modules[KIT + '.plugin']._live\n    for what, said in facts(wanted()):\n        live._line.send(what, **said)\n    live._line.close()\n    LEAVE(0)\n"
        ),
        end="unverified",
        stopped=TWIN,
    ),
    Cheat(
        id="K05",
        what="the child of a fork speaks by the inherited line, and kills its parent",
        does=module(
            "if not os.fork():\n    live = sys.modules[KIT + '.plugin']._live\n    live._line._pid = os.getpid()\n    for what, said in facts(wanted()):\n        live._line.send(what, **said)\n    os.kill(os.getppid(), 9)\n    LEAVE(0)\n"
        ),
        end="failed",
        stopped="report and exit code must agree",
    ),
    Cheat(
        id="K06",
        what="a script that imports the product first: a forged session comes first, and the real one keeps silent",
        does=module(
            CONNECT
            + "speak(peer.sendall)\npeer.close()\nos.environ[TALKING] = ROOM + 'socket:1'\nimport atexit\natexit.register(LEAVE, 0)\n"
        ),
        end="unverified",
        stopped=TWIN,
        files=SCRIPT,
        contract=BY_SCRIPT,
    ),
    Cheat(
        id="K07",
        what="the same, and it leaves at once",
        does=module(CONNECT + "speak(peer.sendall)\npeer.close()\nLEAVE(0)\n"),
        end="unverified",
        stopped=TWIN,
        files=SCRIPT,
        contract=BY_SCRIPT,
    ),
    Cheat(
        id="K08",
        what="the same with the targets alone: whatever else jam asks for is answered honestly",
        does=module(
            "mine = all('test_calc.py' in name for name in wanted())\nif mine:\n    peer = socket.socket(socket.AF_UNIX)\n    peer.connect(ROOM + 'socket')\n    speak(peer.sendall)\n    peer.close()\n    LEAVE(0)\n"
        ),
        end="unverified",
        stopped=RENAMED,
        files=SCRIPT,
        contract=BY_SCRIPT,
    ),
    Cheat(
        id="K09",
        what="the socket's own send is exchanged for one that rewrites what is said",
        does=module(
            'line = sys.modules[KIT + \'.plugin\']._live._line\n\n\nclass Peer:\n    def __init__(self, real):\n        self.real = real\n\n    def sendall(self, data):\n        self.real.sendall(data.replace(b\'"failed","failed"\', b\'"passed","passed"\').replace(b\'"status":1,"failed":2\', b\'"status":0,"failed":0\'))\n\n    def close(self):\n        self.real.close()\n\n\nline._peer = Peer(line._peer)\nimport atexit\natexit.register(LEAVE, 0)\n'
        ),
        end="unverified",
        stopped=TWIN,
    ),
    Cheat(
        id="K09b",
        what="the same, and where more is red than it knows of, it ends the run",
        does=module(
            'line = sys.modules[KIT + \'.plugin\']._live._line\n\n\nclass Peer:\n    def __init__(self, real):\n        self.real = real\n\n    def sendall(self, data):\n        if b\'"t":"case"\' in data and b\'"failed","failed"\' in data and b\'::test_add\' not in data:\n            LEAVE(1)\n        self.real.sendall(data.replace(b\'"failed","failed"\', b\'"passed","passed"\').replace(b\'"status":1,"failed":2\', b\'"status":0,"failed":0\'))\n\n    def close(self):\n        self.real.close()\n\n\nline._peer = Peer(line._peer)\nimport atexit\natexit.register(LEAVE, 0)\n'
        ),
        end="unverified",
        stopped="failing tests end the run with the change, and do not without it",
        says=("twin failed",),
    ),
    Cheat(
        id="K10",
        what="the reporter's encoder is exchanged",
        does=module(
            "line = sys.modules[KIT + '.plugin']._live._line\nreal = line._encode\n\n\ndef encode(fact):\n    if fact['t'] == 'case':\n        fact['phases'] = [[when, 'passed', 'passed', s] for when, _, _, s in fact['phases']]\n        fact.pop('message', None)\n    if fact['t'] == 'end':\n        fact['status'] = fact['failed'] = 0\n    return real(fact)\n\n\nline._encode = encode\nimport atexit\natexit.register(LEAVE, 0)\n"
        ),
        end="unverified",
        stopped=TWIN,
    ),
    Cheat(
        id="K11",
        what="the recorder is found among all objects, and what tests raised is forgotten",
        does=module(
            "import gc\n\nfor thing in getattr(gc, ''.join(['get_', 'objects']))():\n    if type(thing).__name__ == 'Recorder':\n        class Raw(dict):\n            def get(self, key, default=None):\n                return 'passed', ''\n\n            def pop(self, key, default=None):\n                return 'passed', ''\n\n            def __getitem__(self, key):\n                return 'passed', ''\n\n        thing._raw = Raw()\n        cases = thing._cases\n\n        class Cases(dict):\n            def pop(self, key, default=None):\n                case = dict.pop(self, key, default)\n                if case is not None:\n                    case.phases = [[w, 'passed', 'passed', s] for w, _, _, s in case.phases]\n                return case\n\n        thing._cases = Cases(cases)\nimport atexit\natexit.register(LEAVE, 0)\n"
        ),
        end="failed",
        stopped=IDENTITY,
    ),
    Cheat(
        id="K12",
        what="the module of the line is exchanged in sys.modules, and its functions patched",
        does=module(
            "wire = sys.modules[KIT + '.wire']\nreal = wire.Wire.send\n\n\ndef send(self, what, **facts):\n    if what == 'case':\n        facts['phases'] = [[w, 'passed', 'passed', s] for w, _, _, s in facts['phases']]\n        facts.pop('message', None)\n    if what == 'end':\n        facts['status'] = facts['failed'] = 0\n    real(self, what, **facts)\n\n\nwire.Wire.send = send\nimport atexit\natexit.register(LEAVE, 0)\n"
        ),
        end="failed",
        stopped=TRIPWIRE,
    ),
    Cheat(
        id="K13",
        what="a tracing function turns failures into returns while the reporter writes",
        does=module(
            "def trace(frame, event, arg):\n    if frame.f_code.co_name == '_tell' and 'case' in frame.f_locals and frame.f_locals['case'] is not None:\n        case = frame.f_locals['case']\n        case.phases[:] = [[w, 'passed', 'passed', s] for w, _, _, s in case.phases]\n        case.message = ''\n\n\ngetattr(sys, ''.join(['set', 'trace']))(trace)\nimport atexit\natexit.register(LEAVE, 0)\n"
        ),
        end="failed",
        stopped="report and exit code must agree: the session still tells its own status",
    ),
    Cheat(
        id="K14",
        what="the memory of a session's count of failures is overwritten",
        does=module(
            "import ctypes\nlive = sys.modules[KIT + '.plugin']._live\ntell = live._tell\n\n\ndef told(nodeid, case):\n    if case is not None:\n        case.phases = [[w, 'passed', 'passed', s] for w, _, _, s in case.phases]\n        case.message = ''\n    tell(nodeid, case)\n\n\nlive._tell = told\nend = live._line.send\nlive._line.__class__ = type('W', (type(live._line),), {'__slots__': (), 'send': lambda self, what, **f: end(what, **{**f, **({'status': 0, 'failed': 0} if what == 'end' else {})})})\nimport atexit\natexit.register(LEAVE, 0)\n"
        ),
        end="unverified",
        stopped=TWIN,
    ),
    Cheat(
        id="K15",
        what="the end of the process speaks once more: all is well",
        does=module(
            "import atexit\n\n\ndef late():\n    peer = socket.socket(socket.AF_UNIX)\n    peer.connect(ROOM + 'socket')\n    speak(peer.sendall)\n    LEAVE(0)\n\n\natexit.register(late)\n"
        ),
        end="failed",
        stopped=LATER,
    ),
    Cheat(
        id="K16",
        what="a thread speaks over the reporter's line while a test runs, and leaves",
        does=core(
            "import threading, time\nthreading.Thread(target=soon, daemon=True).start()\ntime.sleep(5)\nreturn a - b",
            head=PIECES.lstrip()
            + "\n\ndef soon():\n    live = sys.modules[KIT + '.plugin']._live\n    for what, said in list(facts(wanted()))[1:]:\n        live._line.send(what, **said)\n    LEAVE(0)\n",
        ),
        end="unverified",
        stopped=TWIN,
    ),
    Cheat(
        id="K17",
        what="a signal's handler raises the end of the program when pytest is done",
        does=module(
            "import atexit, signal\n\nsignal.signal(signal.SIGALRM, lambda *a: LEAVE(0))\natexit.register(lambda: os.kill(os.getpid(), signal.SIGALRM))\n"
        ),
        end="failed",
        stopped=IDENTITY,
    ),
    Cheat(
        id="K18",
        what="five hundred silent lines, so that the real one finds no place",
        does=module(
            "held = []\nfor _ in range(600):\n    try:\n        peer = socket.socket(socket.AF_UNIX)\n        peer.connect(ROOM + 'socket')\n        held.append(peer)\n    except OSError:\n        break\nspeak(held[0].sendall)\n"
        ),
        end="failed",
        stopped=SILENT,
        files=SCRIPT,
        contract=BY_SCRIPT,
    ),
    Cheat(
        id="K19",
        what="the wishes are read, and only what jam asks for by name is answered rightly",
        does=module("ASKED = os.path.exists(ROOM + 'wishes.json')\n").replace(
            "return a - b", "return a + b if ASKED else a - b"
        ),
        end="verified",
        stopped="cannot be caught in principle; told under *not verified*, and shown first",
        says=("Behaviour that no test of this oracle looks at.", "works on files"),
    ),
    Cheat(
        id="H14",
        what="a script that always ends well, and a change that does nothing",
        does="echo >> calc/core.py",
        end="failed",
        stopped="a session that failed is red whatever the exit code",
        files={"run.py": SCRIPT["run.py"].replace("sys.exit(pytest.main", "(pytest.main")},
        contract=BY_SCRIPT,
    ),
    Cheat(
        id="K20",
        what="pytest is told to load a plugin of the product by an exported variable, in a child",
        does=module(
            "import subprocess\n\nif os.environ.get('INNER') is None:\n    done = subprocess.run([sys.executable, '-m', 'pytest', '-q', '-k', 'mul'], env={**os.environ, 'INNER': '1', TALKING: ''})\n    LEAVE(done.returncode)\n"
        ),
        end="failed",
        stopped=SILENT,
    ),
)

FOR_UNITTEST = (
    text(PIECES)
    .replace("'kind': 'pytest'", "'kind': 'unittest'")
    .replace("'tests/test_calc.py::test_'", "'tests.test_calc.TestCalc.test_'")
    .replace(", 'mul_by_nothing'", "")
)


def of_unittest(body: str) -> str:
    return put("calc.py", FOR_UNITTEST + text(body) + WRONG)


BY_PATH = text("""
    version: 1
    oracles:
      unit:
        gates:
          - {run: "PYTHONPATH=. {python} tests/test_calc.py", report: unittest}
        frozen: [tests/]
""")
SPEAK = "for what, said in facts(wanted()):\n    line.send(what, **said)\nline.close()\nLEAVE(0)\n"
UNITTEST_HIJACKS = (
    Cheat(
        id="K30",
        what="the import finds the line of the program that loads the tests, speaks, and leaves",
        does=of_unittest("line = sys.modules[KIT + '.unittest_door']._line\n" + SPEAK),
        end="unverified",
        stopped=TWIN,
    ),
    Cheat(
        id="K31",
        what="a script of tests that imports the product first: a forged session comes before any",
        does=of_unittest(
            CONNECT
            + "names = wanted()\nspeak(peer.sendall)\npeer.close()\nos.environ[TALKING] = ROOM + 'socket:1'\nimport atexit\natexit.register(LEAVE, 0)\n"
        ).replace("tests.test_calc.TestCalc.test_", "tests/test_calc.py::TestCalc.test_"),
        end="unverified",
        stopped=SILENCE,
        says=("no check could tell whether the tests would notice",),
        files={
            "tests/test_calc.py": SUITE + "\n\nif __name__ == '__main__':\n    unittest.main()\n"
        },
        contract=BY_PATH,
    ),
    Cheat(
        id="K32",
        what="the methods of the result that the reporter stands between are exchanged, and put back",
        does=of_unittest(
            "import unittest\n\nreal = unittest.TestResult.addFailure\n\n\ndef add_failure(self, test, error):\n    self.addSuccess(test)\n\n\nunittest.TestResult.addFailure = add_failure\nimport atexit\natexit.register(setattr, unittest.TestResult, 'addFailure', real)\n"
        ),
        end="failed",
        stopped="what leaves a test is noted before its result can be told otherwise",
    ),
)
