"""What is taken for which annotation, and what a message says and does not say."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.typing import ArrayLike, NDArray

import indistinct
from indistinct.core.arguments import (
    MAY_BE_NAN,
    above,
    at_least,
    between,
    check_argument,
    check_whole,
    kind_of,
    parameters_of,
    with_checked_arguments,
)
from indistinct.core.errors import ArgumentError, InputError
from indistinct.protect import KAnonymity
from indistinct.protect.steps import AddNoise
from indistinct.release import SigningKey
from indistinct.scrub.text import Secret

NAN = float("nan")
Names = Sequence[str]


def without_addresses(value: object) -> str:
    """Name a case alike in every process."""
    return re.sub(r" at 0x\w+", "", str(value))


@pytest.mark.parametrize(
    ("annotation", "taken", "refused"),
    [
        (int, [0, -3, np.int8(2), 10**40], [True, 2.0, NAN, "2", None, np.bool_(True)]),
        (float, [1, 0.5, np.float32(2), np.int64(2)], [NAN, float("inf"), True, "1", None]),
        (Annotated[float, MAY_BE_NAN], [NAN, 1], ["1", None, True]),
        (bool, [True, np.bool_(False)], [0, 1, None, "yes"]),
        (str, ["", "a"], [b"a", 1, None, Path("a")]),
        (str | Path, ["a", Path("a")], [b"a", 1, None]),
        (Path | None, [None, Path("a")], ["a", 1]),
        (Names, [[], ["a"], ("a",), np.array(["a"]), pd.Index(["a"])], ["a", [1], {"a"}, {"a": 1}]),
        (tuple[str, ...], [(), ["a"]], ["a", [1], None]),
        (tuple[str, int], [("a", 1), ["a", 1]], [("a",), ("a", "b"), "a1"]),
        (Sequence[float], [[1, NAN], (2.5,)], [["a"], "1", 1]),
        (Iterable[str], [["a"], {"a"}, (a for a in "ab")], ["a", 5, [1]]),
        (frozenset[str], [{"a"}, frozenset()], [["a"], "a"]),
        (Mapping[str, int], [{}, {"a": 1}], [{1: 1}, {"a": "b"}, [("a", 1)], None]),
        (Mapping[str, Any], [{"a": object()}], [{1: 1}]),
        (Literal["a", "b"], ["a"], ["c", 1, None, ["a"], {}]),
        (Literal["a", "b"] | None, ["a", None], ["c"]),
        (Callable[[int], int], [len, lambda n: n], [5, None, "len"]),
        (NDArray[np.int64], [np.array([1])], [[1], np.array([1.5]), np.array(["a"]), None]),
        (NDArray[np.float64], [np.array([1.5]), np.array([1])], [[1.5], np.array(["a"])]),
        (NDArray[np.bool_], [np.array([True])], [np.array([1]), [True]]),
        (ArrayLike, [[1], 1, np.array([1]), pa.array([1])], [None, object(), "ab"]),
        (np.random.Generator, [np.random.default_rng(1)], [1, None]),
        (Annotated[int, at_least(2)], [2, np.int64(3)], [1, 2.5, NAN, True]),
        (Annotated[float, above(0, 1)], [1, 0.5], [0, 1.5, NAN, "1"]),
        (Annotated[float, between(0, 1)] | None, [0, 1, None], [-1, NAN]),
        (type[int], [int], [5, None]),
        (InputError, [InputError("a"), ArgumentError("a")], [ValueError("a"), None]),
    ],
    ids=without_addresses,
)
def test_what_an_annotation_takes(annotation, taken, refused):
    kind = kind_of(annotation)
    assert [value for value in taken if not kind.holds(value)] == []
    assert not any(kind.holds(value) for value in refused)
    for value in refused:
        with pytest.raises(ArgumentError, match=r"^it must be .* Got "):
            check_argument("it", value, kind)


@pytest.mark.parametrize("annotation", [Any, object])
def test_some_take_anything(annotation):
    assert kind_of(annotation) is None


@pytest.mark.parametrize(
    ("annotation", "value", "sentence"),
    [
        (Annotated[int, at_least(2, "Take 3.")], 1, "a whole number of at least 2. Got 1. Take 3."),
        (Annotated[int, between(1, 9)], 2.5, "a whole number from 1 to 9. Got 2.5."),
        (Names, "age", "a list of texts. Got 'age'. For one, write ['age']."),
        (Names, ["a", None], "a list of texts. Got a list whose item 2 is None."),
        (Literal["own", "wildcard"], "owm", "own or wildcard. Got 'owm'. Did you mean 'own'?"),
        (Literal["a1", "b2", "c3", "d4"], "x", "one of a1, b2, c3, d4. Got 'x'."),
        (Mapping[str, int], {"a": 2.5}, "a mapping from texts to whole numbers. Got 2.5 for 'a'."),
        (str | Path, 5, "text or a path. Got 5."),
        (str, 5, "text. Got 5."),
        (int, "x" * 99, f"a whole number. Got '{'x' * 38}…."),
        (Names | Literal["all"], "al", "a list of texts or all. Got 'al'. Did you mean 'all'?"),
    ],
    ids=without_addresses,
)
def test_one_shape_of_sentence(annotation, value, sentence):
    kind = kind_of(annotation)
    with pytest.raises(ArgumentError) as told:
        check_argument("it", value, kind)
    assert str(told.value) == f"it must be {sentence}"


def test_a_number_of_many_digits_is_told_without_them():
    with pytest.raises(ArgumentError, match="Got a number of many digits"):
        check_argument("it", 10**5000, kind_of(Annotated[int, between(1, 9)]))


SECRET_CELL = "Mabel Cartwright"


@pytest.mark.parametrize(
    "value",
    [
        [SECRET_CELL],
        (SECRET_CELL, 5),
        {SECRET_CELL: SECRET_CELL},
        pa.table({"name": [SECRET_CELL]}),
        pd.DataFrame({"name": [SECRET_CELL]}),
        np.array([SECRET_CELL]),
        SECRET_CELL.encode(),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize(
    "annotation",
    [int, str, float | None, Path, Sequence[int], Mapping[int, int], NDArray[np.int64], Secret],
    ids=without_addresses,
)
def test_no_cell_of_what_was_given_is_in_a_message(annotation, value):
    with pytest.raises(ArgumentError) as told:
        check_argument("it", value, kind_of(annotation))
    assert "Mabel" not in str(told.value)


def test_passwords_keys_and_seeds_are_in_no_message(tmp_path):
    for call in (
        lambda: Secret("hunter2" * 5),
        lambda: SigningKey.load(tmp_path / "key", password=b"hunter2"),
        lambda: SigningKey.load(tmp_path / "key", password=["hunter2"]),
        lambda: Secret.from_seed("hunter2"),
    ):
        with pytest.raises(InputError) as told:
            call()
        assert "hunter2" not in str(told.value)
    with pytest.raises(InputError, match=r"seed must be .* Got another number\."):
        Secret.from_seed(-271828)


def test_a_missing_an_unknown_and_one_too_many():
    with pytest.raises(ArgumentError, match=r"^KAnonymity needs k\.$"):
        KAnonymity()
    with pytest.raises(ArgumentError, match=r"has no parameter 'kk'. Did you mean 'k'\?"):
        KAnonymity(kk=2)
    with pytest.raises(ArgumentError, match=r"^KAnonymity: too many positional arguments"):
        KAnonymity(2, 3, 4, 5, 6)


def test_the_error_is_caught_by_every_name_it_has():
    for kind in (InputError, TypeError, ValueError, indistinct.IndistinctError):
        with pytest.raises(kind):
            KAnonymity("2")
    assert ArgumentError("a").exit_code == 2


def test_an_error_from_within_stays_what_it_is():
    @dataclass
    class Broken:
        def work(self, n: int) -> int:
            return n + None

    from indistinct.core.arguments import _check_class

    Broken.__module__ = "indistinct.broken"
    _check_class(Broken)
    with pytest.raises(TypeError, match="unsupported operand") as told:
        Broken().work(1)
    assert not isinstance(told.value, InputError)


def test_checked_functions_keep_name_signature_and_identity():
    import inspect

    from indistinct.keys import uniques
    from indistinct.keys.standing_out import uniques as within

    assert uniques is within
    assert uniques.__name__ == "uniques"
    assert uniques.__doc__
    assert "k" in inspect.signature(uniques).parameters
    assert pickle.loads(pickle.dumps(uniques)) is uniques
    assert parameters_of(uniques)["k"].words == "a whole number of at least 2"


def test_a_doorway_that_is_checked_twice_is_checked_once():
    from indistinct.keys import uniques

    assert with_checked_arguments(uniques) is uniques


def test_steps_refuse_numbers_that_are_none():
    with pytest.raises(InputError):
        AddNoise(("income",), scale=NAN)


def test_whole_numbers_by_hand():
    check_whole("rounds", 1, 1)
    check_whole("rounds", np.int64(9), 1, 9)
    for wrong in (0, 10, 1.5, True, None, "1"):
        with pytest.raises(InputError, match=r"^rounds must be a whole number from 1 to 9\. Got"):
            check_whole("rounds", wrong, 1, 9)
