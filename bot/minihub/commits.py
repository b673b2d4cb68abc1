"""Commits, comparison and files at a ref: what can be read of a repository's history."""

from __future__ import annotations

import base64

from bot.minihub import history
from bot.minihub.answers import Answer, Page, Refused, not_found
from bot.minihub.bare import EMPTY_TREE, GitRefused
from bot.minihub.call import Call
from bot.minihub.shapes import Json, git

FILES_LIMIT = 300
COMMITS_LIMIT = 250
INLINE_LIMIT = 1 << 20


def sha_of(call: Call, name: str) -> str:
    found = call.repo.git.commit_of(name)
    if found is None:
        raise Refused(422, f"No commit found for SHA: {name}")
    return found


def _shape(call: Call, sha: str) -> Json:
    return git.commit(call.hub.links, call.hub.store, call.repo, sha)


def listed(call: Call) -> Page:
    start = call.repo.git.commit_of(call.query("sha") or call.repo.default_branch)
    if start is None:
        if call.query("sha"):
            raise not_found()
        raise Refused(409, "Git Repository is empty.")
    shas = history.log(call.repo.git, start, path=call.query("path"))
    return Page([_shape(call, sha) for sha in shas])


def read(call: Call) -> Answer | Json:
    sha = sha_of(call, call.words["ref"])
    if "sha" in call.request.headers.get("accept", "").split("."):
        return Answer(sha.encode(), headers={"Content-Type": "text/plain"})
    facts = call.repo.git.facts(sha)
    before = facts.parents[0] if facts.parents else EMPTY_TREE
    deltas = history.deltas(call.repo.git, before, sha)
    added, removed = sum(each.additions for each in deltas), sum(each.deletions for each in deltas)
    return _shape(call, sha) | {
        "stats": {"total": added + removed, "additions": added, "deletions": removed},
        "files": [git.delta(call.hub.links, call.repo, sha, each) for each in deltas[:FILES_LIMIT]],
    }


def compared(call: Call) -> Json:
    names = call.words["basehead"].split("...")
    if len(names) != 2:
        raise not_found()
    repo = call.repo.git
    base, head = (repo.commit_of(name) for name in names)
    if base is None or head is None:
        raise not_found()
    common = history.merge_base(repo, base, head)
    if common is None:
        raise not_found(f"No common ancestor between {names[0]} and {names[1]}.")
    ahead, behind = history.between(repo, base, head), history.between(repo, head, base)
    deltas = history.deltas(repo, common, head)[:FILES_LIMIT]
    page = call.hub.links.html(call.repo, f"/compare/{names[0]}...{names[1]}")
    return {
        "url": call.hub.links.repo(call.repo, f"/compare/{names[0]}...{names[1]}"),
        "html_url": page,
        "permalink_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "base_commit": _shape(call, base),
        "merge_base_commit": _shape(call, common),
        "status": _relation(ahead, behind),
        "ahead_by": len(ahead),
        "behind_by": len(behind),
        "total_commits": len(ahead),
        "commits": [_shape(call, sha) for sha in ahead[:COMMITS_LIMIT]],
        "files": [git.delta(call.hub.links, call.repo, head, each) for each in deltas],
    }


def _relation(ahead: list[str], behind: list[str]) -> str:
    if ahead and behind:
        return "diverged"
    return "ahead" if ahead else "behind" if behind else "identical"


def contents(call: Call) -> Answer | list[Json]:
    name = call.query("ref") or call.repo.default_branch
    sha, path = call.repo.git.commit_of(name), call.words["path"].strip("/")
    if sha is None:
        raise not_found(f"No commit found for the ref {name}")
    found = call.repo.git.tree(sha, path=path) if path else []
    if path and not found:
        raise not_found()
    if not path or found[0].kind == "tree":
        below = call.repo.git.tree(sha, path=f"{path}/" if path else "")
        return [git.entry(call.hub.links, call.repo, leaf, name) for leaf in below]
    leaf = found[0]
    content = call.repo.git.read(leaf.sha, kind="blob")
    if "raw" in call.request.headers.get("accept", ""):
        return Answer(content, headers={"Content-Type": "application/octet-stream"})
    entry, big = git.entry(call.hub.links, call.repo, leaf, name), len(content) > INLINE_LIMIT
    if entry["type"] == "symlink":
        return Answer(entry | {"target": content.decode(errors="replace")})
    return Answer(
        entry
        | {
            "content": "" if big else base64.encodebytes(content).decode(),
            "encoding": "none" if big else "base64",
        }
    )


def branches(call: Call) -> Page:
    found = call.repo.git.refs("refs/heads/")
    return Page(
        [
            {
                "name": name.removeprefix("refs/heads/"),
                "commit": {"sha": sha, "url": call.hub.links.repo(call.repo, f"/commits/{sha}")},
                "protected": False,
            }
            for name, sha in found.items()
        ]
    )


def branch(call: Call) -> Json:
    name = call.words["branch"]
    try:
        sha = call.repo.git.resolve(f"refs/heads/{name}")
    except GitRefused:
        sha = None
    if sha is None:
        raise not_found("Branch not found")
    url = call.hub.links.repo(call.repo, f"/branches/{name}")
    return {
        "name": name,
        "commit": _shape(call, sha),
        "_links": {"self": url, "html": call.hub.links.html(call.repo, f"/tree/{name}")},
        "protected": False,
        "protection": {"enabled": False},
        "protection_url": f"{url}/protection",
    }


def no_rules(_: Call) -> Page:
    """Rulesets cannot be made here, so none applies."""
    return Page([])
