"""
The way out of a ``command:`` agent: what its contract asks for, as far as this machine lends it.

Keys that the machine's owner did not pair with a host are lent to nobody. A server pays for all
who install it and cannot count what such an agent spends, so there nothing is lent by itself.
"""

from __future__ import annotations

from bot.adapters.proxy import Proxy
from bot.app.case import Case
from bot.core import proxied
from bot.core.proxied import TOOL
from bot.errors import AgentUnusable
from bot.wiring.secrecy import redactor
from bot.wiring.site import Site

COMMAND = "command:"


def of(case: Case, site: Site) -> Proxy | None:
    """``None`` where nothing is asked for. ``AgentUnusable``: it is, and cannot be had."""
    asked = case.contract.agent
    speaks = any(agent.startswith(COMMAND) for agent in case.opened.agents)
    if not speaks or not (asked.env or asked.hosts):
        return None
    if site.jail.level == "none":
        raise AgentUnusable(
            "agent.env and agent.hosts need a sandbox: without one the agent could read the key "
            "and reach anything; take them out of the contract, or work where a sandbox is"
        )
    lent = proxied.lend(asked.env, asked.hosts, grants=site.settings.grants)
    keys = {
        variable: proxied.demand_key(variable, site.settings.keys.get(variable, ""))
        for variable in asked.env
    }
    for key in keys.values():
        redactor().learn(key, for_good=True)
    for one in lent:
        site.say(f"the agent can reach {one.host} through jam's {TOOL}")
    return Proxy(lent=lent, keys=keys, ca=site.settings.ca)
