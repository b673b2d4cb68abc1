"""
Check runs: jam's own, kept up to date, and anybody's that failed.

One run per commit, name and external id, and only of jam's own App: another App can use any name.
GitHub adds the notes of each request to those before, so only what is missing is given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial
from typing import Any, assert_never

from bot.adapters.github.logs import Logs
from bot.adapters.github.outlet import Ask
from bot.adapters.github.purpose import Purpose
from bot.adapters.github.shapes import CheckAnswer, NoteAnswer
from bot.core.annotations import Annotation, batches
from bot.core.check_text import Status
from bot.core.forge_values import Check, CheckFacts, Failing, OfCommit, OfRun, OfSuite


class Checks(Logs):
    def show(self, check: Check) -> int:
        check = self._told(check)
        with self._talk.within():
            there = self._find_run(check)
            if there is None:
                there = self._make_run(check)
            elif not _says(there, check):
                self._talk.write(self._change(there.id, check), CheckAnswer, purpose=Purpose.CHECK)
            if check.notes:
                self._annotate(there.id, check)
            return there.id

    def check(self, check: int) -> CheckFacts | None:
        path = self._at(f"/check-runs/{check}")
        found = self._talk.find(path, CheckAnswer, purpose=Purpose.INSPECT)
        return found.say() if found else None

    def notes(self, check: int) -> tuple[Annotation, ...]:
        path = self._at(f"/check-runs/{check}/annotations")
        found = self._talk.pages(path, NoteAnswer, purpose=Purpose.INSPECT)
        return tuple(one.say() for one in found)

    def failing(self, where: Failing) -> tuple[CheckFacts, ...]:
        match where:
            case OfCommit(sha):
                path = f"/commits/{sha}/check-runs"
            case OfSuite(suite):
                path = f"/check-suites/{suite}/check-runs"
            case OfRun(run):
                return self._of_jobs(run)
            case _:
                assert_never(where)
        listed = self._list(path, {"filter": "latest", "status": "completed"})
        return tuple(facts for one in listed if (facts := one.say()).has_failed)

    def _of_jobs(self, run: int) -> tuple[CheckFacts, ...]:
        """A job is the check run of its number."""
        found = [self.check(job.id) for job in self.jobs(run) if job.has_failed]
        return tuple(one for one in found if one is not None)

    def _list(self, path: str, asked: dict[str, str]) -> Iterable[CheckAnswer]:
        return self._talk.pages(
            *(self._at(path), CheckAnswer),
            purpose=Purpose.INSPECT,
            params=asked,
            under="check_runs",
        )

    # jam's own

    def _find_run(self, check: Check) -> CheckAnswer | None:
        asked = {"check_name": check.text.name, "filter": "all"}
        found = [
            one
            for one in self._list(f"/commits/{check.sha}/check-runs", asked)
            if one.external_id == check.text.external_id and self._is_my_run(one)
        ]
        return max(found, key=lambda one: one.id, default=None)  # the one that GitHub shows

    def _is_my_run(self, one: CheckAnswer) -> bool:
        return self.own.app is None or (one.app is not None and one.app.id == self.own.app)

    def _make_run(self, check: Check) -> CheckAnswer:
        body = {"head_sha": check.sha, **_fields(check)}
        ask = Ask(method="POST", path=self._at("/check-runs"), body=body)
        return self._talk.write(
            ask, CheckAnswer, purpose=Purpose.CHECK, look=lambda: self._find_run(check)
        )

    def _change(self, number: int, check: Check, notes: Iterable[Annotation] = ()) -> Ask:
        path = self._at(f"/check-runs/{number}")
        return Ask(method="PATCH", path=path, body=_fields(check, notes))

    def _annotate(self, number: int, check: Check) -> None:
        """Portion by portion; after a lost answer what is there is counted again."""
        while missing := self._missing(number, check):
            self._talk.write(
                self._change(number, check, batches(missing)[0]),
                CheckAnswer,
                purpose=Purpose.CHECK,
                look=partial(self._fewer, number, check, than=len(missing)),
            )

    def _missing(self, number: int, check: Check) -> tuple[Annotation, ...]:
        """By place and title: GitHub may keep messages in its own way."""
        there = Counter(map(_place, self.notes(number)))
        left = []
        for note in check.notes:
            if there[_place(note)]:
                there[_place(note)] -= 1
            else:
                left.append(note)
        return tuple(left)

    def _fewer(self, number: int, check: Check, *, than: int) -> CheckAnswer | None:
        """The run, if some of what was missing is there by now."""
        if len(self._missing(number, check)) >= than:
            return None
        path = self._at(f"/check-runs/{number}")
        return self._talk.get(path, CheckAnswer, purpose=Purpose.INSPECT)


def _place(note: Annotation) -> tuple[str, int, str]:
    return note.path, note.line, note.title


def _says(there: CheckAnswer, check: Check) -> bool:
    facts, text = there.say(), check.text
    return (facts.status, facts.conclusion, facts.title, facts.summary, facts.text) == (
        text.status,
        text.conclusion,
        text.title,
        text.summary,
        text.text,
    )


def _fields(check: Check, notes: Iterable[Annotation] = ()) -> dict[str, Any]:
    text = check.text
    output: dict[str, Any] = {"title": text.title, "summary": text.summary, "text": text.text}
    if told := [_note(one) for one in notes]:
        output["annotations"] = told
    fields: dict[str, Any] = {
        "name": text.name,
        "external_id": text.external_id,
        "status": text.status.value,
        "output": output,
        "actions": [
            {"identifier": one.identifier, "label": one.label, "description": one.words}
            for one in text.buttons
        ],
    }
    if text.status is Status.COMPLETED:
        fields["conclusion"] = text.conclusion
    return fields


def _note(note: Annotation) -> dict[str, Any]:
    return {
        "path": note.path,
        "start_line": note.line,
        "end_line": note.line,
        "annotation_level": note.level.value,
        "title": note.title,
        "message": note.message,
    }
