"""
GitHub's own descriptions, as validators: what the hub answered against the OpenAPI description,
what it sent against the webhook schemas. The packages are pinned in package-lock.json; where they
are absent, whatever asks here fails.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

from bot.minihub.recorder import Exchange, Recorder, Sent

PACKAGES = Path(__file__).parent / "node_modules" / "@octokit"
REF = "#/components/schemas/"
#: answers that every call may give, so GitHub describes them only here and there
GENERAL = {301, 307, 400, 401, 403, 404, 405, 409, 410, 422, 429, 500, 502, 503}
#: older addresses that GitHub still serves and no longer describes
ALIASES = {
    "/repos/{owner}/{repo}/statuses/{ref}": "/repos/{owner}/{repo}/commits/{ref}/statuses",
}
#: what GitHub answers though its description says otherwise
GAPS = {
    'head/repo: null is not of type "object"',  # a pull request whose fork was deleted
}
#: said there of an account: a user *and* an enterprise at once, which nothing is; the answer of
#: one installation says it right
MENDED = {
    ("GET", "/app/installations", 200): {
        "type": "array",
        "items": {"$ref": f"{REF}installation"},
    },
}
#: the address of an App's commits holds brackets, which no strict reader of addresses likes
FORMATS = {"email": lambda text: "@" in text}


class DescriptionsMissing(AssertionError):
    """Run `npm ci` in tests/minihub: GitHub's descriptions are not there."""


@cache
def _read(name: str) -> Any:
    path = PACKAGES / name
    if not path.is_file():
        raise DescriptionsMissing(f"{DescriptionsMissing.__doc__} ({name})")
    return json.loads(path.read_bytes())


def rest() -> Any:
    return _read("openapi/generated/api.github.com.json")


def hooks() -> Any:
    return _read("openapi-webhooks/generated/api.github.com.json")


def strict_hooks() -> Any:
    return _read("webhooks-schemas/schema.json")


def examples() -> Any:
    return _read("webhooks-examples/api.github.com/index.json")


# OpenAPI's dialect -> JSON schema


def _converted(node: Any) -> Any:
    if isinstance(node, list):
        return [_converted(each) for each in node]
    if not isinstance(node, dict):
        return node
    made = {name: _converted(each) for name, each in node.items() if name != "example"}
    if node.get("nullable") is not True:
        return made
    if "enum" in made and None not in made["enum"]:
        made["enum"] = [*made["enum"], None]
    if isinstance(made.get("type"), str):
        return made | {"type": [made["type"], "null"]}
    return {"anyOf": [made, {"type": "null"}]}


