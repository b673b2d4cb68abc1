"""Git objects, commits, differences and files as JSON."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from urllib.parse import quote

from bot.minihub.bare import CommitFacts, Leaf, Signature
from bot.minihub.clock import stamp
from bot.minihub.history import FileDelta
from bot.minihub.links import Links
from bot.minihub.records import Account, Repo
from bot.minihub.shapes import Json, people
from bot.minihub.store import Store, node_id

TREE_LIMIT = 100_000


def _node(kind: str, repo: Repo, sha: str) -> str:
    return node_id(kind, repo.id) + sha


def _person(signature: Signature) -> Json:
    moment = datetime.fromtimestamp(signature.at, UTC)
    return {"name": signature.name, "email": signature.email, "date": stamp(moment)}


def verification(repo: Repo, sha: str) -> Json:
    signed = sha in repo.signed
    return {
        "verified": signed,
        "reason": "valid" if signed else "unsigned",
        "signature": "-----BEGIN PGP SIGNATURE-----" if signed else None,
        "payload": f"tree of {sha}" if signed else None,
        "verified_at": repo.pushed_at if signed else None,
    }


def ref(links: Links, repo: Repo, name: str, sha: str) -> Json:
    kind = repo.git.kind(sha)
    return {
        "ref": name,
        "node_id": node_id("REF", repo.id) + name,
        "url": links.repo(repo, f"/git/{quote(name)}"),
        "object": {"sha": sha, "type": kind, "url": links.repo(repo, f"/git/{kind}s/{sha}")},
    }


def blob(links: Links, repo: Repo, sha: str, content: bytes) -> Json:
    return {
        "sha": sha,
        "node_id": _node("B", repo, sha),
        "size": len(content),
        "url": links.repo(repo, f"/git/blobs/{sha}"),
        "content": base64.encodebytes(content).decode(),
        "encoding": "base64",
    }


def tree(links: Links, repo: Repo, sha: str, leaves: list[Leaf]) -> Json:
    return {
        "sha": sha,
        "url": links.repo(repo, f"/git/trees/{sha}"),
        "tree": [_leaf(links, repo, leaf) for leaf in leaves[:TREE_LIMIT]],
        "truncated": len(leaves) > TREE_LIMIT,
    }


def _leaf(links: Links, repo: Repo, leaf: Leaf) -> Json:
    shape: Json = {"path": leaf.path, "mode": leaf.mode, "type": leaf.kind, "sha": leaf.sha}
    if leaf.size is not None:
        shape["size"] = leaf.size
    if leaf.kind != "commit":
        shape["url"] = links.repo(repo, f"/git/{leaf.kind}s/{leaf.sha}")
    return shape


def git_commit(links: Links, repo: Repo, facts: CommitFacts) -> Json:
    def page(sha: str) -> Json:
        return {
            "sha": sha,
            "url": links.repo(repo, f"/git/commits/{sha}"),
            "html_url": links.html(repo, f"/commit/{sha}"),
        }

    return {
        **page(facts.sha),
        "node_id": _node("C", repo, facts.sha),
        "author": _person(facts.author),
        "committer": _person(facts.committer),
        "tree": {"sha": facts.tree, "url": links.repo(repo, f"/git/trees/{facts.tree}")},
        "message": facts.message,
        "parents": [page(parent) for parent in facts.parents],
        "verification": verification(repo, facts.sha),
    }


def commit(links: Links, store: Store, repo: Repo, sha: str) -> Json:
    facts = repo.git.facts(sha)
    url = links.repo(repo, f"/commits/{sha}")
    return {
        "sha": sha,
        "node_id": _node("C", repo, sha),
        "commit": {
            "author": _person(facts.author),
            "committer": _person(facts.committer),
            "message": facts.message,
            "tree": {"sha": facts.tree, "url": links.repo(repo, f"/git/trees/{facts.tree}")},
            "url": links.repo(repo, f"/git/commits/{sha}"),
            "comment_count": 0,
            "verification": verification(repo, sha),
        },
        "url": url,
        "html_url": links.html(repo, f"/commit/{sha}"),
        "comments_url": f"{url}/comments",
        "author": people.maybe(links, known(store, facts.author)),
        "committer": people.maybe(links, known(store, facts.committer)),
        "parents": [
            {
                "sha": parent,
                "url": links.repo(repo, f"/commits/{parent}"),
                "html_url": links.html(repo, f"/commit/{parent}"),
            }
            for parent in facts.parents
        ],
    }


def known(store: Store, signature: Signature) -> Account | None:
    """Whom GitHub links a commit to: the account that owns the address."""
    local, _, domain = signature.email.partition("@")
    if domain == "users.noreply.github.com":
        return store.accounts.get(local.rpartition("+")[2].lower())
    return next((each for each in store.accounts.values() if each.email == signature.email), None)


def simple_commit(repo: Repo, sha: str) -> Json:
    facts = repo.git.facts(sha)
    return {
        "id": sha,
        "tree_id": facts.tree,
        "message": facts.message,
        "timestamp": stamp(datetime.fromtimestamp(facts.committer.at, UTC)),
        "author": {"name": facts.author.name, "email": facts.author.email},
        "committer": {"name": facts.committer.name, "email": facts.committer.email},
    }


def delta(links: Links, repo: Repo, head: str, one: FileDelta) -> Json:
    path = quote(one.path)
    shape: Json = {
        "sha": one.sha,
        "filename": one.path,
        "status": one.status,
        "additions": one.additions,
        "deletions": one.deletions,
        "changes": one.additions + one.deletions,
        "blob_url": links.html(repo, f"/blob/{head}/{path}"),
        "raw_url": links.html(repo, f"/raw/{head}/{path}"),
        "contents_url": links.repo(repo, f"/contents/{path}?ref={head}"),
    }
    if one.patch is not None:
        shape["patch"] = one.patch
    if one.previous is not None:
        shape["previous_filename"] = one.previous
    return shape


def entry(links: Links, repo: Repo, leaf: Leaf, ref_name: str) -> Json:
    """One file or folder as the contents API tells it, without its bytes."""
    path = quote(leaf.path)
    url = links.repo(repo, f"/contents/{path}?ref={quote(ref_name, safe='')}")
    page = links.html(repo, f"/blob/{ref_name}/{path}")
    objects = links.repo(repo, f"/git/{leaf.kind}s/{leaf.sha}")
    is_file = leaf.kind == "blob"
    kinds = {"120000": "symlink", "160000": "submodule", "040000": "dir"}
    return {
        "type": kinds.get(leaf.mode, "file"),
        "name": leaf.path.rpartition("/")[2],
        "path": leaf.path,
        "sha": leaf.sha,
        "size": leaf.size or 0,
        "url": url,
        "html_url": page,
        "git_url": objects,
        "download_url": links.html(repo, f"/raw/{ref_name}/{path}") if is_file else None,
        "_links": {"self": url, "git": objects, "html": page},
    }
