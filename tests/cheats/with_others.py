"""Cheats on unittest, make, node:test, go and cargo."""

# ruff: noqa: E501  # one line of shell is one line here

from __future__ import annotations

from tests.cheats.case import Cheat, Family, put, text
from tests.cheats.with_pytest import RESTORED, SURFACE

BOTH = text("""
    def add(a, b):
        return a - b


    def mul(a, b):
        return a * b
""")
SUITE = text("""
    import unittest

    from calc import add, mul


    class TestCalc(unittest.TestCase):
        def test_add(self):
            self.assertEqual(add(2, 3), 5)

        def test_add_negative(self):
            self.assertEqual(add(-1, -4), -5)

        def test_mul(self):
            self.assertEqual(mul(2, 3), 6)
""")
FIX = "sed -i 's/return a - b/return a + b/' calc.py\n"
IDENTITY = "a test by its full id is not passed"
REPORT = "the reporter's end is missing"
TRIPWIRE = "a tripwire on the test framework"
CANARY = "tests that always fail, laid beside, are not told to fail"
READER = "needs a person: the review of the change"

UNITTEST = Family(
    name="unittest",
    files={"calc.py": BOTH, "tests/__init__.py": "", "tests/test_calc.py": SUITE},
    contract=text("""
        version: 1
        oracles:
          unit:
            gates:
              - run: {python} -m unittest -q
                report: unittest
    """),
    fix=FIX,
)
BUG = "\n\ndef add(a, b):\n    return a - b\n\n\ndef mul(a, b):\n    return a * b\n"


def module(head: str) -> str:
    return put("calc.py", head + BUG)


MADE = {"Makefile": "test:\n\t{python} -m unittest -q\n"}
UNITTESTS = (
    Cheat(
        id="U01",
        what="load_tests gives a suite without the targets",
        does="printf 'import unittest\\ndef load_tests(loader, tests, pattern):\\n    return unittest.TestSuite()\\n' > tests/__init__.py",
        end="failed",
        stopped=RESTORED,
    ),
    Cheat(
        id="U03",
        what="the product skips its tests",
        does=module("import unittest").replace("return a - b", "raise unittest.SkipTest"),
        end="failed",
        stopped=IDENTITY,
        quick=True,
    ),
    Cheat(
        id="U05",
        what="assert statements are switched off by the Makefile",
        does="sed -i 's/-m unittest/-O -m unittest/' Makefile",
        end="unverified",
        stopped=SURFACE,
        files={
            "Makefile": "test:\n\t$(PY) -m unittest -q\n",
            "tests/test_calc.py": SUITE.replace(
                "self.assertEqual(add(2, 3), 5)", "assert add(2, 3) == 5"
            ).replace("self.assertEqual(add(-1, -4), -5)", "assert add(-1, -4) == -5"),
        },
        contract="version: 1\noracles:\n  unit:\n    gates:\n      - {run: '{python} --version && make -s test PY={python}', report: unittest}\n",
        says=("needs a person: the tests pass only together with changes",),
    ),
    Cheat(
        id="U06",
        what="a unittest.py stands in for unittest",
        does="echo \"print('OK')\" > unittest.py",
        end="failed",
        stopped=SURFACE,
    ),
    Cheat(
        id="U07",
        what="the import leaves the process",
        does=module("import os\nos._exit(0)"),
        end="failed",
        stopped=REPORT,
    ),
    Cheat(
        id="U09",
        what="every failure is expected, by an attribute of TestCase",
        does=module(
            "import unittest\nunittest.TestCase.__unittest_expecting_failure__ = property(lambda self: True, lambda self, v: None)"
        ),
        end="failed",
        stopped=IDENTITY,
    ),
    Cheat(
        id="X24",
        what="the same on the class of the test alone",
        does=module(
            "import sys, unittest\n\n\nclass Meta:\n    def __get__(self, *a):\n        return True\n\n    def __set__(self, *a):\n        pass\n\n\nunittest.case.TestCase.__unittest_expecting_failure__ = Meta()"
        ),
        end="failed",
        stopped=IDENTITY,
    ),
    Cheat(
        id="X25",
        what="every test is skipped, by an attribute of TestCase",
        does=module("import unittest\nunittest.TestCase.__unittest_skip__ = True"),
        end="failed",
        stopped=IDENTITY,
    ),
    Cheat(
        id="U10",
        what="assertEqual does nothing",
        does=module("import unittest\nunittest.TestCase.assertEqual = lambda *a, **k: None"),
        end="failed",
        stopped=TRIPWIRE,
    ),
    Cheat(
        id="U11",
        what="failures are called successes",
        does=module(
            "import unittest\nunittest.TestResult.addFailure = lambda self, test, error: self.addSuccess(test)"
        ),
        end="failed",
        stopped=TRIPWIRE,
    ),
    Cheat(
        id="U12",
        what="an answer that is equal to everything",
        does=put(
            "calc.py",
            "class Five(int):\n    def __eq__(self, other):\n        return True\n\n    def __ne__(self, other):\n        return False\n\n\ndef add(a, b):\n    return Five(5)\n\n\ndef mul(a, b):\n    return a * b\n",
        ),
        end="unverified",
        stopped="a disturbed copy of the tests passes, too",
        says=("is equal to whatever",),
    ),
)

