"""The shareable edition tells nobody's values, and no count of few people, not even by subtraction.

Whoever searches has what a recipient has: the released file, exactly, and the certificate, which
tells how many people the private file holds.
"""

from __future__ import annotations

import itertools
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_data import EVERYDAY, FILE, IDENTIFIERS, KEY, KINDS, SEED, Made
from report_page import Element, read_page

from indistinct.flow import make_report
from indistinct.hierarchy import suppression_only
from indistinct.protect import (
    AddRecords,
    GeneraliseCells,
    PerturbKeeping,
    Plan,
    Sample,
    SampleHouseholds,
    SuppressCells,
    SuppressRecords,
    SwapValues,
)
from indistinct.protect import Step as PlanStep
from indistinct.protect.methods import DropOutliers
from indistinct.release import file_digest, told_steps
from indistinct.release.few import Few, rounded, rounding_base
from indistinct.release.report import Measured, load_words
from indistinct.release.report.editions import _sizes, blurred_utility, shareable
from indistinct.release.report.facts import (
    Band,
    ClassSizes,
    Cost,
    Map,
    MapPoint,
    Marginal,
    Measure,
    Step,
    Utility,
    VariableChange,
)
from indistinct.release.report.folder import read_release
from indistinct.release.report.html import document_json, write_page

_KIND = [pytest.param(kind, marks=() if kind in EVERYDAY else pytest.mark.heavy) for kind in KINDS]
_WORD = re.compile(r"[^\s,;:()<>\"'=/]+")


# ---- what is searched ----


def _written(made: Made, edition: str) -> tuple[str, dict[str, Any]]:
    document = make_report(made.folder, edition=edition)  # type: ignore[arg-type]
    return write_page(document, load_words()), json.loads(document_json(document))


def _strings(value: Any) -> Iterator[str]:
    """Return every text and number of the twin, names of fields left out."""
    if isinstance(value, Mapping):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _seen(page: Element) -> Iterator[str]:
    """Return every text of the page, hidden ones and those in attributes included."""
    for element in page.every():
        if element.tag == "style":
            continue
        yield from (part for part in element.inside if isinstance(part, str))
        # where marks are drawn, and how, is not text
        yield from (
            value
            for name, value in element.attributes.items()
            if value and name not in ("d", "x", "y", "x1", "x2", "y1", "y2", "width", "height")
        )


def _tokens(texts: Iterator[str]) -> set[str]:
    """Return words and numbers as a person and as a program would write them."""
    found: set[str] = set()
    for text in texts:
        plain = re.sub(r"(?<=\d),(?=\d{3})", "", text)
        for word in (*_WORD.findall(text), *_WORD.findall(plain)):
            bare = word.strip(".!?*–")
            found |= {word, bare, bare.removesuffix(".0")}
    return found


def _rare(made: Made) -> dict[str, set[str]]:
    """Return, by column, the original values that fewer people than k have.

    A small code could be any number of the report: words and numbers of three digits are sought.
    """
    rare = {}
    for name in made.original.column_names:
        counts = Counter(str(value) for value in made.original.column(name).to_pylist())
        few = {value for value, count in counts.items() if count < made.k}
        rare[name] = {value for value in few if not re.fullmatch(r"\d{1,2}", value)}
    return rare


def _public() -> set[str]:
    """Return the report's own words."""
    words = load_words()
    return _tokens(words._texts[name] for name in words)


def _rows(page: Element) -> Iterator[str]:
    """Return what stands together: a row, a sentence, a text of a figure."""
    for element in page.every("tr", "p", "li", "text", "summary", "caption", "title"):
        yield " ".join(element.text().split())
    for element in page.every("desc"):
        yield from element.text().split(";")


