"""An organisation's policy: what no release of its data may undercut, whoever asks for it.

A policy is a file of its own, so that whoever protects data does not write it. Several can hold at
once, from a project file and from the command line: then each of them holds, and none replaces
another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from indistinct.core import did_you_mean
from indistinct.core.doors import read_text
from indistinct.options import find_lines, known_methods, listed, text, whole
from indistinct.project.reading import parsed, read_section
from indistinct.project.settings import Place, Problems, existing_file, header, path, setting
from indistinct.protect import step_kinds

__all__ = ["POLICY_RULES", "Policy", "Undercut", "load_policy"]

POLICY_RULES = ("least-k", "registers", "methods", "accept")
"""The rules from which an exception can be made."""

LONGEST = 1_000_000
"""Bytes that a policy file may have."""


def _doing(value: Any, place: Place) -> str | None:
    """Take the name of a method or of a kind of step."""
    name = text(value, place)
    known = {**known_methods(), **step_kinds()}
    if name is None or name in known:
        return name
    place.say(f"is no method and no kind of step. Got {name!r}. {did_you_mean(name, known)}")
    return None


def _accounts(value: Any, place: Place) -> tuple[str, ...] | None:
    """Take a list of accounts; an empty one says that nobody may."""
    return () if value == [] else _names_of_accounts(value, place)


_names_of_accounts = listed(text, "names of accounts, or an empty list for nobody")


@dataclass(frozen=True)
class PolicySettings:
    """``[policy]``: what every release must keep to."""

    least_k: int | None = setting(
        whole(least=2, hint="A class of 1 is a person who stands out."),
        "how many records a class must have at least",
    )
    without_k: tuple[str, ...] | None = setting(
        listed(_doing, "names of methods"),
        "methods that may be used although they promise no class size",
    )
    registers: tuple[Path, ...] | None = setting(
        listed(existing_file, "files"), "files of people that every release is attacked with"
    )
    forbidden: tuple[str, ...] | None = setting(
        listed(_doing, "names of methods or kinds of steps"),
        "methods and kinds of steps that are not used",
    )
    may_accept: tuple[str, ...] | None = setting(
        _accounts,
        "who may accept reservations, or release what does not hold, by their accounts",
    )
    audit: Path | None = setting(path, "the audit trail that records exceptions")


@dataclass(frozen=True)
class Undercut:
    """A rule of a policy that something asked for does not keep to, and why."""

    rule: str
    said: str


@dataclass(frozen=True)
class Policy:
    """A policy file that was read without a mistake. Make one with `load_policy`."""

    path: Path
    settings: PolicySettings

    def undercuts(
        self,
        *,
        k: int | None,
        promises_k: bool | None,
        doing: Collection[str],
        accepts: bool,
        account: str | None,
    ) -> Iterator[Undercut]:
        """Give the rules that a release would undercut. What is not known yet is None.

        Parameters
        ----------
        k
            The smallest class that is asked for.
        promises_k
            Whether every class is promised to be that large.
        doing
            The method and the kinds of steps.
        accepts
            Whether reservations are accepted, or a release is written that does not hold.
        account
            Who asks.
        """
        asked = self.settings
        if asked.least_k is not None:
            if k is not None and k < asked.least_k:
                yield Undercut("least-k", f"k must be at least {asked.least_k}. Got {k}.")
            if promises_k is False and not set(doing) & set(asked.without_k or ()):
                yield Undercut(
                    "least-k",
                    f"every class must have at least {asked.least_k} records, which "
                    f"{', '.join(sorted(doing)) or 'this'} does not promise. Take another method.",
                )
        for name in sorted(set(doing) & set(asked.forbidden or ())):
            yield Undercut("methods", f"{name!r} is forbidden. Take another method.")
        if accepts and asked.may_accept is not None and account not in asked.may_accept:
            yield Undercut(
                "accept",
                "reservations are accepted, and releases that do not hold are written, by "
                f"{', '.join(asked.may_accept) or 'nobody'} alone. Got {account or 'nobody'}.",
            )


def load_policy(path: str | Path) -> Policy:
    """Read a policy file; all its mistakes are told at once, each with its line.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "policy.toml"
    >>> _ = file.write_text('[policy]\\nleast_k = 1\\nforbiden = ["shuffle"]\\n')
    >>> load_policy(file)
    Traceback (most recent call last):
    ...
    indistinct.core.errors.InputError: ...policy.toml:2: [policy] least_k must be a whole number ...
    ...policy.toml:3: [policy] has no setting 'forbiden'. Did you mean 'forbidden'?
    """
    path = Path(path)
    written = read_text(path, "policy file", limit=LONGEST)
    content = parsed(written, path)
    problems = Problems(str(path), find_lines(written))
    for name in content:
        if name != "policy":
            problems.add((name,), f"there is no section {header((name,))}. There is: [policy].")
    said = content.get("policy", {})
    settings = read_section(said, PolicySettings, ("policy",), problems, path.parent)
    if not len(problems) and all(getattr(settings, one.name) is None for one in fields(settings)):
        problems.add(
            ("policy",), "[policy] says nothing. Say what must be kept to, as least_k = 10."
        )
    problems.raise_all()
    return Policy(path, settings)
