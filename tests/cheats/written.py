"""Cheats on reports that the tested code can write: JUnit's files, and what is printed."""

# ruff: noqa: E501  # one line of shell is one line here

from __future__ import annotations

from tests.cheats.case import Cheat, Family, put, text
from tests.cheats.with_pytest import CORE, FIX, PYTEST

RENAMED = "the targets under other names are not told to pass"
CANARY = "tests that always fail, laid beside, are not told to fail"
DOUBT = "a report that tested code can write is believed only where checks told"

JUNIT = Family(
    name="junit (pytest)",
    files=dict(PYTEST.files),
    contract=text("""
        version: 1
        oracles:
          unit:
            gates:
              - run: {python} -m pytest -q --junitxml=report.xml
                report: junit
                report_file: report.xml
            frozen: [tests/]
    """),
    fix=FIX,
)

#: At the end of the process, after pytest has written the file. ``{body}`` has its text.
LATE = """
import atexit, os, re

KNOWN = ('test_add', 'test_add_negative')


def forge():
    path = 'report.xml'
    if not os.path.exists(path):
        return
    text = open(path).read()
    {body}
    open(path, 'w').write(text)


{armed}
"""
FLIP_ALL = "text = re.sub(r'<failure.*?</failure>', '', text, flags=re.S)\n    text = re.sub(r'failures=\"[0-9]+\"', 'failures=\"0\"', text)"
FLIP_KNOWN = "text = re.sub(r'(name=\"(?:test_add|test_add_negative)\" time=\"[0-9.]+\">)<failure.*?</failure>', r'\\1', text, flags=re.S)\n    text = text if '<failure' in text else re.sub(r'failures=\"[0-9]+\"', 'failures=\"0\"', text)"


def late(body: str, armed: str = "atexit.register(forge)", add: str = "return a - b") -> str:
    head = LATE.replace("{body}", body).replace("{armed}", armed)
    rest = f"\n\ndef add(a, b):\n    {add}\n\n\ndef mul(a, b):\n    return a * b\n"
    return put("calc/core.py", QUIT_FIRST + head.lstrip("\n") + rest)


#: Registered first, so that it runs last: whatever failed, the process ends well.
QUIT_FIRST = (
    "import atexit\nimport os\n\natexit.register(lambda: getattr(os, ''.join(['_ex', 'it']))(0))\n"
)

JUNITS = (
    Cheat(
        id="W01",
        what="at the end of the process every failure is taken out of the file",
        does=late(FLIP_ALL),
        end="unverified",
        stopped=CANARY,
        says=("acts when the process ends",),
        quick=True,
    ),
    Cheat(
        id="W02",
        what="the same, with only the names of the targets",
        does=late(FLIP_KNOWN),
        end="unverified",
        stopped=RENAMED,
    ),
    Cheat(
        id="W03",
        what="the same, by a function that the product's own calls arm, so that what breaks it disarms it",
        does=late(FLIP_KNOWN, armed="", add="atexit.register(forge)\n    return a - b"),
        end="unverified",
        stopped=RENAMED,
    ),
    Cheat(
        id="W04",
        what="a process of its own rewrites the file once the tests are over",
        does=put(
            "calc/core.py",
            text(
                """
                import os
                import re
                import time

                if not os.fork():
                    os.setsid()
                    for _ in range(2000):
                        time.sleep(0.005)
                        if os.path.exists('report.xml'):
                            text = open('report.xml').read()
                            if '</testsuites>' in text:
                                text = re.sub(r'<failure.*?</failure>', '', text, flags=re.S)
                                open('report.xml', 'w').write(re.sub(r'failures="[0-9]+"', 'failures="0"', text))
                                break
                    os.kill(os.getpid(), 9)


                def add(a, b):
                    return a - b


                def mul(a, b):
                    return a * b
                """
            ),
        ),
        end="failed",
        stopped="report and exit code must agree, and nothing outlives the command",
    ),
    Cheat(
        id="W05",
        what="the file is written whole before pytest begins to write, and the process left",
        does=put(
            "calc/core.py",
            text(
                """
                import os

                CASES = ''.join(f'<testcase classname="tests.test_calc" name="test_{n}" time="0.1"/>' for n in ('add', 'add_negative', 'mul', 'mul_by_nothing'))
                open('report.xml', 'w').write(f'<testsuites><testsuite name="pytest" tests="4">{CASES}</testsuite></testsuites>')
                getattr(os, ''.join(['_ex', 'it']))(0)


                def add(a, b):
                    return a - b


                def mul(a, b):
                    return a * b
                """
            ),
        ),
        end="unverified",
        stopped=CANARY,
    ),
    Cheat(
        id="W06",
        what="the report is a file of the change itself",
        does=put(
            "report.xml",
            '<testsuites><testsuite name="pytest">'
            + "".join(
                f'<testcase classname="tests.test_calc" name="test_{n}"/>'
                for n in ("add", "add_negative", "mul", "mul_by_nothing")
            )
            + "</testsuite></testsuites>",
        ),
        end="failed",
        stopped="a report of before the run is taken away",
    ),
)

UNKNOWN = Family(
    name="junit (a runner of one's own)",
    files={
        "calc.py": CORE,
        "check.py": text("""
            from calc import add, mul

            CASES = {"adds": add(2, 3) == 5, "multiplies": mul(2, 3) == 6}
            rows = [f'<testcase name="{n}">{"" if ok else "<failure/>"}</testcase>' for n, ok in CASES.items()]
            with open("report.xml", "w") as file:
                file.write(f"<testsuite>{''.join(rows)}</testsuite>")
            raise SystemExit(not all(CASES.values()))
        """),
    },
    contract=text("""
        version: 1
        publish: {accept: L2}
        oracles:
          unit:
            gates:
              - run: "{python} check.py"
                report: junit
                report_file: report.xml
            frozen: [check.py]
    """),
    fix="sed -i 's/return a - b/return a + b/' calc.py\n",
)
UNKNOWNS = (
    Cheat(
        id="W10",
        what="an honest change, where no check can tell who wrote the report",
        does=UNKNOWN.fix,
        end="unverified",
        stopped=DOUBT,
        says=("is written where the tested code can write", "L2 at most"),
        contract=UNKNOWN.contract.replace("publish: {accept: L2}\n", ""),
    ),
    Cheat(
        id="W11",
        what="the import writes the report, and leaves",
        does=put(
            "calc.py",
            "import os\n\nopen('report.xml', 'w').write('<testsuite><testcase name=\"adds\"/><testcase name=\"multiplies\"/></testsuite>')\ngetattr(os, ''.join(['_ex', 'it']))(0)\n"
            + CORE,
        ),
        end="unverified",
        stopped="a change that cannot be loaded any more, and tests told to pass all the same",
        says=("the targets pass although the change cannot be loaded",),
    ),
)
