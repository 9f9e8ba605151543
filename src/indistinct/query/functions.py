"""What a question may use: the functions, operators, types and aggregates that are known.

Whatever is not named here is refused. None of these reads a file, a setting, the clock or a
random number, none makes a long text out of a short one, and each gives the same value for the
same cells.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = [
    "ADDITIVE",
    "AGGREGATES",
    "COMPARISONS",
    "COUNTING",
    "LISTING",
    "MOMENTS",
    "OPERATORS",
    "SCALARS",
    "TYPES",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SCALARS = _words(
    """
    abs ceil ceiling floor round trunc sign sqrt cbrt exp ln log log2 log10 pow power mod greatest
    least sin cos tan asin acos atan atan2 radians degrees pi isnan isinf isfinite
    lower upper lcase ucase length len strlen left right substr substring trim ltrim rtrim replace
    contains starts_with ends_with prefix suffix position strpos instr concat reverse strip_accents
    regexp_matches regexp_full_match regexp_extract regexp_replace like_escape ilike_escape
    not_like_escape not_ilike_escape nullif if ifnull
    year quarter month week weekofyear day dayofmonth dayofweek dayofyear weekday isodow decade
    century date_part datepart date_trunc datetrunc date_diff datediff dayname monthname make_date
    last_day strftime to_years to_months to_weeks to_days
    """
)

OPERATORS = frozenset({"+", "-", "*", "/", "//", "%", "**", "^", "||", "~~", "!~~", "~~*", "!~~*"})

COMPARISONS: Mapping[str, str] = {
    "COMPARE_EQUAL": "=",
    "COMPARE_NOTEQUAL": "<>",
    "COMPARE_LESSTHAN": "<",
    "COMPARE_GREATERTHAN": ">",
    "COMPARE_LESSTHANOREQUALTO": "<=",
    "COMPARE_GREATERTHANOREQUALTO": ">=",
    "COMPARE_DISTINCT_FROM": "IS DISTINCT FROM",
    "COMPARE_NOT_DISTINCT_FROM": "IS NOT DISTINCT FROM",
}

TYPES: Mapping[str, bool] = {
    **dict.fromkeys(_words("BOOLEAN BOOL TINYINT SMALLINT INTEGER INT BIGINT HUGEINT"), True),
    **dict.fromkeys(_words("FLOAT REAL DOUBLE DECIMAL NUMERIC"), True),
    **dict.fromkeys(_words("VARCHAR TEXT STRING CHAR DATE TIMESTAMP TIME INTERVAL"), False),
}
"""The types that a value may be turned into, and whether they are numbers."""

COUNTING = frozenset({"count_star", "count", "approx_count_distinct", "count_if", "countif"})
"""Aggregates that say how many; the records behind them are known whatever is counted."""

AGGREGATES = COUNTING | _words(
    """
    sum avg mean min max median mode quantile quantile_cont quantile_disc mad product fsum favg
    kahan_sum stddev stddev_pop stddev_samp variance var_pop var_samp sem skewness kurtosis
    kurtosis_pop entropy corr covar_pop covar_samp regr_avgx regr_avgy regr_count regr_intercept
    regr_r2 regr_slope regr_sxx regr_sxy regr_syy bool_and bool_or
    """
)
"""Aggregates whose value rests on all records behind it."""

ADDITIVE = _words("sum avg mean fsum favg kahan_sum")
"""Aggregates to which a record with a zero adds nothing."""

MOMENTS: Mapping[str, int] = {
    **dict.fromkeys(_words("min max mode"), 0),
    **dict.fromkeys(_words("stddev stddev_pop stddev_samp variance var_pop var_samp sem"), 2),
    **dict.fromkeys(_words("corr covar_pop covar_samp regr_avgx regr_avgy regr_intercept"), 2),
    **dict.fromkeys(_words("regr_r2 regr_slope regr_sxx regr_sxy regr_syy"), 2),
    "skewness": 3,
    **dict.fromkeys(_words("kurtosis kurtosis_pop"), 4),
}
"""How many facts an aggregate tells about a distribution, together with those below it; 1 where
nothing is said: a mean, or a share."""

LISTING = _words(
    """
    list array_agg string_agg group_concat listagg histogram first last any_value arbitrary
    arg_min arg_max argmin argmax min_by max_by
    """
)
"""Aggregates that show values of single records: they are a way of listing."""
