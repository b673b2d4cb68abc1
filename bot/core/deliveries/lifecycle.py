"""Readers of what happens to installations, repositories and branches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from pydantic import Field, StringConstraints

from bot.core.deliveries.shapes import Installation, Only, Root, Sha, Shape, User, who
from bot.core.event import (
    Access,
    Fate,
    InstallationChanged,
    Pushed,
    RepositoriesChanged,
    RepositoryChanged,
)

Ref = Annotated[str, StringConstraints(pattern=r"^refs/[^\x00-\x20\x7f]{1,300}$")]


class OfInstallation(Shape):
    installation: Installation
    sender: User | None = None


class OfRepositories(OfInstallation):
    repositories_added: list[Only] = Field(default_factory=list)
    repositories_removed: list[Only] = Field(default_factory=list)


class Push(Root):
    ref: Ref
    before: Sha
    after: Sha


def installation(change: Access) -> Callable[[object], InstallationChanged]:
    def read(payload: object) -> InstallationChanged:
        said = OfInstallation.model_validate(payload)
        return InstallationChanged(
            by=who(said.sender), installation=said.installation.id, change=change
        )

    return read


def repositories(payload: object) -> RepositoriesChanged:
    said = OfRepositories.model_validate(payload)
    return RepositoriesChanged(
        by=who(said.sender),
        installation=said.installation.id,
        added=tuple(repo.id for repo in said.repositories_added),
        removed=tuple(repo.id for repo in said.repositories_removed),
    )


def repository(fate: Fate) -> Callable[[object], RepositoryChanged]:
    def read(payload: object) -> RepositoryChanged:
        said = Root.model_validate(payload)
        return RepositoryChanged(where=said.where, by=said.by, fate=fate)

    return read


def pushed(payload: object) -> Pushed:
    said = Push.model_validate(payload)
    return Pushed(where=said.where, by=said.by, ref=said.ref, before=said.before, after=said.after)
