"""
The end of a body: how a stranger checks it, and the hidden block that jam itself reads.

Reading the block back, and when it counts, is ``bot.core.markers``.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.core.ledger import Sealed, last_seal
from bot.core.session import Session


def tail(session: Session, ledger: Sequence[Sealed], statement: str = "") -> str:
    """``statement``: the sha256 of what can be fetched and checked."""
    block = machine_block(session, ledger, statement)
    if not statement or session.opened is None:
        return block
    ref = f"refs/jam/evidence/{session.opened.session}"
    return (
        f"Check it yourself: `git fetch origin {ref}:{ref}`, then "
        f"`jam attest verify --repo . --commit` with the last commit's name\n\n{block}"
    )


def machine_block(session: Session, ledger: Sequence[Sealed], statement: str = "") -> str:
    """Hidden from readers: what a machine needs to find the session and check the ledger."""
    opened = session.opened
    if opened is None:
        return ""
    return (
        f"<!-- jam:session={opened.session} contract={opened.contract_sha256} "
        f"entries={len(ledger)} seal={last_seal(ledger)}"
        f"{statement and f' statement={statement}'} -->"
    )
