"""Pages as a person reads them, and ``jam minihub`` as a person starts it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from bot.minihub.minihub import AppKey, Minihub
from bot.minihub.pages import markdown
from tests.minihub.hubs import as_installation, git


def page(hub: Minihub, path: str) -> requests.Response:
    return requests.get(f"{hub.url}{path}", timeout=20)


def test_a_pull_request_is_read_with_its_checks(hub: Minihub, app: AppKey, lib: str) -> None:
    ada = hub.person("ada")
    sha = ada.push(lib, "mend", {"lib/a.py": "def f():\n    return 2\n"})
    number = ada.open_pull(lib, head="mend", title="Mend <b>", body="| a |\n|---|\n| `b` |")
    repo = as_installation(hub, app, lib).get_repo(lib)
    run = repo.create_check_run(
        "jam",
        sha,
        conclusion="success",
        output={"title": "15 passed", "summary": "**all**"},
    )
    repo.get_issue(number).create_comment("Looked.").create_reaction("rocket")
    text = page(hub, f"/{lib}/pull/{number}").text

    assert "<h1>Mend &lt;b&gt; <small>" in text
    for read in ("<td><code>b</code></td>", "15 passed", "<p>Looked.</p>", "rocket by jam[bot]"):
        assert read in text
    assert "<strong>all</strong>" in page(hub, f"/{lib}/runs/{run.id}").text
    assert "+    return 2" in page(hub, f"/{lib}/pull/{number}/files").text
    assert f'href="/{lib}/pull/{number}"' in page(hub, f"/{lib}").text
    assert f'href="/{lib}"' in page(hub, "/").text
    assert "Deliveries" in page(hub, "/deliveries").text


def test_nothing_is_told_of_what_is_not_there(hub: Minihub, lib: str) -> None:
    paths = ("/ada/nothing", f"/{lib}/issues/9", f"/{lib}/runs/9", "/a/b/c/d")

    assert [page(hub, each).status_code for each in paths] == [404] * 4


HARMLESS = {
    "a script": ("<script>x</script>", "&lt;script&gt;x&lt;/script&gt;"),
    "an image": ("a <img src=x onerror=y> b", "<p>a &lt;img src=x onerror=y&gt; b</p>\n"),
    "a comment": ("a <!-- b --> c", "<p>a  c</p>\n"),
    "a block comment": ("<!-- b\nc -->", ""),
    "folded": (
        "<details>\n<summary>s</summary>\n\n*in*\n\n</details>",
        "<details>\n<summary>s</summary>\n<p><em>in</em></p>\n</details>",
    ),
    "an attribute": ("<details open>", "&lt;details open&gt;"),
    "tags in code": (
        "```\n</details>\n```",
        "<pre><code>&lt;/details&gt;\n</code></pre>\n",
    ),
    "a script's address": ("[a](javascript:b)", "<p>[a](javascript:b)</p>\n"),
}


@pytest.mark.parametrize(("text", "html"), HARMLESS.values(), ids=HARMLESS)
def test_markdown_lets_only_harmless_tags_through(text: str, html: str) -> None:
    assert str(markdown(text)) == html


def test_jam_minihub_serves_a_repository_until_it_is_stopped(tmp_path: Path) -> None:
    git("init", "-q", "-b", "main", "here", cwd=tmp_path)
    (tmp_path / "here/a").write_text("x")
    git("add", ".", cwd=tmp_path / "here")
    git("commit", "-qm", "One", cwd=tmp_path / "here")
    run = "import sys; from bot.cli.minihub import app; app(sys.argv[1:], standalone_mode=False)"
    started = subprocess.Popen(
        [sys.executable, "-c", run, "--state", str(tmp_path / "s"), "--repo", "ada/lib=here"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert started.stdout is not None
    told: dict[str, str] = {}
    while not (line := started.stdout.readline()).startswith("Ctrl-C"):
        name, _, rest = line.strip().partition(" ")
        told[name] = rest.strip()
    read = requests.get(f"{told['API']}/repos/ada/lib/contents/a", timeout=20)
    clone = git("clone", "-q", told["git"], "c", cwd=tmp_path)
    started.send_signal(signal.SIGTERM)
    code = started.wait(timeout=20)
    started.stdout.close()

    assert (read.status_code, clone.returncode, (tmp_path / "c/a").read_text()) == (200, 0, "x")
    assert code == 0
    assert (tmp_path / "s/app.pem").stat().st_mode & 0o777 == 0o600
