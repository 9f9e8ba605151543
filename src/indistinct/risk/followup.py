"""What became of flagged records: followed up, cleared or confirmed, by whom and when.

Skinner and Holmes (1998, section 1): flagged records "might then be followed up to assess whether
they really do represent an unacceptable risk". The file beside the project holds record numbers,
names of flags and what people write about them; no value of the data.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import pyarrow as pa

from indistinct.core import InputError, did_you_mean, for_json
from indistinct.core.doors import read_file, write_whole
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.risk.flags import RecordFlags

__all__ = ["FOLLOW_UP_STATES", "FollowUp", "FollowUps", "State"]

State = Literal["open", "followed up", "cleared", "confirmed"]
"""`open`: nobody has looked yet; `followed up`: somebody is at it; `cleared`: no unacceptable
risk; `confirmed`: the record must be protected."""

FOLLOW_UP_STATES: tuple[State, ...] = get_args(State)
VERSION = 1
_FIELDS = {"record": int, "flag": str, "state": str, "note": str, "who": str, "when": str}


@dataclass(frozen=True)
class FollowUp:
    """One judgement of one flag of one record (numbered from 0)."""

    record: int
    flag: str
    state: State
    note: str = ""
    who: str = ""
    when: str = ""

    def __repr__(self) -> str:
        signed = " ".join(part for part in (self.who, self.when) if part)
        return f"record {self.record + 1}, {self.flag}: {self.state}" + (
            f" ({signed})" if signed else ""
        )


@result(eq=True)
class FollowUps(Result):
    """All judgements about a file's flags, in the order in which they were made.

    The present state of a flag is the last one. Nothing is changed in place: every method
    returns a new object.

    >>> ups = FollowUps(records=3).judged(1, "rural tower", "cleared", who="mb", when="2024-05-02")
    >>> ups.state(1, "rural tower"), ups.state(2, "rural tower")
    ('cleared', None)
    """

    records: int
    """The records of the file they belong to; another file has other record numbers."""
    entries: tuple[FollowUp, ...] = ()

    FACTS = facts(
        Fact("version", lambda found: VERSION),
        "records",
        Fact("entries", lambda found: [asdict(entry) for entry in found.entries]),
    )

    def sentence(self) -> str:
        """Say how many flags are in which state."""
        counted = ", ".join(f"{count:,} {state}" for state, count in self.counts().items())
        return f"FollowUps({counted})"

    def current(self) -> dict[tuple[int, str], FollowUp]:
        """Return the last judgement of every flag, in order of record and flag."""
        last = {(entry.record, entry.flag): entry for entry in self.entries}
        return dict(sorted(last.items()))

    def state(self, record: int, flag: str) -> State | None:
        """Return the present state of a flag, None when it was never opened."""
        entry = self.current().get((record, flag))
        return entry.state if entry else None

    def opened(self, flags: RecordFlags, *, when: str | None = None) -> FollowUps:
        """Open every flag that has no state yet; what was judged before stays."""
        if flags.records != self.records:
            raise InputError(
                f"The follow-up belongs to a file of {self.records:,} records. Got flags of one "
                f"with {flags.records:,}. Record numbers would not mean the same people."
            )
        known, now = self.current(), _moment(when)
        fresh = [
            FollowUp(int(record), rule.name, "open", rule.reason, "", now)
            for rule in flags.rules
            for record in flags.found[rule.name]
            if (int(record), rule.name) not in known
        ]
        return replace(self, entries=self.entries + tuple(fresh))

    def judged(
        self,
        record: int,
        flag: str,
        state: State,
        *,
        note: str = "",
        who: str = "",
        when: str | None = None,
        instead: bool = False,
    ) -> FollowUps:
        """Add a judgement; with `instead`, put it in the place of the flag's last one."""
        entry = FollowUp(record, flag, state, note, who, _moment(when))
        problems = _problems(asdict(entry), self.records)
        if problems:
            raise InputError("\n".join(problems))
        entries = list(self.entries)
        same = [i for i, e in enumerate(entries) if (e.record, e.flag) == (record, flag)]
        if instead and same:
            entries[same[-1]] = entry
        else:
            entries.append(entry)
        return replace(self, entries=tuple(entries))

    def counts(self) -> dict[str, int]:
        """Return how many flags are in each state."""
        states = [entry.state for entry in self.current().values()]
        return {state: states.count(state) for state in FOLLOW_UP_STATES}

    def in_state(self, state: State) -> Iterator[FollowUp]:
        """Return the flags that are in a state."""
        return (entry for entry in self.current().values() if entry.state == state)

    def to_frame(self) -> Any:
        """Return the present state of every flag (pandas must be installed)."""
        schema = pa.schema(
            [(name, pa.int64() if kind is int else pa.string()) for name, kind in _FIELDS.items()]
        )
        rows = [asdict(entry) for entry in self.current().values()]
        return pa.Table.from_pylist(rows, schema=schema).to_pandas()

    def plot(self) -> str:
        """Draw how many flags are in each state, as SVG."""
        counts = self.counts()
        return bars("Flags by state", list(counts), list(counts.values()))

    def save(self, path: str | Path) -> Path:
        """Write the file, whole or not at all."""
        path = Path(path)
        text = for_json(self.to_dict(), indent=1)
        return write_whole(path, text + "\n", own=True)

    @classmethod
    def load(cls, path: str | Path, *, records: int) -> FollowUps:
        """Read the file, or begin anew where there is none; all its mistakes are told at once."""
        path = Path(path)
        if not path.exists():
            return cls(records)
        content = read_follow_up(path)
        if content.get("records") != records:
            raise InputError(
                f"{path} belongs to a file of {content.get('records')} records. Got one of "
                f"{records}. Record numbers would not mean the same people."
            )
        entries = content["entries"]
        problems = [
            f"{path}, entry {number}: {problem}"
            for number, entry in enumerate(entries, start=1)
            for problem in _problems(entry, records)
        ]
        if problems:
            raise InputError("\n".join(problems))
        return cls(records, tuple(FollowUp(**entry) for entry in entries))

    def _row_tables(self) -> list[Table]:
        return [
            Table(
                f"Judgements of flags in a file of {self.records:,} records",
                ("state", "flags"),
                list(self.counts().items()),
            )
        ]


