"""
What people do, as they would: each act is a call of the API with the person's own token, so it is
allowed, refused, recorded and told exactly like anybody's.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from bot.minihub import checks, ci, registration, threads
from bot.minihub.access import Actor
from bot.minihub.call import Call, Request
from bot.minihub.dispatch import dispatch
from bot.minihub.hub import Hub
from bot.minihub.records import Account, Installation
from bot.minihub.store import issue_of

File = str | bytes | None  # None takes the file away


class NotAllowed(Exception):
    """The hub refused what a person tried; the message is its own."""

    def __init__(self, status: int, document: Any) -> None:
        super().__init__(f"{status}: {document}")
        self.status = status


@dataclass(frozen=True, slots=True)
class Person:
    hub: Hub
    account: Account
    token: str

    @property
    def login(self) -> str:
        return self.account.login

    def call(self, method: str, path: str, **fields: Any) -> Any:
        """Any call of the API, in this person's name; the document that comes back."""
        address, _, query = path.partition("?")
        request = Request(
            method=method,
            path=address,
            query=dict(pair.split("=", 1) for pair in query.split("&") if pair),
            headers={"authorization": f"Bearer {self.token}"},
            body=json.dumps(fields).encode(),
            inside=True,
        )
        answer = dispatch(self.hub, request)
        if answer.status >= 400:
            raise NotAllowed(answer.status, answer.body)
        return answer.body

    def _at(self, repo: str) -> Call:
        actor = Actor(f"user {self.account.id}", account=self.account)
        return Call(self.hub, Request("GET", "/"), actor, {}, self.hub.store.repo(repo))

    # threads

    def open_issue(
        self, repo: str, title: str, body: str = "", *, labels: Iterable[str] = ()
    ) -> int:
        fields = {"title": title, "body": body, "labels": list(labels)}
        return int(self.call("POST", f"/repos/{repo}/issues", **fields)["number"])

    def open_by_form(self, repo: str, title: str, body: str, *, labels: Iterable[str]) -> int:
        """An issue form's labels are put on for anybody, with the opener as sender."""
        number = self.open_issue(repo, title, body)
        call = self._at(repo)
        with self.hub.store.lock:
            threads.add_labels(call, issue_of(call.repo, number), list(labels))
        return number

    def edit(self, repo: str, number: int, **fields: Any) -> None:
        self.call("PATCH", f"/repos/{repo}/issues/{number}", **fields)

    def close(self, repo: str, number: int) -> None:
        self.edit(repo, number, state="closed")

    def reopen(self, repo: str, number: int) -> None:
        self.edit(repo, number, state="open")

    def label(self, repo: str, number: int, *names: str) -> None:
        self.call("POST", f"/repos/{repo}/issues/{number}/labels", labels=list(names))

    def unlabel(self, repo: str, number: int, name: str) -> None:
        self.call("DELETE", f"/repos/{repo}/issues/{number}/labels/{quote(name, safe='')}")

    def comment(self, repo: str, number: int, body: str) -> int:
        return int(self.call("POST", f"/repos/{repo}/issues/{number}/comments", body=body)["id"])

    def edit_comment(self, repo: str, comment: int, body: str) -> None:
        self.call("PATCH", f"/repos/{repo}/issues/comments/{comment}", body=body)

    def delete_comment(self, repo: str, comment: int) -> None:
        self.call("DELETE", f"/repos/{repo}/issues/comments/{comment}")

    # code

    def push(
        self,
        repo: str,
        branch: str,
        files: Mapping[str, File],
        *,
        message: str = "Change",
        start: str | None = None,
    ) -> str:
        """Commit ``files`` on top of ``branch``; a new branch starts at ``start`` or the default.
        Returns the commit."""
        r = f"/repos/{repo}"
        home = self.hub.store.repo(repo)
        tip = home.git.resolve(f"refs/heads/{branch}")
        parent = tip or home.git.commit_of(start or home.default_branch)
        entries = [self._entry(r, path, content) for path, content in files.items()]
        base = {"base_tree": parent} if parent else {}
        tree = self.call("POST", f"{r}/git/trees", tree=entries, **base)["sha"]
        parents = [parent] if parent else []
        made = self.call("POST", f"{r}/git/commits", message=message, tree=tree, parents=parents)
        sha = str(made["sha"])
        if tip:
            self.call("PATCH", f"{r}/git/refs/heads/{branch}", sha=sha)
        else:
            self.call("POST", f"{r}/git/refs", ref=f"refs/heads/{branch}", sha=sha)
        return sha

    def _entry(self, r: str, path: str, content: File) -> dict[str, Any]:
        entry: dict[str, Any] = {"path": path, "mode": "100644", "type": "blob"}
        if isinstance(content, bytes):
            text = base64.b64encode(content).decode()
            blob = self.call("POST", f"{r}/git/blobs", content=text, encoding="base64")
            return entry | {"sha": blob["sha"]}
        return entry | ({"sha": None} if content is None else {"content": content})

    def force_push(self, repo: str, branch: str, sha: str) -> None:
        self.call("PATCH", f"/repos/{repo}/git/refs/heads/{branch}", sha=sha, force=True)

    def delete_branch(self, repo: str, branch: str) -> None:
        self.call("DELETE", f"/repos/{repo}/git/refs/heads/{branch}")

    def fork(self, repo: str) -> str:
        return str(self.call("POST", f"/repos/{repo}/forks")["full_name"])

    # pull requests

    def open_pull(self, repo: str, *, head: str, title: str, **fields: Any) -> int:
        """``head``: a branch, or ``owner:branch`` of a fork."""
        asked = {"base": self.hub.store.repo(repo).default_branch, "body": "", **fields}
        made = self.call("POST", f"/repos/{repo}/pulls", head=head, title=title, **asked)
        return int(made["number"])

    def review(self, repo: str, number: int, event: str, body: str = "") -> int:
        """``event``: APPROVE, REQUEST_CHANGES or COMMENT."""
        path = f"/repos/{repo}/pulls/{number}/reviews"
        return int(self.call("POST", path, event=event, body=body)["id"])

    def ready(self, repo: str, number: int) -> None:
        """A draft is one no more."""
        pull = self.call("GET", f"/repos/{repo}/pulls/{number}")
        query = (
            "mutation($input: MarkPullRequestReadyForReviewInput!) "
            "{ markPullRequestReadyForReview(input: $input) { pullRequest { isDraft } } }"
        )
        variables = {"input": {"pullRequestId": pull["node_id"]}}
        self.call("POST", "/api/graphql", query=query, variables=variables)

    def merge(self, repo: str, number: int, *, method: str = "merge") -> str:
        path = f"/repos/{repo}/pulls/{number}/merge"
        return str(self.call("PUT", path, merge_method=method)["sha"])

    # the repository and its Apps

    def invite(self, repo: str, login: str, role: str) -> None:
        self.call("PUT", f"/repos/{repo}/collaborators/{login}", permission=role)

    def remove(self, repo: str, login: str) -> None:
        self.call("DELETE", f"/repos/{repo}/collaborators/{login}")

    def rename(self, repo: str, name: str) -> None:
        self.call("PATCH", f"/repos/{repo}", name=name)

    def archive(self, repo: str) -> None:
        self.call("PATCH", f"/repos/{repo}", archived=True)

    def rerun_check(self, repo: str, check_run: int) -> None:
        self.call("POST", f"/repos/{repo}/check-runs/{check_run}/rerequest")

    def press(self, repo: str, check_run: int, identifier: str) -> None:
        """A button of a check run: only the App that made the run hears of it."""
        call = self._at(repo)
        with self.hub.store.lock:
            run = checks.find(call.repo, check_run)
            installation = checks.installation_of(call, run.suite.app)
            if installation is not None:
                asked = {"identifier": identifier}
                checks.tell_run(
                    call, run, "requested_action", only=installation, requested_action=asked
                )

    def run_ci(self, repo: str, play: ci.Play) -> int:
        """The workflow runs, in this person's name; its id."""
        with self.hub.store.lock:
            return ci.act(self._at(repo), play).id

    def install(self, app: str, *, only: Iterable[str] | None = None) -> Installation:
        """Install an App on this account: all repositories, or ``only`` these."""
        with self.hub.store.lock:
            chosen = None if only is None else [self.hub.store.repo(name) for name in only]
            found = self.hub.store.app(app)
            return registration.install(self.hub, found, self.account, by=self.account, only=chosen)

    def uninstall(self, installation: Installation) -> None:
        with self.hub.store.lock:
            registration.uninstall(self.hub, installation, by=self.account)

    def suspend(self, installation: Installation) -> None:
        with self.hub.store.lock:
            registration.suspend(self.hub, installation, by=self.account)

    def unsuspend(self, installation: Installation) -> None:
        with self.hub.store.lock:
            registration.unsuspend(self.hub, installation, by=self.account)

    def choose(self, installation: Installation, repos: Iterable[str]) -> None:
        """Change which repositories an installation covers."""
        with self.hub.store.lock:
            chosen = [self.hub.store.repo(name) for name in repos]
            registration.choose(self.hub, installation, chosen, by=self.account)
