"""A delivery is GitHub's or refused, and says something that jam knows or nothing at all."""

from __future__ import annotations

import hashlib
import hmac
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.delivery import (
    BODY_LIMIT,
    READERS,
    Delivery,
    Fault,
    Refused,
    content_key,
    read,
    read_event,
    verify,
)
from bot.core.event import (
    Access,
    CheckAsked,
    CheckEnded,
    CheckKind,
    Commented,
    Conclusion,
    Dispatched,
    Event,
    Fate,
    How,
    InstallationChanged,
    Labelled,
    PullMoved,
    Pushed,
    RepositoriesChanged,
    RepositoryChanged,
    Reviewed,
    Scheduled,
    ThreadEnded,
    Unlabelled,
    Unwanted,
)
from bot.core.thread import NOBODY, Account, Pull, Repository, Thread

DATA = Path(__file__).parent.parent / "data" / "deliveries"
SHA, OLD = "a1" * 20, "0e" * 20
ADA, EVE = Account(7, "ada"), Account(8, "eve")
JAM = Account(900, "jam[bot]", is_bot=True)
LIB = Repository(id=41, name="ada/lib", default_branch="trunk", installation=5)
ISSUE = Thread(
    number=12,
    title="Touching intervals are not merged",
    body="See `merge`.\r\n\r\n/jam is not said here.",
    author=EVE,
)
PULL = Pull(
    number=13,
    author=JAM,
    head_sha=SHA,
    head_branch="jam/issue-12-touching",
    head_repository=41,
    base_branch="trunk",
    title="fix: Touching intervals",
)


def over(value: Any, **changes: Any) -> Any:
    from dataclasses import replace

    return replace(value, **changes)


CLOSED = over(PULL, is_open=False)
MERGED = over(CLOSED, is_merged=True)
RUN = CheckEnded(
    where=LIB,
    by=ADA,
    kind=CheckKind.RUN,
    id=501,
    name="test (3.12)",
    conclusion=Conclusion.FAILURE,
    head_sha=SHA,
    head_branch="topic",
    app=15368,
    pulls=(13,),
)
FLOW = CheckEnded(
    where=LIB,
    by=ADA,
    kind=CheckKind.WORKFLOW,
    id=701,
    name="CI",
    conclusion=Conclusion.FAILURE,
    head_sha=SHA,
    head_branch="topic",
    head_repository=41,
    actors=(EVE, ADA),
    caused_by="pull_request",
)

