"""Models fitted inside: only parameters and their standard errors leave, rounded.

A model with as many parameters as there are kinds of people is the table itself, in another form:
its parameters and standard errors give the counts back. Such models are refused, and so is a
parameter that rests on few people.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indistinct.core import Array, Bools, GuaranteeError, InputError, did_you_mean
from indistinct.tables.counting import Counted
from indistinct.tables.derived.specification import DerivedSpec, Floats, count_shares, inside

__all__ = ["Fit", "Parameter", "fit", "fit_model", "significant"]

DIGITS = 3
"""Significant digits of released parameters and standard errors."""

PER_PARAMETER = 5
"""Areas for each parameter of a model of areas."""

KINDS_PER_PARAMETER = 2
"""Kinds of people (sets of equal predictors) for each parameter of a model of persons."""

ROUNDS = 50


@dataclass(frozen=True)
class Parameter:
    """A parameter of a model: its estimate and standard error, rounded."""

    model: str
    name: str
    estimate: float
    error: float


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted model, as it stays inside: estimates and their covariance."""

    estimates: Array
    covariance: Array

    @property
    def errors(self) -> Floats:
        """The standard errors."""
        found: Floats = np.sqrt(np.diag(self.covariance))
        return found


def significant(value: float, digits: int = DIGITS) -> float:
    """Round to significant digits.

    >>> significant(0.0123456), significant(-1234.5)
    (0.0123, -1230.0)
    """
    return float(f"{value:.{digits - 1}e}")


def fit(
    family: str,
    design: Floats,
    outcome: Floats,
    *,
    weights: Floats,
    trials: Floats | None = None,
) -> Fit | None:
    """Fit by iterated weighted least squares (McCullagh and Nelder 1989, section 2.5).

    Parameters
    ----------
    outcome
        Numbers (linear), shares of trials (logistic) or counts (poisson).
    weights
        How many equal observations a row stands for.
    trials
        Of a share the people among whom; of a count what it is in proportion to.

    None where it does not converge: somewhere all or nobody has the outcome.
    """
    rows, parameters = design.shape
    if family == "linear":
        information = design.T @ (design * weights[:, None])
        estimates = np.linalg.solve(information, design.T @ (weights * outcome))
        residual = outcome - design @ estimates
        degrees = weights.sum() - parameters
        variance = float((weights * residual**2).sum() / degrees)
        return Fit(estimates, variance * np.linalg.inv(information))
    exposure = np.ones(rows) if trials is None else trials
    offset = np.log(exposure) if family == "poisson" else np.zeros(rows)
    estimates = np.zeros(parameters)
    total = (weights * outcome * (exposure if family == "logistic" else 1.0)).sum()
    share = float(total / (weights * exposure).sum())
    estimates[0] = np.log(share) if family == "poisson" else np.log(share / (1 - share))
    for _ in range(ROUNDS):
        linear = design @ estimates + offset
        if family == "logistic":
            mean = 1 / (1 + np.exp(-np.clip(linear, -500, 500)))
            working = weights * exposure * mean * (1 - mean)
            score = design.T @ (weights * exposure * (outcome - mean))
        else:
            mean = np.exp(np.clip(linear, -500, 500))
            working = weights * mean
            score = design.T @ (weights * (outcome - mean))
        information = design.T @ (design * working[:, None])
        try:
            change = np.linalg.solve(information, score)
        except np.linalg.LinAlgError:
            return None
        estimates = estimates + change
        if np.abs(estimates).max() > 30:
            return None
        if np.abs(change).max() < 1e-10:
            return Fit(estimates, np.linalg.inv(information))
    return None


def fit_model(
    counted: Counted, spec: DerivedSpec, *, eligible: Bools, least_people: int
) -> tuple[Parameter, ...]:
    """Fit the model that was asked for and return its parameters, rounded.

    Raises
    ------
    GuaranteeError
        When the model has too many parameters for its observations, when a parameter rests on
        fewer than `least_people`, or when it has no finite estimates.
    """
    if spec.unit == "area":
        design, outcome, weights, trials = _of_areas(counted, spec, eligible, least_people)
    else:
        design, outcome, weights, trials = _of_persons(counted, spec, least_people)
    names = ("(intercept)", *(share.name for share in spec.shares), *spec.numbers)
    if np.linalg.matrix_rank(design * np.sqrt(weights)[:, None]) < len(names):
        raise InputError(
            f"What explains the model '{spec.name}' is collinear. Leave one part of every whole "
            "out, and what is the same for all."
        )
    found = fit(spec.family, design, outcome, weights=weights, trials=trials)
    if found is None:
        raise GuaranteeError(
            f"The model '{spec.name}' has no finite estimates: somewhere everybody or nobody has "
            "the outcome. Take out what separates them."
        )
    return tuple(
        Parameter(spec.name, name, significant(float(b)), significant(float(error)))
        for name, b, error in zip(names, found.estimates, found.errors, strict=True)
    )