def leaks(made: Made, page: str, twin: dict[str, Any]) -> list[str]:
    """Return what of the private side stands in a page or its twin."""
    read = read_page(page)
    tokens = _tokens(itertools.chain(_seen(read), _strings(twin)))
    public = _public()
    found = [
        f"{name}: {value}"
        for name, values in _rare(made).items()
        for value in sorted(values & tokens - public)
    ]
    combinations = Counter(zip(*(made.original.column(n).to_pylist() for n in KEY), strict=True))
    together = [_tokens(iter([row])) for row in {*_rows(read), *map(str, _joined(twin))}]
    for combination, count in combinations.items():
        if count < made.k and any(tokens >= set(combination) for tokens in together):
            found.append(f"combination {combination}")
    blob = page + json.dumps(twin, ensure_ascii=False)
    secrets = {
        "seed": str(SEED),
        "seed written out": f"{SEED:,}",
        "private file": FILE,
        "hash of the private file": file_digest(made.private),
        "folder": str(made.folder.parent),
        "private folder": str(made.private.parent),
        **{f"setting {setting}": setting for setting in made.settings},
    }
    measured = read_release(made.folder).measured
    assert measured is not None
    secrets["hash of the records"] = measured.original.sha256
    found += [name for name, secret in secrets.items() if secret in blob]
    found += re.findall(r"records? (?:no\.?|number|#) ?\d+", blob)
    return found


def _joined(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield " ".join(str(part) for part in value.values() if not isinstance(part, (list, dict)))
    for part in value.values() if isinstance(value, Mapping) else value:
        if isinstance(part, (Mapping, list)):
            yield from _joined(part)


# ---- the search ----


@pytest.mark.parametrize("kind", _KIND)
def test_the_shareable_edition_holds_nothing_private(workshop, kind):
    made = workshop.make(kind)
    assert leaks(made, *_written(made, "shareable")) == []


@pytest.mark.parametrize("kind", ["generalised", "noisy"])
def test_the_same_search_finds_much_in_the_private_edition(workshop, kind):
    made = workshop.make(kind)
    found = leaks(made, *_written(made, "private"))
    assert {"seed", "private file", "hash of the records"} <= set(found)
    assert any(leak.startswith("combination") for leak in found)
    assert kind == "generalised" or any(leak.startswith("setting") for leak in found)


@pytest.mark.parametrize("column", [*IDENTIFIERS, "income", "marital", "education"])
def test_a_planted_value_is_found(workshop, column):
    made = workshop.make("generalised")
    page, twin = _written(made, "shareable")
    value = sorted(_rare(made)[column])[-1]
    planted = page.replace("</h1>", f" {value}</h1>", 1)
    assert leaks(made, planted, twin) == [f"{column}: {value}"]
    assert leaks(made, page, {**twin, "more": [{"x": value}]}) == [f"{column}: {value}"]


# ---- numbers of people ----

NOT_PEOPLE = {
    "k",
    "number",
    "variables",
    "facts",
    "smallest",
    "level_up",
    "same",
    "more",
    "compared",
    "dominated",
    "low",
    "high",
    "base",
    "times",
}
"""Whole numbers of the twin that count no people."""


def _counts(value: Any, name: str = "") -> Iterator[tuple[str, int]]:
    if isinstance(value, Mapping):
        if str(value.get("what", "")) == load_words()("glance.variables"):
            return  # a row of the first table, which counts variables
        for key, part in value.items():
            yield from _counts(part, key)
    elif isinstance(value, list):
        for part in value:
            yield from _counts(part, name)
    elif isinstance(value, int) and not isinstance(value, bool) and name not in NOT_PEOPLE:
        yield name, value


@pytest.mark.parametrize("kind", _KIND)
def test_every_count_of_people_is_rounded(workshop, kind):
    made = workshop.make(kind)
    base = rounding_base(made.k)
    _, twin = _written(made, "shareable")
    counts = list(_counts(twin))
    assert len(counts) > 10
    odd = [(name, n) for name, n in counts if n % base]
    assert odd == []
    _, private = _written(made, "private")
    assert any(n % base for _, n in _counts(private))


SHARES = {"share", "before", "after", "original", "released", "fewer", "risk", "distance"}


@pytest.mark.parametrize("kind", _KIND)
def test_every_share_is_one_of_a_rounded_count(workshop, kind):
    made = workshop.make(kind)
    base, records = rounding_base(made.k), made.original.num_rows
    _, twin = _written(made, "shareable")
    sizes = {rounded(records, base), read_release(made.folder).measured.released.records, records}

    def fits(share: float) -> bool:
        return any(
            abs(count - base * round(count / base)) < 1e-6
            for count in (share * size for size in {*sizes, *(rounded(s, base) for s in sizes)})
        )

    def walk(value: Any, at: str = "") -> Iterator[tuple[str, float]]:
        if isinstance(value, Mapping):
            if value.get("table") in ("measures", "losses", "linkage") or "claim" in value:
                return
            if value.get("figure") in ("without", "map", "cells", "tables"):
                return  # shares of other totals
            if value.get("what") == load_words()("glance.cells"):
                return
            for key, part in value.items():
                yield from walk(part, key)
        elif isinstance(value, list):
            for part in value:
                yield from walk(part, at)
        elif isinstance(value, float) and at in SHARES and 0 < value < 1:
            yield at, value

    assert [(at, share) for at, share in walk(twin) if not fits(share)] == []


# ---- all facts, whatever they are ----

EXACT = {
    "measured.k",
    "measured.version",
    "measured.original.variables",
    "measured.risk.k",
    "measured.risk.before.bands.low",
    "measured.risk.before.bands.high",
    "measured.risk.after.bands.low",
    "measured.risk.after.bands.high",
    "measured.risk.before.smallest",
    "measured.risk.after.smallest",
    "measured.cost.levels",
    "measured.utility.compared",
    "measured.utility.same",
    "measured.utility.more_marginals",
    "measured.utility.marginals.rest",
    "measured.utility.tests.threshold",
    "measured.terms.review_days",
    "measured.map.max_risk",
    "measured.changes.variables.number",
}
"""What is told as it is: promises, settings that everybody knows, and numbers of variables and of
the labels that stand in the released file."""


def _leaves(value: Any, at: str) -> Iterator[tuple[str, Any]]:
    if is_dataclass(value):
        for field in fields(value):
            yield from _leaves(
                getattr(value, field.name), f"{at}.{field.name}" if at else field.name
            )
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _leaves(part, at)
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from _leaves(part, at)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield at, value


def _spoil(value: Any, rng: random.Random) -> Any:
    """Return facts of the same shape with other numbers."""
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value, **{f.name: _spoil(getattr(value, f.name), rng) for f in fields(value)}
        )
    if isinstance(value, Mapping):
        return {name: _spoil(part, rng) for name, part in value.items()}
    if isinstance(value, tuple):
        return tuple(_spoil(part, rng) for part in value)
    if isinstance(value, int) and not isinstance(value, bool):
        return rng.randrange(rng.choice((7, 40, 5000)))
    if isinstance(value, float):
        return rng.random()
    return value


