"""
References: read, create, move, delete, anything below ``refs/``. A ref moves forward only, unless
the caller says force; pull refs are the hub's own.
"""

from __future__ import annotations

from bot.minihub import history, pushes, workflows_rule
from bot.minihub.answers import NOTHING_TO_SAY, Answer, Page, created, not_found, unprocessable
from bot.minihub.bare import NOTHING, GitRefused
from bot.minihub.call import Call
from bot.minihub.shapes import Json, git


def _shape(call: Call, name: str, sha: str) -> Json:
    return git.ref(call.hub.links, call.repo, name, sha)


def _here(call: Call) -> tuple[str, str]:
    name = f"refs/{call.words['ref']}"
    sha = call.repo.git.refs(name).get(name)
    if sha is None:
        raise not_found()
    return name, sha


def read(call: Call) -> Json:
    return _shape(call, *_here(call))


def matching(call: Call) -> Page:
    found = call.repo.git.refs(f"refs/{call.words['ref']}")
    return Page([_shape(call, name, sha) for name, sha in found.items()])


def made(call: Call) -> Answer:
    name, sha = call.text("ref", resource="Reference"), call.text("sha", resource="Reference")
    git_of = call.repo.git
    if name.count("/") < 2 or not name.startswith("refs/") or not git_of.valid(name):
        raise unprocessable(f"{name} is not a valid ref name.")
    _keep_off_pulls(name)
    if git_of.kind(sha) is None:
        raise unprocessable("Object does not exist")
    if name in git_of.refs(name):
        raise unprocessable("Reference already exists")
    workflows_rule.check(call, NOTHING, sha, name=name)
    try:
        git_of.set_ref(name, sha, old=NOTHING)
    except GitRefused as refused:  # refs/heads/a and refs/heads/a/b
        raise unprocessable("Reference cannot be created") from refused
    pushes.pushed(call, {name: (NOTHING, sha)})
    return created(_shape(call, name, sha))


def moved(call: Call) -> Json:
    name = f"refs/{call.words['ref']}"
    sha, git_of = call.text("sha", resource="Reference"), call.repo.git
    _keep_off_pulls(name)
    old = git_of.refs(name).get(name)
    if old is None:
        raise unprocessable("Reference does not exist")
    if git_of.kind(sha) is None:
        raise unprocessable("Object does not exist")
    force = call.optional("force", bool, resource="Reference")
    if not force and not history.contains(git_of, old=old, new=sha):
        raise unprocessable("Update is not a fast forward")
    workflows_rule.check(call, old, sha, name=name)
    git_of.set_ref(name, sha, old=old)
    if old != sha:
        pushes.pushed(call, {name: (old, sha)})
    return _shape(call, name, sha)


def deleted(call: Call) -> Answer:
    name = f"refs/{call.words['ref']}"
    _keep_off_pulls(name)
    old = call.repo.git.refs(name).get(name)
    if old is None:
        raise unprocessable("Reference does not exist")
    if name == f"refs/heads/{call.repo.default_branch}":
        raise unprocessable("Cannot delete the default branch")
    call.repo.git.drop_ref(name)
    pushes.pushed(call, {name: (old, NOTHING)})
    return NOTHING_TO_SAY


def _keep_off_pulls(name: str) -> None:
    if name.startswith("refs/pull/"):
        raise unprocessable("Reference update failed: refs/pull is read-only")
