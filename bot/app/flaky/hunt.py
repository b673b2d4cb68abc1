"""
The whole search: a baseline, a screen, and for every test that wavers a diagnosis with its proof.

One finding is one cause. What fails always, what cannot be run and what the time did not reach is
told as such, and never called flaky.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.app.flaky import find
from bot.app.flaky.diagnose import Diagnosis, Doctor
from bot.app.flaky.trials import OutOfTime, Trials, alone
from bot.core.flaky import spelling
from bot.core.flaky.condition import Condition
from bot.core.flaky.finding import Category, Finding, Standing
from bot.core.flaky.means import Means
from bot.core.flaky.proof import LEAST, standing
from bot.core.flaky.runs import Seen
from bot.core.flaky.screen import Screen, count_of
from bot.core.flaky.search_report import ArmDone, SearchReport, Unjudged, silent
from bot.core.flaky.statistics import percent, runs_to_see, upper_bound
from bot.ports import Ended

MOST_TRIES = 500
NETWORK = re.compile(
    r"gaierror|name resolution|Name or service not known|Network is unreachable|Max retries|"
    r"URLError|ConnectionError|ConnectError|No route to host"
)
ASKED = 60  # runs for a test that was pointed at
BROKEN_ASKED = 12  # tests that always fail are asked alone, while there are no more of them


@dataclass(slots=True, kw_only=True)
class Hunt:
    """``first``: tests that history or a person points at; they are looked at before others."""

    trials: Trials
    commit: str
    means: Means
    first: Mapping[str, str] = field(default_factory=dict)  # test -> what is said of it
    _findings: list[Finding] = field(default_factory=list)
    _unjudged: list[Unjudged] = field(default_factory=list)
    _broken: list[tuple[str, str]] = field(default_factory=list)
    _finished: bool = True

    def run(self, *, seconds: float) -> SearchReport:
        began = self.trials.now()
        try:
            screen = find.baseline(self.trials)
        except OutOfTime:
            screen = Screen(runs=())
        if fault := screen.fault():
            return self._report(screen, began, Unjudged(test="", why=fault))
        self.trials.lab.expect(find.patience(screen))
        to_look = seconds * find.SHARE
        screen = find.look(
            self.trials,
            screen,
            self.means,
            seconds=to_look,
            found_s=seconds * find.FOUND_SHARE,
        )
        self._explain(screen)
        screen = self._look_on(screen, to_look - screen.seconds)
        self._judge_always(screen)
        self._ask_first(screen)
        return self._report(screen, began)

    def _look_on(self, screen: Screen, seconds: float) -> Screen:
        """In what is left of the time to look, where proof came in between."""
        more = find.look(self.trials, screen, self.means, seconds=seconds, found_s=seconds)
        known = {test for one in self._findings for test in one.tests}
        fresh = tuple(one.test for one in more.wavering() if one.test not in known)
        if fresh:
            self._explain(more, only=fresh)
        return more

    # those that always fail

    def _judge_always(self, screen: Screen) -> None:
        always = screen.always_failing()
        for test in always[:BROKEN_ASKED]:
            try:
                self._ask_alone(test, screen)
            except OutOfTime:
                self._call_broken(test, screen)
        for test in always[BROKEN_ASKED:]:
            self._call_broken(test, screen)
        for test in screen.once():
            self._unjudged.append(
                Unjudged(test=test, why="it was seen once, failing, and did not run again")
            )

    def _ask_alone(self, test: str, screen: Screen) -> None:
        """What fails in every order may still pass by itself, or with network."""
        runs = self.trials.make([alone(test)] * 2)
        if all(run.of(test) is Seen.PASSED for run in runs):
            self._one(test, Screen(runs=(*screen.runs, *runs)), ())
        elif NETWORK.search(screen.text(test)):
            self._ask_network(test, screen)
        else:
            self._call_broken(test, screen)

    def _ask_network(self, test: str, screen: Screen) -> None:
        if not self.means.network:
            why = "it fails without network, and nothing ran with it (--network allows it)"
            self._unjudged.append(Unjudged(test=test, why=why))
            return
        online = alone(test).model_copy(update={"network": True})
        runs = self.trials.make([online] * 3)
        if any(run.of(test) is not Seen.PASSED for run in runs):
            self._call_broken(test, screen)
            return
        signature = screen.signature(test)
        before, _ = self.trials.sample(alone(test), test, signature=signature)
        diagnosis = Diagnosis(
            category=Category.NETWORK,
            condition=alone(test),
            before=before,
            counter=online,
            after=count_of(runs, (test,), online),
            certain=True,
            why=(
                f"without network it failed {before.failed} of {before.runs} times",
                f"with network it passed {len(runs)} of {len(runs)}",
            ),
        )
        self._findings.append(self._finding(test, screen, diagnosis))

    def _call_broken(self, test: str, screen: Screen) -> None:
        self._broken.append((test, screen.signature(test)))

    # those that somebody pointed at

    def _ask_first(self, screen: Screen) -> None:
        """Pointed at, and right in every run so far: by itself, until a floor is reached."""
        seen = {test for one in self._findings for test in one.tests}
        told = {test for test, _ in self._broken} | {one.test for one in self._unjudged}
        for test, said in self.first.items():
            if test in seen or test in told:
                continue
            if test not in screen.tests():
                self._unjudged.append(Unjudged(test=test, why=f"{said}; it did not run here"))
                continue
            count, runs = self.trials.sample(alone(test), test, failures=2, most=ASKED)
            if count.failed:
                self._explain(Screen(runs=(*screen.runs, *runs)), only=(test,))
            else:
                bound = percent(upper_bound(0, count.runs)) if count.runs else "100%"
                why = f"{said}; here it passed alone {count.runs} times: below {bound} is possible"
                self._unjudged.append(Unjudged(test=test, why=why, clean=count.runs))

    # those that waver

    def _explain(self, screen: Screen, *, only: tuple[str, ...] = ()) -> None:
        waiting = [name for name in self._ordered(screen) if not only or name in only]
        while waiting:
            test, *waiting = waiting
            try:
                explained = self._one(test, screen, tuple(waiting))
            except OutOfTime:
                self._finished = False
                self._suspect(test, screen, "the time ran out before it was understood")
                for other in waiting:
                    self._suspect(other, screen, "the time ran out before it was looked at")
                return
            waiting = [name for name in waiting if name not in explained]

    def _ordered(self, screen: Screen) -> list[str]:
        names = [one.test for one in screen.wavering()]
        # What fails only when it is repeated hurts nobody yet, and there may be many of it.
        return sorted(names, key=lambda name: (name not in self.first, screen.only_repeated(name)))

    def _one(self, test: str, screen: Screen, others: tuple[str, ...]) -> tuple[str, ...]:
        """The tests that are explained now."""
        doctor = Doctor(trials=self.trials, screen=screen, others=others)
        diagnosis = doctor.diagnose(test)
        if diagnosis is None:
            self._suspect(test, screen, "it did not fail so again, alone or as it was seen to")
            return (test,)
        finding = self._finding(test, screen, diagnosis)
        self._findings.append(finding)
        self.trials.say(f"{test}: {finding.standing.value}, {finding.category.value}")
        return finding.tests

    def _suspect(self, test: str, screen: Screen, why: str) -> None:
        failing, signature = screen.failing(test), screen.signature(test)
        plain = count_of(screen.plain, (test,), Condition(), signature=signature)
        condition = Condition() if plain.failed >= LEAST else failing[0].condition
        same = [run for run in screen.valid if run.condition == condition]
        before = count_of(same, (test,), condition, signature=signature)
        self._findings.append(
            Finding(
                commit=self.commit,
                gate=self.trials.gate.name,
                test=test,
                tests=(test,),
                standing=standing(before, None),
                category=Category.UNKNOWN,
                condition=condition,
                before=before,
                plain=plain,
                signature=signature,
                failure=screen.text(test),
                why=(
                    *self._said(test),
                    f"it failed in {len(failing)} of {len(screen.valid)} different runs; {why}",
                ),
                failing=tuple(run.condition for run in failing)[:20],
            )
        )

    def _finding(self, test: str, screen: Screen, diagnosis: Diagnosis) -> Finding:
        command, remark = self._command(test, diagnosis)
        after = diagnosis.after
        return Finding(
            commit=self.commit,
            gate=self.trials.gate.name,
            test=test,
            tests=(test, *diagnosis.victims),
            standing=standing(diagnosis.before, after),
            category=diagnosis.category,
            condition=diagnosis.condition,
            counter=diagnosis.counter,
            before=diagnosis.before,
            plain=count_of(screen.plain, (test,), Condition()),
            others=(*((after,) if after else ()), *diagnosis.others),
            polluters=diagnosis.polluters,
            setters=diagnosis.setters,
            leaked=diagnosis.leaked,
            signature=screen.signature(test),
            failure=screen.text(test),
            command=command,
            why=(*diagnosis.why, *remark, *self._said(test)),
            failing=diagnosis.failing,
        )

    def _said(self, test: str) -> tuple[str, ...]:
        return (f"said: {self.first[test]}",) if self.first.get(test) else ()

    def _command(self, test: str, diagnosis: Diagnosis) -> tuple[str, tuple[str, ...]]:
        """Tried before it is handed out. What fails by chance is put into a loop instead."""
        shown = diagnosis.shown or diagnosis.condition
        is_certain = diagnosis.certain or diagnosis.shown is not None
        before = diagnosis.before
        rate = 1.0 if is_certain else before.failed / max(before.runs, 1)
        tries = min(MOST_TRIES, runs_to_see(rate, confidence=0.99))
        told = spelling.command(self.trials.gate, shown, rate=rate, tries=tries)
        if not told:
            return "", ("it cannot be spelled as one command: the conditions are in the JSON",)
        if not is_certain:
            return told, ()
        try:
            ran = self.trials.ask(told)
        except OutOfTime:
            return told, ("the command was not tried: the time was over",)
        name = test.rpartition("::")[2].rpartition(".")[2].partition("[")[0]
        if ran.ended is Ended.EXITED and ran.exit_code and name in ran.output:
            return told, ()
        return "", (f"a plain command does not show it (tried: {told})",)

    # the end

    def _is_cut(self) -> bool:
        """More time might have proven what is only suspected."""
        suspects = any(one.standing is Standing.SUSPECT for one in self._findings)
        return suspects and self.trials.left() <= 0

    def _report(self, screen: Screen, began: float, *faults: Unjudged) -> SearchReport:
        return SearchReport(
            commit=self.commit,
            gate=self.trials.gate.name,
            command=self.trials.gate.run,
            tests=len(screen.tests()),
            findings=tuple(self._findings),
            broken=tuple(self._broken),
            unjudged=faults or (*self._unjudged, *silent(screen.runs)),
            judged=not faults,
            arms=tuple(
                ArmDone(
                    name=name,
                    runs=valid,
                    invalid=invalid,
                    bound=round(upper_bound(0, valid), 4) if valid else 1.0,
                )
                for name, (valid, invalid) in screen.by_arm().items()
            ),
            missing=self.means.missing,
            runs=self.trials.count,
            seconds=round(self.trials.now() - began, 1),
            load_average=max((run.load_average for run in screen.runs), default=0.0),
            cores=self.means.cores,
            finished=self._finished and not self._is_cut(),
            network=self.means.network,
        )
