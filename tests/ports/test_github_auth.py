"""Signing in: clocks, tokens by repository and purpose, and that no token is seen anywhere."""

from __future__ import annotations

import io
import logging
import pickle
import traceback
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.adapters.github.app import GithubApp
from bot.adapters.github.forge import by_token
from bot.adapters.github.gateway import Gateway
from bot.adapters.github.line import Line
from bot.adapters.github.means import Means, Pace
from bot.adapters.github.secret import Secret, clean
from bot.adapters.github.tokens import AppKey
from bot.core.facts import Own
from bot.core.forge_values import NewPull, OfRun
from bot.core.pacing import LONGEST_S
from bot.errors import (
    ClockWrong,
    ForgeRefused,
    ForgeUnavailable,
    JamError,
    RequestError,
)
from bot.minihub.faults import Fault
from bot.minihub.records import Token
from tests.ports.forges import HubGround, Small, small_github
from tests.ports.gitmade import everything
from tests.ports.test_forge import commit

MARK = "<!-- jam:status v1 thread=1#1 -->"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    with small_github(tmp_path_factory.mktemp("hub")) as one:
        yield one


@pytest.fixture
def ground(small: Small) -> Iterator[HubGround]:
    made = HubGround(small)
    yield made
    small.hub.hub.faults.clear()
    small.hub.hub.clock.skew = timedelta()


def minted(ground: HubGround) -> list[Token]:
    """Tokens of this ground's repository, in the order of their making."""
    tokens = ground.hub.hub.store.tokens.values()
    return [one for one in tokens if one.repository_ids == [ground.repo.id]]


class TestTokens:
    def test_each_is_for_one_repository_and_one_purpose(self, ground: HubGround) -> None:
        assert minted(ground) == []  # none before it is needed
        number = ground.open_issue("x", "")
        ground.forge.thread(number)
        ground.forge.say(number, f"{MARK}\nx")
        made, _ = commit(ground.files(ground.base), {"a.py": ("100644", b"2\n")})
        ground.forge.push("refs/heads/jam/x", [made], base=ground.base)

        assert [one.permissions for one in minted(ground)] == [
            {
                "metadata": "read",
                "contents": "read",
                "issues": "read",
                "pull_requests": "read",
            },
            {"metadata": "read", "issues": "write", "pull_requests": "write"},
            {"metadata": "read", "contents": "write"},
        ]

    def test_one_that_ended_is_exchanged_once(self, ground: HubGround) -> None:
        ground.forge.repository()
        ground.hub.expire_tokens()

        assert ground.forge.repository().id == ground.repo.id
        assert len(minted(ground)) == 2

    def test_one_that_nears_its_end_is_exchanged_before(self, ground: HubGround) -> None:
        number = ground.open_issue("x", "")
        for text in ("one", "two"):
            ground.forge.say(number, f"{MARK}\n{text}")
            ground.time.at += 90 * 60  # a long session
        ground.forge.say(number, f"{MARK}\nthree")
        statuses = {
            one.status
            for one in ground.hub.hub.recorder.exchanges
            if one.path.startswith(f"/api/v3/repositories/{ground.repo.id}/")
        }

        assert ground.comments(number) == [(True, f"{MARK}\nthree")]
        assert len(minted(ground)) == 6
        assert 401 not in statuses

    def test_an_installation_that_is_gone_refuses(self, ground: HubGround) -> None:
        gone = ground.app.forge(installation=4_711, repository=ground.repo.id)

        with pytest.raises(ForgeRefused, match="no token to read"):
            gone.repository()

    def test_a_permission_that_was_not_granted_is_named(self, small: Small) -> None:
        less = small.hub.app("less", permissions={"metadata": "read", "contents": "read"})
        installation = small.hub.install(less, "ada").id
        key = AppKey(less.app.client_id, Secret(less.private_key))
        app = GithubApp(key, base_url=small.hub.api_url, means=small.time.means)
        ground = HubGround(small)
        forge = app.forge(installation=installation, repository=ground.repo.id)

        with pytest.raises(ForgeRefused, match=r"to inspect .*checks: read, actions: read"):
            forge.failing(OfRun(1))

    def test_a_workflows_token_does_for_everything(self, ground: HubGround) -> None:
        token = ground.person("maintainer").token
        own = Own(account=ground.who("maintainer").id)
        forge = by_token(
            Secret(token), repository=ground.repo.id, own=own, base_url=ground.hub.api_url
        )
        number = ground.open_issue("x", "")
        with pytest.raises(ForgeRefused, match="does not accept the token"):
            by_token(
                Secret("ghs_" + "x" * 40),
                repository=ground.repo.id,
                own=own,
                base_url=ground.hub.api_url,
            ).repository()

        assert forge.say(number, f"{MARK}\nx") > 0
        assert ground.hub.thread(ground.name, number).comments[0].by == "maintainer"


