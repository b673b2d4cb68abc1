"""Which key goes to which host: said where jam runs, and asked for by the contract."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from bot.core.proxied import DUMMY, KNOWN, Lent, Used, calls_of, demand_key, granted, lend
from bot.errors import AgentUnusable, RequestError

USUAL = granted("", known=KNOWN)
HOST = "api.anthropic.com"


def test_a_known_key_goes_to_its_own_host() -> None:
    assert lend(["ANTHROPIC_API_KEY"], [HOST], grants=USUAL) == (Lent(HOST, "ANTHROPIC_API_KEY"),)


def test_what_is_said_here_replaces_what_is_known() -> None:
    grants = granted("ANTHROPIC_API_KEY=llm.example:8443, wiki.example", known=KNOWN)

    assert grants == {
        "api.openai.com": "OPENAI_API_KEY",
        "generativelanguage.googleapis.com": "GEMINI_API_KEY",
        "llm.example:8443": "ANTHROPIC_API_KEY",
        "wiki.example": "",
    }


@pytest.mark.parametrize(
    ("env", "hosts", "why"),
    [
        (
            ["AWS_SECRET_ACCESS_KEY"],
            ["evil.example"],
            "agent.env names AWS_SECRET_ACCESS_KEY, and nothing here says which host may have it: "
            "set JAM_AGENT_HOSTS=AWS_SECRET_ACCESS_KEY=HOST where jam runs",
        ),
        (
            ["ANTHROPIC_API_KEY"],
            ["evil.example"],
            "agent.env names ANTHROPIC_API_KEY, which is for api.anthropic.com: "
            "agent.hosts has to name that host too",
        ),
        (
            ["ANTHROPIC_API_KEY"],
            [HOST, "evil.example"],
            "agent.hosts names evil.example, which nothing here allows: set "
            "JAM_AGENT_HOSTS=NAME=evil.example where jam runs (NAME: the variable that holds its "
            "key)",
        ),
        (
            [],
            [HOST],
            "agent.hosts names api.anthropic.com: agent.env has to name ANTHROPIC_API_KEY, its key",
        ),
    ],
    ids=["any variable", "another host", "one host too many", "no key"],
)
def test_a_contract_gets_nothing_that_is_not_lent(
    env: list[str], hosts: list[str], why: str
) -> None:
    with pytest.raises(AgentUnusable, match=f"^{re.escape(why)}$"):
        lend(env, hosts, grants=USUAL)


@pytest.mark.parametrize("text", ["A B=host.example", "=host.example", "NAME=https://x.example"])
def test_what_is_no_pair_is_told(text: str) -> None:
    with pytest.raises(RequestError, match="it takes NAME=HOST"):
        granted(text, known={})


@pytest.mark.parametrize(
    "value", ["", "short", "two words in it", "line\nbreaks-in", "schl\xfcssel"]
)
def test_what_is_no_key_is_not_sent(value: str) -> None:
    with pytest.raises(AgentUnusable, match="SOME_KEY"):
        demand_key("SOME_KEY", value)


@pytest.mark.parametrize(
    ("lent", "header", "environment"),
    [
        (
            Lent(HOST, "ANTHROPIC_API_KEY"),
            ("x-api-key", "k"),
            {"ANTHROPIC_API_KEY": DUMMY, "ANTHROPIC_BASE_URL": f"at/{HOST}"},
        ),
        (
            Lent("api.openai.com", "OPENAI_API_KEY"),
            ("authorization", "Bearer k"),
            {
                "OPENAI_API_KEY": DUMMY,
                "OPENAI_BASE_URL": "at/api.openai.com/v1",
                "OPENAI_API_BASE": "at/api.openai.com/v1",
            },
        ),
        (
            Lent("llm.example", "OUR_TOKEN"),
            ("authorization", "Bearer k"),
            {"OUR_TOKEN": DUMMY, "OUR_BASE_URL": "at/llm.example"},
        ),
        (Lent("wiki.example"), ("authorization", "Bearer k"), {}),
    ],
    ids=["anthropic", "openai", "any", "no key"],
)
def test_each_key_has_its_header_and_its_variables(
    lent: Lent, header: tuple[str, str], environment: Mapping[str, str]
) -> None:
    assert (lent.header, lent.spelled("k")) == header
    assert dict(lent.environment("at")) == environment


def test_what_was_used_can_be_counted_again() -> None:
    used = Used("llm.example", calls=1_234, sent=5, received=6_789)

    assert used.told == "1,234 calls, 5 bytes sent, 6,789 received"
    assert calls_of(used.told) == 1_234
