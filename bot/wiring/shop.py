"""
Where the sessions of ``jam serve`` are worked on: this machine, as the use cases see it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock

from bot.adapters import fetched, outgoing, refs, sandbox, signing
from bot.adapters.git import Git
from bot.adapters.github.forge import GithubForge
from bot.adapters.github_progress import BranchPublisher, Keeper
from bot.adapters.repository import Repository, open_repository
from bot.adapters.store import Store
from bot.adapters.workcopy import GitWorkcopy
from bot.app.engine import Beginning
from bot.app.github.needs import Docket, Given
from bot.app.github.sharing import SharedPurse
from bot.app.opening import Base
from bot.core import ledger
from bot.core.contract import SandboxKind
from bot.core.facts import State
from bot.core.forge_values import Pushed
from bot.core.moving import Sent
from bot.core.session import replay
from bot.core.thread import Repository as Where
from bot.errors import RequestError, SandboxUnavailable, SessionBusy
from bot.forge_port import Forge
from bot.ports import Evidence, Jail, Journal, Say, Signer
from bot.wiring import local
from bot.wiring.attesting import Attesting
from bot.wiring.secrecy import redactor
from bot.wiring.settings import Settings
from bot.wiring.tracing import UNTRACED, Tracing

SEEN_AT = Path("/jam/repo")
PATCH_BYTES = 2 << 20


@dataclass(frozen=True, slots=True)
class BroughtGround:
    """The ``Ground`` port: a bare repository that many sessions share."""

    repository: Repository
    name: str

    def base(self, sha: str, *, name: str) -> Base:
        commit = self.repository.resolve(sha)
        tree = self.repository.tree_of(commit)
        return Base(repository=self.name, commit=commit, tree=tree, name=name)

    def commit(self, name: str) -> str:
        fetched = name if len(name) == 40 else f"refs/jam/fetched/{name.removeprefix('refs/')}"
        return self.repository.resolve(fetched)


@dataclass(slots=True, kw_only=True)
class LocalShop:
    """The ``Shop`` port. ``secrets``: values that leave this machine in no checkpoint."""

    store: Store
    settings: Settings
    docket: Docket
    secrets: tuple[bytes, ...] = field(default=(), repr=False)
    allows_no_sandbox: bool = False
    tracing: Tracing = UNTRACED
    signer: Signer = field(default_factory=signing.Unsigned)
    _jails: dict[SandboxKind, Jail] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    @property
    def journal(self) -> Journal:
        return self.store

    @property
    def evidence(self) -> Evidence:
        return local.discreet(self.store)

    def sandbox(self, kind: str) -> str:
        return self._jail(SandboxKind(kind)).level

    def _jail(self, kind: SandboxKind) -> Jail:
        if kind is SandboxKind.NONE and not self.allows_no_sandbox:
            raise SandboxUnavailable(
                "the contract wants no sandbox, and this jam works in none but a sandbox"
            )
        with self._lock:
            if kind not in self._jails:
                # What else would help is an option of another command.
                self._jails[kind] = sandbox.choose(kind, otherwise="")
            return self._jails[kind]

    def place(self, where: Where) -> Path:
        return self.store.root / "repositories" / f"{where.id}.git"

    def fetch(self, where: Where, forge: Forge, *, wanted: Sequence[str]) -> BroughtGround:
        assert isinstance(forge, GithubForge)  # noqa: S101  # made by the same wiring
        return BroughtGround(forge.bring(self.place(where), wanted), where.name)

    def lock(self, session: str, *, run: int) -> AbstractContextManager[None]:
        self.store.create(session)
        return self.store.lock(session, run=run)

    def is_here(self, session: str, *, seal: str) -> bool:
        return self.store.is_here(session, seal=seal)

    def sent(self, where: Where, session: str) -> Mapping[int, Sent]:
        place = self.place(where)
        if not (place / "HEAD").exists():
            return {}
        return fetched.checkpoints(open_repository(place), session)

    @contextmanager
    def hands(self, given: Given, forge: Forge, *, say: Say, stop: Event) -> Iterator[Beginning]:
        case, ground = given.case, given.ground
        assert isinstance(ground, BroughtGround)  # noqa: S101  # made by ``fetch``
        site = local.Site(
            repository=ground.repository,
            store=self.store,
            jail=self._jail(SandboxKind(case.opened.sandbox)),
            settings=self.settings,
            say=say,
            stop=stop,
            at=SEEN_AT,
            purse=SharedPurse(
                docket=self.docket,
                session=case.session_id,
                run=given.run,
                limit=case.contract.budget.usd_per_day * 100,
                say=say,
                stop=stop,
            ),
            answers_stop=True,
        )

        def publisher_of(workcopy: GitWorkcopy) -> BranchPublisher:
            return self._publisher(given, workcopy, forge)

        with local.performer(case, site, publisher_of=publisher_of) as performer:
            yield self.tracing.hands(local.discreet_hands(performer))

    def _publisher(self, given: Given, workcopy: GitWorkcopy, forge: Forge) -> BranchPublisher:
        session, opened = given.case.session_id, given.case.opened

        def pushed(branch: str, made: Pushed) -> None:
            self.docket.note(session, run=given.run, branch=branch, judged_sha=made.commit)

        keeper = self._keeper(session, opened.base, forge)

        def finish() -> None:
            keeper.keep()
            self._keep_here(given, workcopy)

        return BranchPublisher(
            forge=forge,
            workcopy=workcopy,
            base=opened.base,
            is_ours=given.is_ours,
            trailer=given.trailer,
            at=int(opened.at.timestamp()),
            pushed=pushed,
            finish=finish,
        )

    def _keep_here(self, given: Given, workcopy: GitWorkcopy) -> None:
        """For the pages, when the session's own git is gone."""
        assert isinstance(given.ground, BroughtGround)  # noqa: S101  # made by ``fetch``
        kept = refs.kept(workcopy.git, given.case.session_id)
        if kept:
            named = {one.ref: one.commit for one in kept}
            base = given.case.opened.base
            given.ground.repository.keep(named, source=workcopy.git, base=base)

    def keeper(self, session: str, forge: Forge) -> Keeper:
        opened = replay(ledger.read(self.store.read(session))).opened
        assert opened is not None, "checkpoints are of a session that was opened"  # noqa: S101
        return self._keeper(session, opened.base, forge)

    def _keeper(self, session: str, base: str, forge: Forge) -> Keeper:
        return Keeper(
            forge=forge,
            git=Git(git_dir=self.store.folder(session) / "work" / "git"),
            session=session,
            base=base,
            withheld=self._withheld,
        )

    def _withheld(self, path: str, content: bytes) -> bool:
        known = redactor()
        return known.holds(content) or known.holds(path.encode(errors="surrogateescape"))

    def patch(self, where: Where, session: str, number: int) -> str | None:
        """What a checkpoint changed, from the session's own git or from what was kept of it."""
        for git_dir in (self.store.folder(session) / "work" / "git", self.place(where)):
            if (git_dir / "HEAD").exists():
                found = open_repository(git_dir)
                try:
                    commit = found.checkpoint(session, number).commit
                except RequestError:
                    continue
                return found.diff(found.parent_of(commit), commit, limit=PATCH_BYTES)
        return None

    def attest(self, session: str, where: Where, forge: Forge, *, commit: str) -> str:
        statements = Attesting(store=self.store, signer=self.signer)
        opened = replay(statements.entries(session)).opened
        if opened is None or not commit:
            return ""
        git = statements.git(session)
        if git.git_dir is None or not (git.git_dir / "HEAD").exists():  # told by another machine
            self.fetch(where, forge, wanted=[opened.base])
            git = Git(git_dir=self.place(where))
        made = statements.statement(session, commit=commit)
        files = statements.commit(session, made=made, git=git, base=opened.base)
        if files is None:
            return ""
        commits = outgoing.chain(git, files, base=opened.base)
        forge.push(refs.evidence_ref(session), commits, base=opened.base)
        return hashlib.sha256(made).hexdigest()

    def leave(self, session: str) -> None:
        local.leave(self.store, session)

    def tidy(self) -> None:
        """A process that was lost left more than it needed to, and whoever ends a session from
        outside clears nothing away."""
        for session in self.store.leftovers():
            listed = self.docket.get(session)
            if listed is not None and listed.state is State.ENDED:
                with suppress(SessionBusy), self.lock(session, run=listed.run):
                    self.leave(session)

    def discard(self, session: str, *, run: int) -> None:
        self.store.discard(session, run=run)
