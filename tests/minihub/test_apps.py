"""Apps: JWTs, installations, tokens and what they reach; names, permissions, renames."""

from __future__ import annotations

import time
from datetime import timedelta

import github
import jwt
import pytest

from bot.minihub.minihub import AppKey, Minihub
from bot.minihub.people import NotAllowed
from tests.minihub.hubs import as_app, as_installation, as_person, rest


def signed(app: AppKey, **claims: object) -> str:
    now = int(time.time())
    whole = {"iss": app.app.client_id, "iat": now - 60, "exp": now + 300} | claims
    return jwt.encode({k: v for k, v in whole.items() if v is not None}, app.private_key, "RS256")


def test_an_app_finds_itself_and_its_installations(hub: Minihub, app: AppKey, lib: str) -> None:
    hub.organization("acme")
    hub.repository("acme/tool", {"a": "b"}, roles={"ada": "admin"})
    there = hub.install(app, "acme")
    gi = as_app(hub, app)

    assert (gi.get_app().slug, gi.get_app().permissions["checks"]) == ("jam", "write")
    assert [each.raw_data["account"]["login"] for each in gi.get_installations()] == ["ada", "acme"]
    assert gi.get_repo_installation("acme", "tool").id == there.id
    assert gi.get_org_installation("acme").id == there.id
    assert gi.get_user_installation("ada").target_type == "User"
    assert gi.get_app_installation(there.id).app_id == app.id
    reached = gi.get_app_installation(there.id).get_repos()
    assert [each.full_name for each in reached] == ["acme/tool"]
    with pytest.raises(github.UnknownObjectException):
        gi.get_repo_installation("eve", "nothing")


def test_a_token_is_long_lives_an_hour_and_is_narrowed(hub: Minihub, app: AppKey, lib: str) -> None:
    other = hub.repository("ada/other", {"a": "b"})
    installation = as_app(hub, app).get_repo_installation("ada", "lib").id
    made = rest(
        *(hub, "POST", f"/app/installations/{installation}/access_tokens", signed(app)),
        json={"repository_ids": [other.id], "permissions": {"contents": "read"}},
    ).json()
    token = made["token"]

    assert token.startswith(f"ghs_{app.id}_")
    assert 480 < len(token) < 560
    assert made["permissions"] == {"metadata": "read", "contents": "read"}
    assert [each["full_name"] for each in made["repositories"]] == ["ada/other"]
    path = "/repos/ada/{}/git/refs"
    fields = {"ref": "refs/heads/x", "sha": "0" * 40}
    writes = [rest(hub, "POST", path.format(name), token, json=fields) for name in ("lib", "other")]
    assert [each.json()["message"] for each in writes] == [
        "Resource not accessible by integration"
    ] * 2
    assert rest(hub, "GET", "/repos/ada/other/commits", token).status_code == 200
    listed = rest(hub, "GET", "/installation/repositories", token).json()
    assert (listed["total_count"], listed["repository_selection"]) == (1, "selected")
    assert rest(hub, "GET", "/user", token).status_code == 403
    assert rest(hub, "DELETE", "/installation/token", token).status_code == 204
    assert rest(hub, "GET", "/installation/repositories", token).status_code == 401


@pytest.mark.parametrize(
    "asked",
    [
        {"permissions": {"administration": "write"}},
        {"repository_ids": [1]},
        {"permissions": {"checks": "admin"}},
    ],
    ids=["not granted", "not reached", "too much"],
)
def test_a_token_is_never_wider_than_its_installation(
    hub: Minihub, app: AppKey, lib: str, asked: dict[str, object]
) -> None:
    installation = as_app(hub, app).get_repo_installation("ada", "lib").id
    path = f"/app/installations/{installation}/access_tokens"

    assert rest(hub, "POST", path, signed(app), json=asked).status_code == 422


def test_an_expired_token_is_bad_credentials(hub: Minihub, app: AppKey, lib: str) -> None:
    gh = as_installation(hub, app, lib)
    before = gh.get_repo(lib).full_name
    token = (
        as_app(hub, app)
        .get_access_token(as_app(hub, app).get_repo_installation("ada", "lib").id)
        .token
    )
    hub.expire_tokens()

    answer = rest(hub, "GET", f"/repos/{lib}", token)
    assert (before, answer.status_code, answer.json()["message"]) == (lib, 401, "Bad credentials")


BAD_JWTS = {
    "expired": ({"exp": int(time.time()) - 1}, 401, "'Expiration time' claim ('exp') must"),
    "too long": ({"exp": int(time.time()) + 1200}, 401, "'Expiration time' claim ('exp') is too"),
    "from the future": ({"iat": int(time.time()) + 3600}, 401, "'Issued at' claim ('iat') must"),
    "without a time": ({"iat": None}, 401, "'Issued at' claim ('iat') must"),
    "of nobody": ({"iss": "7"}, 404, "Integration not found"),
}


