"""
The beginning and the end of a session as people see them: the label that goes, the pull request,
the check run, the comment, and jam's sign.

Each is found again by what it belongs to, so telling an end twice tells it once. The docket hears
of the end just before the thread does: until then a crash makes all of it be told again, and after
that the thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from bot.app.github import noting
from bot.app.github.accept import sign
from bot.app.github.needs import Docket, Forges, Now, Shop
from bot.app.github.status import Status
from bot.core import (
    asked,
    check_text,
    fence,
    ledger,
    pr_body,
    reactions,
    refusal,
    verify_answer,
)
from bot.core.annotations import Annotation
from bot.core.asked import Asked
from bot.core.check_text import CheckText
from bot.core.decision import Verify
from bot.core.docket import Kind, Listed
from bot.core.facts import State
from bot.core.forge_values import Check, NewPull, PullFacts
from bot.core.ledger import Sealed
from bot.core.reactions import Reaction
from bot.core.session import Session, replay
from bot.core.visible import one_line
from bot.core.words import sentence
from bot.errors import ForgeRefused, RequestError, SessionBusy, SpecError, TrustError
from bot.forge_port import Forge

TITLE = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    docket: Docket
    forges: Forges
    shop: Shop
    status: Status
    now: Now

    def began(self, listed: Listed, told: Asked, forge: Forge) -> None:
        """The label has done its work: putting it on again is asking again."""
        label = getattr(told.wish, "takes_off", "")
        if label and listed.thread:
            try:
                forge.unlabel(listed.thread, label)
            except ForgeRefused:
                return  # an odd label on a thread stops nobody

    def tell(self, listed: Listed, told: Asked, forge: Forge) -> None:
        entries = ledger.read(self.shop.journal.read(listed.session))
        session = replay(entries)
        assert session.ended is not None, "only an end is told"  # noqa: S101
        if isinstance(told.wish, Verify):
            self.docket.note(listed.session, run=listed.run, judged_sha=told.wish.pull.head_sha)
        elif session.published is not None:
            self._propose(listed, entries, session, told, forge)
        self.show_checks(listed, entries, forge)
        self.docket.answer(listed.where.id, listed.thread, "")
        if moved := _moved(told, forge):
            self.docket.answer(listed.where.id, listed.thread, moved)
        sign(forge, told.spot, reactions.at_end(session.ended.end))
        # Whoever reads the end may ask for more at once, and must not hear that it still runs.
        self._end(listed, session.ended.end, session.ended.why)
        self.status.show(forge, listed.where, listed.thread)
        self.clear(listed)

    def clear(self, listed: Listed) -> None:
        """What the session needs no more goes, unless somebody has it: whoever tidies up here, or
        the session itself, which came back. Who holds it clears it away later."""
        with suppress(SessionBusy), self.shop.lock(listed.session, run=listed.run):
            self.shop.leave(listed.session)

    def _end(self, listed: Listed, end: str, why: str) -> None:
        self.docket.end(listed.session, run=listed.run, end=end, why=why, now=self.now())

    # the pull request

    def _propose(
        self, listed: Listed, entries: Sequence[Sealed], session: Session, told: Asked, forge: Forge
    ) -> None:
        published, opened = session.published, session.opened
        assert published is not None and opened is not None  # noqa: S101, PT018  # told by a caller
        issue = listed.thread or None
        made = self._attested(listed, forge)
        reader = pr_body.Reader.PULL
        body = pr_body.render(entries, issue=issue, reader=reader, statement=made)
        title = title_of(opened.title, listed.thread)
        pull = forge.open_pull(
            NewPull(
                branch=published.branch,
                base=opened.base_name,
                title=title,
                body=body,
                is_draft=published.draft,
            )
        )
        forge.edit_pull(pull.number, body=body)
        self.docket.note(
            listed.session,
            run=listed.run,
            pull=pull.number,
            branch=published.branch,
        )
        self._to_people(pull, told, forge, is_draft=published.draft)

    def _attested(self, listed: Listed, forge: Forge) -> str:
        """What the forge will not take is no reason to keep a change from people."""
        commit = self._made(listed)
        try:
            return self.shop.attest(listed.session, listed.where, forge, commit=commit)
        except ForgeRefused:
            return ""

    def _to_people(self, pull: PullFacts, told: Asked, forge: Forge, *, is_draft: bool) -> None:
        """Ready, and shown to whoever asked; a draft waits for its person to look."""
        if is_draft:
            return
        try:
            if pull.is_draft:
                forge.ready(pull.number)
            if told.wish.by.id and not told.wish.by.is_bot:
                forge.ask_review(pull.number, [told.wish.by.login])
        except ForgeRefused:
            return

    # the check run

    def show_checks(self, listed: Listed, entries: Sequence[Sealed], forge: Forge) -> None:
        name = check_text.VERIFY if listed.kind is Kind.VERIFY else check_text.JAM
        text = check_text.render(entries, name=name)
        if text is None:
            return
        session = replay(entries)
        published = session.published
        made = self._made(listed) if published else ""
        if made:
            forge.show(Check(sha=made, text=text, notes=self._notes(session, forge, made)))
        if listed.head_sha and listed.head_sha != made:
            elsewhere = published.branch if published else ""
            text = beside(text, elsewhere)
            # Notes on a change stand beside the change, and nowhere else.
            is_judged = listed.kind is Kind.VERIFY
            notes = self._notes(session, forge, listed.head_sha) if is_judged else ()
            forge.show(Check(sha=listed.head_sha, text=text, notes=notes))

    def _notes(self, session: Session, forge: Forge, sha: str) -> tuple[Annotation, ...]:
        return noting.notes(session, self.shop.evidence, forge, commit=sha)

    def _made(self, listed: Listed) -> str:
        """The published commit as the forge calls it, noted when it was pushed."""
        now = self.docket.get(listed.session)
        return now.judged_sha if now else ""

    # other ends

    def refuse(self, listed: Listed, refused: BaseException) -> None:
        """Nothing came of it. With work done already it rests instead; nothing is lost."""
        entries = ledger.read(self.shop.journal.read(listed.session))
        forge = self.forges.held(listed)
        if replay(entries).turns > 0 and listed.kind is Kind.FIX:
            self.docket.rest(listed.session, run=listed.run, state=State.RESTING, why=str(refused))
            self.status.show(forge, listed.where, listed.thread)
            return
        told = asked.unspell(listed.asked)
        if isinstance(told.wish, Verify) and is_verdict(refused):
            self._unverified(listed, told, str(refused), forge)
            return
        self.shop.discard(listed.session, run=listed.run)
        self._end(listed, "refused", str(refused))
        said = sentence(fence.prose(str(refused), limit=4_000))
        self.docket.answer(listed.where.id, listed.thread, said)
        sign(forge, told.spot, Reaction.CONFUSED)
        self.status.show(forge, listed.where, listed.thread)

    def _unverified(self, listed: Listed, told: Asked, why: str, forge: Forge) -> None:
        """What cannot be told apart, or put together, is an answer as well."""
        wish = told.wish
        assert isinstance(wish, Verify)  # noqa: S101  # told by a caller
        text = verify_answer.unverified(listed.session, why)
        forge.show(Check(sha=wish.pull.head_sha, text=text))
        self.docket.note(listed.session, run=listed.run, judged_sha=wish.pull.head_sha)
        self._end(listed, "unverified", why)
        self.docket.answer(listed.where.id, listed.thread, "")
        sign(forge, told.spot, Reaction.CONFUSED)
        self.status.show(forge, listed.where, listed.thread)
        self.clear(listed)

    def break_off(self, listed: Listed, broken: BaseException) -> None:
        """A bug, or a ledger that does not hold: frozen as it is, for a person."""
        why = one_line(_fit_for_a_page(broken), 500)
        self._end(listed, "broken", why)
        forge = self.forges.held(listed)
        name = check_text.VERIFY if listed.kind is Kind.VERIFY else check_text.JAM
        if listed.head_sha:
            text = check_text.broken(listed.session, why, name=name)
            forge.show(Check(sha=listed.head_sha, text=text))
        sign(forge, asked.unspell(listed.asked).spot, Reaction.CONFUSED)
        self.status.show(forge, listed.where, listed.thread)


def _fit_for_a_page(broken: BaseException) -> str:
    """What jam can name, it may say; the words of a bug are for its log."""
    return str(broken) if isinstance(broken, TrustError) else f"a bug ({type(broken).__name__})"


def is_verdict(refused: BaseException) -> bool:
    """No test tells base from head; or the head does not merge."""
    if isinstance(refused, SpecError):
        return refused.code == "spec.not_red"
    return isinstance(refused, RequestError) and "does not merge with" in str(refused)


def _moved(told: Asked, forge: Forge) -> str:
    """A head that moved while it was judged was told of before there was anything to mark."""
    if not isinstance(told.wish, Verify):
        return ""
    judged = told.wish.pull
    try:
        now = forge.pull(judged.number)
    except ForgeRefused:
        return ""
    if now is None or now.pull.head_sha == judged.head_sha:
        return ""
    return refusal.stale(judged.head_sha, head=now.pull.head_sha)


def title_of(title: str, number: int) -> str:
    """No words of somebody else's may close what they name."""
    quiet = one_line(title, TITLE).replace("#", "no. ")
    return f"fix: {quiet} (#{number})" if number else f"fix: {quiet}"


def beside(text: CheckText, branch: str) -> CheckText:
    """The same, on a head that does not have the change: never a success there."""
    if text.conclusion != "success" or not branch:
        return text
    return replace(
        text,
        conclusion="action_required",
        title=f"Verified on another branch: {one_line(branch, 120)}",
    )
