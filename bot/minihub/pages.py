"""
Pages for people: repositories, issues, pull requests, checks, deliveries, the manifest flow. What
people wrote is rendered as CommonMark with a handful of tags. Nothing here changes a record but the
registration of an App.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode

from jinja2 import DictLoader, Environment
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from bot.minihub import history, registration
from bot.minihub.answers import Answer, Refused
from bot.minihub.call import Request
from bot.minihub.hub import Hub
from bot.minihub.pages_html import TEMPLATES
from bot.minihub.records import Issue, Repo
from bot.minihub.store import issue_of


@dataclass(frozen=True, slots=True)
class Visit:
    hub: Hub
    request: Request
    words: Mapping[str, str]

    @property
    def repo(self) -> Repo:
        return self.hub.store.repo(f"{self.words['owner']}/{self.words['repo']}")

    @property
    def number(self) -> int:
        return int(self.words["number"])


Show = Callable[[Visit], Answer]


COMMENT = re.compile(r"<!--.*?(-->|$)", re.S)
#: the only tags that are let through; attributes never
TAGS = re.compile(r"&lt;(/?(?:details|summary|sub|sup|kbd|br))&gt;")

TASK = re.compile(r"(<li>\s*(?:<p>)?)\[([ x])\]")
BOXES = {" ": "\N{BALLOT BOX}", "x": "\N{BALLOT BOX WITH CHECK}"}


@cache
def _markdown() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    for kind in ("html_block", "html_inline"):
        made.add_render_rule(kind, _raw)
    return made


def _raw(_: object, tokens: Sequence[Token], place: int, *__: object) -> str:
    """Comments are hidden; what is no harmless tag is shown as it was typed."""
    visible = COMMENT.sub("", tokens[place].content)
    return TAGS.sub(r"<\1>", escape(visible))


def markdown(text: str | None) -> Markup:
    shown = TASK.sub(lambda found: found[1] + BOXES[found[2]], _markdown().render(text or ""))
    return Markup(shown)  # noqa: S704  every raw tag went through _raw


@cache
def _templates() -> Environment:
    made = Environment(
        loader=DictLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        extensions=["jinja2.ext.do"],
    )
    made.filters["markdown"] = markdown
    return made


def _html(name: str, **facts: Any) -> Answer:
    return Answer(_templates().get_template(name).render(**facts).encode(errors="replace"))


def page(hub: Hub, request: Request) -> Answer:
    for pattern, show in PAGES:
        found = re.fullmatch(pattern, request.path)
        if found:
            words = {name: unquote(text) for name, text in found.groupdict().items()}
            try:
                return show(Visit(hub, request, words))
            except Refused:
                break
    return Answer(_html("missing.html").payload(), 404)


def _home(visit: Visit) -> Answer:
    return _html("home.html", repos=list(visit.hub.store.repos.values()))


def _repository(visit: Visit) -> Answer:
    repo = visit.repo
    return _html("repo.html", repo=repo, refs=repo.git.refs("refs/"))


def _checks(repo: Repo, sha: str) -> list[Any]:
    return [each for each in repo.checks if each.suite.head_sha == sha]


def _thread(visit: Visit) -> Answer:
    repo = visit.repo
    issue = issue_of(repo, visit.number)
    pull = issue.pull
    runs = _checks(repo, pull.head_sha) if pull else []
    return _html("thread.html", repo=repo, issue=issue, pull=pull, checks=runs, marks=_marks(issue))


def _marks(issue: Issue) -> list[str]:
    return [f"{each.content} by {each.user.login}" for each in issue.reactions]


def _files(visit: Visit) -> Answer:
    repo = visit.repo
    issue = issue_of(repo, visit.number)
    if issue.pull is None:
        raise Refused(404, "Not Found")
    head, base = issue.pull.head_sha, issue.pull.base_sha
    start = history.merge_base(repo.git, base, head) or base
    return _html("files.html", repo=repo, issue=issue, deltas=history.deltas(repo.git, start, head))


def _check(visit: Visit) -> Answer:
    repo = visit.repo
    for run in repo.checks:
        if run.id == visit.number:
            return _html("check.html", repo=repo, run=run)
    raise Refused(404, "Not Found")


def _deliveries(visit: Visit) -> Answer:
    return _html("deliveries.html", deliveries=list(reversed(visit.hub.store.deliveries)))


def _register(visit: Visit) -> Answer:
    """The manifest flow: a form posted here makes the App and leads back with a code."""
    form = parse_qs(visit.request.body.decode(errors="replace")).get("manifest", ["{}"])[0]
    try:
        asked = json.loads(form)
        manifest = _manifest(asked)
    except (ValueError, KeyError, TypeError, AttributeError) as broken:
        return Answer(f"The manifest cannot be read: {escape(repr(broken))}".encode(), 422)
    owner = next((each for each in visit.hub.store.accounts.values() if each.kind == "User"), None)
    made = registration.register(
        visit.hub, manifest, owner=owner or visit.hub.store.add_account("owner")
    )
    code = secrets.token_hex(20)
    visit.hub.manifests[code] = (made.app, made.number)
    back = urlencode({"code": code, "state": visit.request.query.get("state", "")})
    return Answer(b"", 302, {"Location": f"{asked.get('redirect_url', '/')}?{back}"})


def _manifest(asked: dict[str, Any]) -> registration.Manifest:
    return registration.Manifest(
        name=asked["name"],
        permissions=dict(asked.get("default_permissions", {})),
        events=tuple(asked.get("default_events", ())),
        hook_url=asked.get("hook_attributes", {}).get("url", ""),
        hook_secret=secrets.token_hex(20),
    )


REPO = r"/(?P<owner>[^/]+)/(?P<repo>[^/]+)"
PAGES: tuple[tuple[str, Show], ...] = (
    ("/", _home),
    ("/deliveries", _deliveries),
    ("/settings/apps/new", _register),
    (REPO, _repository),
    (REPO + r"/(?:issues|pull)/(?P<number>\d+)", _thread),
    (REPO + r"/pull/(?P<number>\d+)/files", _files),
    (REPO + r"/runs/(?P<number>\d+)", _check),
)
