"""Reactions to issues and comments. The same one twice is one."""

from __future__ import annotations

from bot.minihub import comments, threads
from bot.minihub.answers import NOTHING_TO_SAY, Answer, Page, invalid, not_found
from bot.minihub.call import Call
from bot.minihub.records import Reaction
from bot.minihub.shapes import issues


def _to(call: Call) -> list[Reaction]:
    if "comment_id" in call.words:
        return comments.find(call)[1].reactions
    return threads.here(call).reactions


def listed(call: Call) -> Page:
    wanted = call.query("content")
    return Page(
        [
            issues.reaction(call.hub.links, each)
            for each in _to(call)
            if wanted in ("", each.content)
        ]
    )


def made(call: Call) -> Answer:
    content = call.text("content", resource="Reaction")
    if content not in issues.CONTENTS:
        raise invalid("Reaction", "content")
    reactions = _to(call)
    for each in reactions:
        if each.user is call.me and each.content == content:
            return Answer(issues.reaction(call.hub.links, each), 200)
    reaction = Reaction(
        id=call.hub.store.new_id(),
        user=call.me,
        content=content,
        created_at=call.hub.clock.stamp(),
    )
    reactions.append(reaction)
    return Answer(issues.reaction(call.hub.links, reaction), 201)


def deleted(call: Call) -> Answer:
    number, reactions = call.number("reaction_id"), _to(call)
    for each in reactions:
        if each.id == number and each.user is call.me:
            reactions.remove(each)
            return NOTHING_TO_SAY
    raise not_found()
