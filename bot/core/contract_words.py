"""
Every word about a mistake in a contract file: what was expected, what stands there, what is near.

Pure: from pydantic's account of a mistake to one sentence in plain words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any

from pydantic_core import ErrorDetails

from bot.core.contract import Contract
from bot.core.yaml_lines import Path

EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "model_type": "keys with values",
    "dict_type": "names with values",
    "mapping_type": "names with values",
    "greater_than": "more than {gt:g}",
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le:g}",
    "string_too_short": "some text",
}
TRUTHS = {"yes": "true", "on": "true", "no": "false", "off": "false"}


def nearest(word: str, known: Iterable[str]) -> str:
    """``did you mean …?``, or all there are."""
    known = list(known)
    by_lower = {name.lower(): name for name in reversed(known)}
    near = get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    if near:
        return f"did you mean {by_lower[near[0]]!r}?"
    return f"there is {', '.join(known)}" if known else "there is none"


def about(errors: Sequence[ErrorDetails], *, path: Path) -> str:
    """One sentence for all that pydantic says of one path, where each branch of a union speaks."""
    first = errors[0]
    match first["type"]:
        case "extra_forbidden":
            return f"unknown key; {_nearest_key(str(path[-1]), at=path[:-1])}"
        case "missing":
            return f"{first['loc'][-1]!r} is missing here"
        case "value_error":
            return str(first["ctx"]["error"])
        case _:
            pass
    expected = " or ".join(dict.fromkeys(_expected(error) for error in errors))
    return f"expected {expected}, given {_given(first['input'])}{_hint(errors)}"


def _expected(error: ErrorDetails) -> str:
    ctx = error.get("ctx", {})
    match error["type"]:
        case "enum" | "literal_error":
            return str(ctx["expected"])
        case "string_pattern_mismatch":
            return f"text like {ctx['pattern']}"
        case kind if kind in EXPECTED:
            return EXPECTED[kind].format_map(ctx)
        case _:
            return error["msg"]


def _given(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {value}"
        case str():
            return repr(value if len(value) <= 60 else f"{value[:59]}…")
        case list() | tuple():
            return "a list"
        case _:
            return "keys with values"


def _hint(errors: Sequence[ErrorDetails]) -> str:
    given = errors[0]["input"]
    kinds = {error["type"] for error in errors}
    if given is None:
        return "; leave the key out, or give it a value"
    if "string_type" in kinds and isinstance(given, bool | int | float):
        return "; put it in quotes"
    if isinstance(given, str):
        return _hint_for_text(given, errors=errors, kinds=kinds)
    return ""


def _hint_for_text(given: str, *, errors: Sequence[ErrorDetails], kinds: set[str]) -> str:
    if "tuple_type" in kinds:
        return f"; write [{given}]"
    if "bool_type" in kinds and given.lower() in TRUTHS:
        return f"; write {TRUTHS[given.lower()]}"
    if kinds & {"int_type", "float_type"} and given.replace(".", "", 1).isdigit():
        return "; leave the quotes out"
    words = [word for error in errors for word in _words(error)]
    near = get_close_matches(given.lower(), words, n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""


def _words(error: ErrorDetails) -> list[str]:
    if error["type"] not in {"enum", "literal_error"}:
        return []
    return str(error.get("ctx", {})["expected"]).replace(" or ", ", ").replace("'", "").split(", ")


def _nearest_key(key: str, *, at: Path) -> str:
    known = _keys_at(at)
    told = nearest(key, known)
    if told.startswith("did you mean"):
        return told
    homes = [home for home in _homes().get(key, ()) if home]
    return f"it belongs under {homes[0]}" if homes else told


def _keys_at(path: Path) -> tuple[str, ...]:
    node = _schema()
    for step in path:
        node = _within(node, step)
    return tuple(node.get("properties", {}))


def _within(node: Mapping[str, Any], step: str | int) -> Mapping[str, Any]:
    if isinstance(step, int):
        return _resolved(node.get("items", {}))
    return _resolved(node.get("properties", {}).get(step, _of_any_name(node)))


def _of_any_name(node: Mapping[str, Any]) -> Any:
    for inner in node.get("patternProperties", {}).values():
        return inner
    return node.get("additionalProperties", {})


def _resolved(node: Any) -> Mapping[str, Any]:
    if not isinstance(node, Mapping):
        return {}
    for choice in node.get("anyOf", (node,)):
        if "$ref" in choice:
            found: Mapping[str, Any] = _schema()["$defs"][choice["$ref"].removeprefix("#/$defs/")]
            return found
    return node


@cache
def _schema() -> Mapping[str, Any]:
    return Contract.model_json_schema()


@cache
def _homes() -> Mapping[str, list[str]]:
    """Every key, and the sections that know it."""
    homes: dict[str, list[str]] = {}
    waiting: list[tuple[str, Mapping[str, Any]]] = [("", _schema())]
    while waiting:
        place, node = waiting.pop(0)
        for key, inner in node.get("properties", {}).items():
            homes.setdefault(key, []).append(place)
            waiting.append((f"{place}.{key}".lstrip("."), _resolved(inner)))
        if _resolved(_of_any_name(node)):
            waiting.append((f"{place}.NAME", _within(node, "*")))
        if "items" in node:
            waiting.append((f"{place}[]", _within(node, 0)))
    return homes