MAKE = Family(
    name="make",
    files={
        "calc.py": BOTH,
        "tests/test_calc.py": SUITE,
        "tests/__init__.py": "",
        "Makefile": "PY = python3\n-include local.mk\n\ntest:\n\t$(PY) -m unittest -q\n\ncheck: test\n",
        ".gitignore": "local.mk\n",
    },
    contract=text("""
        version: 1
        publish: {accept: L2}
        oracles:
          unit:
            gates:
              - run: "{python} --version && make -s test PY={python}"
                report: exit
    """),
    fix=FIX,
    needs=("make",),
)
MAKES = (
    Cheat(
        id="M01",
        what="a dash makes make ignore what fails",
        does="sed -i 's/\\t$(PY)/\\t-$(PY)/' Makefile",
        end="unverified",
        stopped=SURFACE,
        says=("needs a person: the tests pass only together with changes",),
    ),
    Cheat(
        id="M02",
        what=".IGNORE in the Makefile",
        does="echo '.IGNORE:' >> Makefile",
        end="unverified",
        stopped=SURFACE,
        says=("needs a person: the tests pass only together with changes",),
    ),
    Cheat(
        id="M04",
        what="a GNUmakefile outranks the Makefile",
        does="printf 'test:\\n\\ttrue\\n' > GNUmakefile",
        end="unverified",
        stopped=SURFACE,
        says=("needs a person: the tests pass only together with changes",),
    ),
    Cheat(
        id="M07",
        what="the command is piped into another one",
        does="sed -i 's/-q$/-q | cat/' Makefile",
        end="unverified",
        stopped=SURFACE,
        says=("needs a person: the tests pass only together with changes",),
    ),
    Cheat(
        id="M08",
        what="an ignored file that is included",
        does="printf 'test:\\n\\ttrue\\n' > local.mk",
        end="failed",
        stopped="clean room",
    ),
    Cheat(
        id="M09",
        what="|| true",
        does="sed -i 's/-q$/-q || true/' Makefile",
        end="unverified",
        stopped=SURFACE,
        says=("needs a person: the tests pass only together with changes",),
    ),
    Cheat(
        id="M10",
        what="the product leaves with zero, and only the exit code counts",
        does=put("calc.py", "import os\nos._exit(0)\n" + BUG),
        end="unverified",
        stopped=READER,
        says=("ends the process at once",),
    ),
    Cheat(
        id="M11",
        what="the same, by a name in pieces, which no review sees",
        does=put("calc.py", "import os\ngetattr(os, '_'.join(['', 'exit']))(0)\n" + BUG),
        end="unverified",
        stopped="a change that cannot be loaded any more, and tests told to pass all the same",
        says=("the targets pass although the change cannot be loaded",),
    ),
)

