"""Pull requests: list, open, read, edit, files, commits, merge, reviewers."""

from __future__ import annotations

from bot.minihub import history, issues, merging, pushes, threads
from bot.minihub.answers import (
    NOTHING_TO_SAY,
    TITLE_LIMIT,
    Answer,
    Page,
    Refused,
    check_length,
    created,
    forbidden,
    invalid,
    not_found,
    unprocessable,
)
from bot.minihub.call import Call
from bot.minihub.gitdata import own_signature
from bot.minihub.records import Account, Issue, Pull, Repo
from bot.minihub.shapes import Json, git, people
from bot.minihub.shapes import pulls as shapes
from bot.minihub.store import pull_of

FILES_LIMIT = 3000
COMMITS_LIMIT = 250


def here(call: Call) -> Issue:
    return pull_of(call.repo, call.number("pull_number"))


def full(call: Call, issue: Issue) -> Json:
    return shapes.full(call.hub.links, call.repo, issue)


def listed(call: Call) -> Page:
    found = [issue for issue in call.repo.issues.values() if _matches(call, issue)]
    by = issues.KEYS.get(call.query("sort"), "created_at")
    downwards = call.query("direction", "desc") != "asc"
    found.sort(key=lambda issue: (getattr(issue, by), issue.number), reverse=downwards)
    return Page([shapes.simple(call.hub.links, call.repo, issue) for issue in found])


def _matches(call: Call, issue: Issue) -> bool:
    pull, head, base = issue.pull, call.query("head"), call.query("base")
    if pull is None or call.query("state", "open") not in ("all", issue.state):
        return False
    # GitHub ignores a head without an owner.
    is_head = ":" not in head or head.lower() == f"{pull.head_owner.login}:{pull.head_ref}".lower()
    return is_head and base in ("", pull.base_ref)


def opened(call: Call) -> Answer:
    title = call.text("title", resource="PullRequest")
    body = call.optional("body", str, resource="PullRequest")
    check_length("PullRequest", "title", title, limit=TITLE_LIMIT)
    check_length("PullRequest", "body", body)
    pull = _pull(call)
    issue = issues.new_issue(call, title, body)
    issue.pull = pull
    merging.refresh(call, issue)
    threads.tell(call, issue, "opened")
    return created(full(call, issue))


def _pull(call: Call) -> Pull:
    repo, base_ref = call.repo, call.text("base", resource="PullRequest")
    owner, head_repo, head_ref = _head(call, call.text("head", resource="PullRequest"))
    base_sha = repo.git.resolve(f"refs/heads/{base_ref}")
    head_sha = head_repo.git.resolve(f"refs/heads/{head_ref}")
    if base_sha is None:
        raise invalid("PullRequest", "base")
    if head_sha is None:
        raise invalid("PullRequest", "head")
    if any(_is_open_from(issue, head_repo, head_ref, base_ref) for issue in repo.issues.values()):
        said = f"A pull request already exists for {owner.login}:{head_ref}."
        raise invalid("PullRequest", "head", "custom", message=said)
    pull = Pull(
        head_repo=head_repo,
        head_owner=owner,
        head_ref=head_ref,
        head_sha=head_sha,
        base_ref=base_ref,
        base_sha=base_sha,
        draft=bool(call.optional("draft", bool, resource="PullRequest")),
        maintainer_can_modify=head_repo is not repo,
    )
    _has_commits(call, pull)
    return pull


def _head(call: Call, name: str) -> tuple[Account, Repo, str]:
    login, colon, ref = name.rpartition(":")
    if not colon or login.lower() == call.repo.owner.login.lower():
        return call.repo.owner, call.repo, ref
    for repo in call.hub.store.repos.values():
        if repo.parent is call.repo and repo.owner.login.lower() == login.lower():
            return repo.owner, repo, ref
    raise invalid("PullRequest", "head")


def _is_open_from(issue: Issue, repo: Repo, ref: str, base: str) -> bool:
    pull = issue.pull
    if pull is None or issue.state != "open":
        return False
    return pull.head_repo is repo and pull.head_ref == ref and pull.base_ref == base


def _has_commits(call: Call, pull: Pull) -> None:
    if pull.head_repo is call.repo and history.contains(
        call.repo.git, old=pull.head_sha, new=pull.base_sha
    ):
        said = f"No commits between {pull.base_ref} and {pull.head_ref}"
        raise invalid("PullRequest", "head", "custom", message=said)


def read(call: Call) -> Answer | Json:
    issue = here(call)
    pull = shapes.pull_part(issue)
    if "diff" in call.request.headers.get("accept", ""):
        base = history.merge_base(call.repo.git, pull.base_sha, pull.head_sha) or pull.base_sha
        text = call.repo.git.git("diff", base, pull.head_sha)
        return Answer(text, headers={"Content-Type": "text/plain; charset=utf-8"})
    knows = pull.unknown_reads <= 0
    pull.unknown_reads -= 1
    return shapes.full(call.hub.links, call.repo, issue, knows=knows)


