"""Pull requests and reviews as JSON."""

from __future__ import annotations

from bot.minihub import history
from bot.minihub.links import Links
from bot.minihub.records import Account, Issue, Pull, Repo, Review
from bot.minihub.shapes import Json, issues, people, repos
from bot.minihub.store import node_id


def pull_part(one: Issue) -> Pull:
    if one.pull is None:
        raise ValueError(f"#{one.number} is no pull request")
    return one.pull


def _side(links: Links, repo: Repo | None, owner: Account, *, ref: str, sha: str) -> Json:
    return {
        "label": f"{owner.login}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": people.user(links, owner),
        "repo": repos.repository(links, repo) if repo else None,
    }


def simple(links: Links, repo: Repo, one: Issue) -> Json:
    pull = pull_part(one)
    thread = issues.issue(links, repo, one)
    url = links.repo(repo, f"/pulls/{one.number}")
    page = links.html(repo, f"/pull/{one.number}")
    addresses = {
        "self": url,
        "html": page,
        "issue": thread["url"],
        "comments": thread["comments_url"],
        "review_comments": f"{url}/comments",
        "review_comment": links.repo(repo, "/pulls/comments{/number}"),
        "commits": f"{url}/commits",
        "statuses": links.repo(repo, f"/statuses/{pull.head_sha}"),
    }
    kept = [
        "id",
        "node_id",
        "number",
        "state",
        "locked",
        "title",
        "user",
        "body",
        "labels",
        "milestone",
        "active_lock_reason",
        "created_at",
        "updated_at",
        "closed_at",
        "assignee",
        "assignees",
        "author_association",
    ]
    head = _side(links, pull.head_repo, pull.head_owner, ref=pull.head_ref, sha=pull.head_sha)
    return {
        **{name: thread[name] for name in kept},
        "url": url,
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "issue_url": addresses["issue"],
        "commits_url": addresses["commits"],
        "review_comments_url": addresses["review_comments"],
        "review_comment_url": addresses["review_comment"],
        "comments_url": addresses["comments"],
        "statuses_url": addresses["statuses"],
        "merged_at": pull.merged_at,
        "merge_commit_sha": pull.merge_sha,
        "requested_reviewers": [people.user(links, each) for each in pull.reviewers],
        "requested_teams": [],
        "draft": pull.draft,
        "head": head,
        "base": _side(links, repo, repo.owner, ref=pull.base_ref, sha=pull.base_sha),
        "_links": {name: {"href": address} for name, address in addresses.items()},
        "auto_merge": None,
    }


def full(links: Links, repo: Repo, one: Issue, *, knows: bool = True) -> Json:
    """``knows``: whether GitHub has worked out yet if this can be merged."""
    pull = pull_part(one)
    base = history.merge_base(repo.git, pull.base_sha, pull.head_sha) or pull.base_sha
    deltas = history.deltas(repo.git, base, pull.head_sha)
    return {
        **simple(links, repo, one),
        "merged": pull.merged_at is not None,
        "mergeable": pull.mergeable if knows and one.state == "open" else None,
        "rebaseable": pull.mergeable if knows and one.state == "open" else None,
        "mergeable_state": mergeable_state(one) if knows else "unknown",
        "merged_by": people.maybe(links, pull.merged_by),
        "comments": len(one.comments),
        "review_comments": 0,
        "maintainer_can_modify": pull.maintainer_can_modify,
        "commits": len(history.between(repo.git, base, pull.head_sha)),
        "additions": sum(each.additions for each in deltas),
        "deletions": sum(each.deletions for each in deltas),
        "changed_files": len(deltas),
    }


def mergeable_state(one: Issue) -> str:
    pull = pull_part(one)
    if one.state != "open":
        return "unknown"
    if not pull.mergeable:
        return "dirty"
    return "draft" if pull.draft else "clean"


def minimal(links: Links, repo: Repo, one: Issue) -> Json:
    pull = pull_part(one)

    def side(where: Repo, ref: str, sha: str) -> Json:
        source = {"id": where.id, "url": links.repo(where), "name": where.name}
        return {"ref": ref, "sha": sha, "repo": source}

    return {
        "id": one.id,
        "number": one.number,
        "url": links.repo(repo, f"/pulls/{one.number}"),
        "head": side(pull.head_repo or repo, pull.head_ref, pull.head_sha),
        "base": side(repo, pull.base_ref, pull.base_sha),
    }


def of_commit(links: Links, repo: Repo, sha: str) -> list[Json]:
    """The open pull requests of the repository's own branches with this head: none of a fork's."""
    return [
        minimal(links, repo, one)
        for one in repo.issues.values()
        if one.pull
        and one.state == "open"
        and one.pull.head_sha == sha
        and one.pull.head_repo is repo
    ]


def review(links: Links, repo: Repo, one: Issue, given: Review) -> Json:
    page = links.html(repo, f"/pull/{one.number}#pullrequestreview-{given.id}")
    url = links.repo(repo, f"/pulls/{one.number}")
    shape: Json = {
        "id": given.id,
        "node_id": node_id("PRR", given.id),
        "user": people.user(links, given.user),
        "body": given.body,
        "state": given.state,
        "html_url": page,
        "pull_request_url": url,
        "author_association": issues.association(repo, given.user),
        "_links": {"html": {"href": page}, "pull_request": {"href": url}},
        "commit_id": given.commit_id,
    }
    if given.submitted_at:
        shape["submitted_at"] = given.submitted_at
    return shape
