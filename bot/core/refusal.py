"""
Why jam does not do what it was asked: one short sentence for each reason, fit for a page.

Every foreign word in them is fenced, nobody is mentioned, and each says what would help.
"""

from __future__ import annotations

from bot.core import fence
from bot.core.facts import State
from bot.core.permission import Permission
from bot.core.thread import Account


def not_permitted(account: Account, *, has: Permission, takes: Permission) -> str:
    name = fence.code(account.login, limit=60)
    return f"{name} has {_held(has)} permission here; this takes {takes.word}."


def _held(has: Permission) -> str:
    return "no" if has is Permission.NONE else has.word


def busy(state: State) -> str:
    if state is State.ASKING:
        return (
            "A session here waits for an answer: `/jam approve` lets it go on, `/jam stop` ends it."
        )
    return f"A session is {state.value} here already; `/jam stop` ends it."


def too_many(attempts: int, *, limit: int) -> str:
    times = "once" if attempts == 1 else f"{attempts} times"
    return (
        f"This was tried {times}, and the limit is {limit} (`budget.attempts`): a person is needed."
    )


def spent(cents: int, *, limit: int) -> str:
    return (
        f"${cents / 100:.2f} were spent in this repository today, and the limit is "
        f"${limit / 100:.2f} (`budget.usd_per_day`)."
    )


def no_contract(fault: str) -> str:
    return f"The contract cannot be used: {fence.prose(fault, limit=600)}"


def no_oracle(name: str, *, known: tuple[str, ...]) -> str:
    names = ", ".join(fence.code(one, limit=64) for one in known) or "none"
    return f"There is no oracle {fence.code(name, limit=64)}; the contract names {names}."


def closed() -> str:
    return "This is closed; open it again first."


def from_fork() -> str:
    return "This comes from a fork, where no agent works; `/jam verify` judges it."


def not_a_pull() -> str:
    return "Only pull requests can be verified."


def pull_gone() -> str:
    return "The pull request could not be read just now; ask again."


def other_head(sha: str, *, head: str) -> str:
    return f"The head is {fence.code(head[:12])} now, not {fence.code(sha[:12])}."


def nothing_runs() -> str:
    return "Nothing is running here."


def nothing_tried() -> str:
    return "Nothing was tried here yet; `/jam fix` begins."


def nothing_to_resume(state: State) -> str:
    if state is State.ENDED:
        return "The session here has ended; `/jam retry` tries again."
    return "There is no session here to go on with; `/jam fix` begins one."


def nothing_asked() -> str:
    return "No session here asks for anything."


def more_commands(count: int) -> str:
    were = "command was" if count == 1 else "commands were"
    return f"{count} more {were} not read: the first one in a comment counts."


def stale(judged: str, *, head: str) -> str:
    """Not a refusal of anybody: what was judged is not what stands there now."""
    return (
        f"The head is {fence.code(head[:12])} now; what jam judged was {fence.code(judged[:12])}. "
        "`/jam verify` judges it as it is."
    )
