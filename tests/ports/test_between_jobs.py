"""What one job of a workflow leaves in the repository, and what the next one makes of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.adapters import database, workflow_drawer
from bot.adapters.database import Database
from bot.adapters.github.by_token import TokenForges, is_going
from bot.adapters.github.means import Means
from bot.adapters.github.secret import Secret
from bot.adapters.workflow_docket import Post, WorkflowDocket
from bot.adapters.workflow_drawer import RefDrawer
from bot.adapters.workflow_store import WorkflowStore
from bot.app.github.status import Status
from bot.app.github.workflow import over
from bot.core import asked, ledger
from bot.core.asked import Asked
from bot.core.contract import Contract
from bot.core.decision import Start, Words
from bot.core.docket import Kind, Listed
from bot.core.entries import Adjudicated, AnyFact, Ended, Opened, Suspended
from bot.core.facts import State
from bot.core.forge_values import NewPull
from bot.core.thread import Account, Repository
from bot.errors import ForgeRefused, RefTaken
from bot.minihub.faults import Fault
from bot.minihub.minihub import Minihub
from tests.minihub import hubs

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
REPO = "ada/lib"
WRITES = {"contents": "write", "pull_requests": "write", "actions": "read", "metadata": "read"}
SHA = "a" * 40
START = Start(
    session="",
    where=Repository(id=0, name="", default_branch=""),
    by=Account(7, "ben"),
    subject=Words("mend it"),
)


@dataclass
class Job:
    """One job's hands. ``number``: of its workflow run."""

    hub: Minihub
    home: Path
    number: int
    said: list[str]
    grants: Mapping[str, str] = field(default_factory=lambda: WRITES)

    def __post_init__(self) -> None:
        self.repo = self.hub.hub.store.repo(REPO)
        self.where = Repository(id=self.repo.id, name=REPO, default_branch="main")
        self.forges = TokenForges(
            secret=Secret(self.hub.actions_token(REPO, dict(self.grants))),
            repository=self.repo.id,
            acts_as="github-actions[bot]",
            base_url=self.hub.api_url,
            config="",
            means=Means(sleep=lambda _: None),
        )
        self.forge = self.forges.of(self.where)
        self.home.mkdir()
        self.store = WorkflowStore(self.home)
        hand = self.forges.hand()
        self.docket = WorkflowDocket(
            Database(database.open_engine(f"sqlite:///{self.home}/jam.sqlite")),
            Post(
                leave=lambda session, by: workflow_drawer.leave_word(hand, session, by),
                look=lambda session: workflow_drawer.word_for(self.forge, session),
                clock=lambda: 0.0,
            ),
        )
        self.drawer = RefDrawer(
            forge=self.forge,
            hand=self.forges.hand(),
            store=self.store,
            docket=self.docket,
            place=lambda _: self.home / "lib.git",
            job=self.number,
            alive=lambda run: is_going(self.forge, run),
            now=lambda: NOW,
            say=self.said.append,
        )

    def list(self, session: str, **more: object) -> Listed:
        listed = Listed(
            session=session,
            kind=Kind.FIX,
            where=self.where,
            thread=1,
            asked=asked.spell(Asked(wish=replace(START, session=session, where=self.where))),
            asked_by="ben",
            counts_as="7#1",
            opened_at=NOW,
        )
        listed = replace(listed, **more)  # type: ignore[arg-type]  # what a test varies
        self.docket.restore(listed)
        return listed

    def write(self, session: str, *facts: AnyFact) -> None:
        self.store.create(session)
        entries = ledger.read(self.store.read(session))
        for fact in facts:
            after = ledger.last_seal(entries)
            entries = ledger.append(entries, fact)
            place = len(entries) - 1
            self.store.append(session, ledger.line(entries[-1]), place=place, after=after)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Minihub]:
    with hubs.minihub(tmp_path / "hub") as one:
        one.person("ada")
        one.repository(REPO, {"README.md": "# lib\n"})
        yield one


