"""Nothing that a process prints holds a secret, whoever prints it and in however many pieces."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

from bot.cli.discreet import DiscreetStream, bare
from bot.core.redact import MASK, Redactor

CANARY = "canary-0123456789-abcdef"
PRINTS = """
import logging, sys, threading
from bot.cli import edge
edge.engine()
secret = sys.argv[1]
print("out", secret)
print("err", secret, file=sys.stderr)
logging.basicConfig(level="INFO")
logging.info("log %s", secret)
def fail(): raise ValueError(secret)
thread = threading.Thread(target=fail); thread.start(); thread.join()
fail()
"""


def test_a_line_is_written_when_it_is_whole() -> None:
    under = io.StringIO()
    stream = DiscreetStream(under, Redactor([CANARY]).told)
    stream.write(f"a {CANARY[:9]}")
    before = under.getvalue()
    stream.write(f"{CANARY[9:]} b\nc")
    stream.flush()

    assert before == ""
    assert under.getvalue() == f"a {MASK} b\nc"
    assert bare(stream) is under  # type: ignore[arg-type, comparison-overlap]  # as print sees it


def test_output_log_and_tracebacks_hold_no_secret() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PRINTS, CANARY],
        env={**os.environ, "MY_TOKEN": CANARY},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.stdout == f"out {MASK}\n"
    assert ran.stderr.count(MASK) == 4
    assert ran.stderr.count("ValueError") == 2
    assert "canary" not in ran.stderr
