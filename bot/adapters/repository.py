"""
The user's repository, seen from outside.

Its index, working tree and configuration are never written, its references only under ``refs/jam/``
and as the one branch that is published, and nothing that it brings is ever run. References are read
and set by a git that ignores its hooks; objects are read through a git directory that holds no
configuration but jam's. What a session is, and when anything is published, is not known here.
"""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.adapters import folders, gitdir, refs, transfer, trees
from bot.adapters.git import Git, records
from bot.errors import GitFailed, RepositoryUnusable, RequestError
from bot.ports import TreeEntry


@dataclass(frozen=True, slots=True)
class Repository:
    """``top`` is the checkout, or the repository itself where it is bare."""

    top: Path
    git_dir: Path
    common_dir: Path
    bare: bool
    shallow: bytes  # where its history was cut, as git keeps it; b'' where it is whole

    @property
    def objects(self) -> Path:
        return self.common_dir / "objects"

    @property
    def references(self) -> Git:
        """git for reading and setting references, and for nothing else."""
        return Git(git_dir=self.git_dir)

    @contextlib.contextmanager
    def reader(self) -> Iterator[Git]:
        with gitdir.glass(self.objects, shallow=self.shallow) as git:
            yield git

    def resolve(self, ref: str = "HEAD") -> str:
        """The commit that ``ref`` names, with its whole tree at hand."""
        commit = _commit_named(self.references, ref)
        if commit is None:
            raise RepositoryUnusable(self._why_not(ref))
        self._demand_whole(commit)
        return commit

    def tree_of(self, commit: str) -> str:
        with self.reader() as git:
            return git.line("rev-parse", "--verify", f"{commit}^{{tree}}")

    def entries(self, commit: str) -> dict[str, TreeEntry]:
        with self.reader() as git:
            return trees.entries(git, commit)

    def read(self, commit: str, path: str) -> bytes | None:
        """A file's bytes (a link's target). None where there is no file of that name."""
        with self.reader() as git:
            return trees.read(git, commit, path)

    def branch(self) -> str | None:
        """The branch that is checked out, or None where HEAD is detached."""
        named = self.references.run("symbolic-ref", "-q", "--short", "HEAD", ok=(0, 1))
        return named.decode("utf-8", "surrogateescape").rstrip("\n") or None

    def publish(
        self, branch: str, commit: str, *, source: Git, base: str, old: str | None = None
    ) -> None:
        """
        Make ``branch`` be ``commit``, which ``source`` holds. ``old``: what the branch is expected
        to be now; None means that it is expected not to be there. Repeating it is harmless.
        """
        refs.demand_valid(self.references, branch)
        name = f"refs/heads/{branch}"
        now = refs.value(self.references, name)
        if now == commit:
            return
        if now != old:
            raise RequestError(
                f"the branch {branch} is there already and holds something else: {now}"
                if now
                else f"the branch {branch} is not there any more"
            )
        refs.demand_free(self.references, branch)
        transfer.copy(source, [commit], without=[base], into=self.objects)
        try:
            refs.swap(self.references, name, new=commit, old=old)
        except GitFailed as lost:
            if refs.value(self.references, name) != commit:
                raise RequestError(f"the branch {branch} could not be made: {lost}") from None
        self._share_refs()

    def demand_new(self, branch: str) -> None:
        """``RequestError`` when ``branch`` cannot be made: not a name, or there already."""
        refs.demand_valid(self.references, branch)
        refs.demand_free(self.references, branch)
        if refs.value(self.references, f"refs/heads/{branch}"):
            raise RequestError(f"the branch {branch} is there already: name another one")
        if other := self.in_the_way_of(branch):
            raise RequestError(
                f"the branch {branch} cannot be beside the branch {other}: name another one"
            )

    def in_the_way_of(self, branch: str) -> str | None:
        """A branch beside which git cannot have ``branch``: names are paths to it."""
        parts = branch.split("/")
        for end in range(1, len(parts)):
            above = "/".join(parts[:end])
            if refs.value(self.references, f"refs/heads/{above}"):
                return above
        below = self.references.line(
            "for-each-ref", "--count=1", "--format=%(refname:lstrip=2)", f"refs/heads/{branch}/"
        )
        return below or None

    def parent_of(self, commit: str) -> str:
        """The first parent; a commit without one is its own."""
        return refs.value(self.references, f"{commit}^1") or commit

    def keep(self, named: Mapping[str, str], *, source: Git, base: str) -> None:
        """Put commits of ``source`` under these ``refs/jam/…`` names."""
        refs.demand_ours(named)
        transfer.copy(source, named.values(), without=[base], into=self.objects)
        refs.put(self.references, named)
        self._share_refs()

    def checkpoints(self, session: str) -> tuple[refs.Kept, ...]:
        return refs.kept(self.references, session)

    def checkpoint(self, session: str, number: int) -> refs.Kept:
        kept = {one.number: one for one in self.checkpoints(session)}
        if number not in kept:
            there = ", ".join(map(str, kept)) or "none"
            raise RequestError(f"session {session} has no checkpoint {number} here (has: {there})")
        return kept[number]

    def prune(self, session: str) -> int:
        """Forget the checkpoints of ``session``. Returns how many there were."""
        gone = self.checkpoints(session)
        refs.forget(self.references, [one.ref for one in gone])
        return len(gone)

    def restore_branch(self, session: str, number: int, *, branch: str) -> None:
        """Make a new branch that is the checkpoint."""
        commit = self.checkpoint(session, number).commit
        with self.reader() as git:
            self.publish(branch, commit, source=git, base=commit)

    def restore_folder(self, session: str, number: int, *, folder: Path) -> None:
        """Write the checkpoint's files into a folder that is not there, or empty."""
        commit = self.checkpoint(session, number).commit
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise RequestError(f"{folder} is not empty: nothing is restored over what is there")
        folder.mkdir(parents=True, exist_ok=True)
        with self.reader() as git:
            trees.write(git, commit, folder=folder)

    def diff(self, before: str, after: str, *, limit: int) -> str:
        with self.reader() as git:
            return trees.patch(git, before, after, limit=limit)

    def _share_refs(self) -> None:
        for place in ("refs/heads", "refs/jam", "logs/refs/heads"):
            if (self.common_dir / place).is_dir():
                folders.hand_over(self.common_dir / place, like=self.objects)

    def _why_not(self, ref: str) -> str:
        if ref == "HEAD":
            if branch := self.branch():
                return f"the branch {branch} has no commit yet: name another one with --base"
            return "HEAD names a commit that is not there: is the repository damaged?"
        near = difflib.get_close_matches(ref, _names(self.references), n=3, cutoff=0.5)
        hint = f": did you mean {' or '.join(near)}?" if near else ""
        return f"there is no commit called {ref!r} in {self.top}{hint}"

    def _demand_whole(self, commit: str) -> None:
        with self.reader() as git:
            try:
                listed = git.run(
                    "rev-list", "--objects", "--no-walk", "--missing=print", "--quiet", commit
                )
            except GitFailed as broken:
                raise RepositoryUnusable(f"{commit[:12]} cannot be read: {broken}") from None
        missing = [line for line in listed.split(b"\n") if line.startswith(b"?")]
        if missing:
            raise RepositoryUnusable(
                f"{len(missing)} objects of {commit[:12]} are missing in {self.top} (a partial"
                " clone, or damage): fetch them first, with `git fetch --refetch` say"
            )


