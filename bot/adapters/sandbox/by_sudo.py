"""
The same program again as root, where a sandbox works for root alone.

Ubuntu keeps user namespaces from programs it does not know. Root needs none: its bubblewrap drops
to a number that belongs to nobody before anything of others runs. GitHub's hosted runners let every
job be root without a password. Nothing on the machine is changed for it.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence

from bot.adapters import sandbox
from bot.adapters.runner import Start, run
from bot.core.sandbox_kind import SandboxKind
from bot.errors import SandboxUnavailable
from bot.ports import Ended, Limits, Say


def is_needed(kind: SandboxKind) -> bool:
    """Whether none works as the user that this is."""
    if os.geteuid() == 0 or kind is SandboxKind.NONE:
        return False
    try:
        sandbox.choose(kind)
    except SandboxUnavailable:
        return True
    return False


def is_possible() -> bool:
    """Without a password and without a terminal."""
    program = shutil.which("sudo")
    if program is None:
        return False
    ran = run(Start(argv=(program, "-n", "true")), limits=Limits(timeout_s=10))
    return ran.ended is Ended.EXITED and ran.exit_code == 0


def argv(program: str, words: Sequence[str], environment: Mapping[str, str]) -> tuple[str, ...]:
    """Values stay in the environment, where nobody else reads them. PATH is no secret, and sudo
    would put its own in its place."""
    names = ",".join(sorted(name for name in environment if name.isidentifier()))
    path = f"PATH={environment.get('PATH', os.defpath)}"
    return (program, "-n", f"--preserve-env={names}", "--", "/usr/bin/env", path, *words)


def again(words: Sequence[str], environment: Mapping[str, str], *, say: Say) -> None:
    """Does not return where it works."""
    program = shutil.which("sudo") or "sudo"
    say("no sandbox works for this user: going on as root, which drops to nobody's number")
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(program, argv(program, words, environment), dict(environment))  # noqa: S606
