"""
A delivery: one webhook call, from headers and bytes to an event in jam's words.

Decides whether a call is GitHub's, whether it can be read, and by which two keys it is known
again. The signature is over the raw bytes and is checked before anything else reads them. Nothing
here raises for what a caller sent: the answer is a value.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from pydantic import ValidationError
from pydantic_core import from_json

from bot.core.deliveries import checks, lifecycle, manual, threads
from bot.core.event import Access, Event, Fate, Unwanted

BODY_LIMIT = 26 << 20
"""GitHub sends at most 25 MB."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{7,63}")
_EVENT = re.compile(r"[a-z][a-z0-9_]{1,63}")
_SIGNATURE = re.compile(r"sha256=([0-9a-f]{64})")


class Fault(StrEnum):
    TOO_LARGE = "too large"
    UNSIGNED = "unsigned"  # not by us, not at all, or by a method that is not accepted
    MALFORMED = "malformed"


@dataclass(frozen=True, slots=True)
class Refused:
    fault: Fault
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A call whose signature holds. Only ``read`` makes one."""

    id: str  # GitHub's; a redelivery has the same one
    event: str
    body: bytes

    @property
    def content_key(self) -> str:
        """The second key: the id is a header, outside the signature, and can be made up."""
        return content_key(self.event, self.body)


def content_key(event: str, body: bytes) -> str:
    return hashlib.sha256(event.encode() + b"\n" + body).hexdigest()


def verify(secret: str, body: bytes, header: str) -> bool:
    """Whether ``header`` is ``sha256=`` and the HMAC of these bytes. Takes the same time."""
    found = _SIGNATURE.fullmatch(header)
    own = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(own, found[1] if found else "") and secret != ""


def read(headers: Mapping[str, str], body: bytes, *, secrets: Sequence[str]) -> Delivery | Refused:
    """``secrets``: more than one while they are being changed; none accepts nothing."""
    if len(body) > BODY_LIMIT:
        return Refused(Fault.TOO_LARGE, f"more than {BODY_LIMIT >> 20} MB")
    told = {name.lower(): value for name, value in headers.items()}
    signature = told.get("x-hub-signature-256", "")
    if not any(verify(secret, body, signature) for secret in secrets):
        return Refused(Fault.UNSIGNED, "no valid X-Hub-Signature-256")
    name, event = told.get("x-github-delivery", ""), told.get("x-github-event", "")
    if not _ID.fullmatch(name) or not _EVENT.fullmatch(event):
        return Refused(Fault.MALFORMED, "X-GitHub-Delivery or X-GitHub-Event is not a name")
    return Delivery(id=name, event=event, body=body)


Reader: TypeAlias = Callable[[object], Event | Unwanted]

#: Event and action ('' for none) -> reader. What is not here is unwanted.
READERS: dict[tuple[str, str], Reader] = {
    ("issues", "labeled"): threads.labelled,
    ("issues", "unlabeled"): threads.unlabelled,
    ("issues", "closed"): threads.closed,
    ("issues", "deleted"): threads.deleted,
    ("issues", "transferred"): threads.transferred,
    ("issue_comment", "created"): threads.commented,
    ("pull_request", "labeled"): threads.pull_labelled,
    ("pull_request", "unlabeled"): threads.pull_unlabelled,
    ("pull_request", "closed"): threads.pull_closed,
    ("pull_request", "synchronize"): threads.pull_moved,
    ("pull_request_review", "submitted"): threads.reviewed,
    ("check_run", "completed"): checks.run_ended,
    ("check_run", "rerequested"): checks.run_asked,
    ("check_run", "requested_action"): checks.run_pressed,
    ("check_suite", "completed"): checks.suite_ended,
    ("check_suite", "rerequested"): checks.suite_asked,
    ("workflow_run", "completed"): checks.workflow_ended,
    ("push", ""): lifecycle.pushed,
    ("installation", "created"): lifecycle.installation(Access.CREATED),
    ("installation", "deleted"): lifecycle.installation(Access.DELETED),
    ("installation", "suspend"): lifecycle.installation(Access.SUSPENDED),
    ("installation", "unsuspend"): lifecycle.installation(Access.UNSUSPENDED),
    ("installation", "new_permissions_accepted"): lifecycle.installation(Access.PERMISSIONS),
    ("installation_repositories", "added"): lifecycle.repositories,
    ("installation_repositories", "removed"): lifecycle.repositories,
    ("repository", "renamed"): lifecycle.repository(Fate.RENAMED),
    ("repository", "transferred"): lifecycle.repository(Fate.TRANSFERRED),
    ("repository", "archived"): lifecycle.repository(Fate.ARCHIVED),
    ("repository", "unarchived"): lifecycle.repository(Fate.UNARCHIVED),
    ("repository", "deleted"): lifecycle.repository(Fate.DELETED),
    ("schedule", ""): manual.scheduled,
    ("workflow_dispatch", ""): manual.workflow,
    ("repository_dispatch", manual.OURS): manual.external,
}
_WHY = {
    ("issues", "edited"): "edits are not events: jam acts on what was written when it was asked",
    ("issue_comment", "edited"): "edits are not events: write the command in a new comment",
    ("issue_comment", "deleted"): "a comment that is gone asks for nothing",
    ("repository_dispatch", ""): f"only the event type {manual.OURS!r} is jam's",
}


def read_event(event: str, body: bytes) -> Event | Unwanted:
    """What ``body`` says. Also for a workflow, where event and file come from the runner."""
    payload = payload_of(body)
    return payload if isinstance(payload, Unwanted) else event_of(event, payload)


def payload_of(body: bytes) -> Mapping[str, object] | Unwanted:
    try:
        payload = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        return Unwanted(f"the body is not {'JSON' if _is_utf8(body) else 'UTF-8'} ({error})")
    if not isinstance(payload, dict):
        return Unwanted("the payload is not an object")
    return payload


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def event_of(event: str, payload: Mapping[str, object]) -> Event | Unwanted:
    action = payload.get("action", "")
    if not isinstance(action, str):
        return Unwanted("the action is not a word")
    reader = READERS.get((event, action))
    if reader is None:
        return Unwanted(_why_unwanted(event, action))
    try:
        return reader(payload)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        return Unwanted(f"{event}: {where or 'payload'}: {first['msg']}")


def _why_unwanted(event: str, action: str) -> str:
    why = _WHY.get((event, action)) or _WHY.get((event, ""))
    return why or f"{event} {action[:64]}".strip() + " means nothing to jam"
