"""
What ``jam serve`` is told by its environment: secrets never stand on a command line.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bot.errors import RequestError

GITHUB_API = "https://api.github.com"
KEPT = "app.env"
MISSING = "the environment does not say"
NAMES: dict[str, str] = {
    "JAM_WEBHOOK_SECRET": "what GitHub signs webhooks with; two, with a comma between, while it "
    "is changed",
    "JAM_APP_ID": "the App's number, or its client id",
    "JAM_PRIVATE_KEY_FILE": "where the App's private key stands",
    "JAM_PRIVATE_KEY": "the App's private key; or JAM_PRIVATE_KEY_FILE, where it stands",
    "JAM_GITHUB_URL": "the API of an Enterprise server, https://HOST/api/v3",
    "JAM_DATABASE_URL": "postgresql://…; a file in the state folder where it is not given",
    "JAM_URL": "the address under which people reach these pages",
    "JAM_PAGES": "a word that whoever looks at the pages has to give; `open` for none",
    "JAM_LEASE_S": "after how many seconds of silence others take over a worker's sessions; 90",
    "JAM_TRUSTED_BOTS": "account numbers of bots that may ask like a writer, with commas between",
}


class NotConfigured(RequestError):
    """``jam serve`` was not told enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeSettings:
    hook_secrets: tuple[str, ...] = field(repr=False)
    app: str
    private_key: str = field(repr=False)
    api_url: str
    database_url: str = field(repr=False)
    url: str
    pages: str = field(repr=False)
    bots: frozenset[int]
    lease_s: float = 90.0

    @property
    def forge_url(self) -> str:
        return forge_of(self.api_url)


def forge_of(api_url: str) -> str:
    """Where people look at what the API is about."""
    if api_url == GITHUB_API:
        return "https://github.com"
    return api_url.removesuffix("/").removesuffix("/api/v3")


def read(
    environment: Mapping[str, str] | None = None, *, state: Path, receives: bool = True
) -> ServeSettings:
    """What the environment does not say may stand in ``state``, since a registration. ``receives``:
    webhooks come here, and have to be told from what anybody may send."""
    env = {**kept(state), **(os.environ if environment is None else environment)}
    needed = ("JAM_WEBHOOK_SECRET", "JAM_APP_ID") if receives else ("JAM_APP_ID",)
    missing = [name for name in needed if not env.get(name)]
    key = _key(env)
    missing += [] if key else ["JAM_PRIVATE_KEY"]
    if missing:
        told = "; ".join(f"{name}: {NAMES[name]}" for name in missing)
        raise NotConfigured(f"{MISSING} {told}")
    given = env.get("JAM_WEBHOOK_SECRET", "").split(",")
    secrets = tuple(filter(None, (one.strip() for one in given)))
    if not secrets and receives:
        raise NotConfigured("JAM_WEBHOOK_SECRET is empty: anybody could pretend to be GitHub")
    return ServeSettings(
        hook_secrets=secrets,
        app=env["JAM_APP_ID"],
        private_key=key,
        api_url=env.get("JAM_GITHUB_URL", GITHUB_API).rstrip("/"),
        database_url=env.get("JAM_DATABASE_URL", ""),
        url=env.get("JAM_URL", "").rstrip("/"),
        pages=env.get("JAM_PAGES", ""),
        bots=numbers(env.get("JAM_TRUSTED_BOTS", ""), name="JAM_TRUSTED_BOTS"),
        lease_s=_seconds(env.get("JAM_LEASE_S", "90")),
    )


def kept(state: Path) -> dict[str, str]:
    """What was kept of a registration: plain lines of NAME=value."""
    try:
        lines = (state / KEPT).read_text().splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as unread:
        raise NotConfigured(f"{state / KEPT} cannot be read") from unread
    pairs = (line.partition("=") for line in lines if "=" in line)
    return {name: value for name, _, value in pairs if name in NAMES}


def keep(state: Path, values: Mapping[str, str], *, private_key: str) -> None:
    """For the next start, and for nobody else's eyes."""
    state.mkdir(parents=True, exist_ok=True, mode=0o700)
    key = state / "app.pem"
    lines = [*(f"{name}={value}" for name, value in values.items()), f"JAM_PRIVATE_KEY_FILE={key}"]
    for path, text in ((key, private_key), (state / KEPT, "\n".join(lines) + "\n")):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(text)


def _key(env: Mapping[str, str]) -> str:
    if given := env.get("JAM_PRIVATE_KEY"):
        return given.replace("\\n", "\n")
    file = env.get("JAM_PRIVATE_KEY_FILE")
    if not file:
        return ""
    try:
        return Path(file).read_text()
    except (OSError, UnicodeDecodeError) as unread:
        raise NotConfigured(f"JAM_PRIVATE_KEY_FILE: {file} cannot be read") from unread


def _seconds(text: str) -> float:
    if not (text.isascii() and text.isdigit() and 3 <= int(text) <= 3600):
        raise NotConfigured("JAM_LEASE_S is a number of seconds, from 3 to 3600")
    return float(text)


def numbers(text: str, *, name: str) -> frozenset[int]:
    try:
        return frozenset(int(one) for one in text.replace(",", " ").split())
    except ValueError as wrong:
        raise NotConfigured(f"{name} holds numbers of accounts, no names") from wrong
