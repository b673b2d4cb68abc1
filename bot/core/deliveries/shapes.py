"""
Shapes of payloads: only what is read.

A field that is not here cannot break jam when GitHub changes it. A field that is here is held to
its type strictly, and to what a name of its kind can be, so that nothing after the door has to
wonder whether a sha is one.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from bot.core import branch_name, thread

NAME_LONG = 400


class Shape(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


def _is_branch(name: str) -> str:
    if not branch_name.is_valid(name):
        raise ValueError("not the name of a branch")
    return name


Number: TypeAlias = Annotated[int, Field(ge=1, lt=2**63)]
Sha: TypeAlias = Annotated[str, StringConstraints(pattern=r"^(?:[0-9a-f]{40}|[0-9a-f]{64})$")]
Branch: TypeAlias = Annotated[str, AfterValidator(_is_branch)]
FullName: TypeAlias = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}/[A-Za-z0-9_.-]{1,100}$")
]
Short: TypeAlias = Annotated[str, StringConstraints(max_length=NAME_LONG)]


class User(Shape):
    id: Number
    login: Short
    type: Short = "User"

    def say(self) -> thread.Account:
        # Some bots are only known by their name: a type other than "User" is never a person.
        is_bot = self.type != "User" or self.login.endswith("[bot]")
        return thread.Account(self.id, self.login, is_bot)


def who(user: User | None) -> thread.Account:
    return user.say() if user else thread.NOBODY


class Repo(Shape):
    id: Number
    full_name: FullName
    default_branch: Branch | None = None
    private: bool = False


class Installation(Shape):
    id: Number


class Root(Shape):
    """What every event about a repository carries."""

    repository: Repo
    sender: User | None = None
    installation: Installation | None = None

    @property
    def where(self) -> thread.Repository:
        repo = self.repository
        return thread.Repository(
            id=repo.id,
            name=repo.full_name,
            default_branch=repo.default_branch or "",
            is_private=repo.private,
            installation=self.installation.id if self.installation else None,
        )

    @property
    def by(self) -> thread.Account:
        return who(self.sender)


class Label(Shape):
    name: Short


class App(Shape):
    id: Number


class Only(Shape):
    """Something known by its number alone."""

    id: Number


class Issue(Shape):
    number: Number
    title: str = ""
    body: str | None = None
    user: User | None = None
    state: Short = "open"
    pull_request: dict[str, object] | None = None

    def say(self) -> thread.Thread:
        return thread.Thread(
            number=self.number,
            is_pull=self.pull_request is not None,
            title=self.title,
            body=self.body or "",
            author=who(self.user),
            is_open=self.state == "open",
        )


class End(Shape):
    """One end of a pull request."""

    ref: Branch
    sha: Sha
    repo: Only | None = None


class PullRequest(Shape):
    number: Number
    title: str = ""
    body: str | None = None
    user: User | None = None
    state: Short = "open"
    merged: bool | None = None
    head: End
    base: End

    def say(self) -> thread.Pull:
        return thread.Pull(
            number=self.number,
            author=who(self.user),
            head_sha=self.head.sha,
            head_branch=self.head.ref,
            head_repository=self.head.repo.id if self.head.repo else None,
            base_branch=self.base.ref,
            title=self.title,
            body=self.body or "",
            is_open=self.state == "open",
            is_merged=bool(self.merged),
        )


class PullNumber(Shape):
    number: Number
    base: PullBase


class PullBase(Shape):
    repo: Only


def pulls_of(repository: Repo, pulls: list[PullNumber]) -> tuple[int, ...]:
    """GitHub also lists pull requests of other repositories that share the commit."""
    return tuple(pull.number for pull in pulls if pull.base.repo.id == repository.id)
