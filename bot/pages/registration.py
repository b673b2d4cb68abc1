"""The two pages of a registration: the button, and what is to be done after it."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined

from bot.pages.site import Page

_TEMPLATES = Environment(
    loader=PackageLoader("bot.pages"), autoescape=True, undefined=StrictUndefined
)


def _page(template: str, status: int = 200, **values: str) -> Page:
    shown = _TEMPLATES.get_template(template).render(reload_s=0, **values)
    return Page(shown, status)


def form(*, action: str, manifest: str, url: str) -> Page:
    return _page("register.html", action=action, manifest=manifest, url=url)


def done(*, slug: str, install: str) -> Page:
    return _page("registered.html", slug=slug, install=install)


def refused(why: str) -> Page:
    return _page("unregistered.html", 400, why=why)