@pytest.mark.parametrize("kind", ["generalised", "shuffled", "mapped"])
@given(seed=st.integers(0, 10**9), k=st.integers(2, 40))
@settings(max_examples=30, deadline=None)
def test_no_exact_number_passes_whatever_was_measured(workshop, kind, seed, k):
    facts = read_release(workshop.make(kind).folder)
    assert facts.measured is not None
    exact = _spoil(facts.measured, random.Random(seed))
    exact = replace(exact, k=k, risk=replace(exact.risk, k=k))
    base = rounding_base(k)
    told = shareable(replace(facts, measured=exact)).measured
    private = {v for _, v in _leaves(exact, "measured") if isinstance(v, float)}
    for at, value in _leaves(told, "measured"):
        if at not in EXACT:
            assert value not in private, at
            assert not isinstance(value, int) or isinstance(value, Few) or value % base == 0, at


def test_the_facts_told_are_all_known_here(workshop):
    # a new number in the facts must be blurred, or named above with a reason
    seen = set()
    for kind in EVERYDAY:
        facts = read_release(workshop.make(kind).folder)
        seen |= {at for at, _ in _leaves(shareable(facts), "")}
    assert {at for at in EXACT if not at.startswith(("measured.terms", "measured.map"))} - seen <= {
        "measured.utility.tests.threshold"
    }


# ---- subtraction ----


def _partitions(total: int, most: int) -> Iterator[tuple[int, ...]]:
    if total == 0:
        yield ()
    for first in range(min(total, most), 0, -1):
        for rest in _partitions(total - first, first):
            yield (first, *rest)


