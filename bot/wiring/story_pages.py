"""
Keeps pages as files that a browser opens without a server: links among them lead to each other.
"""

from __future__ import annotations

import re
import urllib.request
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from urllib.parse import urljoin

SECONDS = 20.0
_HREF = re.compile(r'href="([^"#]+)"')
STYLE = "style.css"


def keep(into: Path, places: Mapping[str, str]) -> dict[str, str]:
    """``places``: name -> address. The paths of the files, by the same names."""
    into.mkdir(parents=True, exist_ok=True)
    files = {address: f"{name}.html" for name, address in places.items()}
    for name, address in places.items():
        led = partial(_led, at=address, files=files, into=into)
        (into / f"{name}.html").write_text(_HREF.sub(led, _get(address)))
    return {name: str(into / f"{name}.html") for name in places}


def _led(link: re.Match[str], *, at: str, files: dict[str, str], into: Path) -> str:
    address = urljoin(at, link[1])
    if address.endswith(f"/{STYLE}") and not (into / STYLE).exists():
        (into / STYLE).write_text(_get(address))
        files[address] = STYLE
    return f'href="{files.get(address, address)}"'


def _get(address: str) -> str:
    with urllib.request.urlopen(address, timeout=SECONDS) as answer:  # noqa: S310  # loopback
        return str(answer.read().decode())