EVENTS: dict[str, Event] = {
    "issues.labeled": Labelled(where=LIB, by=ADA, thread=ISSUE, label="jam"),
    "issues.labeled.by-ghost": Labelled(
        where=over(LIB, installation=None),
        by=NOBODY,
        thread=over(ISSUE, author=NOBODY, body=""),
        label="jam",
    ),
    "issues.unlabeled": Unlabelled(where=LIB, by=ADA, thread=ISSUE, label="jam"),
    "issues.closed": ThreadEnded(
        where=LIB, by=ADA, thread=over(ISSUE, is_open=False), how=How.CLOSED
    ),
    "issues.deleted": ThreadEnded(where=LIB, by=ADA, thread=ISSUE, how=How.DELETED),
    "issues.transferred": ThreadEnded(where=LIB, by=ADA, thread=ISSUE, how=How.TRANSFERRED),
    "issue_comment.created": Commented(
        where=LIB,
        by=ADA,
        thread=ISSUE,
        comment=301,
        words="/jam fix",
        at=datetime(2026, 11, 30, 12, tzinfo=UTC),
    ),
    "issue_comment.created.on-pull": Commented(
        where=LIB,
        by=ADA,
        thread=over(ISSUE, number=13, is_pull=True),
        comment=301,
        words="/jam fix",
        at=datetime(2026, 11, 30, 12, tzinfo=UTC),
        app=77,
    ),
    "pull_request.labeled": Labelled(where=LIB, by=ADA, thread=PULL.thread, label="Jam", pull=PULL),
    "pull_request.unlabeled": Unlabelled(where=LIB, by=ADA, thread=PULL.thread, label="Jam"),
    "pull_request.closed": ThreadEnded(
        where=LIB, by=ADA, thread=CLOSED.thread, how=How.CLOSED, pull=CLOSED
    ),
    "pull_request.closed.merged": ThreadEnded(
        where=LIB, by=ADA, thread=MERGED.thread, how=How.MERGED, pull=MERGED
    ),
    "pull_request.synchronize.fork-is-gone": PullMoved(
        where=LIB,
        by=ADA,
        pull=over(PULL, author=EVE, head_branch="topic", head_repository=None),
        before=OLD,
    ),
    "pull_request_review.submitted": Reviewed(
        where=LIB, by=ADA, pull=PULL, review=401, words="Name the case."
    ),
    "check_run.completed": RUN,
    "check_run.completed.fork": over(RUN, head_branch=None, pulls=()),
    "check_run.rerequested": CheckAsked(
        where=LIB, by=ADA, name="jam / verify", head_sha=SHA, app=77, external="gh-1", pulls=(13,)
    ),
    "check_run.requested_action": CheckAsked(
        where=LIB,
        by=ADA,
        name="jam",
        head_sha=SHA,
        app=77,
        external="gh-1",
        action="stop",
        pulls=(13,),
    ),
    "check_suite.completed": over(
        RUN, kind=CheckKind.SUITE, id=601, name="", conclusion=Conclusion.TIMED_OUT
    ),
    "check_suite.rerequested": CheckAsked(
        where=LIB, by=ADA, name="", head_sha=SHA, app=77, pulls=(13,)
    ),
    "workflow_run.completed": FLOW,
    "workflow_run.completed.new-conclusion": over(
        FLOW,
        name="",
        conclusion=Conclusion.NONE,
        head_branch=None,
        head_repository=42,
        actors=(),
    ),
    "push": Pushed(where=LIB, by=ADA, ref="refs/heads/topic", before=OLD, after=SHA),
    "push.deleted": Pushed(where=LIB, by=ADA, ref="refs/heads/topic", before=OLD, after="0" * 40),
    "installation.created": InstallationChanged(by=ADA, installation=5, change=Access.CREATED),
    "installation.deleted": InstallationChanged(by=ADA, installation=5, change=Access.DELETED),
    "installation.suspend": InstallationChanged(by=ADA, installation=5, change=Access.SUSPENDED),
    "installation_repositories.removed": RepositoriesChanged(by=ADA, installation=5, removed=(41,)),
    "repository.renamed": RepositoryChanged(where=LIB, by=ADA, fate=Fate.RENAMED),
    "repository.transferred": RepositoryChanged(where=LIB, by=ADA, fate=Fate.TRANSFERRED),
    "repository.archived": RepositoryChanged(where=LIB, by=ADA, fate=Fate.ARCHIVED),
    "schedule": Scheduled(where=over(LIB, installation=None), cron="37 3 * * *"),
    "workflow_dispatch": Dispatched(
        where=LIB,
        by=ADA,
        issue=12,
        tests=("tests/test_a.py::test_b[1,2]", "tests/test_a.py::test_c"),
        branch="topic",
    ),
    "workflow_dispatch.without-tests": Dispatched(where=LIB, by=ADA, issue=12),
    "workflow_dispatch.without-inputs": Dispatched(where=LIB, by=ADA, branch="trunk"),
    "repository_dispatch": Dispatched(
        where=LIB, by=ADA, objective="Merge touching intervals.", oracle="unit"
    ),
}
UNWANTED = {
    "issues.edited": "edits are not events: jam acts on what was written when it was asked",
    "issue_comment.created.in-anothers-name": "the comment is not its sender's own",
    "issue_comment.edited": "edits are not events: write the command in a new comment",
    "issue_comment.deleted": "a comment that is gone asks for nothing",
    "pull_request_review.submitted.approved": "the review does not request changes",
    "pull_request_review.submitted.in-anothers-name": "the review is not its sender's own",
    "repository_dispatch.other": "only the event type 'jam' is jam's",
    "star.created": "star created means nothing to jam",
    "ping": "ping means nothing to jam",
}


