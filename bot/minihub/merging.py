"""
The test merge of a pull request, its refs, and the merge itself with what follows from it.
"""

from __future__ import annotations

import re

from bot.minihub import history, threads
from bot.minihub.bare import ENVIRONMENT
from bot.minihub.call import Call
from bot.minihub.records import Issue
from bot.minihub.shapes.pulls import pull_part

CLOSES = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d+)", re.I)


def fetch_head(call: Call, issue: Issue) -> None:
    """A fork's commits are brought over, so that they can be fetched from the base repository."""
    pull = pull_part(issue)
    if pull.head_repo is not None and pull.head_repo is not call.repo:
        call.repo.git.git(
            *(
                "fetch",
                "-q",
                "--no-tags",
                str(pull.head_repo.git.path),
                f"refs/heads/{pull.head_ref}",
            ),
            env={**ENVIRONMENT, "GIT_ALLOW_PROTOCOL": "file"},
        )


def refresh(call: Call, issue: Issue) -> None:
    """``refs/pull/N/head`` and ``/merge`` follow the head and the base."""
    pull, git = pull_part(issue), call.repo.git
    fetch_head(call, issue)
    git.set_ref(f"refs/pull/{issue.number}/head", pull.head_sha)
    pull.merge_sha = history.test_merge(
        git, base=pull.base_sha, head=pull.head_sha, at=call.hub.clock.seconds()
    )
    pull.mergeable = pull.merge_sha is not None
    pull.unknown_reads = call.hub.mergeable_lag
    merge_ref = f"refs/pull/{issue.number}/merge"
    if pull.merge_sha:
        git.set_ref(merge_ref, pull.merge_sha)
    elif merge_ref in git.refs(merge_ref):
        git.drop_ref(merge_ref)


def mark(call: Call, issue: Issue, merge_sha: str) -> None:
    """The pull request is merged; issues that its body says it closes are closed."""
    pull = pull_part(issue)
    pull.merged_at, pull.merged_by, pull.merge_sha = call.hub.clock.stamp(), call.me, merge_sha
    merge_ref = f"refs/pull/{issue.number}/merge"
    if merge_ref in call.repo.git.refs(merge_ref):
        call.repo.git.drop_ref(merge_ref)
    threads.close(call, issue)
    if pull.base_ref == call.repo.default_branch:
        for number in map(int, CLOSES.findall(issue.body or "")):
            other = call.repo.issues.get(number)
            if other and other.pull is None:
                threads.close(call, other)
