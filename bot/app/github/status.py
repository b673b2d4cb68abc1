"""
The one status comment of a thread, from the docket and the ledger as they stand.

Whoever changed something asks for it; it is found again by its mark, and written only when it says
something else. Nothing here decides when that is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.app.github.needs import Docket
from bot.core import asked, fence, ledger, markers, verify_answer
from bot.core.decision import Verify
from bot.core.docket import Kind, Listed
from bot.core.facts import State
from bot.core.ledger import Sealed
from bot.core.session import replay
from bot.core.status_comment import (
    Asking,
    Broken,
    Over,
    Past,
    Place,
    Queued,
    Quiet,
    Resting,
    Running,
    Scene,
    help_table,
    render,
)
from bot.core.thread import Repository
from bot.forge_port import Threads
from bot.ports import Journal

HELP = "/jam help"
"""What is kept in place of a sentence where the table was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """``page``: the address of a session's page, '' where there is none. ``is_history``: whether a
    session's ledger was read back from where others write."""

    docket: Docket
    journal: Journal
    page: Callable[[str], str]
    is_history: Callable[[str], bool] = lambda _: False

    def show(self, forge: Threads, where: Repository, number: int) -> None:
        if number:
            forge.say(number, self.text(where, number))

    def text(self, where: Repository, number: int) -> str:
        listed = self.docket.last(where.id, number)
        if listed is not None and listed.kind is Kind.VERIFY and listed.state is not State.QUEUED:
            return self._verification(listed)
        answer = self.docket.answered(where.id, number)
        place = Place(
            repository=where.id,
            number=number,
            is_pull=listed is not None and (listed.is_pull or listed.pull == number),
            asked_by=listed.asked_by if listed else "",
            pull=listed.pull if listed and listed.pull != number else None,
            page=self.page(listed.session) if listed else "",
        )
        return render(
            place,
            self.scene(listed),
            answer="" if answer == HELP else answer,
            with_help=answer == HELP,
        )

    def _verification(self, listed: Listed) -> str:
        """A change that exists is judged: the answer is the evidence itself."""
        wish = asked.unspell(listed.asked).wish
        assert isinstance(wish, Verify)  # noqa: S101  # of this kind
        entries = ledger.read(self.journal.read(listed.session))
        if listed.end == "broken":
            said = f"**Something is wrong with jam itself**: {fence.prose(listed.why)}."
        elif replay(entries).ended is not None:
            before, is_kept = self._earlier(listed)
            said = verify_answer.render(entries, wish.pull, before=before, is_kept=is_kept)
        elif listed.state is State.ENDED:
            said = verify_answer.in_words(wish.pull, listed.why)
        elif listed.state is State.RESTING:
            said = f"**jam rests**: {fence.prose(listed.why)}. It tries again by itself."
        else:
            said = verify_answer.going(entries, wish.pull, asked_by=listed.asked_by)
        answer = self.docket.answered(listed.where.id, listed.thread)
        quoted = "\n".join(f"> {line}".rstrip() for line in answer.splitlines())
        mark = markers.status(listed.where.id, listed.thread)
        shown = help_table() if answer == HELP else quoted
        return "\n\n".join(part for part in (mark, shown, said) if part)

    def _earlier(self, listed: Listed) -> tuple[tuple[Sealed, ...], bool]:
        """The ledger of jam's own session for this pull request, to compare with; and whether it
        is history."""
        for name in reversed(self.docket.sessions_of(listed.where.id, listed.thread)):
            one = self.docket.get(name)
            if one and one.kind is Kind.FIX and one.pull == listed.thread:
                return ledger.read(self.journal.read(name)), self.is_history(name)
        return (), False

    def scene(self, listed: Listed | None) -> Scene:
        if listed is None:
            return Quiet()
        entries = ledger.read(self.journal.read(listed.session))
        if listed.end == "broken":
            return Broken(listed.why)
        if listed.state is State.ENDED and self.is_history(listed.session):
            return Past(listed.end)
        if replay(entries).ended is not None:
            return Over(entries)
        return self._going(listed, entries)

    def _going(self, listed: Listed, entries: Sequence[Sealed]) -> Scene:
        match listed.state:
            case State.QUEUED:
                return Queued(self.docket.place(listed.session))
            case State.RUNNING:
                return Running(entries)
            case State.ASKING:
                return Asking(entries, listed.why)
            case State.RESTING:
                return Resting(entries, listed.why)
            case _:
                return Over(entries, listed.why)