@pytest.fixture
def first(hub: Minihub, tmp_path: Path) -> Job:
    return Job(hub, tmp_path / "first", 71, [])


@pytest.fixture
def second(hub: Minihub, tmp_path: Path) -> Job:
    return Job(hub, tmp_path / "second", 72, [])


def opened(store: WorkflowStore) -> Opened:
    return Opened(
        session="gh-1",
        at=NOW,
        jam="0",
        repository=REPO,
        base=SHA,
        base_tree=SHA,
        base_name="main",
        contract_sha256=store.put(Contract.__doc__.encode() if Contract.__doc__ else b"c"),
        contract_from="jam.yml",
        objective_sha256=store.put(b"free(3, 2) is 0.\r\n\x00"),
        title="t",
        oracle="unit",
        commands=(("tests", "pytest"),),
        agents=("repair",),
        branch="jam/x",
        sandbox="bwrap",
        network="none",
    )


ADJUDICATED = Adjudicated(tree=SHA, level="L3", end="verified", why="so it says", head_tree=SHA)


def test_the_next_job_finds_the_session_its_ledger_and_its_evidence(
    first: Job, second: Job
) -> None:
    first.list("gh-1", state=State.RUNNING, cents=12.5, pull=4, branch="jam/x")
    first.write("gh-1", begun := opened(first.store))
    first.drawer.keep("gh-1", delivery="actions-71")
    first.write("gh-1", Suspended(at=NOW, why="later"))
    first.drawer.keep("gh-1")

    kept = second.drawer.restore(second.where)
    listed = second.docket.get("gh-1")

    assert [(one.delivery, one.job) for one in kept] == [("actions-71", 71)]
    assert listed is not None
    assert (listed.state, listed.cents, listed.pull) == (State.RESTING, 12.5, 4)  # its job is gone
    assert second.store.read("gh-1") == first.store.read("gh-1")
    assert second.store.get(begun.objective_sha256) == b"free(3, 2) is 0.\r\n\x00"
    seal = ledger.last_seal(ledger.read(second.store.read("gh-1")))
    assert not second.store.is_here("gh-1", seal=seal)


def test_the_last_word_of_another_job_is_not_believed(first: Job, second: Job) -> None:
    first.list("gh-1", state=State.RUNNING)
    first.write("gh-1", opened(first.store), ADJUDICATED)
    first.drawer.keep("gh-1", delivery="actions-71")

    second.drawer.restore(second.where)

    kinds = [json.loads(line)["fact"]["kind"] for line in second.store.read("gh-1")]
    assert kinds == ["opened"]


VERIFIED = Ended(at=NOW, end="verified", exit_code=0, why="so it says")


@pytest.mark.parametrize("state", [State.RESTING, State.ENDED])
def test_no_job_says_verified_because_another_one_did(
    first: Job, second: Job, state: State
) -> None:
    first.list("gh-1", state=state, end="verified" if state is State.ENDED else "")
    first.write("gh-1", opened(first.store), ADJUDICATED, VERIFIED)
    first.drawer.keep("gh-1", delivery="actions-71")

    second.drawer.restore(second.where)
    status = Status(
        docket=second.docket,
        journal=second.store,
        page=lambda _: "",
        is_history=second.store.is_as_brought,
    )
    said = status.text(second.where, 1)

    assert "**Verified.**" not in said
    assert "so it says" not in said
    assert ("ended in an earlier job** as `verified`" in said) is (state is State.ENDED)


def test_a_job_that_is_run_again_takes_no_verdict_over(first: Job) -> None:
    ended = first.list("gh-1", state=State.ENDED, end="verified")
    ends = {"failed": ("failed", 1), "refused": ("refused", 2), "Verified": ("unverified", 3)}

    found = {end: over(replace(ended, end=end)) for end in ("verified", *ends)}

    assert {end: (came.outcome, came.exit_code) for end, came in found.items()} == {
        "verified": ("unverified", 3),
        **ends,
    }