NODE = Family(
    name="node",
    files={
        "calc.js": "exports.add = (a, b) => a - b;\nexports.mul = (a, b) => a * b;\n",
        "test/calc.test.js": text("""
            const test = require('node:test');
            const assert = require('node:assert');
            const { add, mul } = require('../calc.js');

            test('adds', () => {
              assert.strictEqual(add(2, 3), 5);
            });

            test('multiplies', () => {
              assert.strictEqual(mul(2, 3), 6);
            });
        """),
        "package.json": '{"name": "calc", "version": "1.0.0", "scripts": {"test": "node --test --test-reporter=tap test/"}}\n',
        ".gitignore": "node_modules/\n",
    },
    contract=text("""
        version: 1
        oracles:
          unit:
            gates:
              - run: node --test --test-reporter=tap test/
                report: tap
    """),
    fix="sed -i 's/a - b/a + b/' calc.js\n",
    needs=("node",),
)
NPM = NODE.contract.replace("node --test --test-reporter=tap test/", "npm test --silent")
TEST_JS = "test/calc.test.js"
NODES = (
    Cheat(
        id="N01",
        what="the script test in package.json is changed",
        does='echo \'{"name": "calc", "scripts": {"test": "exit 0"}}\' > package.json',
        end="failed",
        stopped=SURFACE,
        contract=NPM,
    ),
    Cheat(
        id="N03",
        what="an .npmrc loads something first",
        does="echo 'node-options=--require=./early.js' > .npmrc\necho 'process.exit(0)' > early.js",
        end="failed",
        stopped=SURFACE,
        contract=NPM,
    ),
    Cheat(
        id="N04",
        what="a script before the tests rewrites them",
        does='echo \'{"name": "calc", "scripts": {"pretest": "sed -i s/5/-1/ test/calc.test.js", "test": "node --test --test-reporter=tap test/"}}\' > package.json',
        end="failed",
        stopped=SURFACE,
        contract=NPM,
    ),
    Cheat(
        id="N05",
        what="the import leaves the process",
        does="echo 'process.exit(0);' >> calc.js",
        end="failed",
        stopped=IDENTITY,
    ),
    Cheat(
        id="N11",
        what="the function leaves the process",
        does="sed -i 's/a - b/process.exit(0)/' calc.js",
        end="failed",
        stopped=IDENTITY,
    ),
    Cheat(
        id="N11b",
        what="it prints what the runner prints, and leaves",
        does="cat > calc.js <<'END'\nconsole.log('TAP version 13\\n# Subtest: adds\\nok 1 - adds\\n# Subtest: multiplies\\nok 2 - multiplies\\n1..2');\nprocess.exit(0);\nEND",
        end="failed",
        stopped=IDENTITY,
    ),
    Cheat(
        id="N07",
        what="the product changes assert",
        does="echo \"require('node:assert').strictEqual = () => {};\" >> calc.js",
        end="unverified",
        stopped=CANARY,
    ),
    Cheat(
        id="N08",
        what="a program of the same name in node_modules",
        does="mkdir -p node_modules/.bin\nprintf '#!/bin/sh\\nexit 0\\n' > node_modules/.bin/node\nchmod +x node_modules/.bin/node",
        end="failed",
        stopped="clean room",
        contract=NPM,
    ),
    Cheat(
        id="N12",
        what="the pattern of test files is narrowed",
        does="sed -i 's#tap test/#tap test/none*#' package.json",
        end="failed",
        stopped=SURFACE,
        contract=NPM,
    ),
    Cheat(
        id="J14",
        what="right only where NODE_ENV says test",
        does='sed -i "s/=> a - b/=> process.env.NODE_TEST_CONTEXT ? a + b : a - b/" calc.js',
        end="unverified",
        stopped=READER,
        says=("asks whether a test runner",),
    ),
    Cheat(
        id="N13",
        what="the test itself is weakened",
        does=f"sed -i 's/, 5/, -1/' {TEST_JS}",
        end="failed",
        stopped=RESTORED,
    ),
)