class TestClock:
    @pytest.mark.parametrize("seconds", [-29, 29])
    def test_a_little_is_borne(self, ground: HubGround, seconds: int) -> None:
        ground.hub.skew(timedelta(seconds=seconds))

        assert ground.app.facts().slug == "jam"

    @pytest.mark.parametrize(
        ("seconds", "words"),
        [(-600, r"(599|600|601) seconds ahead of"), (45, r"4[456] seconds behind")],
    )
    def test_much_is_told_as_what_it_is(self, ground: HubGround, seconds: int, words: str) -> None:
        ground.hub.skew(timedelta(seconds=seconds))

        with pytest.raises(ClockWrong, match=words):
            ground.app.facts()

    def test_a_key_that_is_none_is_told_without_being_shown(self, ground: HubGround) -> None:
        key = AppKey(ground.hub.app("other").app.client_id, Secret("-----BEGIN canary-----"))
        app = GithubApp(key, base_url=ground.hub.api_url)
        with pytest.raises(RequestError, match="private key cannot be used") as told:
            app.facts()

        assert "canary" not in "".join(traceback.format_exception(told.value))


class TestApp:
    def test_it_knows_itself_and_where_it_is(self, ground: HubGround) -> None:
        app = ground.app
        owner = app.installations()[0]

        assert (app.facts().slug, app.facts().permissions["checks"]) == ("jam", "write")
        assert (owner.id, owner.account.login, owner.is_suspended) == (
            ground.installation,
            "ada",
            False,
        )
        assert app.installation_of(ground.name) == ground.installation
        assert app.installation_of("ada/none") is None
        assert ground.name in {one.name for one in app.repositories(ground.installation)}

    def test_it_is_told_of_deliveries_and_asks_for_one_again(self, ground: HubGround) -> None:
        start = ground.time.now() - timedelta(seconds=1)
        ground.key_hook("http://127.0.0.1:9/webhook")
        number = ground.open_issue("x", "")
        assert ground.hub.wait()
        first, *_ = [one for one in ground.app.deliveries(since=start) if one.event == "issues"]
        ground.app.redeliver(first.id)
        assert ground.hub.wait()
        again = ground.app.deliveries(since=start)[0]

        assert number
        assert (first.action, first.arrived, first.is_redelivery) == ("opened", False, False)
        assert (again.guid, again.is_redelivery) == (first.guid, True)
        assert ground.app.deliveries(since=ground.time.now() + timedelta(days=1)) == ()

    def test_the_owners_contract_is_the_second_choice(self, small: Small) -> None:
        ground = HubGround(small)
        small.hub.repository("ada/.github", {".github/jam.yml": "version: 1\n"}, private=True)
        ground.forge = ground.fresh()
        found = ground.forge.contract()
        assert found is not None
        assert (found.name, found.content) == ("ada/.github/.github/jam.yml", b"version: 1\n")
        ground.push("main", {".github/jam.yml": "version: 2\n"})
        own = ground.forge.contract()

        assert own is not None
        assert own.content == b"version: 2\n"

    def test_names_may_change(self, ground: HubGround) -> None:
        number = ground.open_issue("x", "")
        ground.forge.say(number, f"{MARK}\none")
        ground.hub.person("ada").rename(ground.name, f"new-{ground.name.partition('/')[2]}")
        ground.forge.say(number, f"{MARK}\ntwo")

        assert ground.forge.repository().name.startswith("ada/new-lib")
        assert [text for _, text in _comments(ground, number)] == [f"{MARK}\ntwo"]


def _comments(ground: HubGround, number: int) -> list[tuple[bool, str]]:
    return [(True, one.body) for one in ground.repo.issues[number].comments]


