"""
Quarantine in a tree: which tests are set aside there, and the one change that is due next.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from bot.core import fence
from bot.core.flaky import quarantine
from bot.core.flaky.finding import Finding
from bot.core.flaky.guard import is_of_tests
from bot.core.flaky.quarantine import Marker
from bot.core.flaky.quarantine_watch import Act, Issue, Watched, due
from bot.core.tree import TreeEntry
from bot.ports import Workcopy

OWNERS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
SIGN = b"flaky until "


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A tree in which one test is set aside, or no longer is."""

    act: Act
    marker: Marker
    tree: str

    @property
    def title(self) -> str:
        if self.act is Act.RELEASE:
            return f"Take {self.marker.test} out of quarantine"
        return f"Set {self.marker.test} aside until {self.marker.ends}"

    @property
    def told(self) -> str:
        """For a pull request: what it does, and that it mends nothing."""
        if self.act is Act.RELEASE:
            return (
                f"The quarantine of {fence.code(self.marker.test)} is over "
                f"({fence.prose(self.marker.words)}). From here on it counts again."
            )
        return (
            f"{fence.code(self.marker.test)} still runs, and no longer fails the suite until the "
            f"day that is named: {fence.prose(self.marker.words)}. Nothing is mended by this."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingAside:
    workcopy: Workcopy
    tree: str
    today: date

    def markers(self) -> tuple[Marker, ...]:
        found: list[Marker] = []
        for path in sorted(self.workcopy.entries(self.tree)):
            if path.endswith(".py") and is_of_tests(path):
                content = self.workcopy.read(self.tree, path) or b""
                if SIGN in content:
                    found += quarantine.read(path, content.decode(errors="replace"))
        return tuple(found)

    def change(self, findings: Iterable[Finding], *, wanted: bool) -> Change | None:
        """What has ended goes first; then the first of these that is not set aside."""
        markers = {marker.test: marker for marker in self.markers()}
        seen = {finding.test.partition("[")[0]: finding for finding in findings}
        watched = [self._watched(test, markers, seen) for test in sorted({*markers, *seen})]
        for one in due(watched, today=self.today, quarantine=wanted):
            made = self._made(one.act, one.fingerprint, markers, seen)
            if made is not None:
                return made
        return None

    def exchange(
        self, act: Act, finding: Finding | None, marker: Marker | None, issue: int
    ) -> Change | None:
        """This one, whatever else is due. ``issue``: its number, 0 where it has none."""
        if act is Act.RELEASE:
            return self._exchanged(act, marker) if marker else None
        if finding is None:
            return None
        owner = self._owner(finding.test)
        new = quarantine.marker_for(finding, owner=owner, issue=issue or None, today=self.today)
        return self._exchanged(act, new)

    def _watched(
        self, test: str, markers: Mapping[str, Marker], seen: Mapping[str, Finding]
    ) -> Watched:
        marker = markers.get(test)
        quiet = 0 if test in seen else 1  # one quiet search alone ends nothing
        return Watched(fingerprint=test, test=test, issue=Issue.OPEN, quiet=quiet, marker=marker)

    def _made(
        self, act: Act, test: str, markers: Mapping[str, Marker], seen: Mapping[str, Finding]
    ) -> Change | None:
        if act is Act.RELEASE:
            return self._exchanged(act, markers[test])
        if act is Act.QUARANTINE:
            marker = quarantine.marker_for(
                seen[test], owner=self._owner(test), issue=None, today=self.today
            )
            return self._exchanged(act, marker)
        return None

    def _exchanged(self, act: Act, marker: Marker) -> Change | None:
        path = marker.test.partition("::")[0]
        entry = self.workcopy.entries(self.tree).get(path)
        content = self.workcopy.read(self.tree, path)
        if entry is None or content is None:
            return None
        text = content.decode(errors="surrogateescape")
        new = (
            quarantine.take(text, marker.test)
            if act is Act.RELEASE
            else quarantine.put(text, marker)
        )
        if new is None:
            return None
        blob = self.workcopy.write(new.encode(errors="surrogateescape"))
        put = TreeEntry(path=path, mode=entry.mode, blob=blob)
        return Change(
            act=act, marker=marker, tree=self.workcopy.compose(self.tree, put=[put], drop=())
        )

    def _owner(self, test: str) -> str:
        for name in OWNERS:
            rules = self.workcopy.read(self.tree, name)
            if rules is not None:
                return quarantine.owner_of(test.partition("::")[0], rules.decode(errors="replace"))
        return ""
