"""Repositories as JSON."""

from __future__ import annotations

from bot.minihub.links import Links
from bot.minihub.records import Repo
from bot.minihub.shapes import Json, people
from bot.minihub.store import ROLES, node_id

ADDRESSES = {
    "archive": "/{archive_format}{/ref}",
    "assignees": "/assignees{/user}",
    "blobs": "/git/blobs{/sha}",
    "branches": "/branches{/branch}",
    "collaborators": "/collaborators{/collaborator}",
    "comments": "/comments{/number}",
    "commits": "/commits{/sha}",
    "compare": "/compare/{base}...{head}",
    "contents": "/contents/{+path}",
    "contributors": "/contributors",
    "deployments": "/deployments",
    "downloads": "/downloads",
    "events": "/events",
    "forks": "/forks",
    "git_commits": "/git/commits{/sha}",
    "git_refs": "/git/refs{/sha}",
    "git_tags": "/git/tags{/sha}",
    "hooks": "/hooks",
    "issue_comment": "/issues/comments{/number}",
    "issue_events": "/issues/events{/number}",
    "issues": "/issues{/number}",
    "keys": "/keys{/key_id}",
    "labels": "/labels{/name}",
    "languages": "/languages",
    "merges": "/merges",
    "milestones": "/milestones{/number}",
    "notifications": "/notifications{?since,all,participating}",
    "pulls": "/pulls{/number}",
    "releases": "/releases{/id}",
    "stargazers": "/stargazers",
    "statuses": "/statuses/{sha}",
    "subscribers": "/subscribers",
    "subscription": "/subscription",
    "tags": "/tags",
    "teams": "/teams",
    "trees": "/git/trees{/sha}",
}
ABILITIES = {"admin": "admin", "maintain": "maintain", "push": "write", "triage": "triage"}


def repository(links: Links, repo: Repo) -> Json:
    """What a webhook, a pull request and a list hold."""
    open_issues = sum(issue.state == "open" for issue in repo.issues.values())
    return {
        "id": repo.id,
        "node_id": node_id("R", repo.id),
        "name": repo.name,
        "full_name": repo.full_name,
        "private": repo.private,
        "owner": people.user(links, repo.owner),
        "html_url": links.html(repo),
        "description": repo.description,
        "fork": repo.parent is not None,
        "url": links.repo(repo),
        **{f"{name}_url": links.repo(repo, path) for name, path in ADDRESSES.items()},
        "git_url": links.html(repo, ".git"),
        "ssh_url": f"git@localhost:{repo.full_name}.git",
        "clone_url": links.html(repo, ".git"),
        "svn_url": links.html(repo),
        "mirror_url": None,
        "created_at": repo.created_at,
        "updated_at": repo.pushed_at,
        "pushed_at": repo.pushed_at,
        "homepage": None,
        "size": 0,
        "stargazers_count": 0,
        "watchers_count": 0,
        "language": None,
        "has_issues": True,
        "has_projects": False,
        "has_downloads": True,
        "has_wiki": False,
        "has_pages": False,
        "has_discussions": False,
        "forks_count": 0,
        "archived": repo.archived,
        "disabled": False,
        "open_issues_count": open_issues,
        "license": None,
        "allow_forking": True,
        "is_template": False,
        "web_commit_signoff_required": False,
        "topics": [],
        "custom_properties": {},
        "visibility": "private" if repo.private else "public",
        "forks": 0,
        "open_issues": open_issues,
        "watchers": 0,
        "default_branch": repo.default_branch,
    }


def permissions(role: str) -> Json:
    place = ROLES.index(role)
    able = {name: place >= ROLES.index(least) for name, least in ABILITIES.items()}
    return able | {"pull": place >= ROLES.index("read")}


def full(links: Links, repo: Repo, *, role: str) -> Json:
    kin = (
        {"parent": repository(links, repo.parent), "source": repository(links, repo.parent)}
        if (repo.parent)
        else {}
    )
    return {
        **repository(links, repo),
        "permissions": permissions(role),
        "allow_rebase_merge": False,
        "allow_squash_merge": True,
        "allow_merge_commit": True,
        "allow_auto_merge": False,
        "delete_branch_on_merge": False,
        "subscribers_count": 0,
        "network_count": 0,
        **kin,
    }