Prepared = tuple[Floats, Floats, Floats, Floats | None]


def _of_areas(counted: Counted, spec: DerivedSpec, eligible: Bools, least_people: int) -> Prepared:
    assert spec.outcome is not None
    counts = count_shares(counted, (spec.outcome, *spec.shares))
    used = eligible & (counts.whole >= least_people).all(axis=1)
    parameters = 1 + len(spec.shares) + len(spec.numbers)
    _enough(spec.name, int(used.sum()), parameters, PER_PARAMETER, "areas")
    _rests_on(spec.name, counts.names, counts.part[used].sum(axis=0), least_people)
    rest = (counts.whole - counts.part)[used].sum(axis=0)
    _rests_on(spec.name, counts.names, rest, least_people)
    shares = counts.values()[used]
    columns = [np.ones(int(used.sum())), *shares[:, 1:].T]
    for variable in spec.numbers:
        number = _numbers(counted, variable)
        sums = np.bincount(
            counted.area, weights=counted.counts * number, minlength=len(counted.areas)
        )
        columns.append((sums / counted.area_sizes)[used])
    trials = counts.whole[used, 0].astype(np.float64)
    outcome = counts.part[used, 0].astype(np.float64) if spec.family == "poisson" else shares[:, 0]
    weights = np.ones(len(trials))
    return (
        np.column_stack(columns),
        outcome,
        weights,
        None if spec.family == "linear" else trials,
    )


def _of_persons(counted: Counted, spec: DerivedSpec, least_people: int) -> Prepared:
    assert spec.outcome is not None
    among = inside(counted, spec.outcome.among)
    columns: list[Array] = [inside(counted, spec.outcome.of)[among].astype(np.float64)]
    for share in spec.shares:
        if share.among:
            raise InputError(
                f"'{share.name}' explains persons in the model '{spec.name}': a person is in 'of' "
                "or not, so 'among' must be empty."
            )
        columns.append(inside(counted, share.of)[among].astype(np.float64))
    columns += [_numbers(counted, variable)[among] for variable in spec.numbers]
    # equal persons are one row
    rows, same = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
    weights = np.bincount(same.ravel(), weights=counted.counts[among]).astype(np.float64)
    outcome, predictors = rows[:, 0], rows[:, 1:]
    kinds = len(np.unique(predictors, axis=0))
    parameters = 1 + predictors.shape[1]
    _enough(spec.name, kinds, parameters, KINDS_PER_PARAMETER, "kinds of people")
    names = ("(intercept)", *(share.name for share in spec.shares))
    for value in (0.0, 1.0):
        has = weights * (outcome == value)
        inside_each = [
            has.sum(),
            *(
                min(float(has[column == side].sum()) for side in (0.0, 1.0))
                for column in predictors[:, : len(spec.shares)].T
            ),
        ]
        _rests_on(spec.name, names, np.array(inside_each), least_people)
    design = np.column_stack([np.ones(len(rows)), predictors])
    return design, outcome, weights, None


def _enough(name: str, observations: int, parameters: int, each: int, what: str) -> None:
    if observations < each * parameters:
        raise GuaranteeError(
            f"The model '{name}' has {parameters} parameters for {observations} {what}: it is "
            f"saturated, or nearly, and its parameters would give the counts back. It needs "
            f"{each} {what} for each parameter. Explain by less."
        )


def _rests_on(name: str, names: tuple[str, ...], people: Array, least: int) -> None:
    few = [one for one, number in zip(names, people, strict=True) if number < least]
    if few:
        raise GuaranteeError(
            f"In the model '{name}' what is told of '{few[0]}' rests on fewer than {least} people "
            "with the outcome or without it. Take coarser groups, or leave it out."
        )


def _numbers(counted: Counted, variable: str) -> Floats:
    if variable not in counted.codes:
        raise InputError(
            f"'{variable}' was not counted. {did_you_mean(variable, counted.codes)} Models are "
            "made of the variables of the counted tables."
        )
    try:
        values = np.array([float(value) for value in counted.values[variable]])
    except (TypeError, ValueError):
        raise InputError(
            f"'{variable}' has values that are missing or no numbers. Use shares of it."
        ) from None
    found: Floats = values[counted.codes[variable]]
    return found