def _moment(when: str | None) -> str:
    if when is not None:
        return when
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def read_follow_up(path: Path) -> dict[str, Any]:
    """Read a follow-up file, or refuse what is none."""
    try:
        content = json.loads(read_file(path, "follow-up file", kept=True))
    except (ValueError, RecursionError):
        raise InputError(
            f"{path} is not a follow-up file: it cannot be read as JSON. Name another, or "
            "move it away to begin anew."
        ) from None
    if not isinstance(content, dict) or content.get("version") != VERSION:
        raise InputError(f"{path} is not a follow-up file of version {VERSION}.")
    if not isinstance(content.get("entries"), list):
        raise InputError(f"{path} is not a follow-up file: it has no list of entries.")
    return content


def _problems(entry: Any, records: int) -> list[str]:
    """Return what is wrong with an entry, in sentences."""
    if not isinstance(entry, dict) or not {"record", "flag", "state"} <= set(entry):
        return ["A judgement needs a record, a flag and a state."]
    found = [f"There is no field '{word}'." for word in entry if word not in _FIELDS]
    for word, kind in _FIELDS.items():
        if word in entry and (type(entry[word]) is not kind):
            found.append(f"'{word}' must be {'a whole number' if kind is int else 'a text'}.")
    if found:
        return found
    if not 0 <= entry["record"] < records:
        found.append(f"There is no record {entry['record'] + 1}; the file has {records:,}.")
    if not entry["flag"].strip():
        found.append("The name of the flag is empty.")
    if entry["state"] not in FOLLOW_UP_STATES:
        hint = did_you_mean(entry["state"], FOLLOW_UP_STATES)
        found.append(f"There is no state '{entry['state']}'. {hint}")
    return found
