"""The git data API: blobs, trees, commits. Objects are git's own, so a sha is what git computes."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import Any

from bot.minihub.answers import Answer, Refused, created, not_found, unprocessable
from bot.minihub.bare import GitRefused, Put, Signature
from bot.minihub.call import Call
from bot.minihub.shapes import Json, git

BLOB_LIMIT = 100 << 20
MALFORMED = ("", ".", "..", ".git")
MODES = ("100644", "100755", "040000", "160000", "120000")


def _kind(call: Call, name: str, kind: str) -> str:
    sha = call.words[name]
    if call.repo.git.kind(sha) != kind:
        raise not_found()
    return sha


def make_blob(call: Call) -> Answer:
    content = _content(call)
    if len(content) > BLOB_LIMIT:
        raise unprocessable("Blob is too big")
    sha = call.repo.git.write(content)
    return created({"sha": sha, "url": call.hub.links.repo(call.repo, f"/git/blobs/{sha}")})


def _content(call: Call) -> bytes:
    text = call.optional("content", str, resource="Blob") or ""
    if call.fields.get("encoding", "utf-8") != "base64":
        return str(text).encode(errors="replace")
    try:
        return base64.b64decode(text)
    except ValueError as broken:
        raise unprocessable("content is not valid Base64") from broken


def read_blob(call: Call) -> Answer:
    sha = _kind(call, "file_sha", "blob")
    content = call.repo.git.read(sha, kind="blob")
    if "raw" in call.request.headers.get("accept", ""):
        return Answer(content, headers={"Content-Type": "application/octet-stream"})
    return Answer(git.blob(call.hub.links, call.repo, sha, content))


def make_tree(call: Call) -> Answer:
    entries = call.optional("tree", list, resource="Tree")
    if entries is None:
        raise unprocessable('Invalid request.\n\n"tree" wasn\'t supplied.')
    asked = call.optional("base_tree", str, resource="Tree")
    base = call.repo.git.tree_of(asked) if asked else None
    if asked and base is None:
        raise unprocessable("base_tree is not a valid tree oid")
    try:
        puts = [put for entry in entries for put in _puts(call, base, _put(call, entry))]
        sha = call.repo.git.make_tree(base, puts)
    except GitRefused as refused:
        raise unprocessable(f"GitRPC::BadObjectState: {refused}") from refused
    leaves = call.repo.git.tree(sha)
    return created(git.tree(call.hub.links, call.repo, sha, leaves))


def _put(call: Call, entry: Any) -> Put:
    if not isinstance(entry, dict) or not isinstance(entry.get("path"), str):
        raise unprocessable("tree.path wasn't supplied")
    path, mode = entry["path"], entry.get("mode", "100644")
    if any(part.lower() in MALFORMED for part in path.split("/")) or "\0" in path:
        raise unprocessable("tree.path contains a malformed path component")
    if mode not in MODES:
        raise unprocessable("tree.mode must be one of " + ", ".join(MODES))
    if "content" in entry:
        return Put(path, mode, call.repo.git.write(str(entry["content"]).encode(errors="replace")))
    sha = entry.get("sha")
    if sha is not None and mode != "160000" and call.repo.git.kind(str(sha)) is None:
        raise unprocessable(f"tree.sha {sha} is not a valid {entry.get('type', 'blob')}")
    return Put(path, mode, sha)


def _puts(call: Call, base: str | None, put: Put) -> list[Put]:
    """A folder is set or taken away as a whole: what was below it goes first."""
    repo = call.repo.git
    if base is None or (put.mode != "040000" and put.sha is not None):
        gone = []
    else:
        below = repo.tree(base, recursive=True, path=f"{put.path}/")
        gone = [Put(leaf.path, leaf.mode, None) for leaf in below if leaf.kind != "tree"]
    if put.mode != "040000" or put.sha is None:
        return [*gone, put]
    inside = [leaf for leaf in repo.tree(put.sha, recursive=True) if leaf.kind != "tree"]
    return gone + [Put(f"{put.path}/{leaf.path}", leaf.mode, leaf.sha) for leaf in inside]


def read_tree(call: Call) -> Json:
    name = call.words["tree_sha"]
    sha = call.repo.git.tree_of(name)
    if sha is None:
        raise not_found()
    leaves = call.repo.git.tree(sha, recursive=bool(call.query("recursive")))
    return git.tree(call.hub.links, call.repo, sha, leaves)


def make_commit(call: Call) -> Answer:
    repo = call.repo.git
    tree, parents = call.text("tree", resource="Commit"), call.strings("parents")
    message = call.text("message", resource="Commit")
    if "\0" in message:
        raise unprocessable("a NUL byte in commit log message not allowed")
    if repo.kind(tree) != "tree":
        raise unprocessable("Tree SHA does not exist")
    if any(repo.kind(parent) != "commit" for parent in parents):
        raise unprocessable("Parent SHA does not exist or is not a commit object")
    author = _signature(call, "author")
    committer = _signature(call, "committer", default=author)
    sha = repo.commit(tree, parents=parents, message=message, author=author, committer=committer)
    if call.actor.app and not call.fields.keys() & {"author", "committer"}:
        call.repo.signed.add(sha)  # GitHub signs what an App commits as itself
    return created(git.git_commit(call.hub.links, call.repo, repo.facts(sha)))


def _signature(call: Call, name: str, *, default: Signature | None = None) -> Signature:
    given = call.fields.get(name)
    if given is None:
        return default or own_signature(call)
    if not isinstance(given, dict) or not given.get("name") or not given.get("email"):
        raise unprocessable(f"{name} needs a name and an email")
    at = given.get("date")
    try:
        moment = datetime.fromisoformat(at) if at else call.hub.clock.now()
    except (TypeError, ValueError) as wrong:
        raise Refused(422, f"{name}.date is not a date") from wrong
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return Signature(given["name"], given["email"], int(aware.timestamp()))


def own_signature(call: Call) -> Signature:
    me = call.me
    email = me.email or f"{me.id}+{me.login}@users.noreply.github.com"
    return Signature(me.name or me.login, email, call.hub.clock.seconds())


def read_commit(call: Call) -> Json:
    sha = _kind(call, "commit_sha", "commit")
    return git.git_commit(call.hub.links, call.repo, call.repo.git.facts(sha))
