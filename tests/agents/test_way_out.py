"""
What a command in a jail reaches through jam's proxy: a few hosts, and never the key.

The host is a server on loopback that tells all it was sent, and the agent a real command.
"""

from __future__ import annotations

import base64
import json
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from bot.adapters.proxy import ADDRESS, Proxy
from bot.agents.command import CommandAgent
from bot.core.proxied import Lent
from bot.ports import Remaining, TurnDone, Wish
from tests.agents.bench import BRIEF, PLENTY, Lab, make_lab
from tests.tls import make

KEY = "sk-canary-4f9a1c77e02b5d68aa31"
NAME = "ANTHROPIC_API_KEY"


@dataclass(slots=True)
class Echo:
    """Answers with what it was sent, in many spellings."""

    server: ThreadingHTTPServer
    heard: list[dict[str, Any]] = field(default_factory=list)

    @property
    def host(self) -> str:
        return f"localhost:{self.server.server_port}"


class _Handler(BaseHTTPRequestHandler):
    home: ClassVar[Echo]
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.home.heard.append({"path": self.path, "headers": headers, "body": body.decode()})
        key = headers.get("x-api-key", "").encode()
        told = {**self.home.heard[-1], "hex": key.hex(), "b64": base64.b64encode(key).decode()}
        sent = json.dumps(told).encode() + b"\n" + key
        self.send_response(302 if self.path == "/away" else 200)
        self.send_header("content-type", "text/plain")
        self.send_header("set-cookie", key.decode())
        self.send_header("request-id", f"for {key.decode()}")
        self.send_header("transfer-encoding", "chunked")
        if self.path == "/away":
            self.send_header("location", "https://localhost:1/")
        if self.path == "/packed":
            self.send_header("content-encoding", "gzip")
        self.end_headers()
        middle = sent.find(key) + len(key) // 2 if key else 1  # a key in two pieces
        for part in (sent[:middle], sent[middle:]):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    do_GET = do_POST  # noqa: N815 - their names there


@pytest.fixture
def authority(tmp_path: Path) -> tuple[Path, ssl.SSLContext]:
    return make(tmp_path / "tls")


@pytest.fixture
def echo(authority: tuple[Path, ssl.SSLContext]) -> Iterator[Echo]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.socket = authority[1].wrap_socket(server.socket, server_side=True)
    home = Echo(server)
    server.RequestHandlerClass = type("Handler", (_Handler,), {"home": home})
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield home
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return make_lab(tmp_path / "tree", jail="bwrap")


def proxy(echo: Echo, ca: Path | None, *, variable: str = NAME) -> Proxy:
    keys = {variable: KEY} if variable else {}
    return Proxy(lent=(Lent(echo.host, variable),), keys=keys, ca=ca)


def turn(lab: Lab, way_out: Proxy, command: str, *, remaining: Remaining = PLENTY) -> TurnDone:
    agent = CommandAgent(command=command, clock=lambda: 0.0, way_out=way_out)
    return agent.turn(BRIEF, lab.bench, history=(), feedback="", remaining=remaining)


ASK = """\
import json, os, sys, urllib.error, urllib.request
def ask(address, data=b"{}", **headers):
    try:
        answer = urllib.request.urlopen(urllib.request.Request(address, data, headers))
        return answer.status, answer.read().decode(), dict(answer.headers)
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), dict(error.headers)
base = os.environ.get("ANTHROPIC_BASE_URL", "")
"""


def python(script: str) -> str:
    return f"cat > ask.py <<'END'\n{ASK}{script}\nEND\npython3 ask.py"


