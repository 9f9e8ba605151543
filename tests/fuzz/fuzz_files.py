"""Data files of strangers: what no program writes, and what one wrote and another spoilt."""

from __future__ import annotations

import random

from hypothesis import strategies as st

__all__ = ["Spoilt", "csv_bytes", "spoil"]

_CELLS = (
    "", "\x20", "a", "ä", "1", "-1", "1.5", "1,5", "1e400", "NaN", "NA", ".", "*", "=1+1", '"',
    "'", "a,b", "a;b", "a\tb", "2020-02-30", "31.12.1999", "\0", "\x1a", "\ufeff", "\u2028",
    "x" * 3000, "9" * 60, "\x1b[2J", "02138", "true", "<script>", "[red]", "🙂", "e\u0301", "{}",
    "%n",
)  # fmt: skip
_HEADERS = (
    "age", "sex", "zip", "name", "note", "", "\x20", "age", "a,b", '"', "\x1b[31m", "x" * 500,
    "select", "1", "__index_level_0__", "weight", "ä", "AGE", "record", "private/x", "../x",
)  # fmt: skip
_ENCODINGS = ("utf-8", "utf-8-sig", "latin-1", "utf-16", "utf-16-le", "utf-32", "cp1252")

Spoilt = tuple[str, int]


@st.composite
def csv_bytes(draw: st.DrawFn) -> bytes:
    """Draw the bytes of something like a CSV file."""
    delimiter = draw(st.sampled_from(",;\t| "))
    ending = draw(st.sampled_from(["\n", "\r\n", "\r", "\n\n"]))
    header = draw(st.lists(st.sampled_from(_HEADERS), max_size=8))
    if draw(st.integers(0, 2)):
        header = ["age", "sex", "zip", *header]
    width = len(header)
    quoted = draw(st.booleans())
    rows = draw(
        st.lists(
            st.lists(st.sampled_from(_CELLS), min_size=max(0, width - 1), max_size=width + 1)
            if draw(st.integers(0, 3)) == 0
            else st.lists(st.sampled_from(_CELLS), min_size=width, max_size=width),
            max_size=8,
        )
    )
    repeated = rows * draw(st.sampled_from([1, 1, 5, 40]))
    text = ending.join(
        delimiter.join(f'"{cell}"' if quoted else cell for cell in row)
        for row in [header, *repeated]
    )
    encoding = draw(st.sampled_from(_ENCODINGS))
    return text.encode(encoding, "replace") + draw(
        st.sampled_from([b"", b"\n", b"\0", b"\xff\xfe"])
    )


def spoil(raw: bytes, how: Spoilt) -> bytes:
    """Return bytes that were spoilt in one of many ways, by chance that a number stands for.

    >>> spoil(b"abcdef", ("cut", 1)) != b"abcdef"
    True
    """
    kind, seed = how
    rng = random.Random(seed)
    at = rng.randrange(max(1, len(raw)))
    length = min(len(raw) - at, rng.choice([1, 1, 2, 8, 64, 1024]))
    match kind:
        case "flip":
            for _ in range(rng.choice([1, 1, 3, 20])):
                at = rng.randrange(max(1, len(raw)))
                raw = raw[:at] + bytes([rng.randrange(256)]) + raw[at + 1 :]
            return raw
        case "cut":
            return raw[:at]
        case "remove":
            return raw[:at] + raw[at + length :]
        case "repeat":
            return raw[: at + length] + raw[at : at + length] * rng.choice([1, 2, 100]) + raw[at:]
        case "zero":
            return raw[:at] + bytes(length) + raw[at + length :]
        case "swap":
            other = rng.randrange(max(1, len(raw)))
            return raw[:at] + raw[other : other + length] + raw[at + length :]
        case _:
            return raw[:at] + rng.randbytes(length) + raw[at:]


KINDS = ("flip", "cut", "remove", "repeat", "zero", "swap", "insert")


def spoilt() -> st.SearchStrategy[Spoilt]:
    """Draw a way of spoiling."""
    return st.tuples(st.sampled_from(KINDS), st.integers(0, 2**32))
