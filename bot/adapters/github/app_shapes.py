"""Shapes of what GitHub answers to the App itself."""

from __future__ import annotations

from pydantic import AwareDatetime

from bot.adapters.github.shapes import Flag, Shape, Text, Whole
from bot.core.deliveries.shapes import Number, User
from bot.core.forge_values import AppFacts, DeliveryFacts, InstallationFacts


class AppAnswer(Shape):
    id: Number
    slug: Text
    name: Text
    permissions: dict[str, str]
    events: list[str]

    def say(self) -> AppFacts:
        return AppFacts(
            id=self.id,
            slug=self.slug,
            name=self.name,
            permissions=self.permissions,
            events=tuple(self.events),
        )


class InstallationAnswer(Shape):
    id: Number
    account: User
    permissions: dict[str, str]
    suspended_at: AwareDatetime | None = None

    def say(self) -> InstallationFacts:
        return InstallationFacts(
            id=self.id,
            account=self.account.say(),
            permissions=self.permissions,
            is_suspended=self.suspended_at is not None,
        )


class DeliveryAnswer(Shape):
    id: Number
    guid: Text
    event: Text
    action: Text | None = None
    delivered_at: AwareDatetime
    redelivery: Flag
    status_code: Whole

    def say(self) -> DeliveryFacts:
        return DeliveryFacts(
            id=self.id,
            guid=self.guid,
            event=self.event,
            at=self.delivered_at,
            status=self.status_code,
            action=self.action or "",
            is_redelivery=self.redelivery,
        )
