"""What the one who runs jam does: register, look whether all is well, refuse to run without it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.minihub import hubs
from tests.stories.github.world import REPO, ROOT, SECRET, SERVE, world

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


def jam(home: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", SERVE, *words, "--state", str(home / "state")],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_without_a_secret_it_does_not_start(tmp_path: Path) -> None:
    told = jam(tmp_path, "serve", JAM_APP_ID="1", JAM_PRIVATE_KEY="x")
    empty = jam(tmp_path, "serve", JAM_APP_ID="1", JAM_PRIVATE_KEY="x", JAM_WEBHOOK_SECRET=" , ")

    assert (told.returncode, empty.returncode) == (2, 2)
    assert "JAM_WEBHOOK_SECRET" in told.stderr
    assert "anybody could pretend to be GitHub" in empty.stderr


@contextmanager
def registering(home: Path, environment: Mapping[str, str]) -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, "serve", "--register", "--port", "0",
         "--state", str(home / "state")],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stderr is not None
        line = process.stderr.readline()
        try:
            yield line.split()[-1]
        finally:
            process.terminate()


def test_one_button_registers_and_the_doctor_agrees(tmp_path: Path) -> None:
    with hubs.minihub(tmp_path / "hub") as hub:
        hub.repository(REPO, {"a": "b"})
        environment = {"JAM_GITHUB_URL": hub.api_url}
        with registering(tmp_path, environment) as url:
            page = urllib.request.urlopen(url).read().decode()
            action = re.search(r'action="([^"]+)"', page)
            manifest = re.search(r'name="manifest" value="([^"]+)"', page)
            assert action
            assert manifest
            asked = urllib.parse.urlencode({"manifest": manifest[1].replace("&#34;", '"')})
            done = urllib.request.urlopen(action[1], asked.encode()).read().decode()
            stolen = f"{url}registered?code=abcdefgh&state=guessed"
            with pytest.raises(urllib.error.HTTPError, match="400"):
                urllib.request.urlopen(stolen)
        told = jam(tmp_path, "doctor", "--app")

    kept = (tmp_path / "state" / "app.env").stat().st_mode & 0o777
    assert "is registered" in done
    assert kept == 0o600
    assert "ok    permissions: all that are needed" in told.stdout
    assert "ok    events: all that are needed" in told.stdout
    assert "note  installations: none yet" in told.stdout


def test_the_doctor_says_of_what_would_fail_what_to_do(tmp_path: Path) -> None:
    with hubs.minihub(tmp_path / "hub") as hub:
        hub.person("ada")
        app = hub.app(hook_secret="s")
        hub.install(app, "ada")
        right = {
            "JAM_WEBHOOK_SECRET": "s", "JAM_APP_ID": str(app.app.id),
            "JAM_PRIVATE_KEY": app.private_key, "JAM_GITHUB_URL": hub.api_url,
        }  # fmt: skip
        wrong: dict[str, dict[str, str]] = {
            "`jam serve --register` makes an App": {"JAM_APP_ID": ""},
            "is it all of it?": {"JAM_PRIVATE_KEY": "hello"},
            "/nowhere.pem cannot be read": {
                "JAM_PRIVATE_KEY": "", "JAM_PRIVATE_KEY_FILE": "/nowhere.pem",
            },
            "are JAM_APP_ID and the private key of one App": {"JAM_APP_ID": "99999"},
            "JAM_GITHUB_URL says where it is": {"JAM_GITHUB_URL": "http://127.0.0.1:9/api/v3"},
            "is the server running": {"JAM_DATABASE_URL": "postgresql://jam:pw@127.0.0.1:9/jam"},
        }  # fmt: skip
        told = {
            words: jam(tmp_path, "doctor", "--app", **{**right, **change})
            for words, change in wrong.items()
        }

    assert {words: said.returncode for words, said in told.items()} == dict.fromkeys(wrong, 1)
    assert [words for words, said in told.items() if words not in said.stdout] == []
    assert [words for words, said in told.items() if "Traceback" in said.stderr] == []


def test_the_pages_ask_for_the_word(tmp_path: Path) -> None:
    with world(tmp_path, environment={"JAM_PAGES": "open sesame"}) as one:
        with pytest.raises(urllib.error.HTTPError, match="401"):
            one.page("/")
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(f"{one.url}/enter", b"word=guess")
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        page = browser.open(f"{one.url}/enter", b"word=open+sesame").read().decode()
        log = one.log

    assert "<h1>Sessions</h1>" in page
    assert SECRET not in log
