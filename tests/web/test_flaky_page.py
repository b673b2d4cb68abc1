"""The page of a search and its mends: one file, in which no word of a test is markup."""

from __future__ import annotations

import re

from bot.core.flaky import mend_end
from bot.core.flaky.finding import Finding, Standing
from bot.core.flaky.mend_steps import fold_facts
from bot.core.flaky.search_report import ArmDone, SearchReport
from bot.pages import flaky
from tests.core.flaky.mending import BASE, before, finding, patch

EVIL = "tests/test_a.py::test_a[<script>alert(1)</script>]"


def report(*found: Finding) -> SearchReport:
    return SearchReport(
        commit=BASE,
        gate="tests",
        command="pytest",
        tests=9,
        findings=found,
        arms=(ArmDone(name="plain", runs=20),),
    )


def test_a_mend_has_a_mark_for_each_run_and_its_interval() -> None:
    facts = [*before(), *patch().values()]
    facts.append(mend_end.conclude(fold_facts(facts), why="every rule was met"))

    page = flaky.render(report(finding()), [fold_facts(facts)])

    assert "mend: verified" in page
    assert len(re.findall(r'<path class="failed"', page)) == 7 + 1
    assert len(re.findall(r'<circle class="passed"', page)) == 53 + 1 + 2 + 60 + 59
    assert "0 of 60 failed: 0% (0% to 6.0%)" in page
    assert "failure rates below 4.9% under the condition found" in page


def test_what_was_not_mended_is_shown_as_found() -> None:
    page = flaky.render(report(finding()))

    assert "mend:" not in page
    assert "7 of 60 (12%, 4.8% to 23%)" in page


def test_what_is_no_flaky_test_stands_under_its_own_heading() -> None:
    kinds = {"Suspects": Standing.SUSPECT, "Not idempotent": Standing.REPEATED}
    found = [finding(test=f"t.py::{one}", standing=one) for one in kinds.values()]

    page = flaky.render(report(*found))

    for heading, one in kinds.items():
        assert f"t.py::{one}" in page[page.index(f"<h2>{heading}</h2>") :].partition("</ul>")[0]
    assert "7 of 60" in page[page.index("<h2>Not idempotent</h2>") :]


def test_the_page_is_one_file_and_foreign_words_stay_words() -> None:
    found = finding(test=EVIL, tests=(EVIL,), failure="</pre><img src=x onerror=alert(1)>")

    page = flaky.render(report(found))

    assert "<script" not in page
    assert "<img" not in page
    assert not re.search(r"""(?:src|href)=|url\(|@import""", page.replace("&lt;img src=x", ""))
