"""``jam fix`` as a person runs it, from the outside: real git, real sandbox, real tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.project import CONTRACT, FIX, FIXED, PRODUCT, TARGET, Project, lay


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return lay(tmp_path)


def test_a_right_change_is_verified_and_on_a_branch(project: Project) -> None:
    base = project.git("rev-parse", "main")
    told = project.fix(project.script(FIX))

    assert (told.exit_code, told.document["outcome"], told.document["level"]) == (
        0,
        "verified",
        "L3",
    ), told.errors
    branch = told.document["branch"]
    assert project.git("show", f"{branch}:ledgerlib.py") == FIXED.strip()
    assert project.git("rev-parse", f"{branch}^") == base
    assert project.git("rev-parse", f"{branch}^{{tree}}") == told.document["tree"]
    assert told.document["oracle"]["baseline"]["targets"] == [TARGET]
    assert told.document["body"].startswith("One is left and I am told nothing is")


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_what_is_the_persons_is_not_touched(project: Project) -> None:
    (project.repo / "notes.txt").write_text("mine")
    (project.repo / "ledgerlib.py").write_text(PRODUCT + "# mine too\n")
    project.git("add", "notes.txt")
    before = (project.git("status", "--porcelain"), project.git("rev-parse", "HEAD"))
    config = (project.repo / ".git" / "config").read_bytes()

    assert project.fix(project.script(FIX)).exit_code == 0
    assert (project.git("status", "--porcelain"), project.git("rev-parse", "HEAD")) == before
    assert (project.repo / ".git" / "config").read_bytes() == config


def test_no_change_is_failed_and_leaves_nothing(project: Project) -> None:
    told = project.fix("command:true")

    assert (told.exit_code, told.document["outcome"]) == (1, "failed")
    assert project.branches() == ["main"]
    assert told.document["oracle_had_red_run"] is True
    assert list((project.state / "sessions").glob("*/tree")) == []


def test_changing_the_tests_instead_is_failed_with_the_restore_on_record(
    project: Project,
) -> None:
    weaken = "sed -i 's/== 1/== 0/' tests/test_free.py"
    told = project.fix(f"command:{weaken}")

    assert (told.exit_code, told.document["outcome"]) == (1, "failed")
    assert told.document["guard_restores"] >= 1
    assert project.branches() == ["main"]


def test_a_green_base_is_refused_before_any_agent(tmp_path: Path) -> None:
    project = lay(tmp_path, **{"ledgerlib.py": FIXED})
    told = project.fix("command:touch /tmp/never")

    assert (told.exit_code, told.document["error"]) == (2, "spec.not_red")
    assert list((project.state / "sessions").iterdir()) == []


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_missing_module_of_the_environment_is_an_error_and_not_red(tmp_path: Path) -> None:
    broken = "import requests_that_nobody_has\n\n\ndef test_x():\n    assert True\n"
    project = lay(tmp_path, **{"tests/test_x.py": broken})
    told = project.fix("command:true")

    assert (told.exit_code, told.document["error"]) == (2, "spec.oracle_error")
    assert "requests_that_nobody_has" in told.errors


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_stop_hook_vetoes_and_the_agent_goes_on(tmp_path: Path) -> None:
    contract = (
        'version: 1\nhooks: {{stop: ["grep -q mended ledgerlib.py"]}}\noracles:\n  unit:\n'
        "    gates: [{{run: '{python} -m pytest -q'}}]\n"
    )
    project = lay(tmp_path, contract=contract)
    script = (
        "- shell: sed -i 's/left > 1/left > 0/' ledgerlib.py\n- finish: true\n"
        "- shell: echo '# mended' >> ledgerlib.py\n- finish: true\n"
    )
    told = project.fix(project.script(script))

    assert (told.exit_code, told.document["usage"]["refusals"]) == (0, 1), told.errors
    assert project.git("show", f"{told.document['branch']}:ledgerlib.py").endswith("# mended")


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_the_agents_new_tests_come_in_a_commit_of_their_own(project: Project) -> None:
    script = (
        "- shell: sed -i 's/left > 1/left > 0/' ledgerlib.py\n"
        '- write: {path: tests/test_more.py, content: "def test_more():\\n    assert True\\n"}\n'
        '- write: {path: conftest.py, content: ""}\n'
        "- finish: true\n"
    )
    told = project.fix(project.script(script))
    branch = told.document["branch"]

    assert told.exit_code == 0, told.errors
    assert project.git("diff", "--name-only", f"{branch}^", branch) == "tests/test_more.py"
    assert project.git("rev-parse", f"{branch}^^{{tree}}") == told.document["tree"]
    assert project.git("rev-parse", f"{branch}^{{tree}}") == told.document["head_tree"]


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_checkpoints_hold_what_the_agent_left_and_can_be_had_back(project: Project) -> None:
    told = project.fix(project.script("- write: {path: odd.bin, content: kept}\n- finish: true\n"))
    session = told.document["session"]
    where = ("--repo", str(project.repo))
    listed = project.jam("checkpoints", "list", session, *where, "--json")

    assert (told.exit_code, told.document["outcome"]) == (1, "failed")
    assert [kept["number"] for kept in listed.document["checkpoints"]] == [1]
    assert (
        "odd.bin"
        in project.jam("checkpoints", "diff", session, "1", *where, "--json").document["patch"]
    )
    back = project.jam("checkpoints", "restore", session, "1", *where, "--json")
    assert project.git("show", f"{back.document['branch']}:odd.bin") == "kept"
    assert project.jam("checkpoints", "prune", session, *where, "--json").document == {"pruned": 1}


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_the_ledger_checks_and_one_changed_letter_is_found(project: Project) -> None:
    told = project.fix(project.script(FIX))
    ledger = Path(told.document["ledger"])

    assert project.jam("ledger", "check", str(ledger)).exit_code == 0
    ledger.write_text(ledger.read_text().replace('"passed":3', '"passed":4', 1))
    assert project.jam("ledger", "check", str(ledger)).exit_code == 5


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_change_that_exists_is_verified_by_its_own_new_test(tmp_path: Path) -> None:
    quiet = PRODUCT.replace("left > 1", "left > 0")
    project = lay(tmp_path, **{"ledgerlib.py": quiet})
    project.git("checkout", "-qb", "feature")
    more = "from ledgerlib import share\n\n\ndef test_nobody():\n    assert share(3, 0) == 0\n"
    head = quiet.replace("total // people", "total // people if people else 0")
    project.commit({"ledgerlib.py": head, "tests/test_share.py": more}, "share among nobody")
    project.git("checkout", "-q", "main")
    where = ("--repo", str(project.repo), "--state", str(project.state), "--json")
    told = project.jam("verify", "--base", "main", "--head", "feature", *where)
    idle = project.jam("verify", "--base", "main", "--head", "main", *where)

    assert (told.exit_code, told.document["outcome"]) == (0, "verified"), told.errors
    assert told.document["oracle"]["baseline"]["targets"] == ["tests/test_share.py::test_nobody"]
    assert (idle.exit_code, idle.document["why"]) == (3, "no test tells base from head")
    assert project.branches() == ["feature", "main"]


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_without_a_sandbox_it_works_and_says_so(project: Project) -> None:
    told = project.fix(project.script(FIX), "--sandbox", "none")

    assert (told.exit_code, told.document["sandbox"]) == (0, "none"), told.errors
    assert any("no sandbox" in line for line in told.document["not_verified"])


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_change_to_what_setup_made_is_never_verified(tmp_path: Path) -> None:
    """Without a sandbox an agent can reach it; green then says nothing of the change alone."""
    project = lay(tmp_path, contract=CONTRACT + 'setup: touch "$HOME/data"\n')
    agent = project.script(FIX.replace("ledgerlib.py", "ledgerlib.py; echo 1 > ../env/home/data"))
    told = project.fix(agent, "--sandbox", "none")

    assert (told.exit_code, told.document["outcome"]) == (3, "unverified"), told.errors
    assert "the environment was changed after the base was judged" in told.document["why"]


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_state_folder_that_fails_in_the_first_turn_takes_no_work_along(project: Project) -> None:
    spoil = "ledgerlib.py; rm -rf ../../../evidence; touch ../../../evidence"
    agent = project.script(FIX.replace("ledgerlib.py", spoil))
    told = project.fix(agent, "--sandbox", "none")
    (left,) = project.state.glob("sessions/*/tree/ledgerlib.py")

    assert (told.exit_code, left.read_text()) == (2, FIXED)
    assert "nothing is lost: `jam resume" in told.errors


REPRODUCE = CONTRACT + "reproduce: {{paths: [tests/]}}\n"
SHOWS = """\
- write:
    path: tests/test_many.py
    content: |
      from ledgerlib import share


      def test_a_share_of_nothing_is_nothing():
          assert share(0, 0) == 0
