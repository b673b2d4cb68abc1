"""
``jam doctor --app``: whether the App can do its work, found out by asking GitHub.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from bot.adapters import database
from bot.adapters.github.app import GithubApp
from bot.adapters.github.secret import Secret
from bot.adapters.github.tokens import AppKey
from bot.app.requests import DoctorRequest
from bot.core import app_manifest
from bot.core.forge_values import AppFacts
from bot.errors import ClockWrong, RequestError, TransientError
from bot.wiring import database_doctor, serve_settings
from bot.wiring.finding import Finding
from bot.wiring.serve_settings import ServeSettings
from bot.wiring.settings import Settings

LOOK_BACK = timedelta(days=3)


def look(request: DoctorRequest, settings: Settings) -> Iterator[Finding]:
    state = (request.state or settings.state).absolute()
    try:
        told = serve_settings.read(state=state)
    except RequestError as missing:
        said = str(missing)
        remedy = "`jam serve --register` makes an App and keeps its secrets"
        is_new = said.startswith(serve_settings.MISSING)
        yield Finding(what="App", good=False, told=said, remedy=remedy if is_new else "")
        return
    yield from database_doctor.look(database.address(told.database_url, folder=state))
    yield from _github(GithubApp(_key(told), base_url=told.api_url), at=told.api_url)


def _key(told: ServeSettings) -> AppKey:
    return AppKey(told.app, Secret(told.private_key))


def _github(app: GithubApp, *, at: str) -> Iterator[Finding]:
    try:
        facts = app.facts()
    except ClockWrong as wrong:
        yield Finding(what="clock", good=False, told=str(wrong), remedy="set it right, with NTP")
        return
    except RequestError as refused:
        remedy = f"are JAM_APP_ID and the private key of one App, and is it an App of {at}?"
        yield Finding(what="App", good=False, told=str(refused), remedy=remedy)
        return
    except TransientError as unheard:
        remedy = "can this machine reach it? JAM_GITHUB_URL says where it is"
        yield Finding(what="App", good=False, told=f"{at}: {unheard}", remedy=remedy)
        return
    yield Finding(what="clock", good=True, told="close to GitHub's")
    yield Finding(what="App", good=True, told=f"{facts.name} ({facts.slug}, {facts.id})")
    yield from _asked(facts)
    yield from _installed(app)
    yield from _delivered(app)


def _asked(facts: AppFacts) -> Iterator[Finding]:
    lacking = app_manifest.missing_permissions(facts.permissions)
    yield Finding(
        what="permissions",
        good=not lacking,
        told=f"missing: {', '.join(lacking)}" if lacking else "all that are needed",
        remedy="add them in the App's settings, and accept them where it is installed"
        if lacking
        else "",
    )
    if "workflows" in facts.permissions:
        yield Finding(
            what="permissions", good=None, told="workflows is not needed: jam never writes them"
        )
    unheard = app_manifest.missing_events(facts.events)
    yield Finding(
        what="events",
        good=not unheard,
        told=f"not told of: {', '.join(unheard)}" if unheard else "all that are needed",
        remedy="subscribe to them in the App's settings" if unheard else "",
    )


def _installed(app: GithubApp) -> Iterator[Finding]:
    found = app.installations()
    if not found:
        yield Finding(what="installations", good=None, told="none yet: install the App somewhere")
    for one in found:
        lacking = app_manifest.missing_permissions(one.permissions)
        what = f"installed on {one.account.login}"
        if one.is_suspended:
            yield Finding(what=what, good=None, told="suspended")
        elif lacking:
            yield Finding(
                what=what,
                good=False,
                told=f"not accepted: {', '.join(lacking)}",
                remedy="its owner has to accept the new permissions",
            )
        else:
            yield Finding(what=what, good=True, told="may do all that is needed")


def _delivered(app: GithubApp) -> Iterator[Finding]:
    found = app.deliveries(since=datetime.now(UTC) - LOOK_BACK)
    if not found:
        yield Finding(what="webhooks", good=None, told="none was sent in three days")
        return
    arrived = sum(one.arrived for one in found)
    last = max(found, key=lambda one: one.at)
    yield Finding(
        what="webhooks",
        good=last.arrived,
        told=f"{arrived} of {len(found)} arrived; the last one "
        + ("did" if last.arrived else f"did not (status {last.status or 'none'})"),
        remedy="" if last.arrived else "is `jam serve` running, and can GitHub reach its address?",
    )
