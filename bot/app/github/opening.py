"""
Opens a session on GitHub: who asked is asked about once more, the contract is read from the default
branch, the objective from what was said, and the base is fetched.

Everything that can be refused is refused here, before a session exists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.app.case import Case
from bot.app.github import contracts, objectives
from bot.app.github.needs import Docket, Given, Now, Shop
from bot.app.opening import Wanted, open_session, read_objective
from bot.app.verify import GIVEN
from bot.core import branch_name, ledger
from bot.core.asked import Asked, Wish
from bot.core.contract import Contract
from bot.core.decision import Retry, Start, Undo, Verify
from bot.core.docket import Listed
from bot.core.entries import Opened, Turned
from bot.core.ledger import Sealed
from bot.core.narrowing import AS_WRITTEN, Narrowing
from bot.core.permission import Permission
from bot.core.session import replay
from bot.core.thread import NOBODY, Account, Pull
from bot.core.words import many_of
from bot.errors import ForgeMissing, RequestError
from bot.forge_port import Forge

JAILED = "bwrap"


class NotPermitted(RequestError):
    """Whoever asked may not any more."""


class NothingToUndo(RequestError):
    """There is nothing to take back."""


class NoSandbox(RequestError):
    """A fork's code is only judged in a sandbox, and none works here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class From:
    """Where work begins: a commit, and the branch that it is of."""

    sha: str
    branch: str
    given: str | None = None  # what is judged, where the change exists already
    refs: tuple[str, ...] = ()  # besides, to fetch


