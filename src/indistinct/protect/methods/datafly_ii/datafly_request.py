"""A request to Datafly: what is eligible, how each attribute is tagged, for whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from indistinct.core import InputError
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.keys import Generalisable, KeyTable
from indistinct.protect.methods.datafly_ii.datafly import DataflyResult, datafly
from indistinct.protect.select import Select
from indistinct.protect.step import Context, Step

__all__ = ["check_tags", "datafly_request"]


def check_tags(
    eligible: Sequence[str],
    *,
    hierarchies: Mapping[str, Hierarchy],
    substitutions: Mapping[str, Step] | None = None,
) -> None:
    """Refuse an attribute that is tagged neither for substitution nor for generalisation.

    "Before any releases are generated, each attribute in the original table is tagged as using
    either an equivalence class substitution algorithm or a generalization routine" (Sweeney
    2001, section 6.2); the latter comes with a hierarchy.
    """
    made_up = substitutions or {}
    untagged = [name for name in eligible if name not in hierarchies and name not in made_up]
    if untagged:
        raise InputError(
            f"{_named(untagged)} neither a substitution nor a hierarchy. Tag every attribute that "
            "is eligible for release; suppression_only makes a hierarchy that knows nothing but "
            "'*'."
        )
    both = [name for name in eligible if name in hierarchies and name in made_up]
    if both:
        raise InputError(f"{_named(both)} both a substitution and a hierarchy. Choose one.")


def datafly_request(
    engine: Engine,
    source: Source,
    hierarchies: Mapping[str, Hierarchy],
    *,
    eligible: Sequence[str] | None = None,
    where: Mapping[str, tuple[str, ...]] | None = None,
    substitutions: Mapping[str, Step] | None = None,
    quasi_identifiers: Sequence[Sequence[str]] | None = None,
    **options: Any,
) -> DataflyResult:
    """Answer one request with the five inputs of Datafly, decided at the time of access.

    Each request is answered from the private records with its own attributes, records, profile
    and anonymity level, so two roles get two releases. Apply the `plan` of the result.

    Parameters
    ----------
    hierarchies
        The attributes tagged for generalisation.
    eligible
        The attributes that may be released; all by default.
    where
        The values by which records are eligible; see `Select`.
    substitutions
        The attributes tagged for substitution, each with the step that does it. Their values
        are made up one for one, and k is not asked of them.
    quasi_identifiers
        Groups of generalised attributes; by default all of them in one.
    **options
        Of `datafly`: k or anonymity, max_drop, profile, linking and so on.
    """
    names = list(eligible) if eligible is not None else list(source.variables)
    source.check_columns(names)
    check_tags(names, hierarchies=hierarchies, substitutions=substitutions)
    made_up = {n: step for n, step in (substitutions or {}).items() if n in names}
    before: tuple[Step, ...] = ()
    chosen = source
    if eligible is not None or where:
        select = Select(tuple(names), where or {})
        chosen, _ = select.apply(engine, source, Context())
        before = (select,)
    generalised = [name for name in names if name in hierarchies]
    groups = [list(g) for g in quasi_identifiers] if quasi_identifiers else [generalised]
    for name in dict.fromkeys(name for group in groups for name in group):
        if name not in generalised:
            raise InputError(
                f"'{name}' is in a quasi-identifier but is not an eligible attribute with a "
                "hierarchy."
            )
    used = {name for group in groups for name in group}
    if options.get("anonymity") == 1:
        used = set(generalised)
    key = [name for name in generalised if name in used]
    table = KeyTable.from_tally(engine.count(chosen, key))
    result = datafly(Generalisable.of(table, hierarchies), quasi_identifiers=groups, **options)
    after = tuple(dict.fromkeys(made_up.values()))
    return replace(result, before=before, after=after)


def _named(names: Sequence[str]) -> str:
    quoted = ", ".join(f"'{name}'" for name in names)
    return f"{quoted} {'has' if len(names) == 1 else 'have'}"
