"""Readers of what is asked by hand or by the clock. Inputs are a closed set."""

from __future__ import annotations

from pydantic import Field, field_validator

from bot.core import branch_name, named_ids
from bot.core.deliveries.shapes import NAME_LONG, Root, Shape, Short
from bot.core.event import Dispatched, Scheduled

OURS = "jam"
"""The event type of a ``repository_dispatch`` that is meant for jam."""

_HEADS = "refs/heads/"


class Inputs(Shape):
    """What may be asked. Everything that a form sends is text."""

    issue: Short = ""
    objective: str = Field(default="", max_length=65_536)
    oracle: Short = ""
    tests: str = Field(default="", max_length=NAME_LONG * 64)

    @field_validator("issue")
    @classmethod
    def _is_number(cls, text: str) -> str:
        if text and not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
            raise ValueError("not the number of an issue")
        return text

    @field_validator("tests")
    @classmethod
    def _are_ids(cls, text: str) -> str:
        if text:
            ids = named_ids.read(text)
            if isinstance(ids, named_ids.Unfit):
                raise ValueError(ids.why)
        return text

    @property
    def ids(self) -> tuple[str, ...]:
        ids = named_ids.read(self.tests) if self.tests else ()
        return () if isinstance(ids, named_ids.Unfit) else ids


class Workflow(Root):
    inputs: Inputs | None = None
    ref: Short = ""

    @field_validator("ref")
    @classmethod
    def _is_a_branch(cls, ref: str) -> str:
        if ref and not (ref.startswith(_HEADS) and branch_name.is_valid(ref[len(_HEADS) :])):
            raise ValueError("not the reference of a branch")
        return ref


class External(Root):
    client_payload: Inputs | None = None


class Clock(Root):
    schedule: Short = ""


def workflow(payload: object) -> Dispatched:
    said = Workflow.model_validate(payload)
    return _dispatched(said, said.inputs or Inputs(), branch=said.ref.removeprefix(_HEADS))


def external(payload: object) -> Dispatched:
    said = External.model_validate(payload)
    return _dispatched(said, said.client_payload or Inputs(), branch="")


def _dispatched(said: Root, inputs: Inputs, *, branch: str) -> Dispatched:
    return Dispatched(
        where=said.where,
        by=said.by,
        issue=int(inputs.issue or 0),
        objective=inputs.objective,
        oracle=inputs.oracle,
        tests=inputs.ids,
        branch=branch,
    )


def scheduled(payload: object) -> Scheduled:
    said = Clock.model_validate(payload)
    return Scheduled(where=said.where, cron=said.schedule)
