"""Every mistake in a contract is told with its place, its key and the nearest right word."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bot.core.contract import Contract, Gate, Oracle, digest
from bot.core.contract_file import ContractMistaken, choose_oracle, read, schema
from bot.errors import RequestError, SpecError

POLICIES = Path(__file__).parent.parent / "data" / "policies"
MINIMAL = (POLICIES / "minimal.yml").read_text()
BARE = Contract(oracles={"unit": Oracle(gates=(Gate(run="python -m pytest -q"),))})


def told(text: str | bytes) -> list[str]:
    with pytest.raises(RequestError) as refused:
        read(text, name="jam.yml")
    return str(refused.value).splitlines()


def with_gate(*lines: str, further: str = "") -> str:
    gate = "\n        ".join(lines)
    return f"oracles:\n  unit:\n    gates:\n      - {gate}\n{further}"


class TestAGoodFile:
    def test_three_lines_are_enough(self) -> None:
        assert read(MINIMAL, name="jam.yml") == BARE

    def test_the_defaults_written_out_mean_the_same(self) -> None:
        said = read((POLICIES / "default.yml").read_bytes(), name="jam.yml")

        assert said == BARE
        assert digest(said) == digest(BARE)

    def test_every_key_can_say_something_else(self) -> None:
        said = read((POLICIES / "opposite.yml").read_text(), name="jam.yml").model_dump()
        usual = BARE.model_dump()

        assert {key for key in usual if said[key] == usual[key]} == {"version"}

    def test_json_is_yaml_even_with_tabs_and_paired_escapes(self) -> None:
        text = '{\n\t"oracles": {"unit": {"gates": [{"run": "echo \\ud83d\\ude00 \\/"}]}}}'

        assert read(text, name="x").oracles["unit"].gates == (Gate(run="echo 😀 /"),)

    def test_a_byte_order_mark_is_no_part_of_the_first_key(self) -> None:
        assert read(b"\xef\xbb\xbf" + MINIMAL.encode(), name="x") == BARE

    def test_a_version_number_as_a_key_stays_as_it_was_written(self) -> None:
        assert dict(read(f"{MINIMAL}checks: {{3.10: unit}}", name="x").checks) == {"3.10": "unit"}

    def test_off_is_a_word_and_not_a_boolean(self) -> None:
        assert read(f"{MINIMAL}flaky: {{quarantine: off}}", name="x").flaky.quarantine == "off"


SHAPES = {
    "a mistyped key": (
        with_gate("run: x", "reprot: junit"),
        "jam.yml:5:9: oracles.unit.gates[0].reprot: unknown key; did you mean 'report'?",
    ),
    "a key in the wrong section": (
        with_gate("run: x", "frozen: [a]"),
        "jam.yml:5:9: oracles.unit.gates[0].frozen: unknown key; it belongs under oracles.NAME",
    ),
    "a key like no other": (
        f"{MINIMAL}hooks: {{zzz: 1}}",
        "jam.yml:4:9: hooks.zzz: unknown key; there is stop",
    ),
    "GitHub's own on": (
        f"{MINIMAL}on: push",
        "jam.yml:4:1: on: unknown key; there is version, label, setup, build, oracles, checks, "
        "reproduce, agent, budget, sandbox, policy, protect, hooks, publish, flaky",
    ),
    "a missing key": (
        with_gate("name: x"),
        "jam.yml:4:9: oracles.unit.gates[0]: 'run' is missing here",
    ),
    "text where a list is wanted": (
        f"{MINIMAL}hooks: {{stop: make}}",
        "jam.yml:4:9: hooks.stop: expected a list, given 'make'; write [make]",
    ),
    "yes where true is wanted": (
        "oracles: {u: {require_red_start: yes, gates: [{run: x}]}}",
        "jam.yml:1:15: oracles.u.require_red_start: expected true or false, given 'yes'; "
        "write true",
    ),
    "a number where text is wanted": (
        f"{MINIMAL}label: 3.10",
        "jam.yml:4:1: label: expected text, given the number 3.1; put it in quotes",
    ),
    "a boolean where text is wanted": (
        f"{MINIMAL}setup: true",
        "jam.yml:4:1: setup: expected text, given true; put it in quotes",
    ),
    "quotes where a number is wanted": (
        with_gate("run: x", 'timeout_s: "60"'),
        "jam.yml:5:9: oracles.unit.gates[0].timeout_s: expected a number, given '60'; "
        "leave the quotes out",
    ),
    "a boolean where a number is wanted": (
        f"{MINIMAL}agent: {{max_turns: true}}",
        "jam.yml:4:9: agent.max_turns: expected a whole number, given true",
    ),
    "a mistyped word": (
        with_gate("run: x", "report: pytst"),
        "jam.yml:5:9: oracles.unit.gates[0].report: expected 'pytest', 'unittest', 'junit', "
        "'go-json', 'tap' or 'exit', given 'pytst'; did you mean 'pytest'?",
    ),
    "neither a number nor the word": (
        with_gate("run: x", "min_pass: most"),
        "jam.yml:5:9: oracles.unit.gates[0].min_pass: expected a whole number or 'baseline', "
        "given 'most'",
    ),
    "a number out of range": (
        with_gate("run: x", "timeout_s: 0"),
        "jam.yml:5:9: oracles.unit.gates[0].timeout_s: expected more than 0, given the number 0",
    ),
    "text where keys are wanted": (
        f"{MINIMAL}budget: much",
        "jam.yml:4:1: budget: expected keys with values, given 'much'",
    ),
    "keys where text is wanted": (
        f"{MINIMAL}label: {{a: b}}",
        "jam.yml:4:1: label: expected text, given keys with values",
    ),
    "an empty section": (
        f"{MINIMAL}budget:\n",
        "jam.yml:4:1: budget: expected keys with values, given nothing; "
        "leave the key out, or give it a value",
    ),
    "a list where names are wanted": (
        f"{MINIMAL}checks: [a]",
        "jam.yml:4:1: checks: expected names with values, given a list",
    ),
    "a blank command": (
        with_gate('run: "  "'),
        "jam.yml:4:9: oracles.unit.gates[0].run: a command is missing here",
    ),
    "a NUL in a command": (
        with_gate(r'run: "a\0"'),
        "jam.yml:4:9: oracles.unit.gates[0].run: a command cannot hold a NUL",
    ),
    "an oracle that no comment could name": (
        "oracles: {a/b: {gates: [{run: x}]}}",
        "jam.yml:1:11: oracles.a/b: expected text like ^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$, "
        "given 'a/b'",
    ),
    "another version": (
        f"version: 2\n{MINIMAL}",
        "jam.yml:1:1: version: expected 1, given the number 2",
    ),
}

RULES = {
    "exit alone": (
        with_gate("run: x", "report: exit"),
        "jam.yml:5:9: oracles.unit.gates[0].report: an exit code alone proves little: "
        "put it beside a gate with test ids, or write publish: {accept: L2}",
    ),
    "exit counts nothing": (
        with_gate("run: x", "report: exit", "min_pass: baseline", further="publish: {accept: L2}"),
        "jam.yml:4:9: oracles.unit.gates[0]: "
        "min_pass: baseline needs a report with test ids; exit has none",
    ),
    "two gates of one name": (
        "oracles: {u: {gates: [{run: x}, {run: y}]}}",
        "jam.yml:1:33: oracles.u.gates[1].name: "
        "two gates of this oracle are called 'tests'; give each its own name",
    ),
    "a check judged by nobody": (
        f"{MINIMAL}checks: {{lint: unti}}",
        "jam.yml:4:10: checks.lint: there is no oracle 'unti'; did you mean 'unit'?",
    ),
    "flaky judged by nobody": (
        f"{MINIMAL}flaky: {{oracle: slow}}",
        "jam.yml:4:9: flaky.oracle: there is no oracle 'slow'; there is unit",
    ),
    "one of two oracles without gates": (
        f"{MINIMAL}  other: {{}}",
        "jam.yml:4:3: oracles.other.gates: an oracle needs at least one gate",
    ),
    "junit without its file": (
        with_gate("run: x", "report: junit"),
        "jam.yml:5:9: oracles.unit.gates[0].report: "
        "junit needs report_file: where the command writes its report",
    ),
    "no money": (
        f"{MINIMAL}budget: {{usd: 0}}",
        "jam.yml:4:10: budget.usd: expected more than 0, given the number 0",
    ),
    "a report file that nobody reads": (
        with_gate("run: x", "report_file: r.xml"),
        "jam.yml:5:9: oracles.unit.gates[0].report_file: only junit reads a report_file",
    ),
    "a report file elsewhere": (
        with_gate("run: x", "report: junit", "report_file: ../r.xml"),
        "jam.yml:6:9: oracles.unit.gates[0].report_file: "
        "'../r.xml' does not stay inside the checkout",
    ),
}

NOT_READ = {
    "a tab": ("oracles:\n\tu: 1", "jam.yml:2:1: a tab stands here; YAML indents with spaces only"),
    "a tab in what only begins like JSON": (
        "{\n\tlabel: a}",
        "jam.yml:2:1: a tab stands here; YAML indents with spaces only",
    ),
    "not UTF-8": (b"label: \xff", "jam.yml:1:8: byte 0xff is not UTF-8"),
    "not YAML": (
        "oracles: [",
        "jam.yml:1:11: this is not YAML: expected the node content, but found '<stream end>'",
    ),
    "a control character": ("label: \x07", "jam.yml:1:8: character U+0007 is not allowed"),
    "too large": ("#" * 300_000, "jam.yml:1:1: the file has 300000 bytes, more than 262144"),
    "too deep": ("[" * 5000, "jam.yml:1:13: nested more than 12 deep"),
    "a key said twice": (
        f"label: a\n{MINIMAL}label: b",
        "jam.yml:5:1: 'label' is said twice; first on line 1",
    ),
    "a merge key": (
        with_gate("run: x", "<<: {report: exit}"),
        "jam.yml:5:9: merge keys are not read (<<); write the keys out",
    ),
    "a second document": (
        f"{MINIMAL}---\nlabel: x",
        "jam.yml:4:1: a second document begins here; only one is read",
    ),
    "a tag": (
        f"{MINIMAL}label: !!binary eA==",
        "jam.yml:4:8: tags are not read (tag:yaml.org,2002:binary); leave it out",
    ),
    "a key that is a list": (f"{MINIMAL}? [a]\n: 1", "jam.yml:4:3: a key must be text"),
    "half a character": (
        f'{MINIMAL}label: "\\ud83d"',
        "jam.yml:4:8: half of a surrogate pair stands here",
    ),
}


@pytest.mark.parametrize(("text", "sentence"), SHAPES.values(), ids=SHAPES.keys())
def test_a_mistake_of_shape_is_one_sentence(text: str, sentence: str) -> None:
    assert told(text) == [sentence]


@pytest.mark.parametrize(("text", "sentence"), RULES.values(), ids=RULES.keys())
def test_a_rule_across_keys_is_one_sentence(text: str, sentence: str) -> None:
    assert told(text) == [sentence]


@pytest.mark.parametrize(("text", "sentence"), NOT_READ.values(), ids=NOT_READ.keys())
def test_what_is_not_read_is_one_sentence(text: str | bytes, sentence: str) -> None:
    assert told(text) == [sentence]


def test_a_billion_laughs_are_told_by_their_first_two_lines() -> None:
    bomb = 'a: &a ["x"]\nb: [*a, *a]\n'

    assert told(bomb)[0] == "jam.yml:1:4: anchors are not read (&a); write the value out"


def test_mistakes_of_shape_and_of_rule_are_told_together_in_order() -> None:
    text = "label: 1\nchecks: {lint: unti}\noracles: {unit: {gates: [{run: x}]}}\nbudgte: {}\n"

    assert told(text) == [
        "jam.yml:1:1: label: expected text, given the number 1; put it in quotes",
        "jam.yml:2:10: checks.lint: there is no oracle 'unti'; did you mean 'unit'?",
        "jam.yml:4:1: budgte: unknown key; did you mean 'budget'?",
    ]


def test_what_is_no_gate_does_not_shift_the_places_of_others() -> None:
    text = "oracles: {u: {gates: [x, {run: y, report: exit}]}}"

    assert told(text) == [
        "jam.yml:1:23: oracles.u.gates[0]: expected keys with values, given 'x'",
        "jam.yml:1:35: oracles.u.gates[1].report: an exit code alone proves little: "
        "put it beside a gate with test ids, or write publish: {accept: L2}",
    ]


def test_a_flood_of_mistakes_is_cut() -> None:
    lines = told(MINIMAL + "".join(f"key{n}: 1\n" for n in range(30)))

    assert (len(lines), lines[-1]) == (21, "and 10 more")


@pytest.mark.parametrize("text", ["", "# nothing\n", "oracles: {}", "oracles: {unit: {gates: []}}"])
def test_no_oracle_has_its_code(text: str) -> None:
    with pytest.raises(SpecError) as refused:
        read(text, name="jam.yml")

    assert refused.value.code == "spec.no_oracle"
    assert str(refused.value) == (
        "jam.yml:1:1: oracles: no oracle has a gate, so nothing can judge a change; "
        "`jam init` writes one"
    )


class TestChoosingAnOracle:
    CONTRACT = read((POLICIES / "opposite.yml").read_text(), name="x")

    def test_the_first_one_is_meant_when_none_is_named(self) -> None:
        assert choose_oracle(self.CONTRACT) == ("unit", self.CONTRACT.oracles["unit"])

    def test_a_named_one_is_found(self) -> None:
        assert choose_oracle(self.CONTRACT, named="slow") == ("slow", self.CONTRACT.oracles["slow"])

    def test_a_mistyped_one_is_told_with_the_nearest(self) -> None:
        with pytest.raises(
            RequestError, match=r"^there is no oracle 'solw'; did you mean 'slow'\?$"
        ):
            choose_oracle(self.CONTRACT, named="solw")

    @pytest.mark.parametrize("oracles", [{}, {"unit": Oracle()}], ids=["none", "without gates"])
    def test_nothing_to_choose_has_its_code(self, oracles: dict[str, Oracle]) -> None:
        with pytest.raises(SpecError) as refused:
            choose_oracle(Contract(oracles=oracles))

        assert refused.value.code == "spec.no_oracle"


class TestTheSchema:
    def test_is_the_published_one(self) -> None:
        assert schema() == json.loads((POLICIES / "schema.json").read_text())

    def test_describes_every_key(self) -> None:
        bare = [path for path, key in _keys(schema(), "") if not key.get("description")]

        assert bare == []

    @pytest.mark.parametrize("name", ["minimal", "default", "opposite"])
    def test_accepts_what_jam_reads(self, name: str) -> None:
        # PyYAML reads `off` as false where jam, like an editor, reads a word.
        text = (POLICIES / f"{name}.yml").read_text()
        text = re.sub(r": (off|on)(?=[,}])", r': "\1"', text).replace("3.10:", "x:")

        assert jsonschema.validate(yaml.safe_load(text), schema()) is None

    def test_refuses_an_unknown_key(self) -> None:
        with pytest.raises(jsonschema.ValidationError, match="'oracels' was unexpected"):
            jsonschema.validate({"oracels": {}}, schema())


def _keys(whole: dict[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Where a key says nothing itself, what it refers to speaks for it, as in an editor."""
    for name, inner in [("", whole), *whole.get("$defs", {}).items()]:
        for key, told_of in inner.get("properties", {}).items():
            meant = whole["$defs"].get(told_of.get("$ref", "").rpartition("/")[2], {})
            yield f"{path}{name}.{key}", {**meant, **told_of}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["oracles", "gates", "run", "report", "checks", "agent", "backend", "x"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_no_value_makes_it_stumble(value: object) -> None:
    """Whatever stands in the file, the answer is a contract or sentences that name the file."""
    try:
        answer: object = read(json.dumps(value), name="jam.yml")
    except ContractMistaken as refused:
        answer = [str(refused).startswith("jam.yml:"), bool(refused.mistakes)]
    except SpecError as refused:
        answer = [str(refused).startswith("jam.yml:"), refused.code == "spec.no_oracle"]

    assert answer == [True, True] or isinstance(answer, Contract)


@given(st.binary(max_size=60))
def test_no_bytes_make_it_stumble(content: bytes) -> None:
    with pytest.raises(RequestError, match=r"^jam.yml:\d+:\d+: "):
        read(content, name="jam.yml")
