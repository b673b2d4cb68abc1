"""
The rule that stops an App without the ``workflows`` permission from touching workflow files,
however it writes.
"""

from __future__ import annotations

from bot.minihub.access import Actor
from bot.minihub.answers import forbidden
from bot.minihub.bare import NOTHING, Bare
from bot.minihub.call import Call

FOLDER = ".github/workflows"


def touched(git: Bare, old: str, new: str) -> str | None:
    """A workflow file that the new commits change; a new branch is held against all there is."""
    if new == NOTHING or git.kind(new) != "commit":
        return None
    since = [f"^{old}"] if old != NOTHING else ["--not", "--branches"]
    names = git.say(
        "log", "--format=", "--name-only", "--no-renames", "-m", new, *since, "--", FOLDER
    )
    return next(iter(names.splitlines()), None)


def binds(actor: Actor) -> bool:
    token = actor.token
    return bool(token and token.installation and token.permissions.get("workflows") != "write")


def refusal(path: str) -> str:
    return (
        "refusing to allow a GitHub App to create or update workflow "
        f"`{path}` without `workflows` permission"
    )


def check(call: Call, old: str, new: str, *, name: str) -> None:
    if name.startswith("refs/heads/") and binds(call.actor):
        path = touched(call.repo.git, old, new)
        if path:
            raise forbidden(refusal(path))