- finish: true
- edit: {path: ledgerlib.py, old: "total // people", new: "total // people if people else 0"}
- finish: true
"""


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_an_issue_that_no_test_covers_is_reproduced_first(tmp_path: Path) -> None:
    project = lay(tmp_path, contract=REPRODUCE, **{"ledgerlib.py": FIXED})
    (tmp_path / "issue.md").write_text("# Sharing among nobody raises ZeroDivisionError\n")
    told = project.fix(project.script(SHOWS))
    branch = told.document["branch"]

    assert (told.exit_code, told.document["outcome"]) == (0, "verified"), told.errors
    assert project.git("log", "--format=%s", f"main..{branch}").splitlines() == [
        "fix: Sharing among nobody raises ZeroDivisionError",
        "test: Sharing among nobody raises ZeroDivisionError",
    ]
    assert "Judged against a test that the agent wrote." in told.document["body"]


@pytest.mark.timeout(240)
@pytest.mark.slow
def test_a_reproduction_brings_nothing_that_changes_what_tests_mean(tmp_path: Path) -> None:
    """It would be frozen with the test, and what it does would be the base's own doing."""
    project = lay(tmp_path, contract=REPRODUCE, **{"ledgerlib.py": FIXED})
    (tmp_path / "issue.md").write_text("# Sharing among nobody raises ZeroDivisionError\n")
    conftest = "- write: {path: tests/conftest.py, content: 'collect_ignore = []'}\n"
    told = project.fix(project.script(conftest + SHOWS))
    branch = told.document["branch"]

    assert (told.exit_code, told.document["outcome"]) == (0, "verified"), told.errors
    assert project.git("diff", "--name-only", f"main..{branch}").splitlines() == [
        "ledgerlib.py",
        "tests/test_many.py",
    ]


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_test_that_does_not_show_the_issue_is_not_accepted(tmp_path: Path) -> None:
    project = lay(tmp_path, contract=REPRODUCE, **{"ledgerlib.py": FIXED})
    wrong = SHOWS.replace("from ledgerlib import share", "from ledgerlib import shares as share")
    told = project.fix(project.script(wrong))

    assert (told.exit_code, told.document["outcome"]) == (1, "failed")
    assert project.branches() == ["main"]


