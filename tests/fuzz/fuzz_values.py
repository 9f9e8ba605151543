"""Values that a stranger might give: plausible ones, and hostile ones of every kind."""

from __future__ import annotations

from fuzz_place import COLUMNS, DATA_FILES
from hypothesis import strategies as st

__all__ = ["HOSTILE_TEXT", "OUTPUTS", "PATHS", "hostile_json", "names", "numbers", "texts"]

HOSTILE_TEXT = (
    "", "\x20", ",", ",,", "=", "a=", "=b", "a=b=c", "nosuch", "age,age", "*", "%s", "{}", "{0}",
    "\\", "'", '"', "--", "-", "null", "NaN", "1e309", "-1", "0", "x" * 5000, "a," * 3000,
    "\x1b[31mred\x1b[0m", "\u202eabc", "\ufeff", "\ud7ff", "e\u0301", "１２", "drop table data",
    "<script>", "[bold]", "../..", "$(touch pwned)", "age[0,15,65]", "age:5", "age:0", "age@1",
    "age[", "(((", "a*b+c", "999999999999999999999",
)  # fmt: skip
PATHS = (
    *DATA_FILES, "release.toml", "rel", "rel/data.parquet", "rel/certificate.json",
    "rel/private/ledger.json", "register.csv", "letters", "letters.jsonl", "plan.json", "trees",
    "trees/zip.csv", ".", "..", "nosuch", "nosuch.csv", "nosuch/deep.csv", "/dev/null",
    "/nonexistent-folder/x.csv", "n" * 300, "n" * 300 + ".csv", "", "a\nb.csv", "\x1b[31m.csv",
    "people.csv/x",
)  # fmt: skip
OUTPUTS = (
    "new", "new.csv", "new.parquet", "new.html", "new.svg", "new.toml", "new.json", "new.exe",
    "new/deep.csv", "letters/new", "rel/new", "rel/private/new.csv", "../new", "x.key",
)  # fmt: skip


_NUMBERS = (
    "0", "1", "-1", "0.5", "2.5", "1e9", "nan", "inf", "-inf", "", "x", "２", "1_000", "0x10",
    str(2**31), str(2**63), str(2**64 + 1), "9" * 400, "1e-320", "99999",
)  # fmt: skip


def names() -> st.SearchStrategy[str]:
    """Return names of columns, separated by commas."""
    return st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=4).map(",".join)


def texts() -> st.SearchStrategy[str]:
    return st.one_of(
        st.sampled_from(COLUMNS),
        names(),
        st.sampled_from(HOSTILE_TEXT),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20),
    )


def numbers() -> st.SearchStrategy[str]:
    return st.one_of(
        st.integers(2, 9).map(str),
        st.sampled_from(_NUMBERS),
        st.floats().map(repr),
    )


def hostile_json(depth: int = 3) -> st.SearchStrategy[object]:
    """Return anything that JSON and TOML can hold."""
    scalars = st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False),
        st.sampled_from([*HOSTILE_TEXT, *COLUMNS]),
        st.sampled_from([0, 1, 2, 3, -1, 10**30, 0.5, 1e300]),
    )  # fmt: skip
    return st.recursive(
        scalars,
        lambda inner: st.one_of(
            st.lists(inner, max_size=4),
            st.dictionaries(st.sampled_from([*COLUMNS, "", "kind", "x"]), inner, max_size=4),
        ),
        max_leaves=8,
    )