def open_repository(path: Path) -> Repository:
    """The repository that ``path`` is in. Raises ``RepositoryUnusable`` with one sentence."""
    if not path.is_dir():
        raise RepositoryUnusable(
            f"{path} is not a folder" if path.exists() else f"there is no {path}"
        )
    git = Git(cwd=path.absolute())
    try:
        bare, shallow, form = git.line(
            "rev-parse", "--is-bare-repository", "--is-shallow-repository", "--show-object-format"
        ).split("\n")
        # One by one: a folder's name may hold a line's end.
        git_dir, common = (
            git.line("rev-parse", "--path-format=absolute", asked)
            for asked in ("--git-dir", "--git-common-dir")
        )
    except (GitFailed, RequestError) as refused:
        raise RepositoryUnusable(_sentence(path, str(refused))) from None
    if form != "sha1":
        raise RepositoryUnusable(f"{path} names its objects by {form}; jam knows sha1 only")
    found = Repository(
        top=Path(git_dir) if bare == "true" else _top(git, Path(git_dir)),
        git_dir=Path(git_dir),
        common_dir=Path(common),
        bare=bare == "true",
        shallow=(Path(common) / "shallow").read_bytes() if shallow == "true" else b"",
    )
    _demand_a_commit(found)
    return found


def _top(git: Git, git_dir: Path) -> Path:
    try:
        return Path(git.line("rev-parse", "--path-format=absolute", "--show-toplevel"))
    except GitFailed:  # inside the git directory itself
        return git_dir


def _demand_a_commit(found: Repository) -> None:
    try:
        head = _commit_named(found.references, "HEAD")
        anything = head or found.references.line("for-each-ref", "--count=1")
    except GitFailed as broken:
        raise RepositoryUnusable(f"{found.top} cannot be read: {broken}") from None
    if not anything:
        raise RepositoryUnusable(f"{found.top} has no commit yet: there is nothing to change")


def _commit_named(git: Git, ref: str) -> str | None:
    if not ref.isprintable() or not ref:
        return None
    said = git.run(
        "rev-parse", "--verify", "-q", "--end-of-options", f"{ref}^{{commit}}", ok=(0, 1, 128)
    )
    named = said.decode().split()
    return named[0] if len(named) == 1 else None  # a range names several


def _names(git: Git) -> list[str]:
    listed = git.run(
        "for-each-ref", "--format=%(refname:short)%00", "refs/heads", "refs/tags", "refs/remotes"
    )
    return [name.strip().decode("utf-8", "replace") for name in records(listed)]


def _sentence(path: Path, words: str) -> str:
    if "not a git repository" in words or "invalid gitfile" in words:
        if (path / ".git").exists() or (path / "objects").is_dir():
            return f"git does not recognise the repository in {path}: is its HEAD damaged?"
        return f"{path} is not in a git repository"
    if "not allowed" in words:
        return f"jam may not read the repository in {path}"
    return f"the repository in {path} cannot be used: {words}"
