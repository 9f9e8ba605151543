"""The functions of `indistinct.core.randomness`, known to numba: they become part of the kernel.

This is a module apart because numba takes longer to load than many a verb to answer.
"""

from __future__ import annotations

from numba.extending import register_jitable

from indistinct.core import randomness

__all__ = ["fold_word", "hash_word", "mix_word", "stir_word", "uniform_of_word"]

_compiled = register_jitable(inline="always")

fold_word = _compiled(randomness.folded)
stir_word = _compiled(randomness.stirred)
hash_word = _compiled(randomness.hashed)
mix_word = _compiled(randomness.mixed)
uniform_of_word = _compiled(randomness.as_uniform)
_compiled(randomness.finished)
