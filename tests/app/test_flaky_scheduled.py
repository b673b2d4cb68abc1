"""What scheduled searches do at the forge, night after night, without a single run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date

import pytest

from bot.adapters.memory_forge import MemoryForge
from bot.app.flaky.scheduled import Mended, Scheduled
from bot.app.flaky.setting_aside import Change, SettingAside
from bot.core.contract import Flaky
from bot.core.flaky.condition import Condition
from bot.core.flaky.finding import Category, Finding, Standing
from bot.core.flaky.runs import Count
from bot.core.flaky.search_report import ArmDone, SearchReport, Unjudged
from bot.core.forge_values import NewPull
from bot.core.tree import TreeEntry
from tests.ports.forges import MemoryGround

COMMIT = "a" * 40
TODAY = date(2026, 3, 1)
TEST = "tests/test_shop.py::test_sells"
OTHER = "tests/test_shop.py::test_buys"
TEXT = "def test_sells():\n    assert 1\n\n\ndef test_buys():\n    assert 1\n"
LEFT = "Mended by hand.\n"


@dataclass
class Files:
    """One file of tests, in trees that are named by their content."""

    trees: dict[str, str] = field(default_factory=lambda: {"t0": TEXT})
    blobs: dict[str, str] = field(default_factory=dict)

    def entries(self, tree: str) -> dict[str, TreeEntry]:
        path = "tests/test_shop.py"
        return {path: TreeEntry(path=path, mode="100644", blob=tree)}

    def read(self, tree: str, path: str) -> bytes | None:
        return self.trees[tree].encode() if path == "tests/test_shop.py" else None

    def write(self, content: bytes) -> str:
        name = hashlib.sha256(content).hexdigest()
        self.blobs[name] = content.decode()
        return name

    def compose(self, tree: str, *, put: Iterable[TreeEntry], drop: Iterable[str]) -> str:
        (one,) = put
        self.trees[one.blob] = self.blobs[one.blob]
        return one.blob


def count(failed: int, runs: int) -> Count:
    return Count(condition=Condition(), runs=runs, failed=failed)


def finding(test: str = TEST, *, tests: tuple[str, ...] = (), plain: int = 1) -> Finding:
    return Finding(
        commit=COMMIT,
        gate="tests",
        test=test,
        tests=tests or (test,),
        standing=Standing.FLAKY,
        category=Category.RANDOM,
        condition=Condition(),
        before=count(7, 60),
        plain=count(plain, 20),
        signature="AssertionError | assert <!-- jam:flaky v1 --> @everyone",
        command="pytest tests",
    )


def report(
    *found: Finding, finished: bool = True, unjudged: Unjudged | None = None
) -> SearchReport:
    return SearchReport(
        commit=COMMIT,
        gate="tests",
        command="pytest",
        tests=2,
        findings=found,
        unjudged=(unjudged,) if unjudged else (),
        arms=(ArmDone(name="plain", runs=20),),
        finished=finished,
    )


@dataclass
class Nights:
    ground: MemoryGround = field(default_factory=MemoryGround)
    policy: Flaky = field(default_factory=Flaky)
    mends: bool = True
    tried: list[str] = field(default_factory=list)
    files: Files = field(default_factory=Files)
    text: str = TEXT
    today: date = TODAY

    @property
    def forge(self) -> MemoryForge:
        return MemoryForge(self.ground.hub)

    def night(
        self, *found: Finding, finished: bool = True, unjudged: Unjudged | None = None
    ) -> list[str]:
        self.files.trees["t0"] = self.text
        made = Scheduled(
            forge=self.forge,
            policy=self.policy,
            prefix="jam/",
            base="main",
            aside=SettingAside(workcopy=self.files, tree="t0", today=self.today),  # type: ignore[arg-type]
            commit=self._commit,
            push=self._push,
            mend=self._mend,
            today=self.today,
            say=lambda _: None,
        )
        made.run(report(*found, finished=finished, unjudged=unjudged))
        return made.told

    def _commit(self, change: Change) -> str:
        self.text = self.files.trees[change.tree]
        return "c" * 40

    def _push(self, branch: str, commit: str) -> str:
        name = branch
        while self.forge.ref(f"refs/heads/{name}"):
            name += "-2"
        self.ground.push(name, {"a.py": commit})
        return name

    def _mend(self, one: Finding) -> Mended:
        self.tried.append(one.test)
        return Mended(
            outcome="verified" if self.mends else "failed",
            why="the agent gave up",
            commit="d" * 40 if self.mends else "",
            is_draft=False,
            render=lambda number: f"Refs #{number}: {LEFT}",
        )

    @property
    def issues(self) -> dict[int, bool]:
        threads = self.ground.hub.threads.items()
        return {number: one.thread.is_open for number, one in threads if not one.thread.is_pull}

    @property
    def pulls(self) -> dict[int, str]:
        return {number: one.pull.title for number, one in self.ground.hub.pulls.items()}

    def merge(self, number: int) -> None:
        facts = self.ground.hub.pulls[number]
        pull = replace(facts.pull, is_open=False, is_merged=True)
        self.ground.hub.pulls[number] = replace(facts, pull=pull)


@pytest.fixture
def nights() -> Nights:
    return Nights()


def test_a_cause_has_one_issue_and_one_pull_request(nights: Nights) -> None:
    told = nights.night(finding())
    again = nights.night(finding())

    assert told == [
        f"issue #1 opened: {TEST}",
        f"pull request #2 opened: fix: Mend the flaky test {TEST}",
    ]
    assert again == [f"issue #1 kept: {TEST}"]
    assert (nights.issues, nights.tried) == ({1: True}, [TEST])
    facts = nights.ground.hub.pulls[2]
    assert (facts.pull.body, facts.is_draft) == (f"Refs #1: {LEFT}", False)
    assert nights.ground.labels(1) == ("flaky",)
    body = nights.ground.hub.threads[1].thread.body
    assert "| as the command runs it | 7 / 60 | 12%, 95% interval 4.8% to 23% |" in body
    assert "○○ (○ seen" in body
    assert body.count("<!--") == 2


def test_three_quiet_searches_after_the_merge_close_the_issue(nights: Nights) -> None:
    nights.night(finding())
    nights.merge(2)
    told = [nights.night() for _ in range(3)]

    assert told[:2] == [[], []]
    assert told[2] == [
        "issue #1 closed: Not seen by 3 scheduled searches in a row, 60 runs without a failure. "
        "It may still fail in up to 4.9% of such runs (95%). jam opens this issue again if it "
        "comes back."
    ]
    assert nights.issues == {1: False}
    assert nights.night(finding())[0] == f"issue #1 opened again: {TEST}"
    assert nights.issues == {1: True}


def test_a_test_that_was_pointed_at_and_right_in_every_run_is_quiet(nights: Nights) -> None:
    nights.night(finding())
    nights.merge(2)

    for _ in range(3):
        nights.night(unjudged=Unjudged(test=TEST, why="in CI's history it failed", clean=60))

    assert nights.issues == {1: False}


def test_a_test_that_was_pointed_at_and_did_not_run_is_not_quiet(nights: Nights) -> None:
    nights.night(finding())
    nights.merge(2)

    for _ in range(4):
        nights.night(unjudged=Unjudged(test=TEST, why="it did not run here"))

    assert nights.issues == {1: True}


def test_a_search_that_was_cut_off_is_not_quiet(nights: Nights) -> None:
    nights.night(finding())
    for _ in range(4):
        nights.night(finished=False)

    assert nights.issues == {1: True}
    assert "○···· (○ seen" in nights.ground.hub.threads[1].thread.body


def test_an_issue_that_a_person_closed_stays_closed(nights: Nights) -> None:
    nights.policy = Flaky(pulls=0)
    nights.night(finding())
    nights.ground.close(1)
    nights.policy = Flaky()

    assert nights.night(finding()) == []
    assert (nights.issues, nights.tried) == ({1: False}, [])


def test_a_pull_request_that_a_person_closed_is_not_tried_again(nights: Nights) -> None:
    nights.night(finding())
    nights.ground.close(2)

    assert nights.night(finding()) == [f"issue #1 kept: {TEST}"]
    assert nights.tried == [TEST]


def test_one_change_at_a_time_and_what_costs_most_first(nights: Nights) -> None:
    cheap, dear = finding(), finding(OTHER, plain=9)
    nights.night(cheap, dear)
    nights.night(cheap, dear)

    assert nights.tried == [OTHER]
    nights.merge(3)
    nights.night(cheap)
    assert nights.tried == [OTHER, TEST]


def test_attempts_are_counted_before_they_are_made(nights: Nights) -> None:
    nights.mends = False
    told = [nights.night(finding()) for _ in range(5)]

    assert nights.tried == [TEST] * 3
    assert told[0][1] == f"{TEST} was not mended: the agent gave up"
    assert told[4] == [f"issue #1 kept: {TEST}"]
    assert nights.pulls == {}


def test_another_test_of_the_same_cause_keeps_the_issue(nights: Nights) -> None:
    nights.night(finding(TEST, tests=(TEST, OTHER)))
    told = nights.night(finding(OTHER, tests=(OTHER, TEST)))

    assert told == [f"issue #1 kept: {OTHER}"]
    assert nights.issues == {1: True}


def test_a_quarantine_names_its_issue_and_its_end_is_enforced(nights: Nights) -> None:
    nights.mends, nights.policy = False, Flaky(quarantine="on")
    told = nights.night(finding())

    assert told[2] == f"pull request #2 opened: test: Set {TEST} aside until 2026-03-31"
    assert 'reason="flaky until 2026-03-31, owner nobody, issue #1: randomness' in nights.text
    assert nights.ground.hub.pulls[2].is_draft
    nights.merge(2)
    for _ in range(4):  # what is set aside cannot be seen failing
        assert nights.night() == []
    assert nights.issues == {1: True}
    nights.today = date(2026, 4, 1)
    assert nights.night() == [f"pull request #3 opened: test: Take {TEST} out of quarantine"]
    assert "xfail" not in nights.text


def test_a_repository_may_want_no_issues(nights: Nights) -> None:
    nights.policy = Flaky(issues="off")
    nights.night(finding())

    assert nights.issues == {}
    assert nights.pulls == {1: f"fix: Mend the flaky test {TEST}"}


def test_a_persons_branch_of_such_a_name_is_nobodys_change(nights: Nights) -> None:
    nights.night(finding())
    branch = nights.ground.hub.pulls[2].pull.head_branch
    theirs = Nights()
    theirs.ground.push(branch, {"a.py": "x"})
    theirs.ground.hub.open_pull(
        NewPull(branch=branch, base="main", title="x", body="", is_draft=False),
        by=theirs.ground.who("maintainer"),
    )
    theirs.night(finding())

    assert theirs.tried == [TEST]
