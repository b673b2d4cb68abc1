"""An App's webhook: its configuration, what was delivered, and delivering it again."""

from __future__ import annotations

from dataclasses import replace

from bot.minihub.answers import Answer, Refused, not_found
from bot.minihub.call import Call
from bot.minihub.records import App, Delivery
from bot.minihub.shapes import Json
from bot.minihub.shapes import apps as shapes


def _me(call: Call) -> App:
    if call.actor.app is None or call.actor.account is not None:
        raise Refused(401, "A JSON web token could not be decoded")
    return call.actor.app


def _mine(call: Call) -> list[Delivery]:
    """Newest first, as GitHub lists them."""
    app = _me(call)
    return [each for each in reversed(call.hub.store.deliveries) if each.app is app]


def config(call: Call) -> Json:
    app = _me(call)
    shape: Json = {"url": app.hook_url, "content_type": "json", "insecure_ssl": "0"}
    return shape | ({"secret": "********"} if app.hook_secret else {})


def configured(call: Call) -> Json:
    app = _me(call)
    app.hook_url = call.optional("url", str, resource="Hook") or app.hook_url
    app.hook_secret = call.optional("secret", str, resource="Hook") or app.hook_secret
    return config(call)


def deliveries(call: Call) -> Answer:
    """Cut by a cursor, the id of the first one wanted, not by page numbers. What was not yet
    tried is in no list."""
    found, status = [each for each in _mine(call) if each.status_code], call.query("status")
    if status:
        found = [each for each in found if (each.status == "OK") == (status == "success")]
    cursor = call.query("cursor")
    if cursor:
        found = [each for each in found if str(each.id) <= cursor.removeprefix("v1_")]
    size = min(int(call.query("per_page", "30")), 100)
    headers = {}
    if len(found) > size:
        url = call.hub.links.api(f"/app/hook/deliveries?per_page={size}&cursor=v1_{found[size].id}")
        headers["Link"] = f'<{url}>; rel="next"'
    return Answer([shapes.delivery(each) for each in found[:size]], headers=headers)


def _delivery(call: Call) -> Delivery:
    number = call.number("delivery_id")
    for each in _mine(call):
        if each.id == number:
            return each
    raise not_found()


def delivery(call: Call) -> Json:
    return shapes.whole_delivery(_delivery(call))


def redelivered(call: Call) -> Answer:
    """The same bytes under the same GUID, listed as a delivery of its own."""
    again = replace(
        _delivery(call),
        id=call.hub.store.new_id(),
        redelivery=True,
        delivered_at=call.hub.clock.stamp(),
        status="pending",
        status_code=0,
    )
    call.hub.store.deliveries.append(again)
    call.hub.courier.send(again)
    return Answer({}, 202)