class TestAnAgent:
    def test_reaches_its_host_with_the_key_added_outside(
        self, lab: Lab, echo: Echo, authority: tuple[Path, ssl.SSLContext]
    ) -> None:
        script = python(
            "print(ask(base + '/v1/messages', b'{\"hi\": 1}', **{'x-api-key': os.environ"
            "['ANTHROPIC_API_KEY'], 'authorization': 'Bearer mine', 'cookie': 'a=b',"
            "'anthropic-version': '2023-06-01', 'content-type': 'application/json'})[0])"
        )
        done = turn(lab, proxy(echo, authority[0]), script)

        assert (done.wish, done.said) == (Wish.FINISH, "200")
        (heard,) = echo.heard
        assert (heard["path"], heard["body"]) == ("/v1/messages", '{"hi": 1}')
        headers = heard["headers"]
        assert {name: headers.get(name) for name in ("x-api-key", "authorization", "cookie")} == {
            "x-api-key": KEY,
            "authorization": None,
            "cookie": None,
        }
        assert headers["anthropic-version"] == "2023-06-01"

    def test_is_told_of_in_the_calls_of_its_turn(
        self, lab: Lab, echo: Echo, authority: tuple[Path, ssl.SSLContext]
    ) -> None:
        script = python("ask(base + '/a', b'12345'); ask('http://127.0.0.1:4790/else.where/')")
        calls = turn(lab, proxy(echo, authority[0]), script).calls

        told = [(call.tool, call.argument, call.decision) for call in calls[1:]]
        assert told == [("proxy", echo.host, "allow"), ("proxy", "", "deny")]
        assert calls[1].why.startswith("1 call, 5 bytes sent, ")
        assert calls[2].why == "1 call for hosts that may not be reached"

    def test_never_sees_the_key(
        self, lab: Lab, echo: Echo, authority: tuple[Path, ssl.SSLContext]
    ) -> None:
        """Not in its environment, its files, its processes, nor in an answer that holds all that
        the host was sent."""
        script = python(
            "print(ask(base + '/echo'))\n"
            "print(ask(base + '/echo?' + 'x' * 3000))\n"
            "print(ask('http://127.0.0.1:4790/other.example/'))"
        )
        look = (
            "{ env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; cat /proc/net/unix; "
            "find /tmp /run /etc /jam /dev/shm -type f -size -99k ! -name seen -exec cat {} +; "
            "cat /run/jam-way-out/* /run/jam-way-out/door/*; } 2>/dev/null"
        )
        done = turn(lab, proxy(echo, authority[0]), f"{{ {script}\n{look}; }} > seen 2>&1; true")

        seen = (lab.tree / "seen").read_bytes() + done.said.encode() + done.memory
        assert len(echo.heard) == 2
        assert b"ANTHROPIC_API_KEY=jam-adds-the-key" in seen
        assert seen.count(b"[secret]") >= 8  # four spellings, twice
        spelled = {KEY, KEY[::-1], KEY.encode().hex(), base64.b64encode(KEY.encode()).decode()}
        assert [one for one in (*spelled, KEY[5:], KEY[:-5]) if one.encode() in seen] == []

    @pytest.mark.parametrize(
        ("path", "status", "why"),
        [
            ("/away", 502, "{host} points elsewhere, where jam's proxy does not go"),
            ("/packed", 502, "{host} packed its answer though it was asked not to"),
        ],
    )
    def test_is_not_led_elsewhere(
        self,
        lab: Lab,
        echo: Echo,
        authority: tuple[Path, ssl.SSLContext],
        path: str,
        status: int,
        why: str,
    ) -> None:
        done = turn(lab, proxy(echo, authority[0]), python(f"print(ask(base + {path!r})[:2])"))

        assert done.said == str((status, _told(why.format(host=echo.host))))

    @pytest.mark.parametrize("place", ["localhost", "LOCALHOST:{port}", "{host}.evil", "%2f", ""])
    def test_reaches_no_other_name(
        self, lab: Lab, echo: Echo, authority: tuple[Path, ssl.SSLContext], place: str
    ) -> None:
        named = place.format(host=echo.host, port=echo.server.server_port)
        done = turn(
            lab, proxy(echo, authority[0]), python(f"print(ask('{ADDRESS}/{named}/v1')[:2])")
        )

        assert done.said == str((403, _told(f"jam's proxy reaches {echo.host} and nothing else")))
        assert echo.heard == []

    def test_makes_no_tunnel_and_serves_no_other_form(
        self, lab: Lab, echo: Echo, authority: tuple[Path, ssl.SSLContext]
    ) -> None:
        script = python(
            "import socket\n"
            "for said in sys.argv[1:]:\n"
            "    line = socket.create_connection(('127.0.0.1', 4790))\n"
            "    line.sendall(said.encode() + b' HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n')\n"
            "    print(line.recv(99).split()[1].decode())"
        )
        asked = f" 'CONNECT {echo.host}' 'GET https://{echo.host}/'"
        done = turn(lab, proxy(echo, authority[0]), script + asked)

        assert done.said.split() == ["405", "403"]
        assert echo.heard == []

    def test_reaches_nothing_else(
        self, lab: Lab, echo: Echo, authority: tuple[Path, ssl.SSLContext]
    ) -> None:
        port = echo.server.server_port
        script = python(
            f"import socket\ntry:\n    socket.create_connection(('127.0.0.1', {port}), 2)\n"
            "except OSError as error:\n    print(error.strerror)"
        )

        assert turn(lab, proxy(echo, authority[0]), script).said == "Connection refused"


def _told(why: str) -> str:
    return json.dumps({"type": "error", "error": {"type": "jam_proxy", "message": why}})


def test_a_host_without_a_right_certificate_is_not_spoken_to(
    lab: Lab, echo: Echo, tmp_path: Path
) -> None:
    other, _ = make(tmp_path / "other")
    done = turn(lab, proxy(echo, other), python("print(ask(base + '/v1')[:2])"))

    assert f"{echo.host} cannot be reached: its certificate is not trusted" in done.said
    assert echo.heard == []


def test_a_host_without_a_key_is_reached_without_one(
    lab: Lab, echo: Echo, authority: tuple[Path, ssl.SSLContext]
) -> None:
    script = python(f"print(ask('{ADDRESS}/{echo.host}/v1')[0])")
    done = turn(lab, proxy(echo, authority[0], variable=""), script)

    assert done.said == "200"
    assert {"x-api-key", "authorization"} & echo.heard[0]["headers"].keys() == set()


def test_nothing_waits_for_a_host_when_the_command_is_over(
    lab: Lab, echo: Echo, authority: tuple[Path, ssl.SSLContext]
) -> None:
    before = threading.active_count()
    script = python("import subprocess") + f"; (curl -s {ADDRESS}/{echo.host}/ & ) ; true"
    done = turn(lab, proxy(echo, authority[0]), script)

    assert done.wish is Wish.FINISH
    assert threading.active_count() == before


def test_the_door_is_shut_when_the_command_begins(
    lab: Lab, echo: Echo, authority: tuple[Path, ssl.SSLContext]
) -> None:
    script = python(
        "import socket\nline = socket.socket(socket.AF_UNIX)\n"
        "try:\n    line.connect('/run/jam-way-out/door/socket')\n    print('open')\n"
        "except OSError as error:\n    print(error.strerror)"
    )

    assert turn(lab, proxy(echo, authority[0]), script).said == "Connection refused"
