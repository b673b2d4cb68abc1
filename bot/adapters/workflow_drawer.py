"""
Where sessions lie between the jobs of a workflow: under ``refs/jam/sessions/``, one reference each.

A session's row, its ledger and the evidence that going on with it takes. Whoever may write to the
repository may write there too, so what is read back is taken for history and checked for form only.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from bot.adapters.github import session_refs
from bot.adapters.github.forge import GithubForge
from bot.adapters.github.session_refs import SessionRefs
from bot.adapters.workflow_docket import WorkflowDocket
from bot.adapters.workflow_store import WorkflowStore
from bot.core import kept_session
from bot.core.docket import Kind
from bot.core.facts import State
from bot.core.kept_session import EVIDENCE, LEDGER, PREFIX, ROW, KeptSession, NotKept
from bot.core.thread import Repository
from bot.errors import EvidenceMissing, ForgeRefused, LedgerBroken
from bot.ports import Say

LARGEST, MOST = 1 << 20, 16 << 20
"""Of one piece of evidence, and of all that goes along with a session."""
DROPPED = 20
_DIGEST = re.compile(r'"([0-9a-f]{64})"')


@dataclass(slots=True, kw_only=True)
class RefDrawer:
    """The ``Drawer`` port. ``alive``: whether a workflow run is still going on."""

    forge: GithubForge
    hand: SessionRefs
    store: WorkflowStore
    docket: WorkflowDocket
    place: Callable[[Repository], Path]
    job: int
    alive: Callable[[int], bool]
    now: Callable[[], datetime]
    say: Say
    _delivery: dict[str, str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def restore(self, where: Repository) -> Sequence[KeptSession]:
        names = [one.name for one in self.forge.refs(PREFIX)]
        if not names:
            return ()
        repository = self.forge.bring(self.place(where), names)
        found = []
        for ref, files in session_refs.read(repository, names):
            try:
                kept = kept_session.unspell(files.get(ROW, b""))
            except NotKept as odd:
                self.say(f"note: {ref} is not jam's: {odd}")
                continue
            if ref == f"{PREFIX}{kept.listed.session}" and kept.listed.where.id == where.id:
                found.append((kept, files))
        found.sort(key=lambda pair: pair[0].listed.opened_at)
        now = self.now()
        self._drop([kept for kept, _ in found if kept_session.is_over(kept, now=now)])
        return [
            self._lay(kept, files, where)
            for kept, files in found
            if not kept_session.is_over(kept, now=now)
        ]

    def _drop(self, old: Sequence[KeptSession]) -> None:
        """A job that only judges may not, and the next one that may does."""
        try:
            for kept in old[:DROPPED]:
                session = kept.listed.session
                for ref in self.forge.refs(f"refs/jam/checkpoints/{session}/"):
                    self.forge.drop(ref.name)
                self.forge.drop(f"{PREFIX}{session}")
        except ForgeRefused as refused:
            self.say(f"note: what is kept for too long stays for now: {refused}")

    def _lay(self, kept: KeptSession, files: Mapping[str, bytes], where: Repository) -> KeptSession:
        is_other = kept.job != self.job
        kept = kept_session.at_rest(kept, is_alive=is_other and self._is_alive(kept))
        kept = replace(kept, listed=replace(kept.listed, where=where))
        lines = files.get(LEDGER, b"").decode(errors="replace").splitlines()
        is_over = kept.listed.state is State.ENDED
        try:
            self.store.restore(kept.listed.session, lines, is_over=is_over)
        except LedgerBroken as broken:
            self.say(f"note: {kept.listed.session}: {broken}")
            ended = replace(kept.listed, state=State.ENDED, end="broken", why=str(broken))
            kept = replace(kept, listed=ended)
        self.docket.restore(kept.listed)
        self._delivery[kept.listed.session] = kept.delivery
        for name, content in files.items():
            if name.startswith(f"{EVIDENCE}/"):
                self.store.put(content)
        return kept

    def _is_alive(self, kept: KeptSession) -> bool:
        busy = kept.listed.state in (State.QUEUED, State.RUNNING)
        return busy and self.alive(kept.job)

    def keep(self, session: str, *, delivery: str = "") -> None:
        listed = self.docket.get(session)
        if listed is None or listed.kind is Kind.VERIFY:
            return  # judging again costs no money, and its job may not write here
        with self._lock:
            began = self._delivery.setdefault(session, delivery)
            lines = self.store.read(session)
            row = kept_session.spell(KeptSession(listed=listed, delivery=began, job=self.job))
            text = "".join(f"{line}\n" for line in lines)
            files = {ROW: row, LEDGER: text.encode(), **dict(self._evidence(text))}
            self.hand.keep(f"{PREFIX}{session}", files, message=f"{session}: {listed.state.value}")
        if listed.state is State.ENDED:
            forget_word(self.forge, session)

    def _evidence(self, text: str) -> Iterator[tuple[str, bytes]]:
        """Whatever the ledger names, the newest first, as far as there is room."""
        left = MOST
        for digest in dict.fromkeys(reversed(_DIGEST.findall(text))):
            try:
                content = self.store.get(digest)
            except EvidenceMissing:
                continue  # a seal, or the digest of something that is no evidence
            if len(content) <= min(LARGEST, left):
                left -= len(content)
                yield f"{EVIDENCE}/{digest}", content


def leave_word(hand: SessionRefs, session: str, by: str) -> None:
    """For the job that has the session."""
    hand.keep(_stop(session), {"by": f"{by}\n".encode()}, message=f"Stop {session}")


def word_for(forge: GithubForge, session: str) -> str:
    return "somebody in another job" if forge.ref(_stop(session)) else ""


def forget_word(forge: GithubForge, session: str) -> None:
    try:
        forge.drop(_stop(session))
    except ForgeRefused:
        return


def _stop(session: str) -> str:
    return f"refs/jam/stops/{session}"
