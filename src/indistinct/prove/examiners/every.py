"""Every examiner, in the order in which a released file is looked at.

An examiner is a function of a `Trial` to an `Opinion`. A new one is a module here and a line in
`EXAMINERS`; certificate, `verify` and report all hear it, because all ask `judge`.
"""

from collections.abc import Callable

from indistinct.prove.examiners.altered import examine_altered
from indistinct.prove.examiners.copies import examine_copies
from indistinct.prove.examiners.elimination import examine_elimination
from indistinct.prove.examiners.frequencies import examine_frequencies
from indistinct.prove.examiners.households import examine_households
from indistinct.prove.examiners.identifiers import examine_identifiers
from indistinct.prove.examiners.metadata import examine_metadata
from indistinct.prove.examiners.minimality import examine_minimality
from indistinct.prove.examiners.order import examine_order
from indistinct.prove.examiners.people import examine_people
from indistinct.prove.examiners.sensitive import examine_sensitive
from indistinct.prove.examiners.terms import examine_terms
from indistinct.prove.opinion import Opinion, Trial

__all__ = ["EXAMINERS"]

EXAMINERS: tuple[Callable[[Trial], Opinion], ...] = (
    examine_terms,
    examine_sensitive,
    examine_minimality,
    examine_elimination,
    examine_frequencies,
    examine_identifiers,
    examine_metadata,
    examine_people,
    examine_order,
    examine_altered,
    examine_households,
    examine_copies,
)
