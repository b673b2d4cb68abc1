"""
Breaks jam's guards on purpose, one at a time, and sees a test go red.

    python tools/break_guards.py [--side-by-side N] [NAME ...]

A guard that no test notices is as good as none, so each one names the test that must notice when
it is gone: a quick one, since all of them run with every change. Works in copies of the project;
says which guards nobody would miss, and ends with 1 if there are any.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).resolve().parents[1]
COPIED = ("bot", "tests", "tools", "examples", "pyproject.toml", "README.md")
PATIENCE_S = 120
FAILED = 1  # what pytest ends with when a test fails


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """``was`` becomes ``broken`` in ``file``; then ``test`` has to fail."""

    name: str
    file: str
    was: str
    broken: str
    test: str


VERDICT, FROZEN, SURFACE = "bot/core/verdict.py", "bot/core/frozen.py", "bot/core/surface.py"
CONCLUDE, INVARIANTS = "bot/core/conclude.py", "bot/core/invariants.py"
RECORDED, COURT = "bot/oracles/recorded.py", "bot/app/court.py"
LAYOUT = "bot/adapters/sandbox/layout.py"
ATTESTED, OF_STATEMENT = "bot/core/attested.py", "tests/app/test_attest.py"
OF_VERDICT, OF_FROZEN = "tests/core/test_verdict.py", "tests/core/test_frozen.py"
OF_SURFACE, OF_CONCLUDE = "tests/core/test_surface.py", "tests/core/test_conclude.py"
OF_INVARIANTS, OF_LINES = "tests/core/test_invariants.py", "tests/oracles/test_lines.py"
OF_JAIL, OF_STEP = "tests/ports/test_sandbox_bwrap.py", "tests/core/test_next_step.py"
A_LIE = f"{OF_INVARIANTS}::test_a_lie_is_named"

OF_STORE, OF_DOCKET = "tests/ports/test_store.py::TestShared", "tests/ports/test_docket.py"
PROXY, OF_WAY = "bot/adapters/proxy", "tests/agents/test_way_out.py"
AN_AGENT = f"{OF_WAY}::TestAnAgent"

GUARDS = (
    Guard(
        name="a key is in no line of an answer",
        file=f"{PROXY}/calls.py",
        was="            yield scrub.content(held[:end])\n",
        broken="            yield held[:end]\n",
        test=f"{AN_AGENT}::test_never_sees_the_key",
    ),
    Guard(
        name="a key is not in the last line of an answer",
        file=f"{PROXY}/calls.py",
        was="    if held:\n        yield scrub.content(held)",
        broken="    if held:\n        yield held",
        test=f"{AN_AGENT}::test_never_sees_the_key",
    ),
    Guard(
        name="a key is in no header that the agent gets",
        file=f"{PROXY}/calls.py",
        was='self.calls.scrub.kept(" ".join(value.split()))',
        broken='" ".join(value.split())',
        test=f"{AN_AGENT}::test_never_sees_the_key",
    ),
    Guard(
        name="a key that comes in two pieces is still one",
        file=f"{PROXY}/calls.py",
        was='end = held.rfind(b"\\n") + 1',
        broken="end = len(held)",
        test=f"{AN_AGENT}::test_never_sees_the_key",
    ),
    Guard(
        name="the agent finds a word in place of the key",
        file=f"{PROXY}/__init__.py",
        was="named |= dict(one.environment(ADDRESS))",
        broken="named |= {**dict(one.environment(ADDRESS)), **self.calls.upstream.keys}",
        test=f"{AN_AGENT}::test_never_sees_the_key",
    ),
    Guard(
        name="what the agent says of keys is not sent on",
        file=f"{PROXY}/upstream.py",
        was="return name in PASSED or",
        broken="return True or",
        test=f"{AN_AGENT}::test_reaches_its_host_with_the_key_added_outside",
    ),
    Guard(
        name="only hosts that were named are reached",
        file=f"{PROXY}/calls.py",
        was='lent = self.lent.get(name) if path.startswith("/") else None',
        broken="lent = next(iter(self.lent.values()))",
        test=f"{AN_AGENT}::test_reaches_no_other_name",
    ),
    Guard(
        name="an answer that points elsewhere is not handed on",
        file=f"{PROXY}/calls.py",
        was="if 300 <= answer.status < 400 and answer.status != 304:",
        broken="if False:",
        test=f"{AN_AGENT}::test_is_not_led_elsewhere",
    ),
    Guard(
        name="a host shows a certificate that is trusted",
        file=f"{PROXY}/__init__.py",
        was="context=ssl.create_default_context(cafile=self.ca)",
        broken="context=ssl._create_unverified_context()",
        test=f"{OF_WAY}::test_a_host_without_a_right_certificate_is_not_spoken_to",
    ),
    Guard(
        name="a door is open for one port and then shut",
        file=f"{PROXY}/door.py",
        was="                    self._listener.close()  # one, and no more\n",
        broken="",
        test=f"{OF_WAY}::test_the_door_is_shut_when_the_command_begins",
    ),
    Guard(
        name="a contract cannot send any variable anywhere",
        file="bot/core/proxied.py",
        was="        if variable not in named:\n",
        broken="        if False:\n",
        test="tests/core/test_proxied.py::test_a_contract_gets_nothing_that_is_not_lent",
    ),
    Guard(
        name="a key is lent only in a sandbox",
        file="bot/wiring/way_out.py",
        was='if site.jail.level == "none":',
        broken="if False:",
        test="tests/stories/test_way_out.py::test_without_a_sandbox_it_is_refused",
    ),
    Guard(
        name="the last word of another job is not believed",
        file="bot/adapters/workflow_store.py",
        was="        if not is_over:\n",
        broken="        if False:\n",
        test="tests/ports/test_between_jobs.py::test_the_last_word_of_another_job_is_not_believed",
    ),
    Guard(
        name="of two jobs that write one session the second is refused",
        file="bot/adapters/github/session_refs.py",
        was='"parents": [before] if before else []}',
        broken='"parents": [self.ref(ref) or before] if before else []}',
        test="tests/ports/test_between_jobs.py::test_of_two_jobs_that_write_the_second_is_refused",
    ),
    Guard(
        name="a value cannot end an output of the runner's",
        file="bot/core/runner_words.py",
        was='mark = f"jam-{nonce}"',
        broken='mark = "E"',
        test="tests/core/test_runner_words.py::test_a_value_cannot_end_itself_and_begin_another",
    ),
    Guard(
        name="a secret is known in base64 wherever it begins",
        file="bot/core/redact_forms.py",
        was="for before in range(3):",
        broken="for before in range(1):",
        test="tests/core/test_redact.py::test_a_known_secret_goes_in_every_spelling",
    ),
    Guard(
        name="a secret is known backwards",
        file="bot/core/redact_forms.py",
        was="return frozenset(there | {one[::-1] for one in there})",
        broken="return frozenset(there)",
        test="tests/core/test_redact.py::test_a_known_secret_goes_in_every_spelling",
    ),
    Guard(
        name="facts are kept without secrets",
        file="bot/app/discreet.py",
        was="if not self.redactor.holds(said):",
        broken="if True:",
        test="tests/app/test_discreet.py::test_a_fact_is_the_same_fact_without_the_secret",
    ),
    Guard(
        name="what a process prints is cleaned",
        file="bot/cli/edge.py",
        was="    discreet.cover(wiring.secrecy.redactor().told)\n",
        broken="    discreet.cover(str)\n",
        test="tests/cli/test_discreet.py::test_output_log_and_tracebacks_hold_no_secret",
    ),
    Guard(
        name="a target is never released",
        file="bot/core/baseline.py",
        was="if one in self.targets:",
        broken="if False:",
        test="tests/core/test_baseline.py::test_only_a_test_that_the_base_passes_is_released",
    ),
    Guard(
        name="checkpoints of what may go on stay",
        file="bot/core/expiry.py",
        was="or session.state is not State.ENDED:",
        broken="or False:",
        test="tests/core/test_expiry.py::test_only_checkpoints_of_what_ended_thirty_days_ago_go",
    ),
    Guard(
        name="tests are compared by identity",
        file=VERDICT,
        was="lost=expected.passed - passed,",
        broken="lost=frozenset(),",
        test=f"{OF_VERDICT}::test_a_test_that_vanished_counts_as_lost_though_the_count_is_right",
    ),
    Guard(
        name="a doubled id is not passed",
        file=VERDICT,
        was="if case.mark is Mark.PASSED and not case.doubled",
        broken="if case.mark is Mark.PASSED",
        test=f"{OF_VERDICT}::test_a_doubled_id_is_not_passed",
    ),
    Guard(
        name="a skipped target is not passed",
        file=VERDICT,
        was="if case.mark is Mark.PASSED and",
        broken="if case.mark in (Mark.PASSED, Mark.SKIPPED) and",
        test=f"{OF_VERDICT}::test_a_target_that_is_anything_but_passed_is_unmended",
    ),
    Guard(
        name="what hangs is red",
        file=VERDICT,
        was='return Red(unmended=expected.targets, reasons=(f"the command was',
        broken='return Green() if True else Red(reasons=(f"the command was',
        test=f"{OF_VERDICT}::test_a_candidate_that_never_ends_is_red",
    ),
    Guard(
        name="a cut report is red",
        file=VERDICT,
        was="return Red(unmended=expected.targets, reasons=(heard.reading.reason,))",
        broken="return Green()",
        test=f"{OF_VERDICT}::test_a_candidate_whose_report_is_cut_is_red",
    ),
    Guard(
        name="tampering is red",
        file=VERDICT,
        was="if what not in expected.patched",
        broken="if not what",
        test=f"{OF_VERDICT}::test_a_framework_that_was_tampered_with_is_red_for_integrity",
    ),
    Guard(
        name="modules come from the checkout",
        file=VERDICT,
        was="return Error(strays)",
        broken="pass",
        test=f"{OF_VERDICT}::test_a_changed_module_that_came_from_elsewhere_is_an_error",
    ),
    Guard(
        name="new failures count",
        file=VERDICT,
        was="failing=_new_failures(report, expected),",
        broken="failing=frozenset(),",
        test=f"{OF_VERDICT}::test_a_new_test_that_fails_is_red",
    ),
    Guard(
        name="frozen files come back",
        file=FROZEN,
        was="for path in sorted(rules.held) if tree.get(path) != base[path])",
        broken="for path in sorted(rules.held) if path not in tree)",
        test=f"{OF_FROZEN}::test_edits_and_removals_come_back_and_what_is_new_goes",
    ),
    Guard(
        name="intruders go",
        file=FROZEN,
        was="for path in tree if path not in base and (why := rules.hold(path))}",
        broken="for path in () if path not in base and (why := rules.hold(path))}",
        test=f"{OF_FROZEN}::test_edits_and_removals_come_back_and_what_is_new_goes",
    ),
    Guard(
        name="names are compared as any system would",
        file=FROZEN,
        was='return unicodedata.normalize("NFC", path).casefold()',
        broken="return path",
        test=f"{OF_FROZEN}::test_another_case_of_a_frozen_name_is_an_intruder",
    ),
    Guard(
        name="the surface is found",
        file=SURFACE,
        was="for path in base if names.steers(path)}",
        broken="for path in () if names.steers(path)}",
        test=OF_SURFACE,
    ),
    Guard(
        name="folders of tests are closed sets",
        file=SURFACE,
        was="held=kept, closed=closed,",
        broken="held=kept, closed=(),",
        test=f"{OF_SURFACE}::TestPython"
        "::test_a_folder_of_tests_is_closed_also_where_only_one_of_its_files_is_named",
    ),
    Guard(
        name="what a contract names comes on top",
        file=SURFACE,
        was="held = dict.fromkeys([*tests, *named.tests], Hold.FROZEN) | held",
        broken="held = held if oracle.frozen else dict.fromkeys(tests, Hold.FROZEN) | held",
        test=f"{OF_SURFACE}::TestPython::test_configured_paths_come_on_top_of_the_found_tests",
    ),
    Guard(
        name="every collected test has run",
        file=RECORDED,
        was="if collected - ran and not has_bad:",
        broken="if not collected:",
        test=OF_LINES,
    ),
    Guard(
        name="no line of a report is missing",
        file="bot/oracles/lines.py",
        was="if parsed.n != place:",
        broken="if parsed.n < 0:",
        test=f"{OF_LINES}::test_no_line_can_be_left_out_unseen",
    ),
    Guard(
        name="what passed the channel's limits is not whole",
        file=RECORDED,
        was="if session.end is None or not session.whole:",
        broken="if session.end is None:",
        test=OF_LINES,
    ),
    Guard(
        name="nobody hides a session that began before",
        file=RECORDED,
        was="if not earlier.intersection(session.start.ancestors):",
        broken="if not {s.start.pid for s in sessions}.intersection(session.start.ancestors):",
        test=f"{OF_LINES}::test_who_comes_later_makes_nothing_better",
    ),
    Guard(
        name="a worker makes nothing better",
        file=RECORDED,
        was="if c.mark is not Mark.PASSED",
        broken="if c.mark",
        test=f"{OF_LINES}::test_who_comes_later_makes_nothing_better",
    ),
    Guard(
        name="workers have told all",
        file=RECORDED,
        was="if session.end is None or told >= session.end.workers:",
        broken="if session.end is None or told >= 0:",
        test=f"{OF_LINES}::test_every_worker_must_have_told_what_it_did",
    ),
    Guard(
        name="report and exit code agree",
        file="bot/oracles/raw.py",
        was="if raw.exit_code and not is_bad:",
        broken="if raw.exit_code and not raw:",
        test="tests/oracles/test_parsers.py",
    ),
    Guard(
        name="frozen files are looked at again after a run",
        file=COURT,
        was="if state != before[path]",
        broken="if not state",
        test="tests/app/test_court.py",
    ),
    Guard(
        name="a file that was put back shows",
        file="bot/adapters/gates.py",
        was="{found.st_ino} {found.st_ctime_ns}",
        broken="{found.st_ino} {found.st_mtime_ns}",
        test="tests/app/test_court.py",
    ),
    Guard(
        name="three runs, all green",
        file=CONCLUDE,
        was="complete = len(_runs(session)) == len(SEEDS)",
        broken="complete = bool(_runs(session))",
        test=f"{OF_CONCLUDE}::test_fewer_runs_than_all_are_not_verified",
    ),
    Guard(
        name="runs that disagree settle nothing",
        file="bot/core/settled.py",
        was="if len(colours) == 1:",
        broken="if colours:",
        test=f"{OF_CONCLUDE}::test_runs_that_disagree_are_unverified",
    ),
    Guard(
        name="without the change it was red",
        file=CONCLUDE,
        was="if not changed(session) or targets == 0:",
        broken="if not changed(session):",
        test=f"{OF_CONCLUDE}::test_green_that_was_never_red_is_at_most_l2",
    ),
    Guard(
        name="a failed check is never outweighed",
        file=CONCLUDE,
        was='if failed := [check for check in checks if check.result == "failed"]:',
        broken='if failed := [check for check in () if check.result == "failed"]:',
        test=f"{OF_CONCLUDE}::test_an_oracle_that_would_not_have_noticed_is_not_verified",
    ),
    Guard(
        name="gates without ids are L2 at most",
        file=CONCLUDE,
        was='if level == "L3" and standards.has_ids:',
        broken='if level == "L3":',
        test=f"{OF_CONCLUDE}::test_gates_without_ids_are_at_most_l2",
    ),
    Guard(
        name="what blocks needs a reader",
        file=CONCLUDE,
        was="(needed := _vetoed(session) or _needs_a_reader(remarks)):",
        broken="(needed := _vetoed(session)):",
        test=OF_CONCLUDE,
    ),
    Guard(
        name="only what is verified is cleared",
        file=CONCLUDE,
        was='if adjudicated.end != "verified" or',
        broken='if adjudicated.end == "failed" or',
        test=f"{OF_CONCLUDE}::test_only_a_verified_word_is_cleared",
    ),
    Guard(
        name="the agent's tests need a green record",
        file=CONCLUDE,
        was='if end == "verified" and green and candidate.with_tests:',
        broken='if end == "verified" and candidate.with_tests:',
        test=f"{OF_CONCLUDE}"
        "::test_the_agents_tests_are_published_only_with_a_green_record_of_their_own",
    ),
    Guard(
        name="the base is judged twice",
        file="bot/core/steps.py",
        was="PREFLIGHTS = 2",
        broken="PREFLIGHTS = 1",
        test=f"{OF_STEP}::test_before_the_work",
    ),
    Guard(
        name="two errors close the stop gate for good",
        file="bot/core/next_step.py",
        was="if session.gate_errors >= GATE_ERRORS:",
        broken="if session.gate_errors > GATE_ERRORS:",
        test=f"{OF_STEP}::test_an_error_is_told_once_and_the_second_in_a_row_ends_the_gate",
    ),
    Guard(
        name="refusals come to an end",
        file="bot/core/next_step.py",
        was="if session.refusals >= REFUSALS:",
        broken="if session.refusals > REFUSALS:",
        test=f"{OF_STEP}::test_eight_refusals_end_the_work",
    ),
    Guard(
        name="a green tree is probed",
        file="bot/core/next_step.py",
        was="if clean and (names := _due_probes(session)):",
        broken="if not clean and (names := _due_probes(session)):",
        test=f"{OF_STEP}::test_a_green_tree_is_probed_before_the_last_word",
    ),
    Guard(
        name="a seal covers its fact",
        file="bot/core/ledger.py",
        was="if sealed.seal != _over(spelled, place=place, after=after):",
        broken="if not sealed.seal:",
        test="tests/core/test_ledger.py::test_a_changed_fact_is_named",
    ),
    Guard(
        name="one digest for the frozen files",
        file=INVARIANTS,
        was="if isinstance(fact, Composed) and fact.frozen_sha256 != digest:",
        broken="if isinstance(fact, Composed) and not fact.frozen_sha256:",
        test=A_LIE,
    ),
    Guard(
        name="only what was adjudicated is published",
        file=INVARIANTS,
        was="(published.tree, published.head_tree) != (word.tree, word.head_tree):",
        broken="published.tree != word.tree and not word.tree:",
        test=A_LIE,
    ),
    Guard(
        name="verified was red",
        file=INVARIANTS,
        was="if len(runs) < PREFLIGHTS or any(run.colour is not Colour.RED for run in runs):",
        broken="if not PREFLIGHTS:",
        test=A_LIE,
    ),
    Guard(
        name="verified is green in every room",
        file=INVARIANTS,
        was="if numbers != set(range(len(SEEDS))):",
        broken="if not SEEDS:",
        test=A_LIE,
    ),
    Guard(
        name="checks were really made",
        file=INVARIANTS,
        was='made.get(check.name, "not applicable") != check.result:',
        broken="not made:",
        test=A_LIE,
    ),
    Guard(
        name="verified over a remark that blocks",
        file=INVARIANTS,
        was="any(remark.blocks for remark in word.remarks):",
        broken="not word.remarks:",
        test=A_LIE,
    ),
    Guard(
        name="a green gate has lost nothing",
        file=INVARIANTS,
        was="if gate.colour is Colour.GREEN and bad:",
        broken="if gate.colour is Colour.ERROR and bad:",
        test=A_LIE,
    ),
    Guard(
        name="a canary that is not told to fail fails its check",
        file="bot/core/sensitivity/canary.py",
        was='        "failed", "a test that always',
        broken='        "passed", "a test that always',
        test="tests/core/sensitivity/test_canary.py",
    ),
    Guard(
        name="product code does not load the framework unseen",
        file="bot/core/review/python.py",
        was='if top in FRAMEWORKS:\n        yield Finding(line, f"product code',
        broken='if top in ():\n        yield Finding(line, f"product code',
        test="tests/core/review/test_review.py::test_what_has_no_honest_use_blocks",
    ),
    Guard(
        name="no network in the sandbox",
        file=LAYOUT,
        was='    if not network:\n        yield "--unshare-net"',
        broken='    if network:\n        yield "--unshare-net"',
        test=f"{OF_JAIL}::TestIsolation::test_a_port_of_the_host_is_out_of_reach",
    ),
    Guard(
        name="own processes in the sandbox",
        file=LAYOUT,
        was='for kind in ("pid", "ipc",',
        broken='for kind in ("ipc",',
        test=f"{OF_JAIL}::TestIsolation::test_processes_of_the_host_are_not_there",
    ),
    Guard(
        name="a bare environment in the sandbox",
        file="bot/adapters/runner.py",
        was="env=dict(start.env),",
        broken="env=None,",
        test="tests/ports/test_sandbox.py",
    ),
    Guard(
        name="nothing outlives its command",
        file="bot/adapters/runner.py",
        was="        leash.end()\n        process.kill()",
        broken="        pass",
        test="tests/ports/test_sandbox.py",
    ),
    Guard(
        name="jam's git runs no hooks",
        file="bot/adapters/git.py",
        was='"core.hooksPath": "/dev/null",',
        broken="",
        test="tests/ports/test_git.py",
    ),
    Guard(
        name="jam's git runs no monitor",
        file="bot/adapters/git.py",
        was='"core.fsmonitor": "false",',
        broken="",
        test="tests/ports/test_git.py",
    ),
    Guard(
        name="stale locks are swept",
        file="bot/adapters/gitdir.py",
        was="        sweep(git_dir)\n        yield lock",
        broken="        yield lock",
        test="tests/ports/test_git.py::test_what_a_killed_git_left_is_swept_by_the_next_holder",
    ),
    Guard(
        name="no layer loosens a policy",
        file="bot/core/policy.py",
        was="commands=tuple(rule for one in layers for rule in one.commands),",
        broken="commands=tuple(rule for one in layers[-1:] for rule in one.commands),",
        test="tests/core/test_policy.py",
    ),
    Guard(
        name="frozen paths are denied to tools",
        file="bot/core/policy.py",
        was="frozen=frozenset[str]().union(*(one.frozen for one in layers)),",
        broken="",
        test="tests/core/test_policy.py",
    ),
    Guard(
        name="what was swapped in a framework shows",
        file="bot/reporter/tripwires.py",
        was="if now is not value or _body(now) is not body:",
        broken="if now is None and _body(now) is not body:",
        test="tests/reporter/test_cheats.py::test_what_is_changed_in_the_framework_is_told",
    ),
    Guard(
        name="tripwires are told of",
        file="bot/reporter/recorder.py",
        was="names=self._watch.changed() + self._intruders()",
        broken="names=self._intruders()",
        test="tests/reporter/test_cheats.py::test_what_is_changed_in_the_framework_is_told",
    ),
    Guard(
        name="frozen files are watched with what starts beside them",
        file=COURT,
        was="if (touched := watch.touched()) and isinstance(reading, Report):",
        broken="if not (touched := watch.touched()) and isinstance(reading, Report):",
        test="tests/app/test_court.py",
    ),
    Guard(
        name="asking often makes no wavering target pass",
        file="bot/core/settled.py",
        was="if gate is None or gate.colour is not Colour.RED or not runs:",
        broken="if gate is None or gate.colour or not runs:",
        test=f"{OF_CONCLUDE}::test_a_target_that_was_red_at_the_gate_and_then_green_is_unverified",
    ),
    Guard(
        name="only what wavers on the base is set aside",
        file="bot/core/settled.py",
        was="if run.colour is Colour.RED and ids and ids <= wavering:",
        broken="if run.colour is Colour.RED and ids:",
        test=OF_CONCLUDE,
    ),
    Guard(
        name="a target is never set aside",
        file="bot/core/settled.py",
        was="if any(g.unmended_count or g.colour is Colour.ERROR for g in run.gates):",
        broken="if any(g.colour is Colour.ERROR for g in run.gates):",
        test=f"{OF_CONCLUDE}::test_a_target_is_not_set_aside_with_what_wavers_in_another_gate",
    ),
    Guard(
        name="a dispute excuses no other gate",
        file="bot/app/adjudicate.py",
        was="aside = {test for _, test in wavering} - {test for _, test in ids - wavering}",
        broken="aside = {test for _, test in wavering}",
        test="tests/app/test_adjudicate.py::test_wavering_in_one_gate_excuses_nothing_in_another",
    ),
    Guard(
        name="the environment is the base's",
        file=CONCLUDE,
        was="run.environment_sha256 == prepared.environment_sha256",
        broken="run.environment_sha256 != ''",
        test=OF_CONCLUDE,
    ),
    Guard(
        name="verified in the base's environment",
        file=INVARIANTS,
        was="if not all(is_at_home(run, session) for run in runs):",
        broken="if not all(is_at_home(run, session) for run in ()):",
        test=A_LIE,
    ),
    Guard(
        name="a stop hook's veto stands",
        file=CONCLUDE,
        was="    if not vetoes:\n",
        broken="    if vetoes or not vetoes:\n",
        test=f"{OF_CONCLUDE}::test_what_a_stop_hook_vetoes_is_not_verified",
    ),
    Guard(
        name="a seal covers its place",
        file="bot/core/ledger.py",
        was="    if sealed.place != place:\n",
        broken="    if sealed.place < 0:\n",
        test="tests/core/test_ledger.py",
    ),
    Guard(
        name="verified leaves on a ledger that bears it",
        file="bot/app/conduct.py",
        was="    if broken := invariants.broken(entries):\n",
        broken="    if broken := ():\n",
        test="tests/app/test_conduct.py"
        "::test_a_verified_that_its_ledger_does_not_bear_is_neither_published_nor_told",
    ),
    Guard(
        name="no last word is taken from a ledger that was read back",
        file="bot/adapters/workflow_store.py",
        was="        if not is_over:\n",
        broken="        if is_over and not is_over:\n",
        test="tests/ports/test_history.py::test_no_last_word_is_taken_over",
    ),
    Guard(
        name="every judgement stays behind when a session moves",
        file="bot/core/session.py",
        was="    return Session(\n        opened=session.opened,\n        turns=session.turns,\n",
        broken="    return replace(\n        session,\n        turns=session.turns,\n",
        test="tests/ports/test_history.py::test_what_goes_on_is_judged_anew_from_the_base_on",
    ),
    Guard(
        name="a statement is made again and compared",
        file=ATTESTED,
        was="for place in _differences(said, made, ()):",
        broken="for place in _differences(said, said, ()):",
        test=f"{OF_STATEMENT}::test_every_change_to_the_statement_is_found",
    ),
    Guard(
        name="a statement is spelled in one way",
        file=ATTESTED,
        was="if spell(said).encode() != payload:",
        broken="if not payload:",
        test=f"{OF_STATEMENT}::test_another_spelling_of_the_same_is_found",
    ),
    Guard(
        name="a published change is named by its commit",
        file=ATTESTED,
        was="if session.published and commit_of(said) is None:",
        broken="if session.published is None:",
        test=f"{OF_STATEMENT}::test_every_change_to_the_statement_is_found",
    ),
    Guard(
        name="the commit holds the judged tree",
        file=ATTESTED,
        was="elif committed.tree != tree:",
        broken="elif not tree:",
        test=f"{OF_STATEMENT}::test_a_statement_of_another_commit_is_found",
    ),
    Guard(
        name="evidence has the digest that it is cited by",
        file="bot/app/attest.py",
        was="elif _digest(content) != name:",
        broken="elif not content:",
        test=f"{OF_STATEMENT}::test_evidence_that_was_changed_or_swapped_is_found",
    ),
    Guard(
        name="only its own key signed it",
        file="bot/adapters/signing.py",
        was="    except (VerificationError, ValueError):\n        return False",
        broken="    except (VerificationError, ValueError):\n        return True",
        test=OF_STATEMENT,
    ),
    Guard(
        name="what holds a secret does not leave with a statement",
        file="bot/app/attest.py",
        was="if withheld(written) or withheld(made):",
        broken="if withheld(made):",
        test=f"{OF_STATEMENT}::test_what_holds_a_secret_stays_here",
    ),
    Guard(
        name="a report that tested code can write needs a canary",
        file="bot/core/written.py",
        was='if results.get("twin") != "passed":',
        broken="if not results:",
        test=f"{OF_CONCLUDE}::test_a_report_that_tested_code_can_write_needs_checks_that_told",
    ),
    Guard(
        name="a test that always fails stands in the targets' own class",
        file="bot/core/sensitivity/twin.py",
        was='owners = (f"Test{tokens.name}", *classes)',
        broken='owners = (f"Test{tokens.name}",)',
        test="tests/core/sensitivity/test_copies.py"
        "::test_a_canary_stands_in_a_targets_own_class_whoever_may_stand_under_it",
    ),
    Guard(
        name="a report that told nothing of a broken change needs another check",
        file="bot/core/written.py",
        was='if blind and not any(results.get(name) == "passed" for name in PROBES):',
        broken="if not blind and blind:",
        test=f"{OF_CONCLUDE}::test_a_broken_change_of_which_nothing_is_told_needs_another_check",
    ),
    Guard(
        name="the output is no sign that a broken change was noticed",
        file="bot/core/sensitivity/sighting.py",
        was="any(marker in seen[gate].output for gate in only_output)",
        broken="any(marker in seen[gate].output for gate in seen)",
        test="tests/core/sensitivity/test_sighting.py::test_sabotage_must_be_noticed",
    ),
    Guard(
        name="failing twins of which nothing is told are a lie",
        file="bot/core/sensitivity/sighting.py",
        was="return every if self.hard.untold else",
        broken="return () if self.hard.untold else",
        test="tests/core/sensitivity/test_sighting.py::test_a_disturbed_twin_must_fail",
    ),
    Guard(
        name="targets need to pass under other names",
        file="bot/core/sensitivity/inplace.py",
        was='return Word("failed",',
        broken='return Word("passed",',
        test="tests/core/sensitivity/test_inplace.py::test_only_the_change_can_be_to_blame",
    ),
    Guard(
        name="tests among the product are not the change's to change",
        file="bot/core/review/held.py",
        was='yield Finding(line, f"{CHANGED_TEST} ({name})", blocks=True)',
        broken='yield Finding(line, f"{CHANGED_TEST} ({name})")',
        test="tests/core/review/test_held.py::test_what_holds_tests_is_told",
    ),
    Guard(
        name="data that only tests read is not the change's to change",
        file="bot/core/review/held.py",
        was="return any(_names(text, path) for text in tests) and not any(",
        broken="return not tests and not any(",
        test="tests/core/review/test_held.py::test_data_that_only_tests_name",
    ),
    Guard(
        name="a surface change alone needs a person",
        file=CONCLUDE,
        was="if not changed(session) and not _needs_surface(session):",
        broken="if not changed(session):",
        test=f"{OF_CONCLUDE}::test_nothing_but_a_surface_change_that_makes_tests_pass_is_shown_to_a_person",
    ),
    Guard(
        name="a mend's claim stands where it stood",
        file="bot/core/flaky/guard_tests.py",
        was="if before.under != after.under or after.size > before.size:",
        broken="if False:",
        test="tests/core/flaky/test_guard.py",
    ),
    Guard(
        name="what an assertion compares is not written down",
        file="bot/core/flaky/guard_reach.py",
        was="elif name in outer or _is_written(value, name, after.node):",
        broken="elif False:",
        test="tests/core/flaky/test_guard.py",
    ),
    Guard(
        name="a mend adds no sleep",
        file="bot/core/flaky/guard_words.py",
        was='elif name == "sleep":',
        broken='elif name == "never":',
        test="tests/core/flaky/test_guard.py",
    ),
    Guard(
        name="a mend sleeps no longer",
        file="bot/core/flaky/guard_words.py",
        was="if number > longest and had:",
        broken="if False:",
        test="tests/core/flaky/test_guard.py",
    ),
    Guard(
        name="a mend retries nothing",
        file="bot/core/flaky/guard_words.py",
        was="elif RETRYING.search(word):",
        broken="elif False:",
        test="tests/core/flaky/test_guard.py",
    ),
    Guard(
        name="a mend leaves settings alone",
        file="bot/core/flaky/guard.py",
        was="    if SETTINGS.search(edit.path):\n",
        broken="    if False:\n",
        test="tests/core/flaky/test_guard.py",
    ),
    Guard(
        name="order is dropped only where it was measured to waver",
        file="bot/core/flaky/guard_order.py",
        was="if category is Category.UNORDERED:",
        broken="if True:",
        test="tests/core/flaky/test_guard.py",
    ),
    Guard(
        name="a mend puts nothing in the place of what is tested",
        file="bot/core/flaky/guard.py",
        was="        yield from mocks(before, after, path=path, free=_names(ground.leaked))\n",
        broken="",
        test="tests/core/flaky/test_guard.py",
    ),
    Guard(
        name="a mended test still asks the product what it asked",
        file="bot/core/flaky/guard_reach.py",
        was="for what in sorted(asked - asks):",
        broken="for what in ():",
        test="tests/core/flaky/test_guard_around.py",
    ),
    Guard(
        name="what a mended test compares is not made of its expectation",
        file="bot/core/flaky/guard_reach.py",
        was="return any(ast.dump(one) in others for one in ast.walk(value))",
        broken="return False",
        test="tests/core/flaky/test_guard_around.py",
    ),
    Guard(
        name="a mend does not go around the words of its guard",
        file="bot/core/flaky/guard.py",
        was="        yield from hidden(before, after, path=path)\n",
        broken="",
        test="tests/core/flaky/test_guard_around.py",
    ),
    Guard(
        name="what blocks a mend needs a person, whatever the ledger says",
        file="bot/core/flaky/mend_invariants.py",
        was="for remark in mend_end.blocking(word.remarks):",
        broken="for remark in ():",
        test="tests/core/flaky/test_mend.py",
    ),
    Guard(
        name="a failure under fresh conditions ends an attempt",
        file="bot/core/flaky/mend_steps.py",
        was="for sampled in (self.replay, self.same, self.free):",
        broken="for sampled in (self.replay, self.same):",
        test="tests/core/flaky/test_mend.py",
    ),
    Guard(
        name="a mend keeps every other test",
        file="bot/core/flaky/mend_steps.py",
        was="if self.suite and (self.suite.lost or self.suite.worse):",
        broken="if False:",
        test="tests/core/flaky/test_mend.py",
    ),
    Guard(
        name="a mended test still notices a broken product",
        file="bot/core/flaky/mend_steps.py",
        was="if self.mutated and len(self.mutated.lost) > self.mutated.allowance:",
        broken="if False:",
        test="tests/core/flaky/test_mend.py",
    ),
    Guard(
        name="patches are paid for",
        file="bot/core/flaky/mend_steps.py",
        was="mend.tried >= ATTEMPTS",
        broken="False",
        test="tests/core/flaky/test_mend.py",
    ),
    Guard(
        name="a mend has failed on the base",
        file="bot/core/flaky/mend_invariants.py",
        was="if mend.red is None or mend.red.failed == 0 or mend.red.tree != session.ground:",
        broken="if False:",
        test="tests/core/flaky/test_mend.py",
    ),
    Guard(
        name="a mend's runs are enough by their own count",
        file="bot/core/flaky/mend_invariants.py",
        was="if chance > ALPHA / planned.attempts:",
        broken="if False:",
        test="tests/core/flaky/test_mend.py",
    ),
    Guard(
        name="a mend's runs are of the tree that is published",
        file="bot/core/flaky/mend_invariants.py",
        was="if any(part is not None and part.tree != attempt.tree for part in parts):",
        broken="if False:",
        test="tests/core/flaky/test_mend.py",
    ),
    Guard(
        name="a quarantine has an end",
        file="bot/core/flaky/quarantine.py",
        was="return today > self.ends",
        broken="return False",
        test="tests/core/flaky/test_quarantine.py",
    ),
    Guard(
        name="a person's close wins",
        file="bot/core/flaky/quarantine_watch.py",
        was="if one.issue is Issue.CLOSED_BY_PERSON or one.refused_pull:",
        broken="if False:",
        test="tests/core/flaky/test_quarantine.py",
    ),
    Guard(
        name="whoever lost the session writes nothing to GitHub",
        file="bot/adapters/github/paces.py",
        was="            self.holds()\n",
        broken="            pass\n",
        test="tests/ports/test_paces.py::test_whoever_lost_the_session_writes_nothing",
    ),
    Guard(
        name="an entry waits for whoever takes the session over",
        file="bot/adapters/shared_store.py",
        was='" FOR SHARE" if',
        broken='"" if',
        test=f"{OF_STORE}::test_an_entry_waits_for_whoever_is_taking_the_session_over_and_is_refused",
    ),
    Guard(
        name="a checkpoint is the turn's own tree",
        file="bot/core/moving.py",
        was="found.tree == left.tree or",
        broken="True or",
        test="tests/core/test_moving.py::test_a_turn_stands_when_its_checkpoint_can_be_had",
    ),
    Guard(
        name="a lost run does not hold up its repository",
        file="bot/adapters/queue.py",
        was='            DBOS.cancel_workflow(f"{session}.{run - 1}")\n',
        broken="            pass\n",
        test=f"{OF_DOCKET}::TestTheQueue"
        "::test_what_a_lost_process_had_does_not_hold_up_its_repository[sqlite]",
    ),
    Guard(
        name="a newer database is left alone",
        file="bot/adapters/schema.py",
        was="if found > VERSION:",
        broken="if found < 0:",
        test=f"{OF_DOCKET}::TestTheSchema::test_a_newer_one_is_refused_and_left_alone",
    ),
    Guard(
        name="one failure makes no test flaky",
        file="bot/core/flaky/proof.py",
        was="LEAST = 2",
        broken="LEAST = 1",
        test="tests/app/flaky/test_hunt.py::test_one_failure_proves_nothing",
    ),
    Guard(
        name="what only fails when it is repeated is not flaky",
        file="bot/core/flaky/proof.py",
        was="return Standing.REPEATED if is_repeated else proven",
        broken="return proven",
        test="tests/app/flaky/test_hunt.py::test_the_category_is_what_the_experiment_shows",
    ),
    Guard(
        name="a search that was cut off is not clean",
        file="bot/core/flaky/search_report.py",
        was="return NOTHING if self.complete else NOT_JUDGED",
        broken="return NOTHING",
        test="tests/app/flaky/test_hunt.py::test_a_search_that_was_cut_off_is_not_clean",
    ),
    Guard(
        name="a failure of another kind is counted apart",
        file="bot/core/flaky/screen.py",
        was="if Seen.FAILED in seen and (not signature or signature in said):",
        broken="if Seen.FAILED in seen:",
        test="tests/core/flaky/test_counting.py",
    ),
    Guard(
        name="a plugin that runs failed tests again hides nothing",
        file="bot/reporter/measuring.py",
        was="            manager.unregister(name=name)\n",
        broken="            pass\n",
        test="tests/stories/flaky/test_varied_runs.py"
        "::test_a_plugin_that_runs_failed_tests_again_hides_nothing",
    ),
)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Break guards, and see tests notice.")
    parser.add_argument("names", nargs="*", help="words of the guards to break; none: all")
    parser.add_argument("--side-by-side", type=int, default=os.cpu_count() or 1, metavar="N")
    asked = parser.parse_args(argv)
    chosen = [guard for guard in GUARDS if _is_asked(guard, asked.names)]
    began = time.monotonic()
    unnoticed = broken(chosen, side_by_side=asked.side_by_side)
    _say(f"{len(chosen)} guards in {time.monotonic() - began:.0f} s; unnoticed: {len(unnoticed)}")
    return 1 if unnoticed or not chosen else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _is_asked(guard: Guard, names: Sequence[str]) -> bool:
    return not names or any(name in guard.name for name in names)


def broken(guards: Sequence[Guard], *, side_by_side: int = 1, root: Path = ROOT) -> list[str]:
    """Names of the guards that no test notices, or that are not where they are said to be."""
    with tempfile.TemporaryDirectory(prefix="jam-guards-") as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(max(1, side_by_side)):
            copies.put(_copy(root, Path(folder) / f"jam-{number}"))

        def told(guard: Guard) -> str:
            copy = copies.get()
            began = time.monotonic()
            try:
                said = _break(guard, copy)
            finally:
                copies.put(copy)
            seconds = f" ({time.monotonic() - began:.1f} s)"
            _say(f"{'NO' if said else 'ok'}  {guard.name}{said and f': {said}'}{seconds}")
            return said

        with ThreadPoolExecutor(max(1, side_by_side)) as pool:
            said = list(pool.map(told, guards))
    return [guard.name for guard, words in zip(guards, said, strict=True) if words]


def _copy(root: Path, copy: Path) -> Path:
    copy.mkdir()
    leave = shutil.ignore_patterns("__pycache__", "*.pyc", "node_modules")
    for name in COPIED:
        if (root / name).is_dir():
            shutil.copytree(root / name, copy / name, ignore=leave, symlinks=True)
        elif (root / name).exists():
            shutil.copy2(root / name, copy / name)
    return copy


def _break(guard: Guard, copy: Path) -> str:
    """'' when the test noticed; else what came instead."""
    path = copy / guard.file
    text = path.read_text(encoding="utf-8")
    if text.count(guard.was) != 1:
        return f"{guard.was!r} stands {text.count(guard.was)} times in {guard.file}"
    path.write_text(text.replace(guard.was, guard.broken), encoding="utf-8")
    try:
        return _test(guard.test, copy)
    finally:
        path.write_text(text, encoding="utf-8")


def _test(test: str, copy: Path) -> str:
    command = [
        *(sys.executable, "-B", "-m", "pytest", "-q", "-x", "--no-header", "--tb=no"),
        *("-p", "no:cacheprovider", "-p", "no:xdist", f"--timeout={PATIENCE_S}", test),
    ]
    try:
        ran = subprocess.run(
            command,
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(copy)},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
    except subprocess.TimeoutExpired:
        return "its test did not end"
    if ran.returncode == FAILED:
        return ""
    last = (ran.stdout + ran.stderr).strip().rpartition("\n")[2]
    return f"no test noticed ({test}: exit {ran.returncode}, {last})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
