"""Real repositories for tests, made by git as a person would make them, and hostile ones."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.adapters.repository import Repository, open_repository
from bot.adapters.workcopy import GitWorkcopy, Place, open_workcopy

PERSON = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "1700000000 +0000",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_COMMITTER_DATE": "1700000000 +0000",
}
FILES = {
    ".gitignore": "ignored/\n*.log\n",
    "pkg/__init__.py": "",
    "pkg/core.py": "def add(a, b):\n    return a - b\n",
    "tests/test_core.py": "from pkg.core import add\n\ndef test_add():\n    assert add(2, 3) == 5",
    "tests/data.json": "[2, 3, 5]\n",
}


def git(at: Path, *args: str | bytes, stdin: bytes = b"", check: bool = True) -> str:
    """An ordinary git, as its owner would call it."""
    ran = subprocess.run(
        ["git", *args], cwd=at, input=stdin, capture_output=True, env={**os.environ, **PERSON}
    )
    if check and ran.returncode:
        raise AssertionError(ran.stderr.decode(errors="replace"))
    return ran.stdout.decode("utf-8", "surrogateescape").rstrip("\n")


def everything(repo: Path) -> dict[str, bytes | str]:
    """Every byte of a folder, by path; links by their target."""
    found: dict[str, bytes | str] = {}
    for path in sorted(repo.rglob("*")):
        name = path.relative_to(repo).as_posix()
        if path.is_symlink():
            found[name] = str(path.readlink())
        elif path.is_file():
            found[name] = path.read_bytes()
    return found


def write(at: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        (at / name).parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode()
        (at / name).write_bytes(data)


def make_repository(at: Path, files: Mapping[str, str | bytes] = FILES) -> Path:
    at.mkdir(parents=True)
    git(at, "init", "-q", "-b", "main")
    write(at, files)
    git(at, "add", "-A")
    git(at, "commit", "-q", "--allow-empty", "-m", "Begin")
    return at


@dataclass(frozen=True)
class Lab:
    """A repository, a workcopy of it that is laid, and the base."""

    repository: Repository
    base: str
    copy: GitWorkcopy
    adopted: list[Path]

    @property
    def tree(self) -> Path:
        return self.copy.tree_path

    def names(self, commit: str) -> set[str]:
        return set(self.copy.entries(commit))


@contextlib.contextmanager
def lab(
    at: Path, files: Mapping[str, str | bytes] = FILES, *, repo: Path | None = None
) -> Iterator[Lab]:
    repository = open_repository(repo or make_repository(at / "repo", files))
    base = repository.resolve()
    adopted: list[Path] = []
    with open_workcopy(
        repository,
        session="s1",
        base=base,
        place=Place(state=at / "state", tree=at / "tree", rooms=(at / "rooms",)),
        adopt=adopted.append,
        wait_s=0.2,
    ) as copy:
        copy.lay(base)
        yield Lab(repository, base, copy, adopted)


def set_traps(repo: Path, canary: Path) -> None:
    """All that a repository can ask git to run, writing to ``canary`` if it ever does."""
    trap = repo.parent / "trap.sh"
    trap.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{canary}'\ncat 2>/dev/null\nexit 1\n")
    trap.chmod(0o755)
    hooks = repo / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in (
        *("applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "commit-msg"),
        *("prepare-commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge"),
        *("pre-push", "pre-receive", "update", "proc-receive", "post-receive", "post-update"),
        *("reference-transaction", "pre-auto-gc", "post-rewrite", "fsmonitor-watchman"),
        *("post-index-change", "push-to-checkout", "sendemail-validate"),
    ):
        (hooks / name).write_text(trap.read_text())
        (hooks / name).chmod(0o755)
    config = {
        "core.fsmonitor": str(trap),
        "core.hooksPath": str(hooks),
        "core.sshCommand": str(trap),
        "core.editor": str(trap),
        "core.pager": str(trap),
        "core.askPass": str(trap),
        "core.gitProxy": str(trap),
        "core.alternateRefsCommand": str(trap),
        "pager.rev-parse": str(trap),
        "filter.evil.clean": str(trap),
        "filter.evil.smudge": str(trap),
        "filter.evil.process": str(trap),
        "filter.evil.required": "true",
        "diff.external": str(trap),
        "diff.evil.textconv": str(trap),
        "diff.evil.command": str(trap),
        "merge.evil.driver": str(trap),
        "gpg.program": str(trap),
        "commit.gpgSign": "true",
        "log.showSignature": "true",
        "credential.helper": f"!{trap}",
        "alias.rev-parse": f"!{trap}",
        "alias.cat-file": f"!{trap}",
        "remote.origin.url": f"ext::{trap}",
        "remote.origin.uploadpack": str(trap),
        "remote.origin.vcs": "evil",
        "remote.origin.promisor": "true",
        "url.ext::sh.insteadOf": "https://",
        "protocol.ext.allow": "always",
        "protocol.allow": "always",
        "uploadpack.packObjectsHook": str(trap),
        "gc.auto": "1",
    }
    for key, value in config.items():
        git(repo, "config", key, value)
    (repo / ".git" / "info").mkdir(exist_ok=True)
    (repo / ".git" / "info" / "attributes").write_text("* filter=evil diff=evil merge=evil\n")
