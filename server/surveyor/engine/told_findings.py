"""What hooks have told the sessions of agents: a finding is told once, not after each edit."""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Hashable, Sequence

from surveyor.protocol.check import CheckFinding

__all__ = ["ToldFindings"]

MAX_SESSIONS = 500
"""Sessions of which it is remembered what they were told."""
_PLACE = re.compile(r":\d+(?:-\d+)?\b")


class ToldFindings:
    """By session: the findings that it was told and that were there when it was told last.

    Kept in memory only: after the engine's next start all that is wrong is told once more.
    """

    def __init__(self) -> None:
        self._told: OrderedDict[Hashable, Counter[Hashable]] = OrderedDict()

    def untold(self, session: Hashable, findings: Sequence[CheckFinding]) -> list[CheckFinding]:
        """Those that a session does not know: one is known however its lines have moved, and of
        several that are alike as many as it was told."""
        left = self._told.get(session, Counter[Hashable]()).copy()
        new = []
        for finding in findings:
            known_as = _identity(finding)
            if left[known_as] > 0:
                left[known_as] -= 1
            else:
                new.append(finding)
        return new

    def note(
        self,
        session: Hashable,
        findings: Sequence[CheckFinding],
        told: Sequence[CheckFinding],
        *,
        keeps_absent: bool,
    ) -> None:
        """Remember what a session is told now of the findings that there are.

        What it was told before and is gone is forgotten, and told when it is there again;
        `keeps_absent`: not yet, because not everything has been looked at.
        """
        before = self._told.pop(session, Counter[Hashable]())
        here = Counter(_identity(each) for each in findings)
        known = (before if keeps_absent else before & here) + Counter(map(_identity, told))
        if known:
            self._told[session] = known
        while len(self._told) > MAX_SESSIONS:
            self._told.popitem(last=False)


def _identity(finding: CheckFinding) -> Hashable:
    """What makes two findings one, but for lines and columns, which each edit above moves."""
    about = _PLACE.sub("", finding.about)
    where = (finding.kind, finding.path, finding.symbol, about)
    if finding.kind == "duplicate":  # its message quotes callers, which come and go
        return where
    return (*where, finding.certainty, _PLACE.sub("", finding.message), finding.text.strip())
