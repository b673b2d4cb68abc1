"""
The two mutations that REST lacks: a draft made ready, and a pull request made a draft. A query is
read far enough to answer exactly the fields that were asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from bot.minihub import pulls
from bot.minihub.access import Needs, admit
from bot.minihub.answers import bad_credentials
from bot.minihub.call import Call, Result
from bot.minihub.records import Issue, Repo
from bot.minihub.shapes import Json
from bot.minihub.shapes.pulls import pull_part
from bot.minihub.store import node_id

MUTATIONS = {"markPullRequestReadyForReview": False, "convertPullRequestToDraft": True}
NEEDS = Needs(("pull_requests:write",), "read")
WORDS = re.compile(r"[{}()]|[A-Za-z_$][A-Za-z0-9_]*|[^\s]")
Selection = dict[str, Any]


def answered(call: Call) -> Result:
    if call.actor.account is None:
        raise bad_credentials()
    query = str(call.fields.get("query", ""))
    name = next((each for each in MUTATIONS if re.search(rf"\b{each}\b", query)), None)
    variables = call.fields.get("variables") or {}
    if name is None:
        return _errors("undefinedField", "minihub knows only: " + ", ".join(MUTATIONS))
    given = variables.get("input") if isinstance(variables, dict) else None
    wanted = (given or {}).get("pullRequestId")
    found = _find(call, wanted)
    if found is None:
        return _errors("NOT_FOUND", f"Could not resolve to a node with the global id of '{wanted}'")
    repo, issue = found
    admit(call.hub.store, call.actor, repo, NEEDS)
    here = Call(call.hub, call.request, call.actor, call.words, repo)
    pulls.set_draft(here, issue, draft=MUTATIONS[name])
    told = {
        "clientMutationId": (given or {}).get("clientMutationId"),
        "pullRequest": _pull(here, issue),
    }
    return {"data": {name: _chosen(told, selection(query, name))}}


def _errors(kind: str, message: str) -> Json:
    return {"data": None, "errors": [{"type": kind, "path": [], "message": message}]}


def _find(call: Call, wanted: object) -> tuple[Repo, Issue] | None:
    for repo in call.hub.store.repos.values():
        for issue in repo.issues.values():
            if issue.pull and node_id("PR", issue.id) == wanted:
                return repo, issue
    return None


def _pull(call: Call, issue: Issue) -> Json:
    pull = pull_part(issue)
    return {
        "id": node_id("PR", issue.id),
        "databaseId": issue.id,
        "number": issue.number,
        "title": issue.title,
        "isDraft": pull.draft,
        "merged": pull.merged_at is not None,
        "state": "MERGED" if pull.merged_at else issue.state.upper(),
        "headRefOid": pull.head_sha,
        "headRefName": pull.head_ref,
        "baseRefName": pull.base_ref,
        "url": call.hub.links.html(call.repo, f"/pull/{issue.number}"),
    }


def selection(query: str, name: str) -> Selection:
    """The fields in braces after ``name(…)``."""
    words = iter(WORDS.findall(query[query.index(name) + len(name) :]))
    for word in words:
        if word == "{":
            return _fields(words)
    return {}


def _fields(words: Iterator[str]) -> Selection:
    found: Selection = {}
    last = ""
    for word in words:
        if word == "}":
            return found
        if word == "{":
            found[last] = _fields(words)
        else:
            last = word
            found[word] = None
    return found


def _chosen(told: Json, wanted: Selection) -> Json:
    return {
        name: _chosen(told[name], inner) if inner else told.get(name)
        for name, inner in wanted.items()
    }
