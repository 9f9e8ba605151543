"""Log odds of marrying one's like, from a table of couples by the education of both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indistinct.core import Floats

__all__ = ["LogOdds", "Mating", "log_odds", "mating"]


@dataclass(frozen=True, eq=False)
class LogOdds:
    """How much likelier couples of the same level are than by chance, level by level.

    Parameters
    ----------
    observed
        n_ii, couples who both have the level.
    expected
        n_i. n_.i / N, couples who would by chance.
    ratio, ratio_error
        ln(observed / expected), and its standard error.
    odds, odds_error
        The log odds ratio of the table collapsed to 'this level' and 'another', and its error.
    """

    observed: Floats
    expected: Floats
    ratio: Floats
    ratio_error: Floats
    odds: Floats
    odds_error: Floats


@dataclass(frozen=True)
class Mating:
    """Who marries whom: shares of couples.

    Parameters
    ----------
    couples
        The couples counted.
    homogamy, hypergamy, hypogamy
        Both alike; the husband has the higher level; the wife has it. They add up to 1.
    women_down, men_down
        Of the women, and of the men, at or above a level: those with a less educated spouse.
    """

    couples: int
    homogamy: float
    hypergamy: float
    hypogamy: float
    women_down: float
    men_down: float


def log_odds(table: Floats) -> LogOdds:
    """Return both log odds of every level, with standard errors.

    With n couples in the table, n_ii of whom both have level i, n_i. husbands and n_.i wives:

        ln(n_ii n / (n_i. n_.i)),  variance (1/p − 1/r − 1/c + 2p/(rc) − 1) / n

    where p, r, c are the shares n_ii/n, n_i./n and n_.i/n (delta method for multinomial counts),
    and for the table collapsed to two by two ln(ad/(bc)) with variance 1/a + 1/b + 1/c + 1/d
    (Woolf 1955). Natural logarithms: 'twice as many' is 0.7. A count of 0 is taken as ½, in the
    collapsed table all four with it (Haldane 1956, Anscombe 1956). NaN where nobody has a level.

    >>> found = log_odds(np.array([[40.0, 10.0], [20.0, 30.0]]))
    >>> found.ratio.round(3).tolist(), found.odds.round(3).tolist()
    ([0.288, 0.405], [1.792, 1.792])
    """
    n = table.sum()
    both = np.diagonal(table).astype(np.float64)
    husbands, wives = table.sum(axis=1), table.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = husbands * wives / n
        a = np.where(both > 0, both, 0.5)
        ratio = np.log(a / expected)
        p, r, c = a / n, husbands / n, wives / n
        spread = (1 / p - 1 / r - 1 / c + 2 * p / (r * c) - 1) / n
        cells = np.stack([both, husbands - both, wives - both, n - husbands - wives + both])
        cells = cells + np.where((cells == 0).any(axis=0), 0.5, 0.0)
        odds = np.log(cells[0] * cells[3] / (cells[1] * cells[2]))
        odds_error = np.sqrt((1 / cells).sum(axis=0))
    known = (husbands > 0) & (wives > 0)
    return LogOdds(
        both,
        expected,
        *(
            np.where(known, values, np.nan)
            for values in (ratio, np.sqrt(np.maximum(spread, 0.0)), odds, odds_error)
        ),
    )


def mating(table: Floats, *, at_least: int) -> Mating:
    """Return the shares of homogamy, hypergamy and hypogamy, and of those who marry down.

    Parameters
    ----------
    table
        Couples; rows are levels of the husband, columns of the wife, the lowest first.
    at_least
        The position of the level from which on marrying down is counted.

    >>> mating(np.array([[40.0, 10.0], [20.0, 30.0]]), at_least=1)
    Mating(couples=100, homogamy=0.7, hypergamy=0.2, hypogamy=0.1, women_down=0.25, men_down=0.4)
    """
    n = table.sum()
    husband_more, wife_more = np.tril(table, -1), np.triu(table, 1)

    def share(part: float, whole: float) -> float:
        return float(part / whole) if whole else float("nan")

    return Mating(
        int(n),
        share(np.trace(table), n),
        share(husband_more.sum(), n),
        share(wife_more.sum(), n),
        share(wife_more[:, at_least:].sum(), table[:, at_least:].sum()),
        share(husband_more[at_least:].sum(), table[at_least:].sum()),
    )