def _class_sizes(parts: tuple[int, ...], k: int) -> ClassSizes:
    bounds = sorted({1, 2, 3, 5, 10, 20, 50, 100, 1000, k})
    bands = []
    for low, high in zip(bounds, [*bounds[1:], None], strict=True):
        inside = [p for p in parts if p >= low and (high is None or p < high)]
        bands.append(Band(low, high - 1 if high else None, len(inside), sum(inside)))
    return ClassSizes(
        sum(parts),
        len(parts),
        parts.count(1),
        sum(p for p in parts if p < k),
        min(parts),
        tuple(bands),
    )


@pytest.mark.parametrize("k", [2, 3, 4, 6])
@pytest.mark.parametrize("people", [12, 17, 24])
def test_no_small_number_of_people_follows_from_the_sizes_that_are_told(people, k):
    # brute force: all files of so many people, grouped by what the report says of them
    base = rounding_base(k)
    groups: dict[str, list[ClassSizes]] = defaultdict(list)
    for parts in _partitions(people, people):
        exact = _class_sizes(parts, k)
        told = replace(_sizes(exact, k, base), smallest=0)
        groups[repr(told)].append(exact)
    assert len(groups) > 3
    for told, files in groups.items():
        for what in ("unique", "at_risk"):
            possible = {getattr(exact, what) for exact in files}
            assert len(possible) > 1 or not 0 < min(possible) < base, (what, possible, told)


@given(
    released=st.lists(st.integers(5, 300), min_size=2, max_size=6),
    gone=st.lists(st.integers(0, 4), min_size=6, max_size=6),
    turn=st.integers(1, 5),
)
@settings(max_examples=150, deadline=None)
def test_what_was_suppressed_cannot_be_read_off_the_margins(released, gone, turn):
    # the same suppressed cells, had by people of other categories: the report stays the same
    gone = gone[: len(released)]
    others = gone[turn % len(gone) :] + gone[: turn % len(gone)]
    lost = sum(gone)
    if not lost >= 5:
        return
    told = []
    for taken in (gone, others):
        before = [r + g for r, g in zip(released, taken, strict=True)] + [0]
        after = [*released, lost]
        told.append(_told_margin(before, after))
    assert told[0] == told[1]


def _told_margin(before: list[int], after: list[int], base: int = 5) -> Utility:
    totals = (sum(before), sum(after))
    shares = [
        [n / total for n in side] for side, total in zip((before, after), totals, strict=True)
    ]
    far = sum(abs(a - b) for a, b in zip(*shares, strict=True)) / 2
    labels = tuple(f"c{i}" for i in range(len(before)))
    margin = Marginal("x", labels, tuple(shares[0]), tuple(shares[1]), far)
    utility = Utility(totals, 1, (), (Measure("marginals", None, None, far, "x"),), (margin,))
    return blurred_utility(utility, base, whole=())


@given(
    counts=st.lists(
        st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=8
    ).filter(lambda pairs: all(sum(side) for side in zip(*pairs, strict=True))),
    base=st.sampled_from([5, 10]),
)
@settings(max_examples=200, deadline=None)
def test_no_margin_tells_of_few_people(counts, base):
    before, after = ([pair[i] for pair in counts] for i in (0, 1))
    utility = _told_margin(before, after, base)
    for margin in utility.marginals:
        kept = [int(label[1:]) for label in margin.labels]
        for i in kept:
            assert not any(0 < side[i] < base for side in (before, after))
            assert after[i]
        rest = [sum(side) - sum(side[i] for i in kept) for side in (before, after)]
        assert not any(0 < r < base for r in rest)
        assert margin.rest == len(before) - len(kept)


def test_a_small_number_of_records_left_out_is_not_told_by_two_totals(workshop):
    facts = read_release(workshop.make("global").folder)
    found = facts.measured
    assert isinstance(found, Measured)
    for lost in range(1, 12):
        exact = replace(found.changes, records_before=found.changes.records_after + lost)
        told = shareable(replace(facts, measured=replace(found, changes=exact))).measured
        assert repr(told.changes.lost) == repr(rounded(lost, rounding_base(found.k)))


def test_few_counts_that_add_up_to_few_are_not_told(workshop):
    # four numbers above 0 whose sum is below 5 would all be 1
    facts = read_release(workshop.make("generalised").folder)
    found = facts.measured
    exact = replace(found, risk=replace(found.risk, enough={"1": 1, "2": 1, "3": 1, "4": 12}))
    assert shareable(replace(facts, measured=exact)).measured.risk.enough == {"4": 10}


