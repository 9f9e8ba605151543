"""Treatments in place of the scrubber, where the way to it is tested and not the scrubber."""

from __future__ import annotations

import os
import re
import threading
import time
from dataclasses import dataclass

from indistinct.scrub.documents import Group, Outcome
from indistinct.scrub.limits import TookTooLong, at_most


@dataclass(frozen=True)
class Counting:
    """Says of every document its size, and how many are in its group; sleeps if it is asked to."""

    def start(self) -> Counting:
        return self

    def treat(self, group: Group) -> list[Outcome]:
        if "SLEEP" in (group[0].text or ""):
            time.sleep(600 if "LONG" in (group[0].text or "") else 0.2)
        return [Outcome(f"{len(one.text or '')} of {len(group)}") for one in group]


@dataclass(frozen=True)
class Deadly:
    """Ends its whole process at the word DIE, as a full memory would."""

    def start(self) -> Deadly:
        return self

    def treat(self, group: Group) -> list[Outcome]:
        for one in group:
            if "DIE" in (one.text or ""):
                os._exit(9)
        return [Outcome("survived") for _ in group]


@dataclass(frozen=True)
class RunsAway:
    """A regular expression that needs 2ⁿ steps, and a clock of half a second."""

    def start(self) -> RunsAway:
        return self

    def treat(self, group: Group) -> list[Outcome]:
        outcomes = []
        for one in group:
            try:
                with at_most(0.5):
                    re.match(r"(a|aa)+$", one.text or "")
                outcomes.append(Outcome("matched"))
            except TookTooLong:
                outcomes.append(Outcome(None, reason="took too long"))
        return outcomes


def in_thread(work):
    """Run something in another thread, where there are no alarms."""
    result = []
    thread = threading.Thread(target=lambda: result.append(work()))
    thread.start()
    thread.join()
    return result[0]
