"""A coding program with a model, as a person runs it: the model is reached, the key is not."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.model_server import ModelServer, Say, text
from tests.stories.project import CONTRACT, FIXED, Project, lay
from tests.tls import make

KEY = "sk-canary-93b1f0c8de5544a07b12"
AGENT = """\
import os, pathlib, anthropic
client = anthropic.Anthropic()
with client.messages.stream(
    model="m", max_tokens=500, messages=[{"role": "user", "content": [
        {"type": "text", "text": pathlib.Path(os.environ["JAM_OBJECTIVE"]).read_text()}]}],
) as stream:
    said = stream.get_final_text()
pathlib.Path("ledgerlib.py").write_text(said)
print(dict(os.environ))
"""


@pytest.fixture
def model(tmp_path: Path) -> Iterator[tuple[ModelServer, Path]]:
    ca, context = make(tmp_path / "tls")
    with ModelServer([Say(blocks=(text(FIXED),))], tls=context) as server:
        yield server, ca


def project(home: Path, server: ModelServer, ca: Path) -> Project:
    host = f"localhost:{server.port}"
    asks = f"agent: {{env: [ANTHROPIC_API_KEY], hosts: ['{host}']}}\n"
    laid = lay(home / "it", contract=CONTRACT + asks.replace("{", "{{").replace("}", "}}"))
    more = {
        "ANTHROPIC_API_KEY": KEY,
        "JAM_AGENT_HOSTS": f"ANTHROPIC_API_KEY={host}",
        "SSL_CERT_FILE": str(ca),
    }
    (laid.home / "agent.py").write_text(AGENT)
    laid.commit({"tools/agent.py": AGENT})
    return replace(laid, more=more)


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_its_change_is_verified_and_what_it_could_reach_is_told(
    tmp_path: Path, model: tuple[ModelServer, Path]
) -> None:
    server, ca = model
    mine = project(tmp_path, server, ca)
    told = mine.fix(f"command:{sys.executable} tools/agent.py")

    assert (told.exit_code, told.document["outcome"]) == (0, "verified"), told.errors
    assert [heard["x-api-key"] for heard in server.headers] == [KEY]
    assert server.refusals == []
    line = f"- The agent could reach `localhost:{server.port}` through jam's proxy: 1 call, "
    assert line + "whose cost is not counted here." in told.document["body"]
    assert f"the agent can reach localhost:{server.port} through jam's proxy" in told.errors
    everything = [path.read_bytes() for path in mine.state.rglob("*") if path.is_file()]
    assert [content for content in everything if KEY.encode() in content] == []
    assert any(b"jam-adds-the-key" in content for content in everything)


def test_without_a_sandbox_it_is_refused(tmp_path: Path, model: tuple[ModelServer, Path]) -> None:
    mine = project(tmp_path, *model)
    told = mine.fix("command:true", "--sandbox", "none")

    assert told.exit_code == 2
    assert told.errors.splitlines()[-1].endswith(
        "agent.env and agent.hosts need a sandbox: without one the agent could read the key and "
        "reach anything; take them out of the contract, or work where a sandbox is"
    )
    assert list((mine.state / "sessions").glob("*")) == []


def test_a_key_that_is_lent_to_no_host_is_refused(
    tmp_path: Path, model: tuple[ModelServer, Path]
) -> None:
    mine = project(tmp_path, *model)
    told = replace(mine, more={"ANTHROPIC_API_KEY": KEY}).fix("command:true")

    assert told.exit_code == 2
    assert "which is for api.anthropic.com: agent.hosts has to name that host too" in told.errors
