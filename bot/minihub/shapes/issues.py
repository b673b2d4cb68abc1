"""Issues, comments, labels and reactions as JSON."""

from __future__ import annotations

from collections import Counter
from urllib.parse import quote

from bot.minihub.links import Links
from bot.minihub.records import Account, Comment, Issue, Label, Reaction, Repo
from bot.minihub.shapes import Json, apps, people
from bot.minihub.store import node_id

CONTENTS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


def association(repo: Repo, account: Account) -> str:
    if account is repo.owner:
        return "OWNER"
    if account.login in repo.roles:
        return "COLLABORATOR"
    merged = any(
        issue.user is account and issue.pull and issue.pull.merged_at
        for issue in repo.issues.values()
    )
    return "CONTRIBUTOR" if merged else "NONE"


def label(links: Links, repo: Repo, one: Label) -> Json:
    return {
        "id": one.id,
        "node_id": node_id("LA", one.id),
        "url": links.repo(repo, f"/labels/{quote(one.name, safe='')}"),
        "name": one.name,
        "color": one.color,
        "default": one.name in ("bug", "documentation", "enhancement"),
        "description": one.description,
    }


def reaction(links: Links, one: Reaction) -> Json:
    return {
        "id": one.id,
        "node_id": node_id("REA", one.id),
        "user": people.user(links, one.user),
        "content": one.content,
        "created_at": one.created_at,
    }


def rollup(url: str, reactions: list[Reaction]) -> Json:
    counts = Counter(each.content for each in reactions)
    return {
        "url": f"{url}/reactions",
        "total_count": len(reactions),
        **{content: counts[content] for content in CONTENTS},
    }


def comment(links: Links, repo: Repo, issue: Issue, one: Comment) -> Json:
    url = links.repo(repo, f"/issues/comments/{one.id}")
    kind = "pull" if issue.pull else "issues"
    return {
        "url": url,
        "html_url": links.html(repo, f"/{kind}/{issue.number}#issuecomment-{one.id}"),
        "issue_url": links.repo(repo, f"/issues/{issue.number}"),
        "id": one.id,
        "node_id": node_id("IC", one.id),
        "user": people.user(links, one.user),
        "created_at": one.created_at,
        "updated_at": one.updated_at,
        "author_association": association(repo, one.user),
        "body": one.body,
        "reactions": rollup(url, one.reactions),
        "performed_via_github_app": apps.app(links, one.app) if one.app else None,
    }


def issue(links: Links, repo: Repo, one: Issue) -> Json:
    url = links.repo(repo, f"/issues/{one.number}")
    page = links.html(repo, f"/{'pull' if one.pull else 'issues'}/{one.number}")
    shape: Json = {
        "url": url,
        "repository_url": links.repo(repo),
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "timeline_url": f"{url}/timeline",
        "html_url": page,
        "id": one.id,
        "node_id": node_id("PR" if one.pull else "I", one.id),
        "number": one.number,
        "title": one.title,
        "user": people.user(links, one.user),
        "labels": [label(links, repo, each) for each in one.labels],
        "state": one.state,
        "locked": one.locked,
        "active_lock_reason": None,
        "assignee": people.maybe(links, one.assignees[0] if one.assignees else None),
        "assignees": [people.user(links, each) for each in one.assignees],
        "milestone": None,
        "comments": len(one.comments),
        "created_at": one.created_at,
        "updated_at": one.updated_at,
        "closed_at": one.closed_at,
        "author_association": association(repo, one.user),
        "body": one.body,
        "reactions": rollup(url, one.reactions),
        "performed_via_github_app": apps.app(links, one.app) if one.app else None,
        "state_reason": one.state_reason,
    }
    if one.closed_by:
        shape["closed_by"] = people.user(links, one.closed_by)
    if one.pull:
        pulls = links.repo(repo, f"/pulls/{one.number}")
        shape["draft"] = one.pull.draft
        shape["pull_request"] = {
            "url": pulls,
            "html_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
            "merged_at": one.pull.merged_at,
        }
    return shape