def payload(name: str) -> bytes:
    return (DATA / f"{name}.json").read_bytes()


def event_of(name: str) -> str:
    return name.split(".")[0]


class TestEvents:
    @pytest.mark.parametrize("name", EVENTS)
    def test_are_told_in_jams_words(self, name: str) -> None:
        assert read_event(event_of(name), payload(name)) == EVENTS[name]

    @pytest.mark.parametrize("name", UNWANTED)
    def test_that_mean_nothing_are_unwanted_with_a_reason(self, name: str) -> None:
        assert read_event(event_of(name), payload(name)) == Unwanted(UNWANTED[name])

    def test_have_an_example_each(self) -> None:
        names = {path.stem for path in DATA.glob("*.json")}
        read_by = {tuple((*name.split("."), "")[:2]) for name in EVENTS}

        assert names == EVENTS.keys() | UNWANTED.keys()
        assert {event for event, _ in READERS} == {event for event, _ in read_by}

    def test_of_other_kinds_never_break_a_reader(self) -> None:
        """Every reader is shown every payload, as if GitHub had mixed them up."""
        bodies = [path.read_bytes() for path in DATA.glob("*.json")]
        for event, action in READERS:
            for body in bodies:
                mixed = {**json.loads(body), **({"action": action} if action else {})}
                told = read_event(event, json.dumps(mixed).encode())
                assert isinstance(told, Event | Unwanted)


BAD_BODIES = {
    "nothing": b"",
    "not JSON": b"{",
    "not UTF-8": b'{"action": "\xff"}',
    "half a pair": rb'{"action": "\ud800"}',
    "a list": b"[]",
    "null": b"null",
    "no number": b'{"action": NaN}',
    "a number without end": b'{"a": 1' + b"0" * 100_000 + b"}",
    "ever deeper": b'{"a":' * 100_000,
    "ever deeper, and closed": b"[" * 50_000 + b"]" * 50_000,
    "an action that is a list": b'{"action": ["labeled"]}',
    "an action that is null": b'{"action": null}',
    "two halves": b'{"action": "labeled"}{}',
}


