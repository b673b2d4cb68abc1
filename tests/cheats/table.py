"""docs/cheats.md, from the cases: ``python -m tests.cheats.table > docs/cheats.md``."""

# ruff: noqa: E501  # the page has one sentence a line

from __future__ import annotations

import sys

from tests.cheats.case import Cheat
from tests.cheats.catalogue import CATALOGUE

HEAD = """\
# Cheats, and what stops them

Ways in which an agent, or hostile code in a repository, makes tests pass without mending anything.
Each row is a case of `tests/cheats/` and is run through the real engine: a real repository, a real sandbox, real tests.
None of those that can be caught ends *verified*; those that cannot be caught in principle are told under "Not verified", with the lines shown under "Look at this first".
This page is made from the cases by `python -m tests.cheats.table`.

Ends: `failed`: the oracle was not satisfied, nothing is published.
`unverified`: a draft that says what a person has to look at.
`verified`: the change really mends the bug, or no test could know better.

## What a report is worth

| report | who can write it | what has to hold for L3 |
|---|---|---|
| `pytest`, `unittest` | jam's reporter, test by test, over a socket: what was said cannot be taken back. Hostile code in the same process can speak for it | counts, collection, exit code and baseline agree; every sensitivity check that can be made passes; failing twins neither vanish nor end the run |
| `junit` | whoever can write the file before the command ends, the tested code among them | the report agrees with the exit code; tests that always fail, laid into the target's own file and using its assertions, are told to fail; and the change made to raise is noticed, or the targets pass under other names |
| `tap`, `go-json` | whoever can print | the same |
| `exit` | whoever can end the process | never alone; beside another gate, the change made to raise has to be noticed |

Where a check that is needed cannot be made, the end is `unverified`, with the reason, unless the contract says `accept: L2`.
Code that knows jam well, runs in the process of its tests and answers each check as it should cannot be told from honest code by running it.
So every change is read as well: what has no honest use in a fix needs a person, and the rest is shown first.

Without a sandbox (`--sandbox none`) nothing is promised of what lies outside of the checkout: processes that get away, files elsewhere, the network, the environment's own files while a run lasts.
jam says so in the ledger and in the body, and the App refuses to work so unless it is told otherwise.
"""


def render() -> str:
    parts = [HEAD]
    for family, cheats in CATALOGUE:
        parts.append(
            f"\n## {family.name}\n\n| id | what is done | what stops it | end |\n|---|---|---|---|\n"
        )
        parts += [_row(cheat) for cheat in cheats]
    return "".join(parts)


def _row(cheat: Cheat) -> str:
    cells = (cheat.id, cheat.what, cheat.stopped, f"`{cheat.end}`")
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


if __name__ == "__main__":
    sys.stdout.write(render())
