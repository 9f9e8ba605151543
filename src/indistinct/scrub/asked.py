"""What is asked of the scrubber: by options, by a project file, or by both."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, get_args

from indistinct.core import InputError, between, check_number, check_whole, did_you_mean
from indistinct.files import read_key_file
from indistinct.project import Dates, Scope, TextSettings
from indistinct.scrub.decoding import check_encoding
from indistinct.scrub.text.replace.secret import Secret

__all__ = ["Asked"]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked of the scrubber.

    Parameters
    ----------
    threshold, reduce
        The certainty from which a reference is taken for one, and whether there are second
        thoughts about those with little certainty (Sweeney 2001, Figure 24: 0.8 without, 0.7 with).
    dates
        What becomes of dates: ``month`` and year, ``year``, or a ``shift`` that is the same for
        all dates of a patient.
    scope
        Where somebody has the same made-up name: in the whole ``project``, or within a ``patient``.
    identities
        A table of known people, who are looked for everywhere.
    secret, seed
        What made-up names are drawn with: the secret in a file, which is made where there is none;
        or a number, for repeating a run. Without either, a secret that nobody keeps.
    corrections
        A private file with what a person said of references; see `correcting`.
    text_field, id_field, patient_field, keep_fields
        Fields of JSON lines, and columns of a table, that are read and kept.
    columns
        The text columns of a table.
    keep_names
        Output files have the names of their input, but for those that say whom they are about.
    encoding, max_characters
        How text is read, and how much of it at most.

    >>> Asked(threshold=1.2)
    Traceback (most recent call last):
    ...
    indistinct.core.errors.ArgumentError: The threshold must be a number from 0 to 1. Got 1.2.
    """

    threshold: float = 0.7
    reduce: bool = True
    dates: Dates = "month"
    scope: Scope = "project"
    identities: Path | None = None
    secret: Path | None = None
    seed: int | None = None
    corrections: Path | None = None
    text_field: str = "text"
    id_field: str = "id"
    patient_field: str | None = None
    keep_fields: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    keep_names: bool = False
    encoding: str = "utf-8"
    max_characters: int = 10_000_000

    def __post_init__(self) -> None:
        """Refuse settings that mean nothing."""
        check_number("The threshold", self.threshold, between(0, 1))
        for name, allowed in (("dates", get_args(Dates)), ("scope", get_args(Scope))):
            given = getattr(self, name)
            if given not in allowed:
                raise InputError(
                    f"{name} must be one of {', '.join(allowed)}. Got '{given}'. "
                    f"{did_you_mean(str(given), allowed)}"
                )
        if self.secret is not None and self.seed is not None:
            raise InputError("Give a secret or a seed, not both: either draws the made-up names.")
        if self.seed is not None:
            check_whole("seed", self.seed, 0)
        if self.max_characters < 1:
            raise InputError(
                f"A document must be allowed at least 1 character. Got {self.max_characters}."
            )
        check_encoding(self.encoding)

    @classmethod
    def of_options(cls, settings: TextSettings | None = None, **given: Any) -> Asked:
        """Return what options say; what they leave out (None) is taken from a project's section."""
        known = {part.name for part in fields(cls)}
        wanted: dict[str, Any] = {}
        if settings is not None:
            declared = {part.name: getattr(settings, part.name) for part in fields(settings)}
            declared["patient_field"] = declared.pop("patient")
            wanted = {n: v for n, v in declared.items() if n in known and v is not None}
        said = {name: value for name, value in given.items() if value is not None}
        for name in ("identities", "secret", "corrections"):
            if isinstance(said.get(name), str):
                said[name] = Path(said[name])
        for name in ("columns", "keep_fields"):
            if name in said:
                said[name] = (said[name],) if isinstance(said[name], str) else tuple(said[name])
        for name in said:
            if name not in known:
                raise InputError(f"There is no option '{name}'. {did_you_mean(name, known)}")
        if "seed" in said and "secret" not in said:
            wanted.pop("secret", None)
        return cls(**{**wanted, **said})

    def drawn_with(self, *, out: Path | None) -> Secret:
        """Return the secret that made-up names are drawn with; one that is new is written down."""
        if self.seed is not None:
            return Secret.from_seed(self.seed)
        if self.secret is None:
            return Secret.random()
        if self.secret.exists():
            read_key_file(self.secret, release=out)  # refuses one that others can read
            return Secret.from_file(self.secret)
        if out is not None and self.secret.resolve().is_relative_to(out.resolve()):
            raise InputError(
                f"The secret {self.secret} would be among the letters in {out}, and leave with "
                "them. Keep it elsewhere."
            )
        secret = Secret.random()
        secret.to_file(self.secret)
        return secret