@pytest.mark.timeout(240)
@pytest.mark.slow
def test_a_test_that_only_passes_among_others_is_held_against_the_change(tmp_path: Path) -> None:
    """By itself it fails on the base, too: that is no reason to overlook what the change broke."""
    listed = PRODUCT + '\n\ndef names():\n    return list(["alpha", "beta"])\n'
    hidden = "import xml.dom\n\n\ndef test_dom():\n    assert xml.dom\n"
    needy = (
        "import xml\n\nfrom ledgerlib import names\n\n\n"
        'def test_names():\n    assert xml.dom and names() == ["alpha", "beta"]\n'
    )
    project = lay(
        tmp_path,
        **{
            "ledgerlib.py": listed,
            "tests/test_dom.py": hidden,
            "tests/test_names.py": needy,
            "conftest.py": "",
        },
    )
    told = project.fix(
        project.script(
            '- shell: sed -i \'s/left > 1/left > 0/; s/\\["alpha", "beta"\\]/{"alpha", "beta"}/\''
            " ledgerlib.py\n- finish: true\n"
        )
    )

    assert (told.exit_code, told.document["outcome"]) == (3, "unverified"), told.errors
    assert project.git("show", "main:ledgerlib.py") == listed.strip()


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_build_that_fails_is_told_as_such(tmp_path: Path) -> None:
    contract = CONTRACT.replace("version: 1\n", "version: 1\nbuild: echo no compiler; exit 4\n")
    told = lay(tmp_path, contract=contract).fix("command:true")

    assert (told.exit_code, told.document["error"]) == (2, "spec.oracle_error")
    assert "the build failed (exit 4): echo no compiler; exit 4" in told.errors
    assert "    no compiler" in told.errors