def _refs(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for each in node:
            yield from _refs(each)
    elif isinstance(node, dict):
        ref = node.get("$ref")
        if isinstance(ref, str) and ref.startswith(REF):
            yield ref.removeprefix(REF)
        for each in node.values():
            yield from _refs(each)


@cache
def _component(source: str, name: str) -> tuple[Any, frozenset[str]]:
    document = rest() if source == "rest" else hooks()
    made = _converted(document["components"]["schemas"][name])
    return made, frozenset(_refs(made))


def _compiled(source: str, schema: Any) -> jsonschema_rs.Draft7Validator:
    made = _converted(schema)
    known: dict[str, Any] = {}
    wanted = set(_refs(made))
    while wanted:
        name = wanted.pop()
        known[name], more = _component(source, name)
        wanted |= more - known.keys()
    whole = {"allOf": [made], "components": {"schemas": known}}
    return jsonschema_rs.Draft7Validator(whole, formats=FORMATS)


@cache
def answer_validator(method: str, template: str, status: int) -> Any:
    """None: GitHub describes an answer without a body. Raises KeyError where it describes none."""
    document = rest()
    if mended := MENDED.get((method, template, status)):
        return _compiled("rest", mended)
    responses = document["paths"][ALIASES.get(template, template)][method.lower()]["responses"]
    described = responses.get(str(status))
    if described is None:
        if status not in GENERAL:
            raise KeyError(f"{method} {template} never answers {status}")
        return _compiled("rest", {"$ref": f"{REF}basic-error"})
    if "$ref" in described:
        described = document["components"]["responses"][described["$ref"].rsplit("/", 1)[1]]
    content = described.get("content", {})
    if "application/json" not in content:
        return None
    schema = content["application/json"]["schema"]
    if status >= 400 and "oneOf" in schema:  # two kinds of error, of which one allows anything
        schema = {"anyOf": schema["oneOf"]}
    return _compiled("rest", schema)


def _opened(node: Any) -> Any:
    """These schemas are closed, and older than some fields that GitHub sends today."""
    if isinstance(node, list):
        return [_opened(each) for each in node]
    if isinstance(node, dict):
        return {
            name: _opened(each) for name, each in node.items() if name != "additionalProperties"
        }
    return node


@cache
def _older() -> Any:
    return _opened(strict_hooks()["definitions"])


@cache
def hook_validators(event: str, action: str | None) -> tuple[Any, ...]:
    """GitHub's description, and the older schemas that were made from real payloads."""
    name = event.replace("_", "-") + (f"-{action.replace('_', '-')}" if action else "")
    if event == "repository_dispatch":
        name = "repository-dispatch-sample.collected"
    schema = hooks()["webhooks"][name]["post"]["requestBody"]["content"]["application/json"]
    found = [_compiled("hooks", schema["schema"])]
    strict = f"{event}${action or 'event'}"
    if strict in strict_hooks()["definitions"]:
        whole = {"$ref": f"#/definitions/{strict}", "definitions": _older()}
        found.append(jsonschema_rs.Draft7Validator(whole, formats=FORMATS))
    return tuple(found)


# what is wrong


def _is_described(one: Exchange) -> bool:
    """GraphQL has no description of this kind, and what is no JSON has no schema."""
    known = bool(one.template) and not one.template.startswith("/api/graphql")
    return known and one.status != 304 and one.media_type.startswith("application/json")


def wrong_answer(one: Exchange) -> Iterator[str]:
    call = f"{one.method} {one.template or one.path} {one.status}"
    if one.status in (204, 304) and one.answer:
        yield f"{call}: a body where there can be none"
    if not _is_described(one):
        return
    try:
        validator = answer_validator(one.method, one.template, one.status)
    except KeyError as missing:
        yield f"{call}: not described: {missing}"
        return
    if validator is None:
        if one.answer and one.status < 300:
            yield f"{call}: a body where none is described"
        return
    for error in validator.iter_errors(json.loads(one.answer)):
        if _told(error) not in GAPS:
            yield f"{call}: {_told(error)}"


def wrong_webhook(one: Sent) -> Iterator[str]:
    name = f"{one.event}.{one.action}"
    try:
        validators = hook_validators(one.event, one.action)
    except KeyError as missing:
        yield f"{name}: not described: {missing}"
        return
    payload = json.loads(one.body)
    for place, validator in enumerate(validators):
        for error in validator.iter_errors(payload):
            yield f"{name} [{('described', 'older')[place]}]: {_told(error)}"


def _told(error: Any) -> str:
    return f"{'/'.join(map(str, error.instance_path))}: {error.message[:300]}"


def problems(recorder: Recorder) -> list[str]:
    """Everything that GitHub would not have answered or sent, each once."""
    found: dict[str, None] = {}
    seen: set[object] = set()
    for exchange in recorder.exchanges:
        key = (exchange.method, exchange.template, exchange.status, exchange.answer)
        if key not in seen:
            seen.add(key)
            found |= dict.fromkeys(wrong_answer(exchange))
    for sent in recorder.webhooks:
        found |= dict.fromkeys(wrong_webhook(sent))
    return list(found)


def all_named(names: Iterable[str]) -> set[str]:
    """The calls of these, as "GET /repos/…", that GitHub's description does not have."""
    paths = rest()["paths"]
    return {
        name
        for name in names
        for method, _, template in [name.partition(" ")]
        if method.lower() not in paths.get(ALIASES.get(template, template), {})
    }
