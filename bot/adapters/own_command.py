"""
Another command of jam's in a process of its own, which is told nothing that it does not need: none
of this process's secrets are in its environment.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bot
from bot.adapters.runner import Start, run
from bot.errors import RequestError
from bot.ports import Limits

LAUNCH = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from bot.cli import main; sys.exit(main())"
)
DOCUMENT_BYTES = 16 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    exit_code: int
    document: Mapping[str, Any]
    talk: str  # what it said on the way


def ask(words: Sequence[str], *, env: Mapping[str, str], out: Path, timeout_s: float) -> Said:
    """``words`` ask for a document on standard output, which goes to the file ``out``.
    ``RequestError`` where jam says there that it refuses."""
    out.parent.mkdir(parents=True, exist_ok=True)
    home = str(Path(bot.__file__).parent.parent)
    command = (sys.executable, "-P", "-c", LAUNCH, home, *words)
    argv = ("/bin/sh", "-c", 'out="$1"; shift; exec "$@" >"$out"', "sh", str(out), *command)
    ran = run(Start(argv=argv, env=env), limits=Limits(timeout_s=timeout_s))
    if ran.exit_code is None:
        raise RequestError(f"jam {words[0]} did not end: {ran.ended.value}")
    document = _document(out, ran.output)
    if "error" in document:
        raise RequestError(str(document.get("message", "it was refused")))
    return Said(exit_code=ran.exit_code, document=document, talk=ran.output)


def _document(path: Path, talk: str) -> Mapping[str, Any]:
    with path.open("rb") as file:
        content = file.read(DOCUMENT_BYTES + 1)
    try:
        read = json.loads(content)
    except ValueError:
        last = next(reversed(talk.strip().splitlines()), "it said nothing")
        raise RequestError(f"there is no answer: {last}") from None
    return read if isinstance(read, dict) else {}
