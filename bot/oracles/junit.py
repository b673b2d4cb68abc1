"""
JUnit's XML, as many runners write it.

The file was written beside the candidate: a document type, an entity, an unclosed element or a
count that its own cases do not bear out makes it unreadable. An id is ``file::classname::name``,
as far as they are given; suites inside of suites belong to it as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from bot.core.report import Case, Mark, Reading, Report, Unreadable
from bot.oracles.raw import BAD, MESSAGE, Raw, agreed, merged, not_judged

DEEPEST = 64
SUITES = ("testsuites", "testsuite")
OUTCOMES = {"failure": Mark.FAILED, "error": Mark.ERRORED, "skipped": Mark.SKIPPED}
AGAIN = frozenset({"rerunFailure", "rerunError", "flakyFailure", "flakyError"})
STATUS = {
    "failed": Mark.FAILED,
    "error": Mark.ERRORED,
    "skipped": Mark.SKIPPED,
    "disabled": Mark.SKIPPED,
    "notrun": Mark.SKIPPED,
}
NO_CLASS = frozenset({"", "test"})  # what node's runner calls every class


class Refused(ValueError):
    """The document is well formed, and not to be believed."""


@dataclass(slots=True)
class _Element:
    tag: str
    attributes: dict[str, str]
    text: str = ""
    children: list[_Element] = field(default_factory=list)

    def get(self, name: str) -> str:
        return self.attributes.get(name, "").strip()

    def count(self, name: str) -> int:
        value = self.get(name)
        return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0


def read_junit(raw: Raw) -> Reading:
    if problem := not_judged(raw):
        return problem
    if raw.report_file is None:
        return Unreadable("the command wrote no report file")
    try:
        root = _parse(raw.report_file)
        _check_counts(root)
        top = (root.get("name"),) if root.tag == "testsuite" and root.get("name") else ()
        cases = merged(_cases(root, top))
    except Refused as error:
        return Unreadable(f"the report file is refused: {error}")
    except (expat.ExpatError, ValueError, LookupError) as error:
        return Unreadable(f"the report file is no whole XML: {error}", cut=bool(raw.report_file))
    return agreed(Report(cases=cases), raw)


def _parse(content: bytes) -> _Element:
    top = _Element("", {})
    open_now = [top]

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(open_now) > DEEPEST:
            raise Refused("elements are nested too deeply")
        element = _Element(tag.rpartition("}")[2].rpartition(":")[2], attributes)
        open_now[-1].children.append(element)
        open_now.append(element)

    def text(data: str) -> None:
        # Only the end of a message is kept, so that no element grows without limit.
        open_now[-1].text = (open_now[-1].text + data)[-MESSAGE:]

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: open_now.pop()
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.Parse(content, True)  # noqa: FBT003  # expat's own signature
    return top.children[0]


def _refuse_doctype(*_: object) -> None:
    raise Refused("it declares a document type")


def _cases(element: _Element, suites: tuple[str, ...]) -> Iterator[Case]:
    for child in element.children:
        if child.tag == "testcase":
            yield _case(child, suites)
        elif child.tag in SUITES:
            named = child.tag == "testsuite" and child.get("name")
            yield from _cases(child, (*suites, child.get("name")) if named else suites)


def _case(element: _Element, suites: tuple[str, ...]) -> Case:
    name, owner = element.get("name"), element.get("classname")
    if not name:
        raise Refused("a test case has no name")
    # The outermost suite is the run's, or the class's own name again.
    groups = suites if owner in NO_CLASS else suites[1:]
    parts = (element.get("file"), *groups, "" if owner in NO_CLASS else owner, name)
    marks = [mark for child in element.children if (mark := _mark(child))]
    marks += [mark] if (mark := STATUS.get(element.get("status").lower())) else []
    if any(child.tag == "skipped" and child.get("type") == "todo" for child in element.children):
        marks = [Mark.XFAILED if set(marks) & set(BAD) else Mark.XPASSED]
    again = any(child.tag in AGAIN for child in element.children)
    return Case(
        id="::".join(part for part in parts if part),
        mark=min(marks, key=list(Mark).index, default=Mark.PASSED),
        message=_message(element) if marks else "",
        seconds=_seconds(element.get("time")),
        doubled=again,
    )


def _mark(outcome: _Element) -> Mark | None:
    if outcome.tag == "skipped" and outcome.get("type") == "pytest.xfail":
        return Mark.XFAILED
    return Mark.FAILED if outcome.tag in AGAIN else OUTCOMES.get(outcome.tag)


def _message(element: _Element) -> str:
    told = [child for child in element.children if child.tag in OUTCOMES or child.tag in AGAIN]
    return "\n".join(f"{child.get('message')}\n{child.text}".strip() for child in told)[-MESSAGE:]


def _seconds(text: str) -> float:
    try:
        seconds = float(text.replace(",", ""))
    except ValueError:
        return 0.0
    return seconds if 0 <= seconds < 1e9 else 0.0


def _check_counts(root: _Element) -> None:
    """
    A suite that counts failures and shows none has lost some. (How many tests it counts is no
    sign: some runners count subtests, or a failing tear-down, as well.)
    """
    for element in _suites(root):
        bad = any(case.mark in BAD for case in _cases(element, ()))
        if element.count("failures") + element.count("errors") > 0 and not bad:
            raise Refused("failures are counted, and none is there")


def _suites(element: _Element) -> Iterator[_Element]:
    """The root, and the suites right below it: enough, and not quadratic."""
    if element.tag not in SUITES:
        raise Refused(f"its root is <{element.tag[:40]}>")
    yield element
    yield from (child for child in element.children if child.tag == "testsuite")
