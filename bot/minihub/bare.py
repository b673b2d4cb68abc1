"""
A bare repository, through git itself. Decides how a question becomes a git command; knows nothing
of HTTP. Every command runs in an empty environment, so a person's settings never reach the hub.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

from bot.minihub import loose

T = TypeVar("T")
CRUD = re.compile(r"[<>\x00-\x1f]")  # what would end a name in a commit
ABBREVIATED = re.compile(r"[0-9a-f]{4,40}")
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
NOTHING = "0" * 40
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LC_ALL": "C.UTF-8",
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "GitHub",
    "GIT_AUTHOR_EMAIL": "noreply@github.com",
    "GIT_COMMITTER_NAME": "GitHub",
    "GIT_COMMITTER_EMAIL": "noreply@github.com",
}

#: as GitHub does: pull refs are its own, and any object that a ref reaches may be fetched
CONFIG = """[core]
	repositoryformatversion = 0
	filemode = true
	bare = true
[receive]
	hideRefs = refs/pull
[uploadpack]
	allowReachableSHA1InWant = true
	allowFilter = true
[gc]
	auto = 0
"""
#: stops a push by an App that may not write workflow files; git sees the new objects here
PRE_RECEIVE = """#!/bin/sh
[ "$MINIHUB_GUARDS_WORKFLOWS" ] || exit 0
while read -r old new ref; do
    case "$ref $new" in
        *" 0000000000000000000000000000000000000000") continue ;;
        refs/heads/*) ;;
        *) continue ;;
    esac
    case "$old" in *[1-9a-f]*) since="^$old" ;; *) since="--not --branches" ;; esac
    path=$(git log --format= --name-only --no-renames -m "$new" $since -- .github/workflows |
        head -n 1)
    [ -z "$path" ] && continue
    echo "refusing to allow a GitHub App to create or update workflow" \
        "\\`$path\\` without \\`workflows\\` permission" >&2
    exit 1
done
"""


class GitRefused(Exception):
    """git would not; the message is what it said."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One entry of a tree. ``size`` is None for what is not a blob."""

    mode: str
    kind: str
    sha: str
    size: int | None
    path: str


@dataclass(frozen=True, slots=True)
class Signature:
    name: str
    email: str
    at: int

    def line(self) -> str:
        name, email = (CRUD.sub("", text) for text in (self.name, self.email))
        return f"{name} <{email}> {self.at} +0000"


@dataclass(frozen=True, slots=True)
class CommitFacts:
    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Signature
    committer: Signature
    message: str


@dataclass(frozen=True, slots=True)
class Put:
    """A path to set in a tree; without a ``sha`` it is taken away."""

    path: str
    mode: str
    sha: str | None


class Bare:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: dict[Hashable, object] = {}

    @classmethod
    def create(cls, path: Path, *, default_branch: str) -> Bare:
        """Laid down by hand: a repository is a few files, and this is done very often."""
        for folder in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "hooks"):
            (path / folder).mkdir(parents=True)
        (path / "HEAD").write_text(f"ref: refs/heads/{default_branch}\n")
        (path / "config").write_text(CONFIG)
        hook = path / "hooks" / "pre-receive"
        hook.write_text(PRE_RECEIVE)
        hook.chmod(0o700)
        return cls(path)

    def git(
        self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None, ok: int = 0
    ) -> bytes:
        """``ok`` is the highest exit code that is an answer rather than a refusal."""
        ran = subprocess.run(
            ["git", *args],
            cwd=self.path,
            input=stdin,
            capture_output=True,
            env={**ENVIRONMENT, **(env or {})},
            check=False,
        )
        if ran.returncode > ok:
            raise GitRefused(ran.stderr.decode(errors="replace").strip())
        return ran.stdout

    def say(self, *args: str) -> str:
        return self.git(*args).decode(errors="replace").strip()

    # refs

    def resolve(self, name: str) -> str | None:
        """The object that a full ref or a sha names; a tag object is not peeled."""
        if loose.is_sha(name):
            return name if self.kind(name) else None
        if name.startswith("refs/"):
            return loose.refs(self.path).get(name)
        try:
            return self.say("rev-parse", "--verify", "--quiet", "--end-of-options", name)
        except GitRefused:
            return None

    def peel(self, sha: str, *, kind: str) -> str | None:
        """The commit or the tree that an object is, or leads to."""
        found = self.kind(sha)
        if found == kind:
            return sha
        if found == "tag":
            inner = self.read(sha, kind="tag").decode(errors="replace").split()[1]
            return self.peel(inner, kind=kind)
        return self.facts(sha).tree if (found, kind) == ("commit", "tree") else None

    def commit_of(self, name: str) -> str | None:
        """The commit of a branch, a tag, a full ref or a sha, in GitHub's order."""
        known = loose.refs(self.path)
        guesses = (f"refs/heads/{name}", f"refs/tags/{name}", name)
        found = next((known[guess] for guess in guesses if guess in known), None)
        if found is None and ABBREVIATED.fullmatch(name):
            found = self.resolve(name)
        return self.peel(found, kind="commit") if found else None

    def tree_of(self, name: str) -> str | None:
        found = self.commit_of(name) or self.resolve(name)
        return self.peel(found, kind="tree") if found else None

    def refs(self, prefix: str) -> dict[str, str]:
        known = loose.refs(self.path).items()
        return {name: sha for name, sha in known if name.startswith(prefix)}

    def valid(self, ref: str) -> bool:
        try:
            self.git("check-ref-format", ref)
        except GitRefused:
            return False
        return True

    def set_ref(self, ref: str, sha: str, *, old: str | None = None) -> None:
        self.git("update-ref", ref, sha, *([] if old is None else [old]))

    def drop_ref(self, ref: str) -> None:
        self.git("update-ref", "-d", ref)

    # objects

    def kind(self, sha: str) -> str | None:
        found = loose.read(self.path, sha) if loose.is_sha(sha) else None
        if found:
            return found[0]
        try:
            return self.say("cat-file", "-t", sha)
        except GitRefused:
            return None

    def read(self, sha: str, *, kind: str) -> bytes:
        found = loose.read(self.path, sha)
        return found[1] if found else self.git("cat-file", kind, sha)

    def write(self, content: bytes, *, kind: str = "blob") -> str:
        return loose.write(self.path, content, kind=kind)

    def once(self, key: Hashable, ask: Callable[[], T]) -> T:
        """What is asked of shas never changes, so it is asked once."""
        if key not in self._known:
            self._known[key] = ask()
        return cast(T, self._known[key])

    def tree(self, treeish: str, *, recursive: bool = False, path: str = "") -> list[Leaf]:
        """``treeish`` is a sha."""
        return self.once(
            ("tree", treeish, recursive, path), lambda: self._tree(treeish, recursive, path)
        )

    def _tree(self, treeish: str, recursive: bool, path: str) -> list[Leaf]:  # noqa: FBT001  see tree
        flags = ("-r", "-t") if recursive else ()
        where = (path,) if path else ()
        out = self.git("ls-tree", "-z", "-l", *flags, treeish, "--", *where)
        leaves = []
        for line in filter(None, out.decode(errors="surrogateescape").split("\0")):
            facts, _, name = line.partition("\t")
            mode, kind, sha, size = facts.split()
            leaves.append(Leaf(mode, kind, sha, None if size == "-" else int(size), name))
        return leaves

    def make_tree(self, base: str | None, puts: Iterable[Put]) -> str:
        lines = "".join(
            f"{put.mode if put.sha else '0'} {put.sha or NOTHING}\t{put.path}\0" for put in puts
        )
        with tempfile.TemporaryDirectory() as folder:
            env = {"GIT_INDEX_FILE": f"{folder}/index"}
            self.git("read-tree", *([base] if base else ["--empty"]), env=env)
            self.git("update-index", "-z", "--index-info", stdin=lines.encode(), env=env)
            return self.git("write-tree", env=env).decode().strip()

    def commit(
        self,
        tree: str,
        *,
        parents: Sequence[str],
        message: str,
        author: Signature,
        committer: Signature | None = None,
    ) -> str:
        lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
        lines += [f"author {author.line()}", f"committer {(committer or author).line()}"]
        return self.write(f"{chr(10).join(lines)}\n\n{message}".encode(), kind="commit")

    def facts(self, sha: str) -> CommitFacts:
        head, _, message = self.read(sha, kind="commit").decode(errors="replace").partition("\n\n")
        words = [line.split(" ", 1) for line in head.splitlines() if line[:1] != " "]
        only = {name: rest for name, *more in words for rest in more}
        return CommitFacts(
            sha=sha,
            tree=only["tree"],
            parents=tuple(more[0] for name, *more in words if name == "parent"),
            author=_signature(only["author"]),
            committer=_signature(only["committer"]),
            message=message,
        )


def _signature(line: str) -> Signature:
    who, _, when = line.rpartition("> ")
    name, _, email = who.rpartition(" <")
    return Signature(name, email, int(when.split()[0]))
