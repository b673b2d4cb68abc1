"""
What may be shown to a command, and what never is.

A toolchain may live anywhere, also below somebody's home; the home itself, and what is known to
hold secrets, stays out whatever points there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SYSTEM = tuple(map(Path, "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /nix/store".split()))  # noqa: SIM905 - easier to read
OWN = tuple(map(Path, ("/proc", "/sys", "/dev", "/run", "/etc", "/tmp", "/var", "/home", "/mnt")))  # noqa: S108 - never as a whole
KEYS = frozenset(
    {
        *(".ssh", ".gnupg", ".netrc", ".pypirc", ".aws", ".azure", ".kube", ".docker", ".npmrc"),
        *(".git-credentials", ".password-store", ".claude", ".pip", "keyrings", "gcloud", "gh"),
    }
)
#: folders of a home that hold toolchains among other things: their parts, never the whole
MIXED = (
    ".local",
    ".local/share",
    ".local/lib",
    ".config",
    ".cache",
    ".cargo",
    ".rustup",
    "Library",
)
SETTINGS = frozenset({".config"})


@dataclass(frozen=True, slots=True)
class Places:
    home: Path
    tree: Path

    def is_system(self, path: Path) -> bool:
        return _is_in(path, SYSTEM)

    def is_in_tree(self, path: Path) -> bool:
        return _is_in(path, (self.tree,))

    def is_too_much(self, path: Path, *, asked_for: bool = False) -> bool:
        """``asked_for``: the contract names it, so only what nobody can mean is refused."""
        whole = {Path("/"), *OWN, self.home, *self.home.parents}
        if path in whole or KEYS & set(path.parts):
            return True
        below_home = self.home in path.parents
        settings = below_home and SETTINGS & set(path.relative_to(self.home).parts)
        mixed = {self.home / name for name in MIXED}
        return not asked_for and (path in mixed or bool(settings))


def minimal(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Without what another one holds already."""
    known = {path for path in paths if not _is_in(path, SYSTEM)}
    return tuple(sorted(path for path in known if not known & set(path.parents)))


def _is_in(path: Path, folders: Iterable[Path]) -> bool:
    return any(folder in (path, *path.parents) for folder in folders)


def links(path: Path) -> tuple[Path, ...]:
    """``path`` and every name that its links lead through, to the file that is really there."""
    seen = [path]
    while seen[-1].is_symlink() and len(seen) < 40:
        step = seen[-1]
        seen.append(_normal(step.parent / step.readlink()))
    real = path.resolve()
    return tuple(dict.fromkeys((*seen, real)))


def _normal(path: Path) -> Path:
    """Without ``..``, which a folder's own link would change the meaning of."""
    return path.parent.resolve() / path.name