class TestBadPayloads:
    @pytest.mark.parametrize("case", BAD_BODIES)
    def test_are_one_value(self, case: str) -> None:
        for event in ("issues", "push", "ping", "workflow_run", ""):
            assert isinstance(read_event(event, BAD_BODIES[case]), Unwanted)

    @pytest.mark.parametrize(
        ("path", "value"),
        [
            (("issue",), None),
            (("issue", "number"), None),
            (("issue", "number"), "12"),
            (("issue", "number"), True),
            (("issue", "number"), 0),
            (("issue", "number"), -1),
            (("issue", "number"), 2**63),
            (("issue", "number"), 12.0),
            (("issue", "title"), 7),
            (("label",), None),
            (("label", "name"), ["jam"]),
            (("label", "name"), "x" * 5_000),
            (("repository",), []),
            (("repository", "id"), 10**30),
            (("repository", "full_name"), "../../etc/passwd"),
            (("repository", "full_name"), "ada/lib?x=1"),
            (("repository", "full_name"), "ada/lib\n"),
            (("repository", "default_branch"), "a..b"),
            (("sender", "id"), "7"),
            (("installation", "id"), None),
        ],
    )
    def test_with_one_field_wrong_are_unwanted(self, path: tuple[str, ...], value: object) -> None:
        whole = json.loads(payload("issues.labeled"))
        part = whole
        for step in path[:-1]:
            part = part[step]
        part[path[-1]] = value

        told = read_event("issues", json.dumps(whole).encode())

        assert isinstance(told, Unwanted)
        assert told.why.startswith(f"issues: {'.'.join(path)}")

    @pytest.mark.parametrize(
        "ref", ["refs/tags/v1", "topic", "refs/heads/", "refs/heads/a b", "refs/heads/-x"]
    )
    def test_a_dispatch_from_no_branch_is_unwanted(self, ref: str) -> None:
        whole = {**json.loads(payload("workflow_dispatch")), "ref": ref}

        assert isinstance(read_event("workflow_dispatch", json.dumps(whole).encode()), Unwanted)

    @pytest.mark.parametrize(
        "inputs",
        [{"issue": "0"}, {"issue": "1e3"}, {"issue": "²"}, {"issue": 12}, {"tests": "-x"}],
    )
    def test_a_dispatch_with_bad_inputs_is_unwanted(self, inputs: object) -> None:
        whole = {**json.loads(payload("workflow_dispatch")), "inputs": inputs}

        assert isinstance(read_event("workflow_dispatch", json.dumps(whole).encode()), Unwanted)

    @given(st.sampled_from(sorted(READERS)), st.data())
    @settings(max_examples=400, deadline=None)
    def test_with_anything_anywhere_raise_nothing(
        self, key: tuple[str, str], data: st.DataObject
    ) -> None:
        event, action = key
        names = sorted(name for name in EVENTS if event_of(name) == event)
        whole = json.loads(payload(data.draw(st.sampled_from(names))))
        place: Any = whole
        while isinstance(place, dict) and place:
            name = data.draw(st.sampled_from(sorted(place)))
            if not isinstance(place[name], dict) or data.draw(st.booleans()):
                place[name] = data.draw(anything)
                break
            place = place[name]
        if action:
            whole["action"] = action

        assert isinstance(read_event(event, json.dumps(whole).encode()), Event | Unwanted)

    @given(st.sampled_from(sorted({event for event, _ in READERS})), st.binary(max_size=200))
    def test_of_any_bytes_raise_nothing(self, event: str, body: bytes) -> None:
        assert isinstance(read_event(event, body), Unwanted)


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
    | st.sampled_from(["a" * 40, "jam", "refs/heads/x", "completed", "failure", 41, 10**20]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)

SECRET = "It's a Secret to Everybody"
HELLO = b"Hello, World!"
VECTOR = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
ID = "72d3162e-cc78-11e3-81ab-4c9367dc0958"


def signed(body: bytes, *, secret: str = SECRET, method: str = "sha256") -> str:
    return f"{method}={hmac.new(secret.encode(), body, method).hexdigest()}"


def headers(body: bytes = HELLO, **changes: str) -> dict[str, str]:
    told = {
        "X-GitHub-Event": "issues",
        "X-GitHub-Delivery": ID,
        "X-Hub-Signature-256": signed(body),
    }
    return {
        **told,
        **{name.replace("_", "-"): value for name, value in changes.items()},
    }


class TestSignature:
    def test_of_the_documented_example_holds(self) -> None:
        assert verify(SECRET, HELLO, VECTOR)

    @pytest.mark.parametrize(
        "header",
        [
            "",
            "sha256=",
            VECTOR[:-1],
            VECTOR + "0",
            VECTOR + "\n",
            VECTOR.upper(),
            VECTOR.removeprefix("sha256="),
            VECTOR.replace("sha256", "sha1"),
            signed(HELLO, method="sha1"),
            "sha256=" + hashlib.sha256(HELLO).hexdigest(),
            signed(HELLO, secret="another"),
            signed(HELLO + b"\n"),
            "sha256=é" + "0" * 63,
        ],
    )
    def test_of_any_other_kind_does_not(self, header: str) -> None:
        assert not verify(SECRET, HELLO, header)

    def test_by_an_empty_secret_is_none(self) -> None:
        assert not verify("", HELLO, signed(HELLO, secret=""))

    @given(st.binary(max_size=300), st.binary(max_size=300))
    def test_holds_for_the_same_bytes_only(self, body: bytes, other: bytes) -> None:
        assert verify(SECRET, other, signed(body)) == (body == other)


