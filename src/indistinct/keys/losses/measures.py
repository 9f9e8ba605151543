"""The five losses by name, as methods and the command line ask for them; lower is better."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from indistinct.core import InputError, did_you_mean
from indistinct.keys import Recoding
from indistinct.keys.losses.classes import average_class_size, discernibility
from indistinct.keys.losses.entropies import entropy
from indistinct.keys.losses.height import loss
from indistinct.keys.losses.precisions import precision_loss
from indistinct.results import Shown, Table

__all__ = ["LOSSES", "LossName", "OverDistortion", "measure", "over_distortion"]

LossName = Literal["loss", "precision", "entropy", "discernibility", "aecs"]
"""The losses. `precision` is one less Sweeney's precision, so that lower is better for all."""

LOSSES: tuple[LossName, ...] = get_args(LossName)

_BY_CELLS: dict[str, Callable[..., float]] = {
    "loss": loss,
    "precision": precision_loss,
    "entropy": entropy,
}
_BY_CLASSES: dict[str, Callable[[Recoding], float]] = {
    "discernibility": discernibility,
    "aecs": average_class_size,
}


def measure(
    recoding: Recoding, name: LossName | str, *, weights: Mapping[str, float] | None = None
) -> float:
    """Return a loss of a recoding by its name; lower is better.

    Parameters
    ----------
    name
        ``loss``, ``precision``, ``entropy``, ``discernibility`` or ``aecs``.
    weights
        The importance of variables, 1 by default. Discernibility and the average class size look
        at classes and not at variables: weights mean nothing to them.

    >>> from indistinct.hierarchy import suppression_only
    >>> from indistinct.keys import Generalisable
    >>> from indistinct import open_data
    >>> with open_data({"sex": ["f", "f", "m"]}) as data:
    ...     keys = Generalisable.of(
    ...         data.key_table(["sex"]), {"sex": suppression_only(["f", "m"], name="sex")}
    ...     )
    >>> [measure(Recoding.full_domain(keys, [1]), name) for name in ("precision", "aecs")]
    [1.0, 3.0]
    """
    if name in _BY_CELLS:
        return _BY_CELLS[name](recoding, weights=weights)
    if name in _BY_CLASSES:
        return _BY_CLASSES[name](recoding)
    raise InputError(
        f"The loss must be one of {', '.join(LOSSES)}. Got '{name}'. {did_you_mean(name, LOSSES)}"
    )


@dataclass(frozen=True)
class OverDistortion(Shown):
    """A release compared with the least distorted release that keeps the same promise.

    Parameters
    ----------
    name
        The loss that was compared.
    release, optimum
        The losses.
    """

    name: str
    release: float
    optimum: float

    @property
    def ratio(self) -> float:
        """The loss of the release over the least possible: 1 if it is as good as can be."""
        if self.optimum == 0:
            return 1.0 if self.release == 0 else float("inf")
        return self.release / self.optimum

    @property
    def sentence(self) -> str:
        """What to tell people."""
        if self.optimum == 0 and self.release > 0:
            return "no distortion at all was necessary, but there is some"
        return f"{self.ratio:.2f} times the least possible distortion"

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name; an infinite ratio as None, for JSON has no infinity."""
        ratio = self.ratio if self.ratio != float("inf") else None
        return {
            "loss": self.name,
            "release": self.release,
            "optimum": self.optimum,
            "ratio": ratio,
            "sentence": self.sentence,
        }

    def __repr__(self) -> str:
        return f"{self.sentence} ({self.name}: {self.release:.6g} against {self.optimum:.6g})"

    def _tables(self) -> list[Table]:
        return [
            Table.facts(
                "A release against the least distorted one that keeps the same promise",
                {
                    "measure": self.name,
                    "loss": self.release,
                    "least possible": self.optimum,
                    "ratio": self.ratio,
                },
            )
        ]


def over_distortion(
    release: Recoding | float,
    optimum: Recoding | float,
    *,
    name: LossName = "precision",
    weights: Mapping[str, float] | None = None,
) -> OverDistortion:
    """Say how much more a release distorts than necessary.

    Sweeney (2001, section 6.5) finds releases "50% more distorted than necessary": the ratio of
    a release's distortion to that of the best release with the same k, which an exact search on
    a small table, or a bound on a large one, supplies.

    Parameters
    ----------
    release, optimum
        Recodings of the same table, or their losses.
    name, weights
        The loss to compare, as in `measure`.

    >>> over_distortion(9.8, 8.2667)
    1.19 times the least possible distortion (precision: 9.8 against 8.2667)
    """
    losses = [
        measure(given, name, weights=weights) if isinstance(given, Recoding) else float(given)
        for given in (release, optimum)
    ]
    if any(not value >= 0 for value in losses):
        raise InputError("A loss must be a number from 0.")
    records = {given.keys.records for given in (release, optimum) if isinstance(given, Recoding)}
    if len(records) > 1:
        raise InputError("The release and the optimum must be of the same table.")
    return OverDistortion(name, losses[0], losses[1])