def test_bounds_of_bins_that_may_be_somebody_s_are_numbers(workshop):
    for kind, own in (("noisy", False), ("shuffled", False), ("generalised", True)):
        told = shareable(read_release(workshop.make(kind).folder)).measured
        margins = [m for m in told.utility.marginals if m.name == "income"]
        for margin in margins:
            numbered = all(re.fullmatch(r"\d+/\d+", label) for label in margin.labels)
            assert numbered != own


# ---- how strongly, how many, at most ----


def _told(workshop, **measured: Any) -> Measured:
    """Return what is told of a release of which something else was measured."""
    facts = read_release(workshop.make("generalised").folder)
    assert facts.measured is not None
    found = shareable(replace(facts, measured=replace(facts.measured, **measured))).measured
    assert found is not None
    return found


def _measured(workshop) -> Measured:
    found = read_release(workshop.make("generalised").folder).measured
    assert found is not None
    return found


@pytest.mark.parametrize("how", ["generalised", "suppressed", "perturbed", "unchanged"])
def test_how_many_cells_were_perturbed_is_not_told_whatever_came_first(workshop, how):
    found = _measured(workshop)
    name = found.changes.variables[0].name
    cells = 0 if how == "unchanged" else 137
    exact = VariableChange(name, how, cells, min(cells, 12), perturbed=True)
    variables = (exact, *found.changes.variables[1:])
    changes = replace(found.changes, records_changed=137, variables=variables)
    told = _told(workshop, changes=changes).changes
    assert told.records_changed is None
    assert told.variables[0].cells is None
    assert told.variables[0].suppressed == 0
    assert told.variables[0].how != "unchanged"
    # where facts of older releases have no mark, the steps tell it
    unmarked = replace(changes, variables=(replace(exact, perturbed=False), *variables[1:]))
    steps = (*found.steps, Step("add-noise", "Add noise.", (name,), True))
    assert _told(workshop, changes=unmarked, steps=steps).changes == replace(
        told, variables=(replace(told.variables[0], perturbed=False), *told.variables[1:])
    )


COUNTING = [
    (SuppressCells(cells=((1, "age2"), (4, "age2"))), "Suppress single cells of age2."),
    (SuppressCells(cells=((1, "age2"),)), "Suppress single cells of age2."),
    (SuppressRecords(records=(1, 7)), "Leave out records named by the holder."),
    (Sample(size=1_234), "Keep a random sample of records."),
    (Sample(fraction=0.1234), "Keep a random sample of records."),
    (Sample(size=12, household="h2"), "Keep a random sample of whole households (by h2)."),
    (
        SampleHouseholds("h2", fraction=0.1, renumber=True),
        "Keep a random sample of whole households (by h2), with new numbers.",
    ),
    (AddRecords(1_234), "Add made-up records among the real ones."),
    (
        DropOutliers((("age2", "sex"),), 3, 4),
        "Leave out the records in classes smaller than 3 by age2, sex.",
    ),
    (
        GeneraliseCells(((1, "x2", 1), (3, "x2", 1)), (suppression_only(["a", "b"], name="x2"),)),
        "Generalise single cells of x2.",
    ),
    (PerturbKeeping(("age2",), scale=0.1234), ""),
    (SwapValues(("age2",), pairs=((3, 9),)), ""),
]


@pytest.mark.parametrize(("step", "sentence"), COUNTING)
def test_no_sentence_of_a_step_counts_cells_or_records(workshop, step: PlanStep, sentence: str):
    said = told_steps(Plan((step,)), ["age2"])[0]
    assert said != sentence
    told = _told(workshop, steps=(Step(step.kind, said, ("age2",), step.perturbs),))
    assert told.steps[0].told == sentence


def test_a_sentence_that_counts_in_other_words_is_left_out(workshop):
    steps = (Step("suppress-cells", "Take two cells away.", ("age2",)),)
    assert _told(workshop, steps=steps).steps[0].told == ""


