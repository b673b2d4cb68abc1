"""
Exchanges the code that GitHub hands out after a registration for the App and its secrets. A code is
good once, and for an hour; nobody has to be signed in for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.adapters.github.forge import talk_to
from bot.adapters.github.means import Means, Unpaced
from bot.adapters.github.outlet import Ask
from bot.adapters.github.purpose import Purpose
from bot.adapters.github.secret import Secret
from bot.adapters.github.shapes import Shape
from bot.adapters.github.tokens import Nobody
from bot.errors import ForgeRefused

_CODE = re.compile(r"[A-Za-z0-9._-]{6,200}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    id: int
    slug: str
    url: str
    hook_secret: Secret
    private_key: Secret


class _Converted(Shape):
    id: int
    slug: str
    html_url: str
    pem: str
    webhook_secret: str | None


def convert(code: str, *, api_url: str) -> Registered:
    """``ForgeRefused`` for a code that was used, or is none."""
    if not _CODE.fullmatch(code):
        raise ForgeRefused("this is no code of GitHub's")
    talk = talk_to(api_url, Nobody(), pace=Unpaced(), means=Means())
    ask = Ask(method="POST", path=f"/app-manifests/{code}/conversions")
    made = talk.write(ask, _Converted, purpose=Purpose.WHO)
    if not made.webhook_secret:
        raise ForgeRefused("GitHub made no webhook secret: set one in the App's settings")
    return Registered(
        id=made.id,
        slug=made.slug,
        url=made.html_url,
        hook_secret=Secret(made.webhook_secret),
        private_key=Secret(made.pem),
    )
