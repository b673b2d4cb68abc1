"""
What follows when refs have moved, whoever moved them: push events, check suites, and pull requests
that get a new head, a new base, or turn out to be merged.
"""

from __future__ import annotations

from collections.abc import Mapping

from bot.minihub import history, merging, threads
from bot.minihub.bare import NOTHING
from bot.minihub.call import Call
from bot.minihub.gitdata import own_signature
from bot.minihub.records import CheckSuite, Issue, Repo
from bot.minihub.shapes import Json, checks, git
from bot.minihub.shapes.pulls import pull_part

Moves = Mapping[str, tuple[str, str]]
COMMITS_SHOWN = 2048


def pushed(call: Call, moves: Moves) -> None:
    """``moves``: full ref name -> (old, new), forty zeros for what is not there."""
    call.repo.pushed_at = call.hub.clock.stamp()
    for name, (old, new) in moves.items():
        if name.startswith(("refs/heads/", "refs/tags/")):  # GitHub tells of no other ref
            call.tell("push", None, **_push(call, name, old, new))
        if name.startswith("refs/heads/"):
            branch = name.removeprefix("refs/heads/")
            _open_suites(call, branch, old, new)
            _move_heads(call, branch, new)
            _move_bases(call, branch, new)


def _push(call: Call, name: str, old: str, new: str) -> Json:
    repo, links = call.repo, call.hub.links
    gone = new == NOTHING
    new_commits = [] if gone or repo.git.kind(new) != "commit" else _news(repo, old, new)
    shown = [_commit(call, sha) for sha in new_commits[-COMMITS_SHOWN:]]
    return {
        "ref": name,
        "before": old,
        "after": new,
        "created": old == NOTHING,
        "deleted": gone,
        "forced": not gone and old != NOTHING and not history.contains(repo.git, old=old, new=new),
        "base_ref": None,
        "compare": links.html(repo, f"/compare/{old[:12]}...{new[:12]}"),
        "commits": shown,
        "head_commit": None if gone or repo.git.kind(new) != "commit" else _commit(call, new),
        "pusher": {"name": call.me.login, "email": own_signature(call).email},
    }


def _news(repo: Repo, old: str, new: str) -> list[str]:
    if old != NOTHING:
        return history.between(repo.git, old, new)
    base = repo.git.resolve(f"refs/heads/{repo.default_branch}")
    return history.between(repo.git, base, new) if base and base != new else []


def _commit(call: Call, sha: str) -> Json:
    repo = call.repo
    facts = repo.git.facts(sha)
    before = facts.parents[0] if facts.parents else history.EMPTY_TREE
    changed: dict[str, list[str]] = {"added": [], "removed": [], "modified": []}
    for each in history.deltas(repo.git, before, sha):
        changed.get(each.status, changed["modified"]).append(each.path)
    return git.simple_commit(repo, sha) | {
        "distinct": True,
        "url": call.hub.links.html(repo, f"/commit/{sha}"),
        **changed,
    }


def _open_suites(call: Call, branch: str, old: str, new: str) -> None:
    """Every App that may write checks is given a suite for each push, and told."""
    if new == NOTHING:
        return
    for installation in call.hub.store.installed_on(call.repo):
        if installation.permissions.get("checks") == "write" and not installation.suspended_at:
            suite = CheckSuite(
                id=call.hub.store.new_id(),
                app=installation.app,
                head_sha=new,
                head_branch=branch,
                created_at=call.hub.clock.stamp(),
                updated_at=call.hub.clock.stamp(),
                before=old,
                after=new,
            )
            call.repo.suites.append(suite)
            shape = checks.suite(call.hub.links, call.repo, suite)
            shape.pop("repository")
            call.tell("check_suite", "requested", only=installation, check_suite=shape)


def _move_heads(call: Call, branch: str, new: str) -> None:
    """Pull requests from this branch, in this repository or in the one it was forked from."""
    bases = [call.repo, *([call.repo.parent] if call.repo.parent else [])]
    for base in bases:
        for issue in list(base.issues.values()):
            pull = issue.pull
            if pull is None or issue.state != "open" or pull.head_repo is not call.repo:
                continue
            if pull.head_ref == branch and pull.head_sha != new:
                _move_head(_at(call, base), issue, new)


def _at(call: Call, repo: Repo) -> Call:
    return Call(call.hub, call.request, call.actor, call.words, repo)


def _move_head(call: Call, issue: Issue, new: str) -> None:
    if new == NOTHING:
        threads.close(call, issue)
        return
    pull = pull_part(issue)
    before, pull.head_sha = pull.head_sha, new
    merging.refresh(call, issue)
    threads.touch(call, issue)
    threads.tell(call, issue, "synchronize", before=before, after=new)


def _move_bases(call: Call, branch: str, new: str) -> None:
    if new == NOTHING:
        return
    for issue in list(call.repo.issues.values()):
        pull = issue.pull
        if pull and issue.state == "open" and pull.base_ref == branch:
            if history.contains(call.repo.git, old=pull.head_sha, new=new):
                merging.mark(call, issue, new)
            else:
                pull.base_sha = new
                merging.refresh(call, issue)