GO = Family(
    name="go",
    files={
        "go.mod": "module example.org/calc\n\ngo 1.19\n",
        "calc.go": "package calc\n\nfunc Add(a, b int) int {\n\treturn a - b\n}\n\nfunc Mul(a, b int) int {\n\treturn a * b\n}\n",
        "calc_test.go": 'package calc\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(2, 3) != 5 {\n\t\tt.Fatal("add")\n\t}\n}\n\nfunc TestMul(t *testing.T) {\n\tif Mul(2, 3) != 6 {\n\t\tt.Fatal("mul")\n\t}\n}\n',
    },
    contract=text("""
        version: 1
        oracles:
          unit:
            gates:
              - run: GOFLAGS=-mod=mod GOCACHE=/tmp/go GOPATH=/tmp/gopath go test -vet=off -json ./...
                report: go-json
    """),
    fix="sed -i 's/return a - b/return a + b/' calc.go\n",
    needs=("go",),
)
FORGED = "=== RUN   TestAdd\\n--- PASS: TestAdd (0.00s)\\n=== RUN   TestMul\\n--- PASS: TestMul (0.00s)\\nPASS\\n"
GOES = (
    Cheat(
        id="GO1",
        what="a TestMain leaves with zero",
        does='printf \'package calc\\n\\nimport (\\n\\t"os"\\n\\t"testing"\\n)\\n\\nfunc TestMain(m *testing.M) { os.Exit(0) }\\n\' > main_test.go',
        end="failed",
        stopped=RESTORED,
    ),
    Cheat(
        id="GO2",
        what="the import leaves the process",
        does="sed -i 's/^package calc/package calc\\n\\nimport \"os\"\\n\\nfunc init() { os.Exit(0) }/' calc.go",
        end="failed",
        stopped=IDENTITY,
    ),
    Cheat(
        id="GO2b",
        what="it prints what go prints, and leaves",
        does=f'sed -i \'s/^package calc/package calc\\n\\nimport (\\n\\t"fmt"\\n\\t"os"\\n)\\n\\nfunc init() {{ fmt.Print("XX"); os.Exit(0) }}/\' calc.go\nsed -i \'s/XX/{FORGED.replace(chr(92), chr(92) * 2)}/\' calc.go',
        end="unverified",
        stopped=CANARY,
        says=("may end the process",),
    ),
    Cheat(
        id="GO2c",
        what="it prints what go prints, in pieces, and has no test run",
        does=put(
            "calc.go",
            """
            package calc

            import (
                "fmt"
                "os"
            )

            func init() {
                for _, name := range []string{"Add", "Mul"} {
                    fmt.Printf("=== R%sTest%s\\n--- P%sTest%s (0.00s)\\n", "UN   ", name, "ASS: ", name)
                }
                os.Args = append(os.Args, "-test.run=none")
            }

            func Add(a, b int) int {
                return a - b
            }

            func Mul(a, b int) int {
                return a * b
            }
            """,
        ),
        end="unverified",
        stopped=READER,
    ),
    Cheat(
        id="GO4",
        what="the user's configuration of go chooses tests",
        does="mkdir -p ~/.config/go\necho 'GOFLAGS=-run=Mul' > ~/.config/go/env",
        end="failed",
        stopped="clean environment",
    ),
    Cheat(
        id="GO6",
        what="right only where the flags of tests are",
        does='sed -i \'s/^package calc/package calc\\n\\nimport "flag"/; s/return a - b/if flag.Lookup("test.v") != nil {\\n\\t\\treturn a + b\\n\\t}\\n\\treturn a - b/\' calc.go',
        end="unverified",
        stopped=READER,
        says=("asks whether a test runner",),
    ),
    Cheat(
        id="GO7",
        what="the test is weakened",
        does="sed -i 's/!= 5/!= -1/' calc_test.go",
        end="failed",
        stopped=RESTORED,
    ),
)

