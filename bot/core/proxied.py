"""
What a ``command:`` agent may reach through jam's own proxy, and which key is added for which host.

The contract only names variables and hosts. Which key belongs to which host is said where jam runs:
else whoever writes a contract could have any variable of that machine sent to a host of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.core.redact import LEAST
from bot.core.words import many_of
from bot.errors import AgentUnusable, RequestError

GRANTS = "JAM_AGENT_HOSTS"
TOOL = "proxy"
"""How a ledger's calls name it."""
DUMMY = "jam-adds-the-key"
"""What the agent finds under the name of a key."""
KNOWN = {
    "ANTHROPIC_API_KEY": "api.anthropic.com",
    "OPENAI_API_KEY": "api.openai.com",
    "GEMINI_API_KEY": "generativelanguage.googleapis.com",
}
HEADERS = {"ANTHROPIC_API_KEY": "x-api-key", "GEMINI_API_KEY": "x-goog-api-key"}
"""Every other key is sent as ``Authorization: Bearer``."""
ADDRESSES = {
    "OPENAI_API_KEY": (("OPENAI_BASE_URL", "/v1"), ("OPENAI_API_BASE", "/v1")),
    "GEMINI_API_KEY": (("GOOGLE_GEMINI_BASE_URL", ""),),
}
_KEY = re.compile(r"(_API)?_(KEY|TOKEN|SECRET)$")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?(:[0-9]{1,5})?")
_CALLS = re.compile(r"[0-9,]+")


@dataclass(frozen=True, slots=True)
class Lent:
    """One host, and the key that is added for it. ``variable`` '': none is."""

    host: str
    variable: str = ""

    @property
    def header(self) -> str:
        return HEADERS.get(self.variable, "authorization")

    def spelled(self, key: str) -> str:
        return f"Bearer {key}" if self.header == "authorization" else key

    def environment(self, address: str) -> Iterator[tuple[str, str]]:
        """What the agent finds; ``address``: where the proxy is for it."""
        if not self.variable:
            return
        yield self.variable, DUMMY
        plain = ((_KEY.sub("", self.variable) + "_BASE_URL", ""),)
        for name, below in ADDRESSES.get(self.variable, plain):
            yield name, f"{address}/{self.host}{below}"


@dataclass(frozen=True, slots=True)
class Used:
    """What was asked of one host."""

    host: str
    calls: int = 0
    sent: int = 0
    received: int = 0
    refused: bool = False  # these calls were for no host that may be reached

    @property
    def told(self) -> str:
        if self.refused:
            return f"{many_of(self.calls, 'call')} for hosts that may not be reached"
        amounts = f"{self.sent:,} bytes sent, {self.received:,} received"
        return f"{many_of(self.calls, 'call')}, {amounts}"


def calls_of(told: str) -> int:
    """How many ``Used.told`` speaks of."""
    found = _CALLS.match(told)
    return int(found.group().replace(",", "")) if found else 0


def demand_name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise ValueError(f"{text!r} is not the name of a variable, such as ANTHROPIC_API_KEY")
    return text


def demand_host(text: str) -> str:
    if not _HOST.fullmatch(text):
        raise ValueError(f"{text!r} is not the name of a host, such as api.anthropic.com")
    return text


def granted(text: str, *, known: Mapping[str, str]) -> Mapping[str, str]:
    """``NAME=HOST`` or ``HOST``, with commas between. The variable by its host; of the ``known``
    ones those that are not said to be for another host."""
    pairs = [part.strip().rpartition("=") for part in text.split(",") if part.strip()]
    for name, sign, host in pairs:
        if not _HOST.fullmatch(host) or (sign and not _NAME.fullmatch(name)):
            shown = f"{name}{sign}{host}"
            raise RequestError(f"{GRANTS} has {shown!r}: it takes NAME=HOST, with commas between")
    said = {host: name for name, _, host in pairs}
    usual = {host: name for name, host in known.items() if name not in said.values()}
    return {**usual, **said}


def lend(
    env: Sequence[str], hosts: Sequence[str], *, grants: Mapping[str, str]
) -> tuple[Lent, ...]:
    """Every host and every variable finds its other half, or one sentence says what is missing."""
    named = {variable: host for host, variable in grants.items() if variable}
    for variable in env:
        if variable not in named:
            raise AgentUnusable(
                f"agent.env names {variable}, and nothing here says which host may have it: "
                f"set {GRANTS}={variable}=HOST where jam runs"
            )
        if named[variable] not in hosts:
            raise AgentUnusable(
                f"agent.env names {variable}, which is for {named[variable]}: "
                "agent.hosts has to name that host too"
            )
    return tuple(_lent(host, env=env, grants=grants) for host in dict.fromkeys(hosts))


def _lent(host: str, *, env: Sequence[str], grants: Mapping[str, str]) -> Lent:
    if host not in grants:
        raise AgentUnusable(
            f"agent.hosts names {host}, which nothing here allows: "
            f"set {GRANTS}=NAME={host} where jam runs (NAME: the variable that holds its key)"
        )
    variable = grants[host]
    if variable and variable not in env:
        raise AgentUnusable(f"agent.hosts names {host}: agent.env has to name {variable}, its key")
    return Lent(host, variable)


def demand_key(variable: str, value: str) -> str:
    """One that can be recognised again, and stands on one line."""
    if not value:
        raise AgentUnusable(f"agent.env names {variable}, which is not set where jam runs")
    if len(value) < LEAST or not value.isascii() or not value.isprintable() or " " in value:
        raise AgentUnusable(f"{variable} does not hold a key: too short, or not one plain word")
    return value
