"""
The repository, its files, and what somebody may do in it.

The contract is read from the default branch, pinned to a commit, and else from the ``.github``
repository of the same owner; never from anywhere that a stranger can write to. An answer about
somebody else than the account that was asked for gives nobody a permission.
"""

from __future__ import annotations

from urllib.parse import quote

from bot.adapters.github.git_shapes import BlobAnswer, ContentAnswer, RefAnswer, decode
from bot.adapters.github.part import Home, Part
from bot.adapters.github.purpose import Purpose
from bot.adapters.github.shapes import PermissionAnswer, RepositoryAnswer
from bot.adapters.github.talk import Talk
from bot.core import permission
from bot.core.forge_values import ContractText, RepositoryFacts
from bot.core.permission import Permission
from bot.core.thread import Account
from bot.errors import ForgeMissing, ForgeRefused

CONTRACT = ".github/jam.yml"
SHARED = ".github"


class Contents(Part):
    """``shared``: a conversation that may read the owner's ``.github`` repository."""

    def __init__(self, talk: Talk, home: Home, shared: Talk) -> None:
        super().__init__(talk, home)
        self._shared_talk = shared

    def repository(self) -> RepositoryFacts:
        return self._talk.get(self._at(), RepositoryAnswer, purpose=Purpose.READ).say()

    def file(self, path: str, *, commit: str) -> bytes | None:
        return _file(self._talk, self._at(), path, commit)

    def permission(self, account: Account) -> Permission:
        if account.id < 1:
            return Permission.NONE
        path = self._at(f"/collaborators/{quote(account.login, safe='')}/permission")
        try:
            found = self._talk.get(path, PermissionAnswer, purpose=Purpose.READ)
        except ForgeRefused:
            return Permission.NONE
        if found.user is None or found.user.id != account.id:
            return Permission.NONE  # the name is somebody else's by now
        return permission.read(found.permission, found.role_name)

    def contract(self) -> ContractText | None:
        with self._talk.within():
            facts = self.repository()
            here = _contract(self._talk, self._at(), facts)
            return here or self._shared(facts)

    def _shared(self, facts: RepositoryFacts) -> ContractText | None:
        login, _, name = facts.name.partition("/")
        if name == SHARED:
            return None
        path = f"/repos/{quote(login)}/{SHARED}"
        # What is public can be read with any token; else the App must be installed there too.
        for talk in (self._talk, self._shared_talk):
            try:
                found = talk.get(path, RepositoryAnswer, purpose=Purpose.READ).say()
            except ForgeRefused:
                continue
            if found.owner.id != facts.owner.id:
                return None
            return _contract(talk, f"/repositories/{found.id}", found)
        return None


def _contract(talk: Talk, at: str, facts: RepositoryFacts) -> ContractText | None:
    branch = quote(facts.default_branch)
    head = talk.find(f"{at}/git/ref/heads/{branch}", RefAnswer, purpose=Purpose.READ)
    if head is None:
        return None
    content = _file(talk, at, CONTRACT, head.object.sha)
    if content is None:
        return None
    name = f"{facts.name}/{CONTRACT}"
    return ContractText(name=name, commit=head.object.sha, content=content)


def _file(talk: Talk, at: str, path: str, commit: str) -> bytes | None:
    """A file's bytes. A link, a folder and a submodule are no files."""
    try:
        found = talk.get(
            f"{at}/contents/{quote(path)}",
            ContentAnswer | list[object],  # type: ignore[arg-type]  # pydantic reads unions
            purpose=Purpose.READ,
            params={"ref": commit},
        )
    except ForgeMissing:
        return None
    if not isinstance(found, ContentAnswer) or found.type != "file":
        return None
    if found.encoding == "base64" and found.content is not None:
        return decode(found.content)
    # Beyond a megabyte the content is told elsewhere.
    return talk.get(f"{at}/git/blobs/{found.sha}", BlobAnswer, purpose=Purpose.READ).read()
