from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from bot.app import workflows
from bot.app.init import InitRequest, init
from bot.app.workflows import WhichCommit, WorkflowThere
from bot.core import contract_file

PIN = "ada/jam@" + "0123456789" * 4


def lay(repo: Path) -> Path:
    (repo / ".github/workflows").mkdir(parents=True)
    (repo / "tests").mkdir()
    (repo / "tests/test_a.py").write_text("def test_a(): pass\n")
    (repo / "pyproject.toml").write_text('[project]\nname = "x"\nrequires-python = ">=3.13"\n')
    (repo / ".github/workflows/ci.yml").write_text("name: 'Tests: all'  # ours\non: push\n")
    (repo / ".github/workflows/nameless.yaml").write_text("on: push\n")
    return repo


def test_they_are_written_with_this_repositorys_names(tmp_path: Path) -> None:
    repo = lay(tmp_path)

    answer = init(InitRequest(repo=repo, workflows=True, action=PIN))

    written = {path.name: path.read_text() for path in (repo / workflows.FOLDER).glob("jam-*")}
    fix = yaml.load(written["jam-fix.yml"], Loader=yaml.BaseLoader)
    uses = [step["uses"] for step in fix["jobs"]["jam"]["steps"] if "jam@" in step["uses"]]
    asked = fix["on"]["workflow_dispatch"]["inputs"]["oracle"]["description"]
    assert sorted(written) == ["jam-fix.yml", "jam-flaky.yml", "jam-verify.yml"]
    assert fix["on"]["workflow_run"]["workflows"] == ["Tests: all"]
    assert uses == [PIN]
    assert asked == "Which oracle judges: unit"
    assert all("python-version: '3.13'" in text for text in written.values())
    assert contract_file.read((repo / ".github/jam.yml").read_bytes(), name="jam.yml")
    assert "jam-fix.yml written." in answer.text


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    repo = lay(tmp_path)
    mine = repo / workflows.FOLDER / "jam-verify.yml"
    mine.write_text("mine\n")

    with pytest.raises(WorkflowThere, match=r"jam-verify\.yml: there already; --force"):
        init(InitRequest(repo=repo, workflows=True, action=PIN))
    kept = mine.read_text()
    init(InitRequest(repo=repo, workflows=True, action=PIN, force=True))

    assert kept == "mine\n"
    assert mine.read_text().startswith("# jam judges a pull request")


@pytest.mark.parametrize("action", ["", "ada/jam@main", "ada/jam", "ada/jam@0123456"])
def test_a_commit_is_never_guessed(tmp_path: Path, action: str) -> None:
    with pytest.raises(WhichCommit, match=r"OWNER/NAME@COMMIT; name it, whole, with --action"):
        init(InitRequest(repo=lay(tmp_path), workflows=True, action=action))


def test_what_is_written_passes_the_linter(tmp_path: Path) -> None:
    repo = lay(tmp_path)
    init(InitRequest(repo=repo, workflows=True, action=PIN))
    linter = Path(sys.executable).with_name("actionlint")
    written = sorted((repo / workflows.FOLDER).glob("jam-*.yml"))

    told = subprocess.run([linter, *written], capture_output=True, text=True, check=False)

    assert (told.returncode, told.stdout) == (0, "")