@pytest.mark.parametrize(("claims", "status", "said"), BAD_JWTS.values(), ids=BAD_JWTS)
def test_a_bad_jwt_is_told_apart(
    hub: Minihub, app: AppKey, claims: dict[str, object], status: int, said: str
) -> None:
    answer = rest(hub, "GET", "/app", signed(app, **claims))

    assert answer.status_code == status
    assert answer.json()["message"].startswith(said)


def test_another_apps_key_does_not_do(hub: Minihub, app: AppKey) -> None:
    other = hub.app("other")
    forged = signed(AppKey(app.app, other.private_key))

    assert rest(hub, "GET", "/app", forged).status_code == 401


@pytest.mark.parametrize(
    ("seconds", "works"), [(-200, False), (-30, True), (120, True), (400, False)]
)
def test_pygithubs_jwt_bears_only_so_much_skew(
    hub: Minihub, app: AppKey, seconds: int, works: bool
) -> None:
    hub.skew(timedelta(seconds=seconds))
    date = rest(hub, "GET", "/meta").headers["Date"]

    assert date == hub.hub.clock.now().strftime("%a, %d %b %Y %H:%M:%S GMT")
    if works:
        assert as_app(hub, app).get_app().id == app.id
    else:
        with pytest.raises(github.GithubException) as refused:
            as_app(hub, app).get_app()
        assert refused.value.status == 401


def test_a_person_suspends_narrows_and_uninstalls(hub: Minihub, app: AppKey, lib: str) -> None:
    hub.repository("ada/other", {"a": "b"})
    ada, gi = hub.person("ada"), as_app(hub, app)
    installation = next(iter(hub.hub.store.installations.values()))
    token = gi.get_access_token(installation.id).token
    ada.suspend(installation)
    suspended = rest(hub, "GET", f"/repos/{lib}", token)
    ada.unsuspend(installation)
    ada.choose(installation, ["ada/other"])
    narrowed = rest(hub, "POST", f"/repos/{lib}/issues", token, json={"title": "x"})
    ada.uninstall(installation)
    gone = rest(hub, "GET", f"/repos/{lib}", token)

    assert [each.status_code for each in (suspended, narrowed, gone)] == [403, 403, 401]
    assert [
        f"{each.event}.{each.action}"
        for each in hub.hub.recorder.webhooks
        if each.event.startswith("installation")
    ] == [
        "installation.created",
        "installation.suspend",
        "installation.unsuspend",
        "installation_repositories.removed",
        "installation.deleted",
    ]
    with pytest.raises(github.UnknownObjectException):
        gi.get_app_installation(installation.id)


@pytest.mark.parametrize(
    ("login", "permission", "role"),
    [
        ("ada", "admin", "admin"),
        ("ben", "write", "write"),
        ("cleo", "read", "triage"),
        ("eve", "read", "read"),
    ],
)
def test_roles_have_an_old_name_too(
    hub: Minihub, app: AppKey, lib: str, login: str, permission: str, role: str
) -> None:
    repo = as_installation(hub, app, lib).get_repo(lib)

    assert repo.get_collaborator_permission(login) == permission
    assert repo.get_collaborator_role_name(login) == role


@pytest.mark.parametrize("login", ["jam[bot]", "nobody"])
def test_a_bot_is_not_a_user(hub: Minihub, app: AppKey, lib: str, login: str) -> None:
    answer = rest(
        *(hub, "GET", f"/repos/{lib}/collaborators/{login}/permission", hub.person("ada").token)
    )

    assert (answer.status_code, answer.json()["message"]) == (404, f"{login} is not a user")


def test_people_come_and_go(hub: Minihub, lib: str) -> None:
    repo = as_person(hub, "ada").get_repo(lib)
    repo.add_to_collaborators("eve", "maintain")
    after = {each.login: each.role_name for each in repo.get_collaborators()}
    repo.remove_from_collaborators("eve")

    assert after == {"ada": "admin", "ben": "write", "cleo": "triage", "eve": "maintain"}
    assert not repo.has_in_collaborators("eve")
    assert as_person(hub, "eve").get_user().login == "eve"
    assert as_person(hub, "eve").get_user("ada").name == "Ada"


def test_a_bot_has_a_number(hub: Minihub, app: AppKey) -> None:
    bot = as_person(hub, "ada").get_user("jam[bot]")

    assert (bot.type, bot.id) == ("Bot", app.app.bot.id)
    assert as_person(hub, "ada").get_user_by_id(bot.id).login == "jam[bot]"


def test_a_renamed_repository_leads_to_its_new_name(hub: Minihub, app: AppKey, lib: str) -> None:
    hub.person("ada").rename(lib, "library")
    token = hub.person("ada").token
    read = rest(hub, "GET", f"/repos/{lib}/issues?state=all", token)
    write = rest(hub, "POST", f"/repos/{lib}/issues", token, json={"title": "x"})

    assert (read.status_code, write.status_code) == (301, 307)
    assert read.headers["Location"] == write.headers["Location"]
    again = rest(hub, "POST", write.headers["Location"], token, json={"title": "x"})
    assert again.json()["repository_url"].endswith("/repos/ada/library")
    assert as_person(hub, "ada").get_repo(lib).full_name == "ada/library"