class TestDeliveries:
    def test_are_read_whatever_the_case_of_their_headers(self) -> None:
        told = {name.upper(): value for name, value in headers().items()}

        assert read(told, HELLO, secrets=(SECRET,)) == Delivery(id=ID, event="issues", body=HELLO)

    def test_are_accepted_under_either_secret_while_it_is_changed(self) -> None:
        told = read(headers(), HELLO, secrets=("new", SECRET))

        assert told == Delivery(id=ID, event="issues", body=HELLO)

    @pytest.mark.parametrize(
        ("told", "fault"),
        [
            ({"X_Hub_Signature_256": ""}, Fault.UNSIGNED),
            ({"X_Hub_Signature_256": signed(HELLO, secret="x")}, Fault.UNSIGNED),
            ({"X_GitHub_Event": ""}, Fault.MALFORMED),
            ({"X_GitHub_Event": "Issues/../x"}, Fault.MALFORMED),
            ({"X_GitHub_Delivery": ""}, Fault.MALFORMED),
            ({"X_GitHub_Delivery": "a' OR 1=1 --"}, Fault.MALFORMED),
            ({"X_GitHub_Delivery": "x" * 100}, Fault.MALFORMED),
        ],
    )
    def test_that_are_not_githubs_are_refused(self, told: dict[str, str], fault: Fault) -> None:
        refused = read(headers(**told), HELLO, secrets=(SECRET,))

        assert isinstance(refused, Refused)
        assert refused.fault is fault

    def test_signed_with_sha1_alone_are_refused(self) -> None:
        told = headers(X_Hub_Signature=signed(HELLO, method="sha1"))
        del told["X-Hub-Signature-256"]

        assert read(told, HELLO, secrets=(SECRET,)) == Refused(
            Fault.UNSIGNED, "no valid X-Hub-Signature-256"
        )

    def test_without_any_secret_are_refused(self) -> None:
        assert isinstance(read(headers(), HELLO, secrets=()), Refused)

    def test_of_a_monstrous_size_are_refused_before_anything_is_computed(self) -> None:
        body = bytes(BODY_LIMIT + 1)

        assert read({}, body, secrets=(SECRET,)) == Refused(Fault.TOO_LARGE, "more than 26 MB")

    def test_are_known_again_by_what_they_say_too(self) -> None:
        """The id is a header outside the signature: who replays a call can make one up."""
        first = read(headers(), HELLO, secrets=(SECRET,))
        again = read(headers(X_GitHub_Delivery="another-id-1234"), HELLO, secrets=(SECRET,))

        assert isinstance(first, Delivery)
        assert isinstance(again, Delivery)
        assert first.content_key == again.content_key
        assert first.content_key != content_key("push", HELLO)


EXAMPLES = (
    Path(__file__).parent.parent
    / "minihub/node_modules/@octokit/webhooks-examples/api.github.com/index.json"
)
"""GitHub's own example payloads; the long suites install them, and fail without."""


@pytest.mark.slow
def test_every_published_example_is_read_or_unwanted_with_a_reason() -> None:
    examples = [
        (group["name"], body)
        for group in json.loads(EXAMPLES.read_bytes())
        for body in group["examples"]
    ]
    told = [(name, body, read_event(name, json.dumps(body).encode())) for name, body in examples]
    faulty = [
        (name, event.why)
        for name, body, event in told
        if isinstance(event, Unwanted)
        and (name, body.get("action", "")) in READERS
        and "does not request changes" not in event.why
    ]

    assert len(told) > 300
    assert faulty == []
