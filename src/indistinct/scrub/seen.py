"""What has been seen before, at eight bytes each, so that millions of ids fit in memory."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from indistinct.core import Words

__all__ = ["Seen"]

_RECENT = 1 << 16


class Seen:
    """A set that only answers whether it has met something.

    Ids are remembered by 64 bits of a hash: among ten million, two different ones are taken for
    the same with probability 3 in a million.

    >>> seen = Seen()
    >>> seen.before("a"), seen.before("b"), seen.before("a")
    (False, False, True)
    """

    def __init__(self) -> None:
        self._recent: set[int] = set()
        self._sorted: list[Words] = []

    def before(self, what: object) -> bool:
        """Say whether it was met before, and remember it."""
        digest = blake2b(repr(what).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        number = int.from_bytes(digest, "big")
        if number in self._recent:
            return True
        for block in self._sorted:
            at = int(np.searchsorted(block, np.uint64(number)))
            if at < len(block) and int(block[at]) == number:
                return True
        self._recent.add(number)
        if len(self._recent) == _RECENT:
            self._store()
        return False

    def _store(self) -> None:
        """Put the recent ones in order; blocks of one size are merged, so that there are few."""
        block = np.sort(np.fromiter(self._recent, dtype=np.uint64, count=len(self._recent)))
        self._recent.clear()
        while self._sorted and len(self._sorted[-1]) <= len(block):
            block = np.sort(np.concatenate([self._sorted.pop(), block]))
        self._sorted.append(block)
