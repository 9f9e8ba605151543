"""What a law cannot examine of a way, and why: the only way in which a law may pass for nothing.

An excuse is checked in both directions: a law that examined nothing of a way and has none fails,
and so does one that has an excuse and examined something (`conftest.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from ways import WAYS, Way

__all__ = ["reason_not_examined"]


@dataclass(frozen=True)
class Excuse:
    """Ways that some laws cannot examine."""

    laws: Collection[str]
    ways: Collection[str] | Callable[[Way], bool]
    reason: str

    def covers(self, law: str, way: Way) -> bool:
        """Say whether this is the excuse of a law for a way."""
        there = self.ways(way) if callable(self.ways) else way.name in self.ways
        return law in self.laws and there


ALTERS_THE_KEY = ("perturb", "encrypt", "step add-records", "step perturb")
"""Nothing is left of the key of which k could be claimed."""

ALTERING_OF_KEY = (
    "perturb",
    "shuffle",
    "step add-noise",
    "step avoid-uniques",
    "step correlated-noise",
    "step microaggregate",
    "step perturb",
    "step pram",
    "step proximity-swap",
    "step shuffle",
    "step swap-households",
    "step swap-values",
)
"""Values of the key are others afterwards."""

MEMBERS = "households::test_no_green_release_is_undone_by_members"
OF_K = (
    "elimination_attack::test_a_green_release_holds_against_elimination",
    MEMBERS,
    "people::test_no_release_with_fewer_than_k_people_in_a_class_is_called_safe",
    "sensitive_values::test_no_way_gives_a_green_release_that_tells_a_sensitive_value",
    "truth::test_no_way_calls_a_release_good_in_which_somebody_alone_is_told_of",
)
"""Laws about classes of k people."""

COPIES = (
    "copies::test_no_column_tells_of_another_member_what_was_coarsened",
    "copies::test_no_column_undoes_the_key_of_some_under_a_green_verdict",
    "copies::test_no_copy_undoes_the_key_under_a_green_verdict",
    "copies::test_no_pair_undoes_the_key_under_a_green_verdict",
    "copies::test_no_question_that_only_some_are_asked_undoes_the_key",
)
BLANKED = (
    "sensitive_values::test_blanking_what_is_told_leaves_nothing_told_and_touches_no_other_cell"
)
SEEN = "planted_breaches::test_a_breach_that_is_planted_is_seen"


def seen(*breaches: str) -> tuple[str, ...]:
    """Return the law of planted breaches for some of them."""
    return tuple(f"{SEEN} {breach}" for breach in breaches)


EXCUSES: tuple[Excuse, ...] = (
    Excuse((*OF_K, BLANKED), ALTERS_THE_KEY, "it alters the whole key: k is never claimed"),
    Excuse(
        tuple(law for law in (*OF_K, *COPIES) if law != MEMBERS),
        ("argus",),
        "it promises no k for the whole key, and is refused",
    ),
    Excuse(
        (MEMBERS, "households::test_numbers_are_made_anew_unless_asked"),
        ("step select",),
        "it leaves no number of households that could be seen",
    ),
    Excuse(
        COPIES[:1],
        ("step deidentify", "step renumber-households"),
        "it changes nothing of the key, so that k does not hold, and is refused",
    ),
    Excuse(COPIES, ("encrypt",), "its codes are read by their frequency, and it is refused"),
    Excuse(
        ("frequencies::test_nothing_whose_codes_can_be_counted_is_green",),
        lambda way: way.name not in ("encrypt", "step encrypt", "step substitute"),
        "it neither encrypts nor substitutes",
    ),
    Excuse(
        ("told_numbers::test_utility_counts_as_changed_what_differs_and_what_the_receipts_count",),
        (
            "destroy",
            "step add-records",
            "step destroy",
            "step drop-outliers",
            "step drop-unsafe",
            "step sample",
            "step sample-households",
            "step scramble-households",
            "step scramble-order",
            "step suppress-records",
        ),
        "its records do not correspond to those of the file by position",
    ),
    Excuse(
        ("minimality::test_no_green_release_tells_a_value_by_its_decision",),
        ("destroy",),
        "it leaves people out of every file so small, of whom nothing is released",
    ),
    Excuse(
        ("altered_values::test_people_who_are_found_are_a_finding False",),
        (
            "step encrypt",
            "step for-people",
            "step group-quarters",
            "step pram",
            "step scrub-text",
            "step substitute",
            "step swap-households",
        ),
        "it alters no value of this key, where nothing is planted",
    ),
    Excuse(
        ("order::test_an_order_that_is_kept_is_a_reservation",),
        ("step scramble-households", "step scramble-order"),
        "it puts the records in another order itself",
    ),
    Excuse(
        seen("a class of one person", "numbers of households", "one value in a class", "a blank"),
        ALTERS_THE_KEY,
        "it alters the whole key: k is never claimed, and none of a class can be broken",
    ),
    Excuse(
        seen("numbers of households"),
        ("shuffle",),
        "sex alone is left of its key, and every household is like others",
    ),
    Excuse(
        seen("a copy"),
        ("destroy", "step destroy", "step drop-unsafe", "step drop-outliers"),
        "it leaves records out and changes no cell that a copy could tell",
    ),
    Excuse(seen("a copy"), ("encrypt", "step encrypt"), "what it hides is no coarser than it was"),
    Excuse(
        seen("one cell"),
        lambda way: way.name in (*ALTERING_OF_KEY, *ALTERS_THE_KEY) and way.name != "step pram",
        "of what it leaves of the key no cell is coarser",
    ),
    Excuse(
        seen("one cell"),
        ("destroy", "step destroy", "step drop-unsafe", "step drop-outliers", "step encrypt"),
        "no cell of its key is coarser",
    ),
    Excuse(seen("one cell"), ("argus",), "it promises no k for the whole key, and has none"),
    Excuse(
        seen("a label of who left", "one value in a class"),
        ("step select",),
        "it leaves out the variable in which the breach is planted",
    ),
    Excuse(
        seen("true values"),
        lambda way: way.name not in ALTERING_OF_KEY,
        "it alters no value of the key",
    ),
    Excuse(
        seen("codes"),
        (*ALTERS_THE_KEY, "shuffle", "step encrypt", "step swap-households"),
        "the variable that is encoded is not in what is left of its key",
    ),
    Excuse(
        seen("a blank"),
        ("blank", "step blank", "step for-people"),
        "it blanks whole keys itself, so that one blank more stands among others",
    ),
)


def reason_not_examined(law: str, way: str) -> str | None:
    """Return why a law cannot examine a way; None where it must."""
    chosen = next(one for one in WAYS if one.name == way)
    return next((one.reason for one in EXCUSES if one.covers(law, chosen)), None)