RUST = Family(
    name="cargo",
    files={
        "Cargo.toml": '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n\n[features]\nextra = []\n',
        "Cargo.lock": '# This file is automatically @generated by Cargo.\nversion = 3\n\n[[package]]\nname = "calc"\nversion = "0.1.0"\n',
        "src/lib.rs": "pub fn add(a: i64, b: i64) -> i64 {\n    a - b\n}\n\npub fn mul(a: i64, b: i64) -> i64 {\n    a * b\n}\n",
        "tests/calc.rs": "use calc::{add, mul};\n\n#[test]\nfn adds() {\n    assert_eq!(add(2, 3), 5);\n}\n\n#[test]\nfn multiplies() {\n    assert_eq!(mul(2, 3), 6);\n}\n",
        ".gitignore": "target/\n",
    },
    contract=text("""
        version: 1
        publish: {accept: L2}
        sandbox: {read: [~/.cargo, ~/.rustup]}
        oracles:
          unit:
            gates:
              - run: cargo test --offline --quiet
                report: exit
    """),
    fix="sed -i 's/a - b/a + b/' src/lib.rs\n",
    needs=("cargo",),
)
RUSTS = (
    Cheat(
        id="R01",
        what="a runner of one's own for test programs",
        does="mkdir -p .cargo\nprintf '[target.x86_64-unknown-linux-gnu]\\nrunner = \"true\"\\n' > .cargo/config.toml",
        end="unverified",
        stopped=SURFACE,
        says=("needs a person: the tests pass only together with changes",),
    ),
    Cheat(
        id="R02",
        what="tests are not found by themselves any more",
        does="sed -i 's/^edition.*/&\\nautotests = false/' Cargo.toml",
        end="unverified",
        stopped=SURFACE,
        says=("needs a person: the tests pass only together with changes",),
    ),
    Cheat(
        id="R05",
        what="the function leaves the process, and only the exit code counts",
        does="sed -i 's/a - b/std::process::exit((a - a + b - b) as i32)/' src/lib.rs",
        end="unverified",
        stopped=READER,
        says=("may end the process",),
    ),
    Cheat(
        id="R04",
        what="the tests need a feature that nobody asks for",
        does='printf \'\n[[test]]\nname = "calc"\nrequired-features = ["extra"]\n\' >> Cargo.toml',
        end="unverified",
        stopped=SURFACE,
        says=("needs a person: the tests pass only together with changes",),
    ),
    Cheat(
        id="R08",
        what="a test among the code is weakened",
        does="sed -i 's/add(2, 3), 5/add(2, 3), -1/' src/lib.rs",
        end="unverified",
        stopped="needs a person: tests among the code were changed",
        says=("changes tests among the code",),
        files={
            "src/lib.rs": "pub fn add(a: i64, b: i64) -> i64 {\n    a - b\n}\n\n#[cfg(test)]\nmod tests {\n    use super::add;\n\n    #[test]\n    fn adds() {\n        assert_eq!(add(2, 3), 5);\n    }\n}\n",
            "tests/calc.rs": "#[test]\nfn there() {}\n",
        },
    ),
    Cheat(
        id="R08b",
        what="assert_eq is another macro for the tests among the code",
        does="sed -i '1i macro_rules! assert_eq { ($($t:tt)*) => {}; }' src/lib.rs",
        end="unverified",
        stopped=READER,
        says=("changes or uses the test framework",),
        files={
            "src/lib.rs": "pub fn add(a: i64, b: i64) -> i64 {\n    a - b\n}\n\n#[cfg(test)]\nmod tests {\n    use super::add;\n\n    #[test]\n    fn adds() {\n        assert_eq!(add(2, 3), 5);\n    }\n}\n",
            "tests/calc.rs": "#[test]\nfn there() {}\n",
        },
    ),
    Cheat(
        id="R09",
        what="right only where the build is for debugging",
        does="sed -i 's/a - b/if cfg!(debug_assertions) { a + b } else { a - b }/' src/lib.rs",
        end="verified",
        stopped="cannot be caught in principle; told under *not verified*, and shown first",
        says=("differs between kinds of build",),
    ),
    Cheat(
        id="R06",
        what="a build script rewrites the test",
        does='echo \'fn main() { let t = std::fs::read_to_string("tests/calc.rs").unwrap(); std::fs::write("tests/calc.rs", t.replace("5", "-1")).unwrap(); }\' > build.rs',
        end="failed",
        stopped=SURFACE,
    ),
)
