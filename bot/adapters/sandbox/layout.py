"""
What the inside of a bubblewrap jail looks like, as bubblewrap's options.

It decides what is mounted where, in which order, and under which name nothing is. It refuses to
know who runs in there and how it is started; nothing here touches the machine but to ask whether a
system folder exists.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from bot.ports import Bind, View

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
HOME = Path("/tmp/home")  # noqa: S108 - inside the jail, where /tmp is its own
TMP_BYTES = 4 << 30
SHM_BYTES = 1 << 30
DEFAULTS = {
    "PATH": PATH,
    "HOME": str(HOME),
    "TMPDIR": "/tmp",  # noqa: S108 - as above
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "USER": "jam",
    "LOGNAME": "jam",
}
SYSTEM = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
STORES = ("/nix/store", "/gnu/store")  # systems whose /usr is nearly empty
# What programs need to find their libraries, certificates and settings; no secret is among it.
ETC = (
    *("alternatives", "ca-certificates", "crypto-policies", "debian_version", "fonts"),
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types", "os-release"),
    *("perl", "pki", "protocols", "services", "ssl", "terminfo"),
)
ETC_JAVA = "java-*"
ETC_NETWORK = ("hosts", "resolv.conf", "gai.conf")


def options(view: View, *, files: Iterable[tuple[int, str]]) -> list[bytes]:
    """``files``: an open descriptor and the name under which its content is seen."""
    parts = itertools.chain(
        _namespaces(network=view.network),
        # Nothing of the view's yet: what starts next may still be root, and obeys PATH and LD_*.
        ("--clearenv",),
        _system(),
        _etc(files, network=view.network),
        _own_folders(),
        _mounts(view),
        # Whoever owns the root of the jail could otherwise fill memory through it.
        ("--remount-ro", "/dev", "--remount-ro", "/"),
        ("--chdir", view.at),
    )
    return [os.fsencode(part) for part in parts]


def environment(view: View) -> dict[str, str]:
    return {**DEFAULTS, **view.env}


def set_environment(view: View) -> list[bytes]:
    """For the last bubblewrap, which runs as whoever the command does."""
    parts = (("--setenv", name, value) for name, value in environment(view).items())
    return [b"--clearenv", *map(os.fsencode, itertools.chain.from_iterable(parts))]


def etc_files(uid: int) -> dict[str, str]:
    """Own, minimal ones: the host's users are nobody's business in here."""
    return {
        "/etc/passwd": (
            "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\n"
            f"jam:x:{uid}:{uid}:jam:{HOME}:/bin/sh\n"
            "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
        ),
        "/etc/group": f"root:x:0:\njam:x:{uid}:\nnogroup:x:65534:\n",
        "/etc/hosts": "127.0.0.1 localhost jam\n::1 localhost ip6-localhost\n",
        "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
    }


def _namespaces(*, network: bool) -> Iterator[str]:
    for kind in ("pid", "ipc", "uts", "cgroup-try"):
        yield f"--unshare-{kind}"
    if not network:
        yield "--unshare-net"
    yield from ("--die-with-parent", "--new-session", "--hostname", "jam")


def _system() -> Iterator[str]:
    yield from ("--ro-bind", "/usr", "/usr")
    for name in SYSTEM:
        folder = Path("/", name)
        if folder.is_symlink():
            yield from ("--symlink", str(folder.readlink()), str(folder))
        elif folder.is_dir():
            yield from ("--ro-bind", str(folder), str(folder))
    for store in STORES:
        if Path(store).is_dir():
            yield from (*_folder(Path(store).parent), "--ro-bind", store, store)


def _etc(files: Iterable[tuple[int, str]], *, network: bool) -> Iterator[str]:
    yield from _folder(Path("/etc"))
    names = [*ETC, *(path.name for path in Path("/etc").glob(ETC_JAVA))]
    for name in (*names, *(ETC_NETWORK if network else ())):
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")
    for descriptor, name in files:
        if not (network and name == "/etc/hosts"):
            yield from ("--perms", "0444", "--ro-bind-data", str(descriptor), name)


def _own_folders() -> Iterator[str]:
    yield from ("--proc", "/proc", "--dev", "/dev")
    yield from ("--perms", "1777", "--size", str(SHM_BYTES), "--tmpfs", "/dev/shm")  # noqa: S108
    yield from ("--perms", "1777", "--size", str(TMP_BYTES), "--tmpfs", "/tmp")  # noqa: S108
    yield from ("--perms", "0777", "--dir", str(HOME))


def inner_mounts(view: View) -> tuple[Bind, ...]:
    """What is mounted inside of the tree, and so on a mount point that the tree has to hold."""
    readable = (Bind(source=path, target=path) for path in _outer_first(view.readable))
    return tuple(
        bind for bind in (*readable, *view.binds) if view.at in (bind.target, *bind.target.parents)
    )


def _mounts(view: View) -> Iterator[str | Path]:
    outer = (Bind(source=path, target=path) for path in _outer_first(view.readable))
    inner = inner_mounts(view)
    mounts = (
        *(bind for bind in outer if bind not in inner),
        Bind(source=view.tree, target=view.at, writable=view.writable or bool(inner)),
        *(bind for bind in inner if bind not in view.binds),
        *view.binds,
    )
    made = {Path("/"), Path("/tmp"), Path("/etc")}  # noqa: S108 - inside the jail
    mounted = [Path("/usr"), Path("/proc"), Path("/dev")]
    for bind in mounts:
        for ancestor in reversed(bind.target.parents):
            # Nothing is made inside of a mount: it is there, or bubblewrap says so.
            if ancestor not in made and not _is_mounted_in(ancestor, mounted):
                yield from _folder(ancestor)
            made.add(ancestor)
        mounted.append(bind.target)
        yield from ("--bind" if bind.writable else "--ro-bind", bind.source, bind.target)
    if inner and not view.writable:
        yield from ("--remount-ro", view.at)


def _is_mounted_in(path: Path, mounted: Iterable[Path]) -> bool:
    return any(mount in (path, *path.parents) for mount in mounted)


def _outer_first(paths: Iterable[Path]) -> list[Path]:
    """Mounted later, an outer folder would hide the inner one."""
    return sorted(set(paths), key=lambda path: (len(path.parts), path))


def _folder(path: Path) -> tuple[str, ...]:
    # Without this, the folders that root's bubblewrap makes on the way are closed to others.
    return ("--perms", "0755", "--dir", str(path))