def test_a_value_that_the_release_no_longer_holds_is_not_published_by_its_report(workshop):
    found = _measured(workshop)
    assert found.utility is not None
    n = 600
    margin = Marginal(
        "marital",
        ("widowed", "single", "married", "new"),
        (40 / n, 260 / n, 300 / n, 0.0),
        (0.0, 260 / n, 300 / n, 40 / n),
        40 / n,
    )
    utility = replace(found.utility, records=(n, n), marginals=(margin,))
    told = _told(workshop, utility=utility).utility.marginals[0]
    assert told.labels == ("single", "married", "new")
    assert told.original[-1] == pytest.approx(40 / n)
    assert told.released[-1] == 0
    assert told.rest == 1


def test_what_values_meant_is_told_of_none(workshop):
    found = _measured(workshop)
    variables = tuple(replace(v, labels={"9": "widowed"}) for v in found.released.variables)
    told = _told(workshop, released=replace(found.released, variables=variables))
    assert not any(v.labels for v in told.released.variables)


@given(cells=st.integers(1, 4), more=st.integers(0, 4), key=st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_no_loss_tells_how_few_cells_were_lost(workshop, cells, more, key):
    # 1 to 4 cells of 600 people, or as many more: the report stays the same
    found = _measured(workshop)
    people = found.original.records

    def cost(number: int) -> Cost:
        lost = number / (people * key)
        losses = {"loss": lost, "precision": lost, "entropy": lost * 9}
        losses |= {"discernibility": 360_000.0 + number, "aecs": people / (100 + number)}
        return Cost(1 - lost, losses, 0, number, {})

    a, b = (_told(workshop, cost=cost(n)).cost for n in (cells, min(4, cells + more)))
    assert repr(a) == repr(b)
    unit = 5 / people
    assert a.losses == pytest.approx({"loss": unit, "precision": unit})
    assert a.precision == pytest.approx(1 - unit)


def test_over_distortion_is_never_told_to_be_less(workshop):
    cost = Cost(0.9, {"loss": 0.1}, 0, 0, {}, 1.0001, "loss", False)
    assert _told(workshop, cost=cost).cost.over_distortion == 1.01
    assert _told(workshop, cost=replace(cost, over_distortion=1.0)).cost.over_distortion == 1.0


@given(expected=st.floats(5, 600), k=st.integers(2, 40))
@settings(max_examples=60, deadline=None)
def test_what_is_told_to_be_the_most_is_not_less(workshop, expected, k):
    risk = replace(_measured(workshop).risk, expected_after=expected, k=k)
    told = _told(workshop, risk=risk, k=k).risk.expected_after
    base = rounding_base(k)
    limit = told.below if isinstance(told, Few) else told
    assert limit % base == 0
    assert expected <= limit + 1e-6
    assert limit < expected + base


def test_no_limit_is_above_the_number_of_people(workshop):
    found = _measured(workshop).risk
    few = replace(found.before, records=21, classes=14)
    told = _told(workshop, risk=replace(found, before=few, expected_before=14.0)).risk
    assert repr(told.before.classes) == repr(told.expected_before) == "<20"
    assert told.before.records == 20


def test_a_constant_stays_what_it_is(workshop):
    found = _measured(workshop)
    measures = (Measure("regressions", 1.0, 1.0, 0.0), Measure("propensity", 1.0, 1.34, 0.34))
    utility = replace(found.utility, records=(21, 21), measures=measures)
    first, second = _told(workshop, utility=utility).utility.measures
    assert (first.original, first.released, first.difference) == (1.0, 1.0, 0.0)
    assert second.original == 1.0
    assert second.released - 1.0 == pytest.approx(second.difference)


def test_no_order_tells_which_of_two_is_more(workshop):
    found = _measured(workshop)
    tables = [Measure("table", None, None, d, at) for d, at in ((0.0014, "b"), (0.0012, "a"))]
    points = [MapPoint(f"shuffle {s}", r, 0.5) for s, r in ((0.9, 0.1002), (0.2, 0.1001))]
    told = []
    for turn in (1, -1):
        utility = replace(found.utility, tables=tuple(tables[::turn]))
        drawn = Map(("sex",), "exact", "overlap", tuple(points[::turn]))
        one = _told(workshop, utility=utility, map=drawn)
        told.append((one.utility.tables, one.map))
    assert told[0] == told[1]
    assert [table.at for table in told[0][0]] == ["a", "b"]
