"""A mend's facts, each on a line for whoever reads the story of its session."""

from __future__ import annotations

from bot.core.flaky.finding import Finding
from bot.core.flaky.mend_facts import Guarded, MendFact, Mutated, Planned, Sampled, SuiteRan
from bot.core.words import many_of


def tell(fact: MendFact) -> str:
    match fact:
        case Finding():
            before = fact.before
            return f"{fact.test}: {fact.category.value}, {before.failed} of {before.runs} failed"
        case Planned():
            most = many_of(fact.attempts, "attempt")
            return f"{fact.same} runs under the condition found, {fact.free} fresh; {most}"
        case Guarded():
            refused = many_of(len(fact.refusals), "refusal")
            return f"{refused}{f': {fact.refusals[0].what}' if fact.refusals else ''}"
        case Sampled():
            side = "change" if fact.attempt else "base"
            return f"{fact.arm.value}, {side}: {fact.failed} of {fact.runs} failed"
        case SuiteRan():
            kept = f"{len(fact.lost)} lost, {len(fact.worse)} worse"
            return f"{many_of(fact.tests, 'test')}, {fact.fixed} + {fact.shuffled} runs: {kept}"
        case Mutated():
            return fact.why or f"{fact.after} of {fact.before} sightings of breaks are still made"