def test_a_ledger_that_was_tampered_with_ends_its_session(first: Job, second: Job) -> None:
    first.list("gh-1", state=State.RESTING)
    first.write("gh-1", opened(first.store), Suspended(at=NOW, why="later"))
    path = first.store.path("gh-1")
    path.write_text(path.read_text().replace('"later"', '"earlier"'))
    first.drawer.keep("gh-1", delivery="actions-71")

    second.drawer.restore(second.where)

    listed = second.docket.get("gh-1")
    assert listed is not None
    assert (listed.state, listed.end) == (State.ENDED, "broken")
    assert second.store.read("gh-1") == ()


def test_what_is_not_jams_is_left_alone(first: Job, second: Job) -> None:
    first.forges.hand().keep("refs/jam/sessions/odd", {"session.json": b"{}"}, message="odd")

    assert second.drawer.restore(second.where) == []
    assert second.said[0].startswith("note: refs/jam/sessions/odd is not jam's")


def test_of_two_jobs_that_write_the_second_is_refused(first: Job, second: Job) -> None:
    one, other = first.forges.hand(), second.forges.hand()
    ref = "refs/jam/sessions/gh-1"
    one.keep(ref, {"a": b"1"}, message="1")
    other.keep(ref, {"a": b"2"}, message="2")

    with pytest.raises(RefTaken):
        one.keep(ref, {"a": b"3"}, message="3")

    assert first.hub.file(REPO, ref, "a") == b"2"


def test_old_sessions_go_with_their_checkpoints(first: Job, second: Job) -> None:
    long_ago = NOW - timedelta(days=31)
    first.list("gh-1", state=State.ENDED, end="failed", ended_at=long_ago)
    first.drawer.keep("gh-1", delivery="actions-71")
    first.forges.hand().keep("refs/jam/checkpoints/gh-1/1", {"a": b"1"}, message="Checkpoint 1")

    assert second.drawer.restore(second.where) == []
    assert list(first.hub.refs(REPO, "refs/jam/")) == []


def test_a_job_that_may_not_write_leaves_old_sessions_and_does_its_work(
    hub: Minihub, first: Job, tmp_path: Path
) -> None:
    first.list("gh-1", state=State.ENDED, end="failed", ended_at=NOW - timedelta(days=31))
    first.drawer.keep("gh-1", delivery="actions-71")
    first.list("gh-2", state=State.RESTING)
    first.drawer.keep("gh-2", delivery="actions-71")
    judging = Job(hub, tmp_path / "judging", 73, [], {**WRITES, "contents": "read"})

    kept = judging.drawer.restore(judging.where)

    assert [one.listed.session for one in kept] == ["gh-2"]
    assert judging.said[0].startswith("note: what is kept for too long stays for now")
    assert "refs/jam/sessions/gh-1" in hub.refs(REPO, "refs/jam/")


def test_a_session_of_another_job_hears_that_it_is_to_stop(first: Job, second: Job) -> None:
    first.list("gh-1")
    first.docket.begin("gh-1", run=1)
    second.list("gh-1", state=State.RUNNING)
    second.docket.ask_stop("gh-1", by="ben")

    assert first.docket.beat("gh-1", run=1) == "somebody in another job"
    workflow_drawer.forget_word(first.forge, "gh-1")
    assert list(first.hub.refs(REPO, "refs/jam/")) == []


def test_where_actions_may_not_open_pull_requests_it_is_said_what_to_do(
    hub: Minihub, first: Job
) -> None:
    hub.person("ada").push(REPO, "jam/x", {"README.md": "# new\n"})
    said = "GitHub Actions is not permitted to create or approve pull requests."
    hub.plan(
        Fault(
            match="POST /repositories/*/pulls", kind="status", status=403, message=said, times=None
        )
    )

    with pytest.raises(ForgeRefused) as refused:
        first.forge.open_pull(
            NewPull(branch="jam/x", base="main", title="t", body="b", is_draft=False)
        )

    assert "the change is on the branch jam/x" in str(refused.value)
    assert "then say `/jam resume`" in str(refused.value)
