"""
Runs git so that nothing a repository brings can run with it.

Decides the environment and configuration of every git process that jam starts: no configuration of
the machine or of a user, no hooks, no fsmonitor, no filters, no external programs, no network, no
prompts. It knows no repository and no meaning of any command. Configuration is handed over in the
environment, where it outranks every file; there is no file that could be lost or swapped.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from bot.errors import GitFailed, RequestError

#: Commits are dated by whoever makes them; the name never varies.
IDENTITY = ("jam", "jam@localhost")

_CONFIG = {
    "safe.directory": "*",
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.untrackedCache": "false",
    "core.attributesFile": "/dev/null",
    "core.excludesFile": "/dev/null",
    "core.alternateRefsCommand": "/bin/false",
    "core.sshCommand": "/bin/false",
    "core.askPass": "/bin/false",
    "core.editor": "/bin/false",
    "core.pager": "cat",
    "core.autocrlf": "false",
    "core.safecrlf": "false",
    "core.fileMode": "true",
    "core.symlinks": "true",
    "core.ignoreCase": "false",
    "core.precomposeUnicode": "false",
    # Names that other systems read as ``.git`` are kept out by jam itself, with a word about each;
    # git would refuse the whole tree instead.
    "core.protectNTFS": "false",
    "core.protectHFS": "false",
    "core.quotePath": "false",
    "core.commitGraph": "false",  # a stored summary of history that nothing here checks
    "core.sparseCheckout": "false",
    "core.splitIndex": "false",
    "core.fsync": "committed,reference",  # a checkpoint outlives a power cut
    "index.sparse": "false",
    "protocol.allow": "never",
    "uploadpack.packObjectsHook": "",
    "credential.helper": "",
    "diff.external": "",
    "diff.ignoreSubmodules": "all",
    "diff.renames": "false",
    "diff.mnemonicPrefix": "false",
    "diff.noprefix": "false",
    "submodule.recurse": "false",
    "commit.gpgSign": "false",
    "log.showSignature": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "pack.threads": "2",
}

_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin",
    "HOME": "/nonexistent",
    "XDG_CONFIG_HOME": "/nonexistent",
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "/bin/false",
    "GIT_EDITOR": "/bin/false",
    "GIT_PAGER": "cat",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": "/nonexistent/grafts",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # outranks what a repository allows itself
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_AUTHOR_NAME": IDENTITY[0],
    "GIT_AUTHOR_EMAIL": IDENTITY[1],
    "GIT_COMMITTER_NAME": IDENTITY[0],
    "GIT_COMMITTER_EMAIL": IDENTITY[1],
    "GIT_CONFIG_COUNT": str(len(_CONFIG)),
    **{f"GIT_CONFIG_KEY_{place}": key for place, key in enumerate(_CONFIG)},
    **{f"GIT_CONFIG_VALUE_{place}": value for place, value in enumerate(_CONFIG.values())},
}

_NOT_ALLOWED = ("Permission denied", "Read-only file system", "insufficient permission")


@dataclass(frozen=True, slots=True, kw_only=True)
class Git:
    """
    git, pointed at one place. ``git_dir`` absent means that git looks for one from ``cwd`` upwards.

    ``held`` are descriptors that children keep open, so that a lock outlives a killed jam for as
    long as a git that it started still writes.
    """

    git_dir: Path | None = None
    work_tree: Path | None = None
    index: Path | None = None
    objects: Path | None = None
    cwd: Path = Path("/")
    held: tuple[int, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float = 900

    def run(
        self,
        *args: str | bytes,
        stdin: bytes | IO[bytes] = b"",
        into: IO[bytes] | None = None,
        ok: Sequence[int] = (0,),
    ) -> bytes:
        """Standard output, or nothing when it goes ``into`` a file. Raises for other exits."""
        try:
            done = subprocess.run(
                ["git", *args],
                env=self._environment(),
                cwd=self.work_tree or self.cwd,
                input=stdin if isinstance(stdin, bytes) else None,
                stdin=None if isinstance(stdin, bytes) else stdin,
                stdout=into or subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=self.held,
                timeout=self.timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise GitFailed(f"git {_verb(args)} was not done after {self.timeout_s:g} s") from None
        except FileNotFoundError as missing:
            raise _nowhere(missing) from None
        if done.returncode not in ok:
            raise failure(args, done.stderr)
        return done.stdout or b""

    def line(self, *args: str, stdin: bytes = b"") -> str:
        """Output of one line, without its end."""
        return self.run(*args, stdin=stdin).decode("utf-8", "surrogateescape").rstrip("\n")

    def says(self, *args: str) -> bool:
        """Whether git exits 0 rather than 1."""
        try:
            self.run(*args)
        except (GitFailed, RequestError):
            return False
        return True

    def head(self, *args: str, limit: int) -> tuple[bytes, bool]:
        """The first ``limit`` bytes of output, and whether there was more. git ends there."""
        with subprocess.Popen(
            ["git", *args],
            env=self._environment(),
            cwd=self.work_tree or self.cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=self.held,
        ) as child:
            if child.stdout is None:
                raise GitFailed
            read = child.stdout.read(limit + 1)
            if more := len(read) > limit:
                child.kill()
        if child.returncode and not more:
            raise GitFailed(f"git {_verb(args)} ended with {child.returncode}")
        return read[:limit], more

    def _environment(self) -> dict[str, str]:
        places = {
            "GIT_DIR": self.git_dir,
            "GIT_WORK_TREE": self.work_tree,
            "GIT_INDEX_FILE": self.index,
            "GIT_OBJECT_DIRECTORY": self.objects,
        }
        named = {name: str(place) for name, place in places.items() if place is not None}
        return {**_ENVIRONMENT, **named, **self.env}


def over_http(git: Git, *, origin: str, authorization: str = "") -> Git:
    """
    The one opening to the network: ``origin`` (``https://host``, or ``http://`` on this machine)
    and no other place, no redirect, no submodule, nobody's stored password. The header is in the
    environment of these processes, goes to ``origin`` only and is in no file.
    """
    more = {
        "http.followRedirects": "false",
        "http.lowSpeedLimit": "1000",
        "http.lowSpeedTime": "60",
        "fetch.recurseSubmodules": "false",
        "fetch.writeCommitGraph": "false",
        "fetch.fsckObjects": "false",  # old histories have slips; nothing of them is checked out
    }
    if authorization:
        more[f"http.{origin}/.extraHeader"] = f"Authorization: {authorization}"
    count = len(_CONFIG)
    env = {
        "GIT_ALLOW_PROTOCOL": origin.partition(":")[0],
        "GIT_CONFIG_COUNT": str(count + len(more)),
        **{f"GIT_CONFIG_KEY_{place}": key for place, key in enumerate(more, start=count)},
        **{f"GIT_CONFIG_VALUE_{place}": text for place, text in enumerate(more.values(), count)},
    }
    return replace(git, env={**git.env, **env})


def version() -> str:
    """What git says of itself."""
    return Git().line("version")


def as_text(name: bytes) -> str:
    """A path as text: UTF-8, each other byte as a lone surrogate, so that nothing is lost."""
    return name.decode("utf-8", "surrogateescape")


def as_bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def records(output: bytes) -> list[bytes]:
    """The parts of ``-z`` output."""
    return output.split(b"\0")[:-1] if output else []


def failure(args: Sequence[str | bytes], stderr: bytes) -> GitFailed | RequestError:
    words = _last_words(stderr)
    if any(sign in words for sign in _NOT_ALLOWED):
        return RequestError(f"git is not allowed to do that here: {words}")
    return GitFailed(f"git {_verb(args)}: {words}")


def _last_words(stderr: bytes) -> str:
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    told = [line for line in lines if line.strip() and not line.startswith("hint:")]
    return " ".join(told[-3:])[-600:] or "it ended without a word"


def _verb(args: Sequence[str | bytes]) -> str:
    return str(args[0]) if args else ""


def _nowhere(missing: FileNotFoundError) -> RequestError:
    if missing.filename == "git":
        return RequestError("git is not installed where jam looks for programs")
    return RequestError(f"the folder {missing.filename} does not exist")
