"""Whoever has the repository checks what jam says of a change, and needs nothing else of jam's."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.stories.project import FIX, Project, Told, lay

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def mended(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Told]:
    """A change that was verified, its statement signed."""
    home = tmp_path_factory.mktemp("mended")
    project = lay(home)
    assert project.jam("attest", "keygen", str(home / "key")).exit_code == 0
    environment = {**project.environment(), "JAM_SIGNING_KEY": str(home / "key")}
    done = subprocess.run(
        project.argv(*project.fixing(project.script(FIX))),
        capture_output=True, text=True, env=environment,
    )  # fmt: skip
    return project, Told(
        exit_code=done.returncode, document=json.loads(done.stdout), errors=done.stderr
    )


def verify(project: Project, *words: str) -> Told:
    return project.jam("attest", "verify", *words, "--json")


def test_a_stranger_with_a_clone_checks_the_commit(
    mended: tuple[Project, Told], tmp_path: Path
) -> None:
    project, told = mended
    clone = tmp_path / "clone"
    commit, ref = told.document["commit"], told.document["statement"]["ref"]
    for words in (["clone", "-q", str(project.repo), str(clone)],
                  ["-C", str(clone), "fetch", "-q", "origin", f"{ref}:{ref}"]):  # fmt: skip
        subprocess.run(["git", *words], check=True, capture_output=True)

    key = str(project.home / "key.pub")
    said = verify(project, "--repo", str(clone), "--commit", commit, "--key", key)

    assert (said.exit_code, said.document["broken"]) == (0, []), said.errors
    assert said.document["statement"]["predicate"]["result"] == "PASSED"
    signed, ledger, evidence, held = said.document["looked_at"]
    assert signed == f"Signed with the key of {key}."
    assert ledger.startswith("The ledger: 19 entries follow from each other, make sense,")
    assert re.fullmatch(r"Evidence: (\d+) of \1 cited pieces are here, as cited\.", evidence)
    assert held == f"The commit {commit[:12]} holds the tree that was judged."


def test_another_key_did_not_sign_it(mended: tuple[Project, Told], tmp_path: Path) -> None:
    project, told = mended
    assert project.jam("attest", "keygen", str(tmp_path / "k")).exit_code == 0
    other = str(tmp_path / "k.pub")
    commit = told.document["commit"]

    said = verify(project, "--repo", str(project.repo), "--commit", commit, "--key", other)

    assert said.exit_code == 5
    assert said.document["broken"] == [
        f"the statement as it is was not signed with the key of {other}"
    ]


def test_files_beside_each_other_are_checked_without_a_repository(
    mended: tuple[Project, Told], tmp_path: Path
) -> None:
    project, told = mended
    state = Path(told.document["statement"]["file"]).parent
    for name in ("ledger.jsonl", "statement.dsse.json"):
        shutil.copy(state / name, tmp_path)
    ledger = tmp_path / "ledger.jsonl"

    whole = verify(project, str(tmp_path / "statement.dsse.json"))
    ledger.write_text(ledger.read_text().replace('"level":"L3"', '"level":"L2"'))
    changed = verify(project, str(tmp_path / "statement.dsse.json"))
    ledger.unlink()
    missing = verify(project, str(tmp_path / "statement.dsse.json"))

    assert (whole.exit_code, changed.exit_code, missing.exit_code) == (0, 5, 2)
    assert "which nobody checked" in whole.document["looked_at"][0]
    assert changed.errors == (
        "jam: entry 16 (adjudicated) does not follow from the one before it\n"
    )
    assert missing.errors == f"jam: there is no {ledger}: name the ledger with --ledger\n"


def test_a_commit_that_jam_did_not_make_has_no_statement(mended: tuple[Project, Told]) -> None:
    project, _ = mended
    said = verify(project, "--repo", str(project.repo), "--commit", "main")

    assert (said.exit_code, said.errors) == (2, "jam: the commit main names no session of jam's\n")


def test_a_key_that_cannot_sign_is_told_before_anything_runs(tmp_path: Path) -> None:
    project = lay(tmp_path)
    environment = {**project.environment(), "JAM_SIGNING_KEY": str(tmp_path / "issue.md")}
    done = subprocess.run(
        project.argv(*project.fixing("command:true")),
        capture_output=True, text=True, env=environment,
    )  # fmt: skip

    assert done.returncode == 2
    assert "holds no private key that jam can sign with" in done.stderr
    assert "session" not in done.stderr


def test_a_change_that_was_only_judged_has_a_statement_beside_its_ledger(
    tmp_path: Path,
) -> None:
    project = lay(tmp_path)
    project.git("checkout", "-q", "-b", "theirs")
    product = (project.repo / "ledgerlib.py").read_text()
    project.commit({"ledgerlib.py": product.replace("left > 1", "left > 0")}, "mend")
    told = project.jam(
        "verify", "--repo", str(project.repo), "--base", "main", "--head", "theirs",
        "--target", "tests/test_free.py::test_one_is_left", "--state", str(project.state), "--json",
    )  # fmt: skip

    said = verify(project, told.document["statement"]["file"], "--repo", str(project.repo))

    assert (told.exit_code, said.exit_code, said.document["broken"]) == (0, 0, []), said.errors
    assert told.document["statement"]["ref"] is None
    assert said.document["statement"]["subject"][0]["digest"] == {
        "gitCommit": project.git("rev-parse", "theirs")
    }
    assert said.document["looked_at"][0].startswith("Unsigned:")
