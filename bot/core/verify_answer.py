"""
The answer to ``/jam verify``: a comment of its own, with a fresh ledger, about exactly one head.

It says what was judged and compares it with what jam said before, where it did. Nothing in it is
taken from the pull request's text.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.core import check_text, fence, pr_body
from bot.core.check_text import CheckText, Status
from bot.core.ledger import Sealed, last_seal
from bot.core.session import Session, replay
from bot.core.stages import checklist
from bot.core.thread import Pull
from bot.core.visible import one_line
from bot.core.words import sentence

NO_TEST = "no test tells base from head"
LIMIT = pr_body.LIMIT - 3_000


def going(entries: Sequence[Sealed], pull: Pull, *, asked_by: str) -> str:
    """While it is judged."""
    for_whom = f" for {fence.code(asked_by, limit=60)}" if asked_by else ""
    head = f"**jam is judging the head {fence.code(pull.head_sha[:12])}{for_whom}**"
    return f"{head}\n\n{checklist(replay(entries))}"


def render(
    entries: Sequence[Sealed], pull: Pull, *, before: Sequence[Sealed] = (), is_kept: bool = False
) -> str:
    """``before``: the session that opened it. ``is_kept``: that was kept where others write."""
    opened = replay(entries).opened
    base = (
        f" merged with {fence.code(opened.base[:12])} of {fence.code(pull.base_branch)}"
        if (opened)
        else ""
    )
    head = f"jam judged the head {fence.code(pull.head_sha[:12])}{base}, in clean rooms."
    compared = _compared(replay(entries), before, is_kept=is_kept) if before else ""
    top = "\n\n".join(part for part in (head, compared) if part)
    return f"{top}\n\n{_evidence(entries, limit=LIMIT - len(top) - 2)}"


def _evidence(entries: Sequence[Sealed], *, limit: int) -> str:
    return pr_body.render(entries, reader=pr_body.Reader.ANSWER, limit=limit)


def _compared(now: Session, ledger: Sequence[Sealed], *, is_kept: bool) -> str:
    """Against jam's own ledger for this pull request."""
    before = replay(ledger)
    word, old = now.adjudicated, before.adjudicated
    if word is None or old is None:
        return ""
    whose = "the ledger that the repository keeps" if is_kept else "jam's own ledger"
    seal = f"Compared with {whose} (seal `{last_seal(ledger)[:12]}`)"
    differences = [
        said
        for said in (
            _differ("verdict", old.end, word.end),
            _differ("evidence level", old.level, word.level),
            _differ("tree", old.head_tree[:12], word.tree[:12]),
            _differ("tests to mend", *_targets(before, now)),
        )
        if said
    ]
    if not differences:
        return f"{seal}: the same tree, the same verdict."
    return "\n".join([f"{seal}, this differs:", "", *(f"- {one}" for one in differences)])


def _targets(before: Session, now: Session) -> tuple[str, str]:
    found = [one.baseline.targets_count if one.baseline else 0 for one in (before, now)]
    return str(found[0]), str(found[1])


def _differ(what: str, before: str, now: str) -> str:
    return "" if before == now else f"{what}: {fence.code(before)} before, {fence.code(now)} now"


def in_words(pull: Pull, why: str) -> str:
    """Where nothing could be judged."""
    said = sentence(fence.prose(_why(why), limit=2_000))
    head = fence.code(pull.head_sha[:12])
    return f"**Unverified.** {said}\n\nThis is about the head {head}."


def unverified(session: str, why: str) -> CheckText:
    said = _why(why)
    return CheckText(
        name=check_text.VERIFY,
        external_id=session,
        status=Status.COMPLETED,
        conclusion=check_text.CONCLUSIONS["unverified"],
        title=one_line(f"Unverified: {said}", check_text.TITLE),
        summary=f"**Unverified.** {sentence(fence.prose(said, limit=2_000))}",
    )


def _why(why: str) -> str:
    """What a base that is green means here."""
    return why if "does not merge with" in why else NO_TEST
