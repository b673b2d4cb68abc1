"""
Which secrets this process was given: by its environment, and by what the environment points at.

One redactor serves all of a process, since a token that one thread mints must be known to all.
Values that cannot be secrets, such as paths and switches, are left alone: masking them would hide
what people need to read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from urllib.parse import unquote, urlsplit

from bot.core.redact import LEAST, Redactor

SECRET = re.compile(
    r"TOKEN|SECRET|PASSWO?R?D|PASSPHRASE|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE|AUTH(?!OR(?!I[SZ]))|COOKIE",
    re.IGNORECASE,
)
_PLACE = re.compile(r"[~./]|[a-z]+:(path=|/(?!/))|file:")
LONG = 20


@cache
def redactor() -> Redactor:
    return Redactor(secrets_of(os.environ))


def secrets_of(environment: Mapping[str, str]) -> Iterator[str]:
    """Values that look like secrets, of variables that sound like it; passwords in addresses."""
    for name, value in environment.items():
        if SECRET.search(name):
            parts = (value, *value.split(",")) if "," in value else (value,)
            yield from (part.strip() for part in parts if looks_secret(part.strip()))
        yield from _passwords(value)


def looks_secret(value: str) -> bool:
    if len(value) < LEAST or _PLACE.match(value):
        return False
    has_digit = any(letter.isdigit() for letter in value)
    has_letter = any(letter.isalpha() for letter in value)
    return len(value) >= LONG or (has_digit and has_letter) or not value.isalnum()


def _passwords(value: str) -> Iterator[str]:
    for part in value.split():
        if "://" not in part or "@" not in part:
            continue
        try:
            found = urlsplit(part).password
        except ValueError:
            continue
        if found:
            yield from {found, unquote(found)}