class TestPace:
    def test_writes_are_a_second_apart_for_all_workers(self, ground: HubGround) -> None:
        forges = [ground.fresh() for _ in range(3)]
        number = ground.open_issue("x", "")
        began = ground.time.at
        for place, forge in enumerate(forges):
            forge.say(number, f"<!-- jam:a{place} -->\nx")

        assert ground.time.at - began >= 2

    def test_a_full_window_is_an_errand_for_later(self, small: Small) -> None:
        pace = Pace(small.time.means)
        for _ in range(500):
            small.time.at += 7
            with pace.turn(creates=True):
                pass
        with pytest.raises(ForgeUnavailable) as told, pace.turn(creates=True):
            pass

        assert 0 < told.value.retry_after <= 3600
        with pace.turn(creates=False):
            pass

    def test_a_limit_that_is_far_away_is_told_as_such(self, ground: HubGround) -> None:
        far = {"Retry-After": "86400"}
        ground.hub.plan(Fault(match="GET *", kind="status", status=429, headers=far))
        with pytest.raises(ForgeUnavailable) as told:
            ground.forge.repository()

        assert told.value.retry_after == LONGEST_S

    def test_reads_are_tried_again_and_then_put_off(self, ground: HubGround) -> None:
        ground.hub.plan(Fault(match="GET /repositories/*", kind="status", status=502, times=2))
        assert ground.forge.repository().id == ground.repo.id
        for kind in ("accepted", "html", "reset"):
            ground.hub.plan(Fault(match="GET /repositories/*", kind=kind, times=None))
            began = ground.time.at
            with pytest.raises(ForgeUnavailable):
                ground.forge.repository()
            assert ground.time.at - began < 60
            ground.hub.hub.faults.clear()

    def test_an_answer_of_another_shape_is_none(self, ground: HubGround) -> None:
        """What a proxy or a renamed repository might put in the place of one."""
        moved = Fault(
            match="GET /repositories/*", kind="redirect", status=301, location="http://127.0.0.1:9"
        )
        ground.hub.plan(moved)

        with pytest.raises(ForgeRefused, match="moved"):
            ground.forge.repository()

    def test_only_safe_addresses_are_spoken_to(self) -> None:
        means = Means()
        with pytest.raises(RequestError, match="not an https address"):
            Gateway(
                "http://example.org/api/v3",
                line=Line(means.clock),
                now=means.now,
                redactor=means.redactor,
            )


class TestNothingIsSeen:
    def test_a_secret_shows_itself_to_nobody(self) -> None:
        secret = Secret("ghs_canary" + "x" * 30)

        assert "canary" not in f"{secret} {secret!r} {[secret]}"
        assert secret.reveal().startswith("ghs_canary")
        with pytest.raises(TypeError):
            pickle.dumps(secret)

    @pytest.mark.parametrize(
        "token",
        [
            "ghs_1234_eyJhbGciOi.J9eyJp-c3MiOiJ.qqq_" + "x" * 480,
            "ghp_" + "a1" * 18,
            "github_pat_" + "a1_" * 20,
            "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.c2lnbmF0dXJl",
            "Authorization: Basic eC1hY2Nlc3MtdG9rZW46Z2hzX2FiYw==",
        ],
        ids=["installation", "person", "fine", "JWT", "header"],
    )
    def test_tokens_are_taken_out_of_words(self, token: str) -> None:
        told = clean(f"it said\n{token}\nthen stopped")

        assert token.split()[-1][:24] not in told
        assert (told.startswith("it said"), told.endswith("then stopped")) == (True, True)

    def test_no_exception_log_or_file_holds_a_token(
        self, ground: HubGround, tmp_path: Path
    ) -> None:
        log = io.StringIO()
        handler = logging.StreamHandler(log)
        root, level = logging.getLogger(), logging.getLogger().level
        root.addHandler(handler)
        root.setLevel(logging.DEBUG)
        try:
            told = list(_mishaps(ground, tmp_path))
        finally:
            root.removeHandler(handler)
            root.setLevel(level)
        tokens = [one.text for one in ground.hub.hub.store.tokens.values() if one.installation]
        seen = [log.getvalue(), *told, *map(str, everything(tmp_path).values())]

        assert len(told) == 9
        assert len(tokens) > 3
        assert "HTTP/1.1" in log.getvalue()  # the log was really written
        assert [text for text in seen if any(token[:40] in text for token in tokens)] == []
        assert [text for text in seen if "PRIVATE KEY" in text] == []


def _mishaps(ground: HubGround, place: Path) -> Iterator[str]:
    """Everything that goes wrong, told in full."""
    number = ground.open_issue("x", "")
    ground.forge.bring(place / "good", [ground.base])
    echo = {"kind": "status", "status": 403, "message": "you sent Authorization: Bearer {token}"}
    faults: list[dict[str, object]] = [
        echo,
        {"kind": "status", "status": 401, "times": None},
        {"kind": "status", "status": 404, "times": None},
        {"kind": "html", "times": None},
        {"kind": "truncated", "times": None},
        {"kind": "cut", "times": None},
        {"kind": "redirect", "status": 307, "location": "http://127.0.0.1:9/"},
    ]
    for how in faults:
        if "message" in how:
            ground.forge.say(number, f"{MARK}\nbefore")
            token = list(ground.hub.hub.store.tokens)[-1]
            how["message"] = str(how["message"]).format(token=token)
        ground.hub.plan(Fault(match="* /repositories/*", **how))  # type: ignore[arg-type]
        yield _told(lambda: ground.forge.say(number, f"{MARK}\nx"))
        ground.hub.hub.faults.clear()
    yield _told(lambda: ground.forge.bring(place / "bad", ["1" * 40]))
    new = NewPull(branch="none", base="main", title="x", body="", is_draft=False)
    yield _told(lambda: ground.forge.open_pull(new))


def _told(act: object) -> str:
    try:
        act()  # type: ignore[operator]
    except JamError as error:
        return "".join(traceback.format_exception(error)) + repr(error)
    raise AssertionError("nothing went wrong")
