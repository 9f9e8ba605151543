"""The two plainest hierarchies: all or nothing, and neighbours in an order."""

from __future__ import annotations

from collections.abc import Iterable

from indistinct.core import check_whole
from indistinct.hierarchy.hierarchy import SUPPRESSED, Hierarchy
from indistinct.hierarchy.special import distinct_texts, rule_hierarchy

__all__ = ["ordered_hierarchy", "suppression_only"]


def suppression_only(
    values: Iterable[object], *, name: str = "", ordered: bool = False, root: str = SUPPRESSED
) -> Hierarchy:
    """Return the hierarchy of height 1: a value is told, or it is not.

    >>> suppression_only(["male", "female"], name="sex").ancestors("male")
    ('male', '*')
    """
    ordinary, apart = distinct_texts(values, root=root)
    return rule_hierarchy(
        ordinary, apart, lambda _: (), steps=0, root=root, name=name, ordered=ordered
    )


def ordered_hierarchy(
    values: Iterable[object],
    *,
    name: str = "",
    group: int = 2,
    special: Iterable[object] = (),
    root: str = SUPPRESSED,
) -> Hierarchy:
    """Return the hierarchy that joins neighbours: `group` of them, then `group`², and so on.

    Parameters
    ----------
    values
        The values in their order, each once or more; the first appearance counts.
    group
        How many neighbours are joined at each level.
    special
        Values outside the order (``"unknown"``): they stay as they are.
    root
        The label of the root.

    >>> ordered_hierarchy(["none", "primary", "secondary", "tertiary"]).ancestors("primary")
    ('primary', 'none – primary', '*')
    """
    check_whole(f"group of '{name}'" if name else "group", group, 2)
    ordinary, apart = distinct_texts(values, special=special, root=root)
    place = {value: i for i, value in enumerate(ordinary)}
    spans = []
    span = group
    while span < len(ordinary):
        spans.append(span)
        span *= group

    def label(value: str, span: int) -> str:
        first = place[value] - place[value] % span
        last = min(first + span, len(ordinary)) - 1
        return value if first == last else f"{ordinary[first]} – {ordinary[last]}"

    return rule_hierarchy(
        ordinary,
        apart,
        lambda value: [label(value, span) for span in spans],
        steps=len(spans),
        root=root,
        name=name,
        ordered=not apart,
    )
