"""How much memory and how many threads an engine may use."""

from __future__ import annotations

import re

from indistinct.core import InputError, systems

__all__ = [
    "available_memory",
    "available_threads",
    "check_address_space",
    "parse_size",
    "show_size",
]

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


LARGEST = 10**15
"""More memory than any machine has."""


NEEDED_ADDRESSES = 3 * 10**9
"""Bytes of addresses that libraries and engine reserve when they start; most are never used."""


UNKNOWN_MEMORY = 4_000_000_000
"""What a machine is taken to have that does not say."""


def parse_size(text: str | int) -> int:
    """Read an amount of memory such as ``2GB`` or ``512 MiB``.

    >>> parse_size("2GB"), parse_size("512 MiB")
    (2000000000, 536870912)
    """
    if isinstance(text, int):
        return text
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(I?)B?\s*", text.upper())
    if not match:
        raise InputError(f"The memory limit must be a size such as 2GB or 512MiB. Got '{text}'.")
    number, unit, binary = match.groups()
    size = int(min(float(number), LARGEST) * (_BINARY[unit] if binary and unit else _UNITS[unit]))
    if size < 100 * 10**6:
        raise InputError(f"The memory limit must be at least 100MB. Got '{text}'.")
    if size > LARGEST:
        raise InputError(
            f"The memory limit must be at most {show_size(LARGEST)}. Got '{text[:40]}'. This "
            f"machine can spare {show_size(available_memory())}."
        )
    return size


def show_size(size: float) -> str:
    """Write an amount of memory for people.

    >>> show_size(1_500_000_000)
    '1.5 GB'
    """
    for unit in ("B", "kB", "MB", "GB"):
        if abs(size) < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"


def available_memory() -> int:
    """Return the memory that this process may count on: half of what the machine has free."""
    return (systems.free_memory() or UNKNOWN_MEMORY) // 2


def check_address_space() -> None:
    """Refuse to begin where a limit on addresses would end the libraries without a word."""
    limit = systems.address_limit()
    if limit is not None and limit < NEEDED_ADDRESSES:
        raise InputError(
            f"There is not enough memory: this process may use {show_size(limit)} of addresses "
            f"(ulimit -v), and needs at least {show_size(NEEDED_ADDRESSES)}. Raise that limit; "
            "--memory sets how much is really used."
        )


def available_threads() -> int:
    """Return the number of processors that this process may run on."""
    return systems.processors()
