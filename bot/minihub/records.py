"""
What the hub remembers about people, repositories, threads and Apps: plain records that are changed
in place under the store's lock. How a record looks as JSON is decided in ``bot.minihub.shapes``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.minihub.bare import Bare


@dataclass(slots=True, kw_only=True)
class Account:
    id: int
    login: str
    kind: str = "User"  # User | Organization | Bot
    name: str | None = None
    email: str | None = None


@dataclass(slots=True, kw_only=True)
class Reaction:
    id: int
    user: Account
    content: str
    created_at: str


@dataclass(slots=True, kw_only=True)
class Label:
    id: int
    name: str
    color: str = "ededed"
    description: str | None = None


@dataclass(slots=True, kw_only=True)
class Comment:
    id: int
    user: Account
    body: str
    created_at: str
    updated_at: str
    app: App | None = None
    reactions: list[Reaction] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Review:
    id: int
    user: Account
    body: str
    state: str  # PENDING | COMMENTED | APPROVED | CHANGES_REQUESTED | DISMISSED
    commit_id: str
    submitted_at: str | None


@dataclass(slots=True, kw_only=True)
class Pull:
    head_repo: Repo | None
    head_owner: Account
    head_ref: str
    head_sha: str
    base_ref: str
    base_sha: str
    draft: bool = False
    merged_at: str | None = None
    merged_by: Account | None = None
    merge_sha: str | None = None  # of the test merge, then of the merge
    mergeable: bool = False
    unknown_reads: int = 0  # how often ``mergeable`` is still answered with null
    maintainer_can_modify: bool = False
    reviewers: list[Account] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Issue:
    id: int
    number: int
    title: str
    body: str | None
    user: Account
    created_at: str
    updated_at: str
    state: str = "open"
    state_reason: str | None = None
    closed_at: str | None = None
    closed_by: Account | None = None
    locked: bool = False
    app: App | None = None
    pull: Pull | None = None
    labels: list[Label] = field(default_factory=list)
    assignees: list[Account] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class CheckSuite:
    id: int
    app: App | None  # None: GitHub Actions
    head_sha: str
    head_branch: str | None
    created_at: str
    updated_at: str
    before: str | None = None
    after: str | None = None


@dataclass(slots=True, kw_only=True)
class CheckRun:
    id: int
    suite: CheckSuite
    name: str
    status: str = "queued"
    conclusion: str | None = None
    external_id: str = ""
    details_url: str | None = None
    started_at: str | None = None
    completed_at: str | None = None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[dict[str, Any]] = field(default_factory=list)
    actions: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Status:
    id: int
    sha: str
    state: str
    context: str
    description: str | None
    target_url: str | None
    creator: Account
    created_at: str


@dataclass(slots=True, kw_only=True)
class Workflow:
    id: int
    name: str
    path: str
    created_at: str


@dataclass(slots=True, kw_only=True)
class Job:
    id: int
    name: str
    check_run: CheckRun
    log: str
    steps: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Artifact:
    id: int
    name: str
    content: bytes  # the zip file
    created_at: str
    expired: bool = False


@dataclass(slots=True, kw_only=True)
class WorkflowRun:
    id: int
    workflow: Workflow
    number: int
    event: str
    actor: Account
    triggering_actor: Account
    suite: CheckSuite
    head_repo: Repo
    title: str
    created_at: str
    updated_at: str
    attempt: int = 1
    status: str = "queued"
    conclusion: str | None = None
    jobs: list[Job] = field(default_factory=list)
    artifacts: list[Artifact] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Repo:
    id: int
    owner: Account
    name: str
    git: Bare
    created_at: str
    pushed_at: str
    default_branch: str = "main"
    description: str | None = None
    private: bool = False
    archived: bool = False
    parent: Repo | None = None
    next_number: int = 1
    roles: dict[str, str] = field(default_factory=dict)  # login -> admin|maintain|write|triage|read
    labels: list[Label] = field(default_factory=list)
    issues: dict[int, Issue] = field(default_factory=dict)
    suites: list[CheckSuite] = field(default_factory=list)
    checks: list[CheckRun] = field(default_factory=list)
    statuses: list[Status] = field(default_factory=list)
    workflows: list[Workflow] = field(default_factory=list)
    runs: list[WorkflowRun] = field(default_factory=list)
    signed: set[str] = field(default_factory=set)  # commits that the hub signed

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"


@dataclass(slots=True, kw_only=True)
class App:
    id: int
    slug: str
    name: str
    owner: Account
    bot: Account
    client_id: str
    public_key: str
    created_at: str
    permissions: dict[str, str]
    events: list[str]
    hook_url: str = ""
    hook_secret: str = ""


@dataclass(slots=True, kw_only=True)
class Installation:
    id: int
    app: App
    account: Account
    permissions: dict[str, str]
    events: list[str]
    created_at: str
    updated_at: str
    repository_ids: list[int] | None = None  # None: all of the account's
    suspended_at: str | None = None
    suspended_by: Account | None = None
    deleted: bool = False


@dataclass(slots=True, kw_only=True)
class Token:
    text: str
    account: Account
    expires_at: float | None = None  # seconds since the epoch; None: a person's, for ever
    installation: Installation | None = None
    permissions: dict[str, str] = field(default_factory=dict)
    repository_ids: list[int] | None = None


@dataclass(slots=True, kw_only=True)
class Delivery:
    id: int
    guid: str
    app: App
    event: str
    action: str | None
    installation_id: int | None
    repository_id: int | None
    body: bytes
    headers: dict[str, str]
    delivered_at: str
    redelivery: bool = False
    duration: float = 0.0
    status: str = "pending"
    status_code: int = 0
    answer_headers: dict[str, str] = field(default_factory=dict)
    answer: str = ""


def repository_folder(root: Path, repository_id: int) -> Path:
    """By id, so that a rename moves nothing on disk."""
    return root / "repositories" / f"{repository_id}.git"
