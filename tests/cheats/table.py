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
