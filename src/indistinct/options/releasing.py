"""What is asked of every release, whatever the method: key, promise, what leaves, who judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from indistinct.files import Format
from indistinct.options.checking import listed, text
from indistinct.options.kinds import (
    Kind,
    a_name,
    a_path,
    a_switch,
    a_text,
    a_whole_number,
    a_word,
    names,
    paths,
)
from indistinct.options.option import Option

__all__ = ["RELEASING", "Told", "Use"]

Told = Literal["blank", "refuse", "allow"]
"""What becomes of classes in which everybody has the same sensitive value."""

Use = Literal["statistics", "records"]
"""What a recipient works with: the file or groups as a whole, or what single records say."""

_codes: Kind[tuple[str, ...]] = replace(
    names, check=listed(text, "codes of reservations"), variables=False
)
_reasons: Kind[tuple[str, ...]] = Kind(
    tuple[str, ...], listed(text, "rules with reasons"), list[str], tuple, unset=()
)
_names_or_none: Kind[tuple[str, ...] | None] = replace(
    names, holds=tuple[str, ...] | None, unset=None
)


def _release(
    name: str, kind: Kind[Any], meaning: str, flag: str = "", *, at: str = "", **more: Any
) -> Option[Any]:
    """Declare an option that ``[release]`` knows, by the same name if nothing else is said."""
    return Option(name, kind, meaning, flag, setting=at or f"release.{name}", **more)


_ALL: tuple[Option[Any], ...] = (
    Option(
        "method",
        a_text,
        "how to protect, by name; by default what suits the data, and you are told why",
        metavar="METHOD",
    ),
    Option("plan", a_path, "replay a plan that was saved, instead of a method"),
    Option("key", names, "the variables an intruder can know: a,b,c", metavar="NAMES"),
    Option(
        "k",
        a_whole_number(2, hint="A class of 1 is a person who stands out."),
        "a class is safe when it has at least K records",
    ),
    Option(
        "at_most",
        a_whole_number(1),
        "Dalenius' way: a key is unique when at most this many records have it",
    ),
    _release(
        "person",
        a_name,
        "the column that says whose record each is, where people have several, or two as a,b: then "
        "people are counted; by default found, if the data have one",
        metavar="NAME",
    ),
    Option(
        "hierarchies",
        a_path,
        "a folder of <variable>.csv files, a value and its ancestors per line, or a file of ARX "
        "(.deid), µ-Argus (.grc) or sdcMicro (.R); others are chosen",
    ),
    _release("out", a_path, "the release folder to write"),
    _release("format", a_word(Format), "the format of the released file"),
    _release(
        "seed",
        replace(a_whole_number(0), check=None),
        "repeat a run; by default a seed nobody can guess",
    ),
    _release(
        "keep",
        _names_or_none,
        "the variables that are released beside the key; all others go",
        metavar="NAMES",
    ),
    _release(
        "keep_order",
        a_switch,
        "leave the records in their order, which may tell whose they are: a reservation",
    ),
    _release(
        "keep_formulas",
        a_switch,
        "write cells of a CSV file that begin with =, +, - or @ as they are: a spreadsheet runs "
        "them",
    ),
    _release(
        "keep_household_numbers",
        a_switch,
        "release the households' own numbers; by default they get new ones",
    ),
    _release(
        "substitute",
        names,
        "identifiers to replace by made-up ones instead of leaving them out",
        metavar="NAMES",
    ),
    _release(
        "keep_named",
        names,
        "columns to release although they name people; the verdict says so",
        "--release",
        at="release.release",
        metavar="NAMES",
        beside=True,
    ),
    _release(
        "registers",
        paths,
        "a register of people to attack the release with; may be given several times. 'optimal' "
        "makes every class have k of them",
        "--register",
        metavar="PATH",
        beside=True,
    ),
    _release(
        "earlier",
        paths,
        "an earlier release of the same people, which must not be undone; may be given several "
        "times",
        "--with",
        metavar="PATH",
        beside=True,
    ),
    _release(
        "sign_with",
        replace(a_path, holds=Any),
        "the holder's private key: signs the certificate",
        "--sign",
        at="release.sign",
    ),
    _release("secret", a_path, "where the encryption key is written; RELEASE.key by default"),
    Option("accept", _codes, "reservations that you know and accept, by code", metavar="CODES"),
    Option(
        "although_unproved",
        a_switch,
        "write a release that does not hold; its certificate says so",
    ),
    _release(
        "told",
        a_word(Told),
        "classes that tell a sensitive value: blank these cells (by default), refuse, or allow "
        "it, and the verdict says so",
    ),
    _release(
        "policy",
        paths,
        "a policy file of the organisation, which nothing asked here can undercut; may be given "
        "several times",
        metavar="PATH",
        beside=True,
    ),
    _release(
        "exceptions",
        _reasons,
        "an exception from a rule of the policy, with its reason, as 'least-k: agreed on 3 May'; "
        "the audit trail records it",
        "--exception",
        metavar="TEXT",
        beside=True,
    ),
    _release(
        "needed",
        names,
        "variables that the recipient's task needs; warns where they suffer",
        at="contract.needed",
        metavar="NAMES",
    ),
    _release("use", a_word(Use), "what the recipient works with; warns where a method ruins it"),
    _release(
        "reach",
        a_whole_number(1),
        "people an intruder can address at once; warns where k is not above",
    ),
)

RELEASING: Mapping[str, Option[Any]] = {option.name: option for option in _ALL}
"""Every option of a release, by name."""
