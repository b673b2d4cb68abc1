"""
Every write of the adapter against every way in which a call can go wrong, as a person would see the
end of it: at most one pull request, comment, check and reference, whatever was answered.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from bot.adapters.github.forge import GithubForge
from bot.core.annotations import Annotation
from bot.core.check_text import CheckText, Status
from bot.core.forge_values import Check, NewPull, OfThread, Onto
from bot.core.reactions import Reaction
from bot.errors import ForgeRefused, ForgeUnavailable
from bot.minihub.faults import Fault
from tests.ports.forges import HubGround, Small, small_github
from tests.ports.test_forge import commit

MARK = "<!-- jam:status v1 thread=1#1 -->"
_serial = itertools.count(1)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    with small_github(tmp_path_factory.mktemp("hub")) as one:
        one.hub.hub.limits.creations_per_hour = 10_000
        yield one


@pytest.fixture(scope="module")
def grounds(small: Small) -> dict[str, HubGround]:
    """A repository per deed, where each test acts on a fresh number, name or branch."""
    return {}


@pytest.fixture
def ground(deed: str, grounds: dict[str, HubGround], small: Small) -> Iterator[HubGround]:
    if deed not in grounds:
        grounds[deed] = HubGround(small)
    yield grounds[deed]
    small.hub.hub.faults.clear()


Act = Callable[[GithubForge], object]


@dataclass(frozen=True)
class Deed:
    """``call``: the write that goes wrong. ``count``: how many of what it makes there are."""

    call: str
    act: Act
    count: Callable[[], int]


def _comment(ground: HubGround) -> Deed:
    number = ground.open_issue("x", "")
    return Deed(
        call="POST /repositories/*/comments",
        act=lambda forge: forge.say(number, f"{MARK}\nx"),
        count=lambda: len(ground.comments(number)),
    )


def _edit(ground: HubGround) -> Deed:
    number = ground.open_issue("x", "")
    ground.forge.say(number, f"{MARK}\nx")
    return Deed(
        call="PATCH /repositories/*/issues/comments/*",
        act=lambda forge: forge.say(number, f"{MARK}\ny"),
        count=lambda: ground.comments(number).count((True, f"{MARK}\ny")),
    )


def _branch(ground: HubGround) -> str:
    name = f"jam/issue-{next(_serial)}"
    git = ground.repo.git
    git.set_ref(f"refs/heads/{name}", ground.seed)
    return name


def _pull(ground: HubGround) -> Deed:
    branch = _branch(ground)
    new = NewPull(branch=branch, base="main", title="Mend", body="", is_draft=True)
    return Deed(
        call="POST /repositories/*/pulls",
        act=lambda forge: forge.open_pull(new),
        count=lambda: sum(
            issue.pull is not None and issue.pull.head_ref == branch
            for issue in ground.repo.issues.values()
        ),
    )


def _body(ground: HubGround) -> Deed:
    new = NewPull(branch=_branch(ground), base="main", title="Mend", body="", is_draft=True)
    number = ground.forge.open_pull(new).number
    return Deed(
        call="PATCH /repositories/*/pulls/*",
        act=lambda forge: forge.edit_pull(number, body="told"),
        count=lambda: int(ground.repo.issues[number].body == "told"),
    )


def _ready(ground: HubGround) -> Deed:
    new = NewPull(branch=_branch(ground), base="main", title="Mend", body="", is_draft=True)
    number = ground.forge.open_pull(new).number
    return Deed(
        call="POST /api/graphql",
        act=lambda forge: forge.ready(number),
        count=lambda: int(not ground.hub.pull(ground.name, number).draft),
    )


def _check(ground: HubGround) -> Deed:
    check = _shown()
    return Deed(
        call="POST /repositories/*/check-runs",
        act=lambda forge: forge.show(check(ground.seed)),
        count=lambda: sum(
            one.external_id == check(ground.seed).text.external_id for one in ground.repo.checks
        ),
    )


def _notes(ground: HubGround) -> Deed:
    check = _shown()
    number = ground.forge.show(check(ground.seed))
    notes = tuple(Annotation("a.py", at, "t", "It failed.") for at in range(1, 61))
    with_notes = Check(sha=ground.seed, text=check(ground.seed).text, notes=notes)
    run = next(one for one in ground.repo.checks if one.id == number)
    return Deed(
        call="PATCH /repositories/*/check-runs/*",
        act=lambda forge: forge.show(with_notes),
        count=lambda: int(len(run.annotations) == 60) or -(len(run.annotations) > 60),
    )


def _shown() -> Callable[[str], Check]:
    text = CheckText(
        name="jam",
        external_id=f"s{next(_serial)}",
        status=Status.COMPLETED,
        conclusion="failure",
        title="Failed",
        summary="No.",
    )
    return lambda sha: Check(sha=sha, text=text)


def _reaction(ground: HubGround) -> Deed:
    spot = OfThread(ground.open_issue("x", ""))
    return Deed(
        call="POST /repositories/*/reactions",
        act=lambda forge: forge.react(spot, Reaction.EYES),
        count=lambda: len(ground.reactions(spot)),
    )


def _label(ground: HubGround) -> Deed:
    number = ground.open_issue("x", "")
    return Deed(
        call="POST /repositories/*/issues/*/labels",
        act=lambda forge: forge.label(number, "jam"),
        count=lambda: len(ground.labels(number)),
    )


def _unlabel(ground: HubGround) -> Deed:
    number = ground.open_issue("x", "")
    ground.forge.label(number, "jam")
    return Deed(
        call="DELETE /repositories/*/issues/*/labels/*",
        act=lambda forge: forge.unlabel(number, "jam"),
        count=lambda: 1 - len(ground.labels(number)),
    )


def _make_label(ground: HubGround) -> Deed:
    name = f"label {next(_serial)}"
    return Deed(
        call="POST /repositories/*/labels",
        act=lambda forge: forge.make_label(name, color="00ff00", description=""),
        count=lambda: sum(one.name == name for one in ground.repo.labels),
    )


def _pushed(ground: HubGround, call: str, *, onto: Onto = Onto.NEW) -> Deed:
    base = ground.base
    files = ground.files(base)
    name = f"jam/issue-{next(_serial)}"
    # Bytes too, so that there is a blob to write.
    made, _ = commit(files, {"a.py": ("100644", b"2\n"), "b": ("100644", b"\0")}, name)
    if onto is Onto.FORWARD:
        ground.repo.git.set_ref(f"refs/heads/{name}", base)
    ref = f"refs/heads/{name}"

    def count() -> int:
        now = ground.repo.git.refs(ref).get(ref)
        return int(now is not None and ground.repo.git.facts(now).tree == made.tree)

    return Deed(
        call=call, act=lambda forge: forge.push(ref, [made], base=base, onto=onto), count=count
    )


DEEDS: dict[str, Callable[[HubGround], Deed]] = {
    "comment": _comment,
    "edit": _edit,
    "pull request": _pull,
    "body": _body,
    "ready": _ready,
    "check": _check,
    "notes": _notes,
    "reaction": _reaction,
    "label": _label,
    "unlabel": _unlabel,
    "make label": _make_label,
    "blob": lambda ground: _pushed(ground, "POST /repositories/*/git/blobs"),
    "tree": lambda ground: _pushed(ground, "POST /repositories/*/git/trees"),
    "commit": lambda ground: _pushed(ground, "POST /repositories/*/git/commits"),
    "ref": lambda ground: _pushed(ground, "POST /repositories/*/git/refs"),
    "forward": lambda ground: _pushed(
        ground, "PATCH /repositories/*/git/refs/*", onto=Onto.FORWARD
    ),
}

SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes."
MOVED = "http://127.0.0.1:9/elsewhere"
#: how a call goes wrong: what the hub is told, and what comes of it the first time
FAULTS: dict[str, tuple[dict[str, object], str]] = {
    "500": ({"kind": "status", "status": 500}, "done"),
    "502": ({"kind": "status", "status": 502}, "done"),
    "503": ({"kind": "status", "status": 503}, "done"),
    "504": ({"kind": "status", "status": 504}, "done"),
    "500 after": ({"kind": "status", "status": 500, "when": "after"}, "done"),
    "502 after": ({"kind": "status", "status": 502, "when": "after"}, "done"),
    "503 for a minute": (
        {"kind": "status", "status": 503, "headers": {"Retry-After": "60"}},
        "later",
    ),
    "secondary limit": ({"kind": "status", "status": 403, "message": SECONDARY}, "later"),
    "hour used up": (
        {
            "kind": "status",
            "status": 403,
            "message": "API rate limit exceeded",
            "headers": {"X-RateLimit-Remaining": "0"},
        },
        "later",
    ),
    "429": ({"kind": "status", "status": 429}, "later"),
    "429 with a time": ({"kind": "status", "status": 429, "headers": {"Retry-After": "1"}}, "done"),
    "429 for ever": (
        {"kind": "status", "status": 429, "headers": {"Retry-After": "86400"}},
        "later",
    ),
    "401": ({"kind": "status", "status": 401, "message": "Bad credentials"}, "done"),
    "403": ({"kind": "status", "status": 403, "message": "Resource not accessible"}, "refused"),
    "404": ({"kind": "status", "status": 404, "message": "Not Found"}, "refused"),
    "409": ({"kind": "status", "status": 409, "message": "Conflict"}, "done"),
    "409 after": ({"kind": "status", "status": 409, "when": "after"}, "done"),
    "422": ({"kind": "status", "status": 422, "message": "Validation Failed"}, "refused"),
    "reset": ({"kind": "reset"}, "done"),
    "reset after": ({"kind": "reset", "when": "after"}, "done"),
    "time-out": ({"kind": "timeout", "seconds": 0.02}, "done"),
    "time-out after": ({"kind": "timeout", "seconds": 0.02, "when": "after"}, "done"),
    "cut": ({"kind": "cut"}, "done"),
    "a page": ({"kind": "html"}, "done"),
    "a page after": ({"kind": "html", "when": "after"}, "done"),
    "half a document": ({"kind": "truncated"}, "done"),
    "202": ({"kind": "accepted"}, "done"),
    "301": ({"kind": "redirect", "status": 301, "location": MOVED}, "refused"),
    "307": ({"kind": "redirect", "status": 307, "location": MOVED}, "refused"),
}


#: these meet every fault; the others, which go the same way, those that tell ways apart
THOROUGH = ("comment", "pull request", "check", "ref")
TELLING = ("502 after", "time-out after", "a page", "401", "secondary limit", "307")
CASES = [(deed, fault) for deed in THOROUGH for fault in FAULTS] + [
    (deed, fault) for deed in DEEDS if deed not in THOROUGH for fault in TELLING
]
QUICK = [
    ("comment", "502 after"),
    ("pull request", "time-out after"),
    ("check", "half a document"),
    ("ref", "reset after"),
]
STAYING = ("500 after", "time-out after", "401", "409", "429", "a page after", "202", "reset")


@pytest.mark.parametrize(("deed", "fault"), QUICK)
def test_a_lost_answer_makes_nothing_twice(ground: HubGround, deed: str, fault: str) -> None:
    _suffer(ground, deed, fault)
    assert ground.hub.hub.bugs == []


@pytest.mark.slow
@pytest.mark.parametrize(("deed", "fault"), [case for case in CASES if case not in QUICK])
def test_a_fault_makes_nothing_twice(ground: HubGround, deed: str, fault: str) -> None:
    _suffer(ground, deed, fault)
    assert ground.hub.hub.bugs == []


def _suffer(ground: HubGround, deed: str, fault: str) -> None:
    it = DEEDS[deed](ground)
    how, expected = FAULTS[fault]
    ground.hub.plan(Fault(match=it.call, **how))  # type: ignore[arg-type]
    what = _came_of(it, ground.forge)

    assert ground.hub.hub.faults.unused() == []
    assert what == expected
    assert it.count() == (1 if expected == "done" else 0)
    assert _came_of(it, ground.fresh()) == "done"  # a worker that comes back later
    assert it.count() == 1


@pytest.mark.slow
@pytest.mark.parametrize("fault", STAYING)
@pytest.mark.parametrize("deed", THOROUGH)
def test_a_fault_that_stays_ends_in_time(ground: HubGround, deed: str, fault: str) -> None:
    it = DEEDS[deed](ground)
    began = ground.time.at
    ground.hub.plan(Fault(match=it.call, times=None, **FAULTS[fault][0]))  # type: ignore[arg-type]
    what = _came_of(it, ground.forge)
    took = ground.time.at - began
    ground.hub.hub.faults.clear()

    assert what in ("later", "done")
    assert took < 60
    assert it.count() in (0, 1)
    assert _came_of(it, ground.fresh()) == "done"
    assert it.count() == 1


def _came_of(it: Deed, forge: GithubForge) -> str:
    try:
        it.act(forge)
    except ForgeRefused:
        return "refused"
    except ForgeUnavailable as later:
        return "later" if later.retry_after >= 1 else "at once"
    return "done"