def test_a_private_repository_does_not_exist_for_strangers(hub: Minihub, app: AppKey) -> None:
    hub.repository("ada/secret", {"a": "b"}, private=True)
    hub.person("eve")
    answers = [
        rest(hub, "GET", "/repos/ada/secret", token).status_code
        for token in ("", hub.person("eve").token, hub.person("ada").token)
    ]

    assert answers == [404, 404, 200]


def test_an_archived_repository_is_read_only(hub: Minihub, app: AppKey, lib: str) -> None:
    hub.person("ada").archive(lib)
    token = (
        as_app(hub, app)
        .get_access_token(as_app(hub, app).get_repo_installation("ada", "lib").id)
        .token
    )

    assert rest(hub, "GET", f"/repos/{lib}", token).status_code == 200
    assert rest(hub, "POST", f"/repos/{lib}/issues", token, json={"title": "x"}).status_code == 403
    with pytest.raises(NotAllowed, match="archived"):
        hub.person("ada").label(lib, 1, "jam")


def test_a_lowered_role_is_lowered_at_once(hub: Minihub, lib: str) -> None:
    number = hub.person("ada").open_issue(lib, "x")
    hub.person("ada").invite(lib, "ben", "pull")

    with pytest.raises(NotAllowed, match="403"):
        hub.person("ben").label(lib, number, "jam")


def test_an_app_is_registered_by_its_manifest(hub: Minihub) -> None:
    manifest = (
        '{"name": "My Jam", "default_permissions": {"issues": "write"}, "default_events": '
        '["issues"], "hook_attributes": {"url": "http://127.0.0.1:9/webhook"}, '
        '"redirect_url": "http://127.0.0.1:9/back"}'
    )
    sent = rest(hub, "POST", f"{hub.url}/settings/apps/new?state=s", data={"manifest": manifest})
    code = sent.headers["Location"].partition("code=")[2].partition("&")[0]
    made = rest(hub, "POST", f"/app-manifests/{code}/conversions")
    again = rest(hub, "POST", f"/app-manifests/{code}/conversions")

    assert sent.headers["Location"] == f"http://127.0.0.1:9/back?code={code}&state=s"
    assert (made.status_code, made.json()["slug"], again.status_code) == (201, "my-jam", 404)
    now = int(time.time())
    claims = {"iss": str(made.json()["id"]), "iat": now - 60, "exp": now + 60}
    token = jwt.encode(claims, made.json()["pem"], "RS256")
    assert rest(hub, "GET", "/app", token).json()["name"] == "My Jam"


def test_a_private_repository_is_found_by_the_app_that_is_installed_there(
    hub: Minihub, app: AppKey
) -> None:
    hub.repository("ada/secret", {"a": "b"}, private=True)
    stranger = hub.app("other")

    assert as_app(hub, app).get_repo_installation("ada", "secret").app_id == app.id
    with pytest.raises(github.UnknownObjectException):
        as_app(hub, stranger).get_repo_installation("ada", "secret")


def test_a_jobs_token_acts_as_github_actions_in_one_repository(hub: Minihub, lib: str) -> None:
    hub.repository("ada/other", {"a": "b"})
    number = hub.person("ada").open_issue(lib, "x")
    token = hub.actions_token(lib, {"issues": "write"})
    path = f"/repos/{lib}/issues/{number}/comments"

    assert rest(hub, "POST", path, token, json={"body": "hi"}).status_code == 201
    assert hub.thread(lib, number).comments[0].by == "github-actions[bot]"
    assert rest(hub, "POST", f"/repos/{lib}/pulls", token, json={}).status_code == 403
    assert (
        rest(hub, "POST", "/repos/ada/other/issues", token, json={"title": "x"}).status_code == 403
    )


def test_a_deleted_fork_leaves_its_pull_request_without_a_head(hub: Minihub, lib: str) -> None:
    eve = hub.person("eve")
    fork = eve.fork(lib)
    eve.push(fork, "mend", {"a": "b"})
    number = eve.open_pull(lib, head="eve:mend", title="Mend")
    as_person(hub, "eve").get_repo(fork).delete()
    pull = as_person(hub, "ada").get_repo(lib).get_pull(number)

    assert (pull.head.repo, pull.head.label, pull.changed_files) == (None, "eve:mend", 1)


def test_a_token_for_one_repository_writes_only_there(hub: Minihub, app: AppKey, lib: str) -> None:
    other = hub.repository("ada/other", {"a": "b"})
    installation = as_app(hub, app).get_repo_installation("ada", "lib").id
    token = rest(
        *(hub, "POST", f"/app/installations/{installation}/access_tokens", signed(app)),
        json={"repository_ids": [other.id]},
    ).json()["token"]
    issue = {"title": "x"}

    assert rest(hub, "POST", "/repos/ada/other/issues", token, json=issue).status_code == 201
    assert rest(hub, "POST", f"/repos/{lib}/issues", token, json=issue).status_code == 403