def edited(call: Call) -> Json:
    issue = here(call)
    threads.may_edit(call, issue.user)
    issues.rewrite(call, issue, resource="PullRequest")
    pull = shapes.pull_part(issue)
    base = call.optional("base", str, resource="PullRequest")
    if base and base != pull.base_ref:
        sha = call.repo.git.resolve(f"refs/heads/{base}")
        if sha is None:
            raise invalid("PullRequest", "base")
        pull.base_ref, pull.base_sha = base, sha
        merging.refresh(call, issue)
    if call.fields.get("state") == "open" and pull.merged_at:
        raise unprocessable("Cannot reopen a merged pull request")
    issues.move(call, issue, reason="completed")
    return full(call, issue)


def _base(call: Call, pull: Pull) -> str:
    return history.merge_base(call.repo.git, pull.base_sha, pull.head_sha) or pull.base_sha


def files(call: Call) -> Page:
    pull = shapes.pull_part(here(call))
    found = history.deltas(call.repo.git, _base(call, pull), pull.head_sha)[:FILES_LIMIT]
    return Page([git.delta(call.hub.links, call.repo, pull.head_sha, each) for each in found])


def commits(call: Call) -> Page:
    pull = shapes.pull_part(here(call))
    found = history.between(call.repo.git, _base(call, pull), pull.head_sha)[:COMMITS_LIMIT]
    return Page([git.commit(call.hub.links, call.hub.store, call.repo, sha) for sha in found])


def is_merged(call: Call) -> Answer:
    if shapes.pull_part(here(call)).merged_at is None:
        raise not_found()
    return NOTHING_TO_SAY


def merged(call: Call) -> Json:
    issue = here(call)
    pull, repo = shapes.pull_part(issue), call.repo.git
    method, wanted = call.fields.get("merge_method", "merge"), call.fields.get("sha")
    if issue.state != "open" or pull.draft or not pull.mergeable:
        raise Refused(405, "Pull Request is not mergeable")
    if method == "rebase":
        raise Refused(405, "Rebase merges are not allowed on this repository.")
    if wanted and wanted != pull.head_sha:
        raise Refused(409, "Head branch was modified. Review and try the merge again.")
    tree = history.merged_tree(repo, pull.base_sha, pull.head_sha)
    if tree is None:
        raise Refused(405, "Pull Request is not mergeable")
    title = f"Merge pull request #{issue.number} from {pull.head_owner.login}/{pull.head_ref}"
    squashed = method == "squash"
    sha = repo.commit(
        tree,
        parents=[pull.base_sha] if squashed else [pull.base_sha, pull.head_sha],
        message=f"{issue.title} (#{issue.number})" if squashed else f"{title}\n\n{issue.title}",
        author=own_signature(call),
    )
    call.repo.signed.add(sha)
    before = pull.base_sha
    repo.set_ref(f"refs/heads/{pull.base_ref}", sha, old=before)
    merging.mark(call, issue, sha)
    pushes.pushed(call, {f"refs/heads/{pull.base_ref}": (before, sha)})
    return {"sha": sha, "merged": True, "message": "Pull Request successfully merged"}


def reviewers(call: Call) -> Json:
    asked = shapes.pull_part(here(call)).reviewers
    return {"users": [people.user(call.hub.links, each) for each in asked], "teams": []}


def asked(call: Call) -> Answer:
    issue = here(call)
    pull = shapes.pull_part(issue)
    for login in call.strings("reviewers"):
        account = call.hub.store.accounts.get(login.lower())
        if account is issue.user:
            raise unprocessable("Review cannot be requested from pull request author.")
        if account is None or account.login not in call.repo.roles:
            raise unprocessable(
                "Reviews may only be requested from collaborators. One or more of the users or "
                f"teams you specified is not a collaborator of the {call.repo.full_name} "
                "repository."
            )
        if account not in pull.reviewers:
            pull.reviewers.append(account)
            reviewer = people.user(call.hub.links, account)
            threads.tell(call, issue, "review_requested", requested_reviewer=reviewer)
    return created(shapes.simple(call.hub.links, call.repo, issue))


def unasked(call: Call) -> Json:
    issue = here(call)
    pull = shapes.pull_part(issue)
    for account in [each for each in pull.reviewers if each.login in call.strings("reviewers")]:
        pull.reviewers.remove(account)
        reviewer = people.user(call.hub.links, account)
        threads.tell(call, issue, "review_request_removed", requested_reviewer=reviewer)
    return shapes.simple(call.hub.links, call.repo, issue)


def of_commit(call: Call) -> Page:
    sha = call.words["commit_sha"]
    found = [
        issue
        for issue in call.repo.issues.values()
        if issue.pull and history.contains(call.repo.git, old=sha, new=issue.pull.head_sha)
    ]
    return Page([shapes.simple(call.hub.links, call.repo, issue) for issue in found])


def set_draft(call: Call, issue: Issue, *, draft: bool) -> None:
    pull = shapes.pull_part(issue)
    if call.me is not issue.user and not call.is_at_least("write"):
        raise forbidden(f"{call.me.login} does not have the correct permissions")
    if pull.draft != draft:
        pull.draft = draft
        threads.touch(call, issue)
        threads.tell(call, issue, "converted_to_draft" if draft else "ready_for_review")