@dataclass(frozen=True, slots=True, kw_only=True)
class Opener:
    docket: Docket
    shop: Shop
    bots: frozenset[int]
    now: Now
    agent: str = ""  # instead of the contract's: an operator's, for trials
    narrowing: Narrowing = AS_WRITTEN

    def open(self, listed: Listed, told: Asked, forge: Forge) -> Given:
        wish = told.wish
        if not isinstance(wish, Verify):
            self._demand_permission(wish.by, forge)
        agreed = contracts.read(forge)
        contract = self.narrowing.of(agreed.contract)
        contract = _as_judged(contract) if isinstance(wish, Verify) else contract
        level = self._sandbox(wish, contract)
        start = self._from(wish, forge)
        spoken = objectives.of(wish, forge, self.before(wish), self.shop.evidence)
        said = self._kept(spoken.text)
        branch = "" if isinstance(wish, Verify) else self._branch(listed, contract, forge)
        mine = self._mine(listed, branch, contract, forge)
        refs = (*start.refs, *([f"refs/heads/{branch}"] if mine else []))
        ground = self.shop.fetch(listed.where, forge, wanted=(start.sha, *refs))
        opened = open_session(
            Wanted(
                contract=contract,
                contract_from=agreed.source,
                objective=read_objective(said, name="the issue"),
                base=ground.base(start.sha, name=start.branch),
                oracle=wish.oracle if not isinstance(wish, Undo) else "",
                targets=_targets(wish) or spoken.tests,
                release=self.released(wish, listed),
                agents=self._agents(wish),
                branch=branch,
                sandbox=level,
                dry_run=isinstance(wish, Verify),
                can_ask=not isinstance(wish, Verify),
                given=ground.commit(start.given) if start.given else None,
            ),
            evidence=self.shop.evidence,
            now=self.now(),
            chance="0" * 8,
        ).model_copy(update={"session": listed.session, "repository": listed.where.name})
        case = Case(opened=opened, contract=contract, objective=said.decode(errors="replace"))
        return Given(case=case, ground=ground, is_ours=mine, trailer=trailer(wish.by))

    def _kept(self, text: str) -> bytes:
        """As evidence keeps it: without secrets that jam knows."""
        evidence = self.shop.evidence
        return evidence.get(evidence.put(text.encode(errors="surrogatepass")))

    def take_up(self, case: Case, listed: Listed, told: Asked, forge: Forge) -> Given:
        """A session that was opened in an earlier run."""
        opened = case.opened
        mine = self._mine(listed, opened.branch, case.contract, forge) and not opened.dry_run
        refs = [f"refs/heads/{opened.branch}"] if mine else []
        wanted = (opened.base, *([opened.given] if opened.given else []), *refs)
        ground = self.shop.fetch(listed.where, forge, wanted=wanted)
        return Given(case=case, ground=ground, is_ours=mine, trailer=trailer(told.wish.by))

    def _mine(self, listed: Listed, branch: str, contract: Contract, forge: Forge) -> bool:
        """Whether it is there, from an earlier attempt in this thread."""
        known = self.known_branch(listed, contract)
        return bool(branch) and branch == known and forge.ref(f"refs/heads/{branch}") is not None

    def known_branch(self, listed: Listed, contract: Contract) -> str:  # noqa: ARG002  others ask it
        """jam's branch of this thread, as the docket says."""
        return self.docket.branch_of(listed.where.id, listed.thread) if listed.thread else ""

    def _demand_permission(self, by: Account, forge: Forge) -> None:
        """Between asking and beginning, somebody may have lost the right to ask."""
        trusted = by == NOBODY or by.id in self.bots or forge.own.wrote(by)
        if not trusted and forge.permission(by) < Permission.WRITE:
            raise NotPermitted(f"{by.login} has no write permission any more")

    def _sandbox(self, wish: Wish, contract: Contract) -> str:
        level = self.shop.sandbox(contract.sandbox.kind)
        if isinstance(wish, Verify) and wish.is_fork and level != JAILED:
            raise NoSandbox()
        return level

    def _agents(self, wish: Wish) -> tuple[str, ...]:
        if isinstance(wish, Verify | Undo):
            return (GIVEN,)
        return (self.agent,) if self.agent else ()

    def _from(self, wish: Wish, forge: Forge) -> From:
        match wish:
            case Verify(pull=pull):
                return From(
                    sha=tip(forge, pull.base_branch),
                    branch=pull.base_branch,
                    given=pull.head_sha,
                    refs=(f"refs/pull/{pull.number}/head",),
                )
            case Undo():
                return self._undone(wish)
            case Retry(pull=Pull() as pull) if forge.own.wrote(pull.author):
                return self._again(wish, pull, forge)
            case Retry(pull=Pull() as pull):
                return From(sha=pull.head_sha, branch=pull.head_branch)
            case Start(base=at) if at.branch:
                return From(sha=at.sha or tip(forge, at.branch), branch=at.branch)
            case _:
                branch = forge.repository().default_branch
                return From(sha=tip(forge, branch), branch=branch)

    def _again(self, wish: Retry, pull: Pull, forge: Forge) -> From:
        """On jam's own pull request the work begins where it began the first time: there the tests
        are red, and the new change follows the old one on the same branch."""
        if before := self.before(wish):
            return From(sha=before.base, branch=before.base_name)
        found = forge.pull(pull.number)
        sha = found.base_sha if found else tip(forge, pull.base_branch)
        return From(sha=sha, branch=pull.base_branch)

    def _undone(self, wish: Undo) -> From:
        entries = ledger.read(self.shop.journal.read(wish.session))
        opened = replay(entries).opened
        if opened is None:
            raise NothingToUndo("there is no checkpoint to go back to")
        numbers = held_numbers(entries)
        if wish.count >= len(numbers):
            raise NothingToUndo(f"there are only {many_of(len(numbers), 'checkpoint')}")
        ref = f"refs/jam/checkpoints/{wish.session}/{numbers[-1 - wish.count]}"
        return From(sha=opened.base, branch=opened.base_name, given=ref, refs=(ref,))

    def before(self, wish: Wish) -> Opened | None:
        """The session that this one follows."""
        if isinstance(wish, Undo):
            return self._opened(wish.session)
        if not isinstance(wish, Retry):
            return None
        earlier = reversed(self.docket.sessions_of(wish.where.id, wish.thread.number))
        known = (self._opened(session) for session in earlier if session != wish.session)
        return next((one for one in known if one is not None and one.given is None), None)

    def released(self, wish: Wish, listed: Listed) -> tuple[str, ...]:
        """Tests that pin the bug: named now, or by whoever asked for the work that goes on here."""
        match wish:
            case Retry(release=()) | Verify():
                earlier = reversed(self.docket.sessions_of(wish.where.id, listed.thread))
                known = (self._opened(one) for one in earlier if one != listed.session)
                found = next((one for one in known if one and one.given is None), None)
                return found.released if found else ()
            case Start() | Retry():
                return wish.release
            case _:
                return ()

    def _opened(self, session: str) -> Opened | None:
        return replay(ledger.read(self.shop.journal.read(session))).opened

    def _branch(self, listed: Listed, contract: Contract, forge: Forge) -> str:
        """jam's branch of this thread, or a new name that is clear of everybody else's."""
        mine = self.known_branch(listed, contract)
        if mine and forge.ref(f"refs/heads/{mine}"):
            return mine
        prefix = contract.publish.branch_prefix
        beside = forge.refs(f"refs/heads/{prefix.split('/', 1)[0]}")
        taken = [ref.name.removeprefix("refs/heads/") for ref in beside]
        if not listed.thread:
            return branch_name.for_words(listed.title, prefix=prefix, taken=taken)
        return branch_name.for_issue(listed.thread, listed.title, prefix=prefix, taken=taken)


def trailer(by: Account) -> str:
    """The person who asked, as GitHub knows them from any commit."""
    if by == NOBODY or by.is_bot:
        return ""
    return f"Co-authored-by: {by.login} <{by.id}+{by.login}@users.noreply.github.com>"


def tip(forge: Forge, branch: str) -> str:
    sha = forge.ref(f"refs/heads/{branch}")
    if sha is None:
        raise ForgeMissing(f"there is no branch {branch}")
    return sha


def held_numbers(entries: Sequence[Sealed]) -> tuple[int, ...]:
    """The checkpoints of a session, in order."""
    turns = (sealed.fact for sealed in entries if isinstance(sealed.fact, Turned))
    return tuple(turn.checkpoint.number for turn in turns if turn.checkpoint)


def _targets(wish: Wish) -> tuple[str, ...]:
    return () if isinstance(wish, Undo) else wish.tests


def _as_judged(contract: Contract) -> Contract:
    """A change that exists is asked no hooks: they are for the one who still works on it."""
    return contract.model_copy(update={"hooks": contract.hooks.model_copy(update={"stop": ()})})
