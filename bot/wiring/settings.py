"""
The environment, read once. Nothing else in jam asks for a variable.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from bot.core import proxied
from bot.wiring.secrecy import SECRET

NETWORK = re.compile(
    r"PIP_[A-Z_]+|UV_[A-Z_]+|npm_config_registry|NPM_CONFIG_REGISTRY|GOPROXY|GOSUMDB|"
    r"SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|NODE_EXTRA_CA_CERTS|"
    r"(HTTPS?|NO|ALL)_PROXY|(https?|no|all)_proxy"
)
"""What a setup needs to reach a package index. Values that hold a password are kept back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    path: str
    home: Path
    state: Path
    anthropic_key: str = field(default="", repr=False)
    anthropic_url: str | None = None
    signing_key: Path | None = None  # what statements are signed with
    grants: Mapping[str, str] = field(default_factory=dict)  # host -> variable with its key, or ''
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)  # of those variables
    ca: Path | None = None  # whose certificates are trusted, instead of the system's
    network: Mapping[str, str] = field(default_factory=dict)
    withheld: tuple[str, ...] = ()


def read(environment: Mapping[str, str] | None = None, *, lends_known: bool = True) -> Settings:
    """``lends_known``: an agent may have the keys of well-known models without being told so."""
    env = os.environ if environment is None else environment
    home = Path(env.get("HOME") or Path.home())
    state = Path(env.get("XDG_STATE_HOME") or home / ".local" / "state") / "jam"
    known = proxied.KNOWN if lends_known else {}
    grants = proxied.granted(env.get(proxied.GRANTS, ""), known=known)
    network = {k: v for k, v in env.items() if NETWORK.fullmatch(k) and not _has_password(v)}
    return Settings(
        path=env.get("PATH", os.defpath),
        home=home,
        state=Path(env.get("JAM_STATE") or state),
        anthropic_key=env.get("ANTHROPIC_API_KEY", ""),
        anthropic_url=env.get("ANTHROPIC_BASE_URL") or None,
        signing_key=Path(env["JAM_SIGNING_KEY"]) if env.get("JAM_SIGNING_KEY") else None,
        grants=grants,
        keys={name: env[name] for name in grants.values() if env.get(name)},
        ca=Path(env["SSL_CERT_FILE"]) if env.get("SSL_CERT_FILE") else None,
        network=network,
        withheld=tuple(sorted(name for name in env if SECRET.search(name))),
    )


def _has_password(value: str) -> bool:
    return any("@" in urlsplit(part).netloc for part in value.split() if "://" in part)
