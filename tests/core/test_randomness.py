"""One randomness: the words of SplitMix64, in arrays and compiled, and no second copy of it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numba import njit

import indistinct
from indistinct.core import (
    GOLDEN,
    STIR,
    as_uniform,
    finished,
    fold_word,
    folded,
    hash_word,
    hashed,
    mix_word,
    mixed,
    stir_word,
    stirred,
    uniform_of_word,
)

WORDS = np.random.default_rng(20).integers(0, 1 << 64, size=200, dtype=np.uint64)


def test_the_published_words_of_splitmix64():
    """The first five of seed 1234567, as the reference implementation in C by Vigna prints them."""
    states = np.uint64(1234567) + np.arange(1, 6, dtype=np.uint64) * GOLDEN
    assert mixed(states).tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_hashing_by_whole_numbers_without_bounds():
    def by_hand(word, by, last):
        word = word * int(GOLDEN) % 2**64
        word = (word ^ (word >> by)) * int(STIR) % 2**64
        return word ^ (word >> last)

    for by, last in ((29, 32), (30, 27)):
        assert hashed(WORDS, by, last).tolist() == [by_hand(w, by, last) for w in WORDS.tolist()]
    assert hashed(np.array([1], dtype=np.uint64)).tolist() == [14555800124870461561]
    assert finished(stirred(WORDS, 30)).tolist() == mixed(WORDS).tolist()


def test_uniform_numbers_are_the_upper_53_bits():
    assert as_uniform(WORDS).tolist() == [(w >> 11) / 2**53 for w in WORDS.tolist()]
    assert as_uniform(np.array([2**64 - 1], dtype=np.uint64))[0] < 1


@njit
def compiled(words):
    whole = np.empty((5, len(words)), np.uint64)
    shares = np.empty(len(words))
    for i, word in enumerate(words):
        whole[0, i] = mix_word(word)
        whole[1, i] = hash_word(word)
        whole[2, i] = hash_word(word, 30, 27)
        whole[3, i] = fold_word(word, 32)
        whole[4, i] = stir_word(word, 29)
        shares[i] = uniform_of_word(word)
    return whole, shares


def test_kernels_have_the_same_bits():
    whole, shares = compiled(WORDS)
    plain = [mixed(WORDS), hashed(WORDS), hashed(WORDS, 30, 27), folded(WORDS, 32)]
    assert whole.tolist() == [words.tolist() for words in (*plain, stirred(WORDS, 29))]
    assert shares.tolist() == as_uniform(WORDS).tolist()


def test_the_constants_stand_in_one_module():
    root = Path(indistinct.__file__).parent
    constant = re.compile(r"9E3779B97F4A7C15|BF58476D1CE4E5B9|94D049BB133111EB", re.IGNORECASE)
    decimals = ("11400714819323198485", "13787848793156543929", "10723151780598845931")
    found = [
        path.relative_to(root).as_posix()
        for path in sorted(root.rglob("*.py"))
        if constant.search(text := path.read_text(encoding="utf-8"))
        or any(number in text for number in decimals)
    ]
    assert found == ["core/randomness.py"]
