"""What a verdict takes for granted, and what puts it in doubt: in sentences.

"The level of protection provided by an ADS0 depends on the correctness of the selection of
attributes within QI, on the specifics of f and on assertions and invariants that can be made about
g1 and g2" (Sweeney 2001, section 5). Whoever reads a verdict should read these lines with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from indistinct.core import Missing, check_whole
from indistinct.engine import Engine, quote
from indistinct.files import Source
from indistinct.hierarchy import Hierarchies, Hierarchy
from indistinct.prove.registers import OWN_PEOPLE, Register

__all__ = ["assumptions", "doubts"]


def assumptions(
    release: Source,
    *,
    key: Sequence[str],
    k: int | None = None,
    registers: Sequence[Register] = (),
    private: Source | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    missing: Missing = "own",
    probabilistic: bool = False,
    reach: int | None = None,
    person: str | None = None,
) -> tuple[str, ...]:
    """Say what must be true for a verdict to hold, in words that a recipient may read.

    Registers are named without the folders that they are in.

    Parameters
    ----------
    key
        What the intruder was believed to know.
    hierarchies
        What labels were read by; those that were chosen from the values are named as such.
    missing
        What a missing value of a register was taken for.
    probabilistic
        Whether a probabilistic attack was run too.
    reach
        How many people the intruder can address at once, where that was thought of.

    >>> import indistinct
    >>> with indistinct.open_data({"zip": ["0213*"], "ill": ["flu"]}) as data:
    ...     for sentence in assumptions(data.source, key=["zip"], k=5)[:2]:
    ...         print(sentence)
    the key is right: of a person an intruder knows zip, and nothing else of ill
    no register was tried: whom the records may be about was counted in the file itself
    """
    lists = [register for register in registers if register.name != OWN_PEOPLE]
    within = private is not None or len(lists) < len(registers)
    said = [_key_is_right(release, key), *_registers_are_right(lists, within, missing)]
    said.append(
        "near matches were tried by a probabilistic attack, but not every way of weighing them "
        "(ADS1)"
        if probabilistic
        else "an intruder links by values that agree, or that stand for each other: spelling "
        "errors and other near matches were not tried (ADS1)"
    )
    said.append(_labels_are_right(key, hierarchies))
    said.append(
        "a suppressed cell may be any value: the intruder takes it for a wildcard"
        if lists or within
        else "a suppressed cell is a value of its own: what it may stand for was not counted"
    )
    said.append(
        f"'{person}' says whose record each is: people were counted, however many records they have"
        if person is not None
        else "one record is about one person, and no person has two (Sweeney 2001, section 3)"
    )
    if k is not None and reach is None:
        said.append(
            f"nobody can ask all {k:,} people whom a record may be about: where one message "
            "reaches them all, about 100 of 1,000 were not enough (Sweeney 2001, section 4.2)"
        )
    said.append(
        "two things remain whatever is counted: what a recipient knows, or will come to know, "
        "cannot be known beforehand; and unusual values can be recognised without any list "
        "(Sweeney 2001, section 2)"
    )
    return tuple(said)


def doubts(
    engine: Engine,
    release: Source,
    *,
    key: Sequence[str],
    k: int | None = None,
    registers: Sequence[Register] = (),
    private: Source | None = None,
    person: str | None = None,
    reach: int | None = None,
) -> tuple[str, ...]:
    """Say what in the files themselves speaks against the assumptions: for the holder.

    Parameters
    ----------
    person
        The column that says whose record each is.
    reach
        How many people an intruder can address at once at little cost: the members of a mailing
        list, the inhabitants of a village.

    >>> import indistinct
    >>> with indistinct.open_data({"zip": ["0213*"] * 2, "who": ["a", "a"]}) as data:
    ...     found = doubts(data.engine, data.source, key=["zip"], person="who", k=2, reach=2)
    >>> for sentence in found:
    ...     print(sentence.partition(":")[0])
    no register was given
    'who' names somebody in several records of table
    somebody who can address 2 people at once asks all 2 whom a record may be about
    """
    said = []
    lists = [register for register in registers if register.name != OWN_PEOPLE]
    if not lists:
        said.append(
            "no register was given: k from the file alone may be far from the number of people "
            "outside it (Sweeney 2001, section 7). Give a list of people that the subjects are in"
        )
    for register in lists:
        held = register.source.variables
        beside = [
            n for n in release.variables if n in held and n not in key and n != register.person
        ]
        if beside:
            said.append(
                f"{register.name} has {_names(beside)}, which the release tells too and the key "
                "does not hold: whoever has this register can link by more than was checked"
            )
    if person is not None:
        for source in (release, private, *(register.source for register in lists)):
            if source is not None and person in source.variables:
                said += _repeated(engine, source, person)
    if reach is not None and k is not None:
        said += _within_reach(k, reach)
    return tuple(said)


def _key_is_right(release: Source, key: Sequence[str]) -> str:
    beside = [name for name in release.variables if name not in key]
    tail = f", and nothing else of {_names(beside)}" if beside else ""
    return f"the key is right: of a person an intruder knows {_names(key)}{tail}"


def _registers_are_right(
    registers: Sequence[Register], private: bool, missing: Missing
) -> list[str]:
    if not registers:
        whom = f"among {OWN_PEOPLE}" if private else "in the file itself"
        return [f"no register was tried: whom the records may be about was counted {whom}"]
    names = _names(Path(register.name).name for register in registers)
    said = [
        f"the intruder has {names}, and no list that tells people apart better",
        "the values of registers and private data are right and of the same time: what changed in "
        "between was not allowed for (ADS2)",
        "somebody of whom a register lacks a value is not linked by it, and makes no crowd"
        if missing == "own"
        else "somebody of whom a register lacks a value may have any, and is one of the crowd",
    ]
    if not private:
        said.append(
            "anybody in a register may be in the data: without the private file it is not known "
            "who is"
        )
    return said


def _labels_are_right(key: Sequence[str], hierarchies: Mapping[str, Hierarchy] | None) -> str:
    chosen = hierarchies.notes if isinstance(hierarchies, Hierarchies) else {}
    given = [name for name in key if name in (hierarchies or {}) and name not in chosen]
    guessed = [name for name in key if name in chosen]
    read = [name for name in key if name not in given and name not in guessed]
    parts = []
    if given:
        parts.append(f"the hierarchies that were given say of {_names(given)}")
    if guessed:
        parts.append(f"the hierarchies that the program chose say of {_names(guessed)}")
    if read:
        parts.append(f"their form says of {_names(read)}")
    return f"released labels mean what {', what '.join(parts)}"


def _repeated(engine: Engine, source: Source, person: str) -> list[str]:
    column = quote(person)
    found = engine.sql(
        f"SELECT count(*) AS people, sum(n) AS records FROM (SELECT count(*) AS n FROM records "
        f"WHERE {column} IS NOT NULL GROUP BY {column}) AS counted WHERE n > 1",
        records=source,
    )
    people = int(found.column("people")[0].as_py())
    if not people:
        return []
    records = int(found.column("records")[0].as_py())
    several = "1 person has" if people == 1 else f"{people:,} people have"
    return [
        f"'{person}' names somebody in several records of {source.origin}: {several} {records:,} "
        "records, so that people were counted by it, not records"
    ]


def _within_reach(k: int, reach: int) -> list[str]:
    for name, value in (("k", k), ("reach", reach)):
        check_whole(name, value, 1)
    if k > reach:
        return []
    return [
        f"somebody who can address {reach:,} people at once asks all {k:,} whom a record may be "
        "about: one answer is enough, and about 100 of 1,000 people were not (Sweeney 2001, "
        f"section 4.2). Take a k above {reach:,}, or bind the recipient by contract"
    ]


def _names(names: Iterable[str]) -> str:
    listed = list(names)
    return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"
