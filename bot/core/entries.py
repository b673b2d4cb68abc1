"""
The facts that a ledger can hold, one class each.

An entry says what happened, in numbers and digests; bytes it stands on are kept as evidence and
cited by their sha256. Lists are bounded (``many``): the whole list is in the evidence, and the
count beside it is always the true one. Adding a fact is adding a class here and a case in
``bot.core.session.learn``.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import AwareDatetime, Field

from bot.core.flaky.mend_facts import MendFact
from bot.core.parts import (
    CallFact,
    Change,
    CheckFact,
    Colour,
    Fact,
    GateFact,
    Held,
    Purpose,
    Remark,
    Spent,
)
from bot.core.spoken import Sha256, ShaGit


class Opened(Fact):
    """A session exists: what is asked, of which commit, and under which contract."""

    kind: Literal["opened"] = "opened"
    session: str
    at: AwareDatetime
    jam: str  # version
    repository: str
    base: ShaGit
    base_tree: ShaGit
    base_name: str
    contract_sha256: Sha256
    contract_from: str
    objective_sha256: Sha256
    title: str
    oracle: str
    commands: tuple[tuple[str, str], ...]  # name and command of each gate, in order
    named_targets: tuple[str, ...] = ()
    released: tuple[str, ...] = ()  # tests that pin the bug, named by whoever asked
    agents: tuple[str, ...]
    branch: str
    branch_named: bool = False  # by a person: no other name will do
    sandbox: str
    network: Literal["none", "open"]
    hidden_characters: int = 0
    dry_run: bool = False
    can_ask: bool = False  # somebody reads what the policy wants asked
    given: ShaGit | None = None  # a change that exists already, and is only judged


class Prepared(Fact):
    """The workcopy and the environment stand. ``withheld``: names of variables kept back."""

    kind: Literal["prepared"] = "prepared"
    environment_sha256: Sha256
    layer_sha256: Sha256 | None = None
    setup: str = ""
    setup_s: float = 0.0
    setup_output_sha256: Sha256 | None = None
    withheld: tuple[str, ...] = ()


class Froze(Fact):
    """What may not change, as it is on the base. ``sha256`` is over every path, mode and blob."""

    kind: Literal["froze"] = "froze"
    patterns: tuple[str, ...]
    frozen: int
    surface: int
    sha256: Sha256


class Judged(Fact):
    """The oracle ran on a tree. ``cached``: the answer is an earlier entry's, for the same tree."""

    kind: Literal["judged"] = "judged"
    purpose: Purpose
    number: Annotated[int, Field(ge=0)]  # which of its purpose's runs
    tree: ShaGit
    seed: int = 0  # 0: as the command says; else hash seed and order of the targets
    colour: Colour
    gates: tuple[GateFact, ...]
    seconds: float = 0.0
    cached: bool = False
    shows: bool = False  # a reproduction: the red is the issue's own
    environment_sha256: Sha256 | None = None  # when the run was over; of what decides the end

    @property
    def passed(self) -> int:
        return sum(gate.passed for gate in self.gates)


class Baselined(Fact):
    """What the base says, from the runs that agree: what must become green, and what must stay."""

    kind: Literal["baselined"] = "baselined"
    targets: tuple[str, ...]
    targets_count: int
    passed: int
    failing: int  # fail on the base and are no targets; not held against anyone
    wavering: tuple[str, ...] = ()
    baseline_sha256: Sha256


class Reproduced(Fact):
    """The agent wrote a test that the untouched source fails. From here on it is frozen."""

    kind: Literal["reproduced"] = "reproduced"
    checkpoint: int
    tree: ShaGit  # base plus the test
    paths: tuple[str, ...]
    by: Literal["the agent", "the change"] = "the agent"


class Turned(Fact):
    """One turn of an agent, and the checkpoint of what it left (None: nothing changed)."""

    kind: Literal["turned"] = "turned"
    number: int
    agent: str
    wish: Literal["go on", "finish", "give up", "ask"]
    said: str = ""
    seconds: float
    spent: Spent = Spent()
    calls: tuple[CallFact, ...] = ()
    calls_count: int = 0
    memory_sha256: Sha256
    checkpoint: Held | None = None
    suspects: tuple[tuple[str, int, float], ...] = ()


class Composed(Fact):
    """The candidate of a checkpoint: the same tree with frozen paths and surface restored."""

    kind: Literal["composed"] = "composed"
    checkpoint: int
    tree: ShaGit
    restored: tuple[str, ...] = ()
    restored_count: int = 0  # of paths that existed on the base
    set_aside: tuple[str, ...] = ()  # new files under frozen paths, and new surface
    set_aside_count: int = 0
    surface: tuple[str, ...] = ()  # which of both are surface
    frozen_sha256: Sha256  # must equal the one in ``froze``
    with_tests: ShaGit | None = None  # the candidate plus the agent's new tests
    with_surface: ShaGit | None = None  # the candidate plus its surface changes


class Hooked(Fact):
    """A stop hook of the user was asked after a green gate."""

    kind: Literal["hooked"] = "hooked"
    number: int
    checkpoint: int
    command: str
    exit_code: int | None
    vetoed: bool
    output_sha256: Sha256


class Stopped(Fact):
    """Someone asked the session to stop."""

    kind: Literal["stopped"] = "stopped"
    by: str


class Suspended(Fact):
    """The session rests; resuming goes on from here. Not an outcome."""

    kind: Literal["suspended"] = "suspended"
    at: AwareDatetime
    why: str


class Moved(Fact):
    """
    The session goes on where nothing of it was but its ledger and the checkpoints that were sent.
    What an agent did up to ``checkpoint`` stands (None: it begins on the base again); whatever was
    judged so far was judged elsewhere, and is judged anew. What was spent stays spent.
    """

    kind: Literal["moved"] = "moved"
    at: AwareDatetime
    checkpoint: Held | None = None  # as it was sent
    turns: int = 0  # which the agent still remembers
    lost: int = 0  # turns whose work did not come along
    agent: int = 0  # place in the list of backends
    finishes: bool = False  # the last of the turns that stand wanted to finish


class Approved(Fact):
    """A person agreed to what the policy wanted asked: these commands or paths, word for word."""

    kind: Literal["approved"] = "approved"
    by: str
    what: tuple[str, ...]
    run: int  # of the session: one agreement for each


class Disputed(Fact):
    """Ids that some runs failed and others passed, run alternately on base and candidate."""

    kind: Literal["disputed"] = "disputed"
    ids: tuple[str, ...]
    wavering: tuple[str, ...]  # fail on the base as well: not held against the change
    held: tuple[str, ...]  # clean on the base, failed on the candidate
    runs: int
    seed: int
    seconds: float


class Probed(Fact):
    """
    A sensitivity check on the targets: would the oracle have noticed? ``result`` is *passed* only
    where the check acted and the oracle did notice.
    """

    kind: Literal["probed"] = "probed"
    name: str
    result: Literal["passed", "failed", "not applicable"]
    why: str
    blind: bool = False  # it acted, and its run told nothing
    tree: ShaGit | None = None  # what was judged; None where nothing was
    report_sha256: Sha256 | None = None  # of that
    candidate: ShaGit | None = None  # what it was made from
    seconds: float = 0.0


class Adjudicated(Fact):
    """jam's last word on exactly one tree."""

    kind: Literal["adjudicated"] = "adjudicated"
    tree: ShaGit
    level: Literal["none", "L1", "L2", "L3"]
    end: Literal["verified", "partial", "failed", "unverified", "cancelled"]
    why: str
    checks: tuple[CheckFact, ...] = ()
    not_verified: tuple[str, ...] = ()
    review: tuple[str, ...] = ()  # what a person should look at first
    remarks: tuple[Remark, ...] = ()  # on the change itself, with lines
    head_tree: ShaGit  # what is published: the tree, or the tree with the agent's tests
    changes: tuple[Change, ...] = ()  # from the base to ``head_tree``
    files: int = 0


class Published(Fact):
    """The change is on a branch. ``tree`` was adjudicated; ``head_tree`` has a green record."""

    kind: Literal["published"] = "published"
    branch: str
    commit: ShaGit
    tree: ShaGit
    head_tree: ShaGit
    draft: bool


class Ended(Fact):
    """The one terminal fact of a session."""

    kind: Literal["ended"] = "ended"
    at: AwareDatetime
    end: Literal["verified", "partial", "failed", "unverified", "cancelled"]
    exit_code: int
    why: str


AnyFact: TypeAlias = Annotated[
    Opened
    | Prepared
    | Froze
    | Judged
    | Baselined
    | Reproduced
    | Turned
    | Composed
    | Hooked
    | Stopped
    | Suspended
    | Moved
    | Approved
    | Disputed
    | Probed
    | Adjudicated
    | Published
    | Ended
    | MendFact,
    Field(discriminator="kind"),
]
