"""Cell keys: designs whose limits hold exactly, and the same noise for the same people."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import optimize
from small_data import open_small

from indistinct.core.errors import InputError
from indistinct.engine import Tally
from indistinct.tables import Grouping, TableSet, TableSpec, count_tables, grouping_from_text
from indistinct.tables.perturb import (
    Margin,
    class_keys,
    design_perturbation,
    margins,
    perturb_by_cell_key,
    perturbed_risk,
    random_rounding,
    summed_variance,
    uncertainty,
    variances,
)

SEX, WORK = Grouping("sex", "sex"), Grouping("work", "work")
AGE, BROAD = grouping_from_text("age:10"), grouping_from_text("age[0,40]")
AREA, COUNTY = Grouping("area", "area"), Grouping("county", "county")


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(11)
    number = 3000
    area = rng.integers(0, 40, number)
    return pd.DataFrame(
        {
            "id": [f"p{n:05d}" for n in rng.permutation(number)],
            "area": area,
            "county": area // 10,
            "age": rng.integers(0, 80, number),
            "sex": rng.integers(1, 3, number),
            "work": rng.integers(0, 5, number),
        }
    )


def count(frame: pd.DataFrame, *tables: TableSpec, area=AREA, also=()):
    with open_small(frame) as data:
        return count_tables(data.source, data.engine, TableSet(tables, area, tuple(also)))


@pytest.fixture(scope="module")
def counted(frame):
    return count(
        frame,
        TableSpec("age by sex", (AGE, SEX)),
        TableSpec("sex by age", (SEX, AGE)),
        TableSpec("broad by work", (BROAD, WORK)),
        also=(COUNTY,),
    )


@pytest.fixture(scope="module")
def design():
    return design_perturbation(largest=4, variance=2.0)


class TestDesign:
    @pytest.mark.parametrize(
        ("largest", "variance", "no_small", "stay"),
        [
            (1, 0.3, 0, None),
            (2, 1.0, 0, None),
            (5, 3.0, 2, None),
            (5, 2.0, 2, None),  # the least variance possible for a count of 1
            (5, 3.0, 0, 0.4),
            (8, 6.5, 3, None),
            (10, 9.0, 0, None),
            (5, 4.999, 0, None),  # near the largest variance possible for a count of 1
        ],
    )
    def test_every_limit_holds(self, largest, variance, no_small, stay):
        found = design_perturbation(
            largest=largest, variance=variance, no_small=no_small, stay=stay
        )
        changes = found.changes
        assert found.rows[0].tolist() == np.eye(2 * largest + 1)[largest].tolist()
        for n in range(1, len(found.rows) + 3):
            row = found.row(n)
            assert (row >= 0).all()
            assert abs(row.sum() - 1) < 1e-9
            assert abs(row @ changes) < 1e-9
            assert abs(row @ changes**2 - variance) < 1e-9
            results = n + changes
            assert row[(results < 0) | ((results > 0) & (results <= no_small))].sum() == 0
            if stay is not None:
                assert abs(row[largest] - stay) < 1e-9

    def test_no_other_distribution_has_a_larger_entropy(self):
        """Against a general solver, for a count of 2."""
        found = design_perturbation(largest=3, variance=2.0, no_small=1).row(2)
        changes = np.arange(-3, 4)
        allowed = np.array([0, 1, 0, 1, 1, 1, 1], dtype=bool)
        d = changes[allowed].astype(float)
        limits = [
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "eq", "fun": lambda p: p @ d},
            {"type": "eq", "fun": lambda p: p @ d**2 - 2.0},
        ]
        other = optimize.minimize(
            lambda p: float(p @ np.log(p)),
            np.full(len(d), 1 / len(d)),
            bounds=[(1e-9, 1)] * len(d),
            constraints=limits,
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        assert np.abs(found[allowed] - other.x).max() < 1e-5

    @pytest.mark.parametrize(
        ("largest", "variance", "no_small"), [(2, 5.0, 0), (5, 1.0, 2), (2, 1.0, 4)]
    )
    def test_limits_that_contradict_each_other_are_refused(self, largest, variance, no_small):
        with pytest.raises(InputError, match="count of"):
            design_perturbation(largest=largest, variance=variance, no_small=no_small)

    def test_lookup_gives_the_shares_of_the_design(self, design):
        uniform = (np.arange(100_000) + 0.5) / 100_000
        for n in (0, 1, 3, 9, 50):
            changes = design.change(np.full(len(uniform), n), uniform)
            shares = np.bincount(changes + 4, minlength=9) / len(uniform)
            assert np.abs(shares - design.row(n)).max() < 1e-4
        edge = design.change(np.array([1, 7]), np.array([1 - 2**-53] * 2))
        assert (edge <= 4).all()

    def test_intervals_and_posteriors(self, design):
        assert design.interval(0) == (0, 4)
        assert design.interval(1) == (1, 5)
        assert design.interval(9) == (5, 13)
        prior = np.array([0.5, 0.2, 0.2, 0.1])
        found = design.posterior(1, prior)
        by_hand = prior * [design.row(n)[1 - n + 4] for n in range(4)]
        assert np.allclose(found, by_hand / by_hand.sum())


class TestConsistency:
    def test_the_same_people_get_the_same_noise_in_every_table(self, counted, design):
        found = perturb_by_cell_key(counted, design, seed=5)
        one, other = found.table("age by sex"), found.table("sex by age")
        assert (one == other.transpose(0, 2, 1)).all()
        # a total over the areas, of the table with other dimensions
        assert (one[:, -1, -1] == found.table("broad by work")[:, -1, -1]).all()

    def test_cell_keys_are_the_sums_of_the_members_keys(self, frame, counted, design):
        from indistinct.core import as_uniform
        from indistinct.tables.perturb.randomness import words

        keys = words(5, "record", np.arange(len(frame)))
        found = perturb_by_cell_key(counted, design, seed=5).table("age by sex")
        age = frame["age"] // 10
        for area, group, sex in ((0, 3, 1), (17, 5, 2), (39, 0, 1)):
            members = (frame["area"] == area) & (age == group) & (frame["sex"] == sex)
            key = np.uint64(sum(int(k) for k in keys[members.to_numpy()]) % 2**64)
            number = np.array([int(members.sum())])
            change = design.change(number, as_uniform(np.array([key])))
            place = counted.areas.index(str(area))
            assert found[place, group, sex - 1] == number[0] + change[0]

    def test_recodes_and_merged_areas_that_hold_the_same_people_agree(self, frame, design):
        merged = frame.assign(region=frame["county"], all_ages=frame["age"])
        one = count(merged, TableSpec("t", (SEX, WORK)), area=COUNTY)
        two = count(
            merged, TableSpec("t", (WORK, SEX)), area=AREA, also=(Grouping("region", "region"),)
        )
        by_county = perturb_by_cell_key(one, design, seed=8).table("t")
        as_coarse = perturb_by_cell_key(two, design, seed=8).table("t", geography=1)
        assert (by_county == as_coarse.transpose(0, 2, 1)).all()

    def test_with_identifiers_the_order_of_the_file_does_not_matter(self, frame, design):
        spec = TableSpec("t", (SEX, WORK))
        mixed = frame.sample(frac=1, random_state=3)
        one = perturb_by_cell_key(count(frame, spec), design, seed=2, ids=frame["id"].to_numpy())
        two = perturb_by_cell_key(count(mixed, spec), design, seed=2, ids=mixed["id"].to_numpy())
        assert (one.table("t") == two.table("t")).all()
        other = perturb_by_cell_key(count(mixed, spec), design, seed=2)
        assert (one.table("t") != other.table("t")).any()

    def test_another_seed_gives_other_noise_and_the_same_the_same(self, counted, design):
        one = perturb_by_cell_key(counted, design, seed=1).table("age by sex")
        assert (one == perturb_by_cell_key(counted, design, seed=1).table("age by sex")).all()
        assert (one != perturb_by_cell_key(counted, design, seed=2).table("age by sex")).any()
        assert "seed" not in str(perturb_by_cell_key(counted, design, seed=1).to_dict())

    def test_keys_do_not_depend_on_how_an_engine_cuts_the_records(self, counted):
        class Pieces(Tally):
            """The same classes, told seven records at a time: as a cluster's parts would be."""

            records, counts = counted.tally.records, counted.tally.counts

            def per_record(self, values):
                whole = np.concatenate(list(counted.tally.per_record(values)))
                yield from np.split(whole, range(7, len(whole), 7))

        cut = replace(counted, tally=Pieces())
        assert class_keys(cut, seed=4).tolist() == class_keys(counted, seed=4).tolist()

    def test_wrong_numbers_of_identifiers_and_wrong_seeds_are_refused(self, counted, design):
        with pytest.raises(InputError, match="identifiers"):
            perturb_by_cell_key(counted, design, seed=1, ids=np.arange(3))
        with pytest.raises(InputError, match="seed"):
            perturb_by_cell_key(counted, design, seed=-1)

    def test_tables_of_values_are_refused(self, frame, design):
        counted = count(frame, TableSpec("t", (SEX,), value="work"))
        with pytest.raises(InputError, match="counts of people"):
            perturb_by_cell_key(counted, design, seed=1)


class TestNoise:
    def test_mean_and_variance_are_those_of_the_design(self, counted, design):
        changes = []
        for seed in range(12):
            found = perturb_by_cell_key(counted, design, seed=seed)
            cells = found.cells(Margin(0, (0, 1)))
            assert (cells.true > 0).all()
            changes.append(cells.published - cells.true)
        every = np.concatenate(changes)
        # about 7,400 independent draws of variance 2: five standard errors
        assert abs(every.mean()) < 5 * np.sqrt(2 / len(every))
        assert abs(every.var() - 2) < 0.25
        assert np.abs(every).max() <= 4

    def test_small_counts_do_not_occur_where_they_are_forbidden(self, counted):
        strict = design_perturbation(largest=5, variance=3.0, no_small=2)
        found = perturb_by_cell_key(counted, strict, seed=3)
        for margin in margins(counted, once=True):
            published = found.cells(margin).published
            assert not ((published == 1) | (published == 2) | (published < 0)).any()
        assert perturbed_risk(found).apparent_ones == 0

    def test_additive_tables_add_up_over_dimensions_and_geographies(self, counted, design):
        found = perturb_by_cell_key(counted, design, seed=3, additive=True)
        free = perturb_by_cell_key(counted, design, seed=3)
        for name in ("age by sex", "broad by work"):
            table = found.table(name)
            assert (table[:, :-1].sum(axis=1) == table[:, -1]).all()
            assert (table[..., :-1].sum(axis=2) == table[..., -1]).all()
            county = found.table(name, geography=1)
            of_area = np.array([int(a) // 10 for a in counted.areas])
            for n in range(4):
                assert (table[of_area == n].sum(axis=0) == county[n]).all()
            # the cells inside are the same, noise and all
            assert (table[:, :-1, :-1] == free.table(name)[:, :-1, :-1]).all()

    def test_risk_is_what_counting_by_hand_gives(self, frame, counted, design):
        found = perturb_by_cell_key(counted, design, seed=3)
        risk = perturbed_risk(found)
        true_full = apparent_full = both = 0
        true_tables = [counted.area_vector(n) for n in range(len(counted.areas))]
        new_tables = [found.area_vector(n) for n in range(len(counted.areas))]
        cells = [counted.cell_of(p) + counted.layouts[p].offset for p in range(3)]
        for n in range(counted.classes):
            own = [c[n] for c in cells]
            true = all(true_tables[counted.area[n]][c] == 1 for c in own)
            new = all(new_tables[counted.area[n]][c] == 1 for c in own)
            true_full += true
            apparent_full += new * counted.counts[n]
            both += true and new
        assert (risk.true_full, risk.apparent_full) == (true_full, apparent_full)
        assert risk.confirmed_full == both
        ones = sum(int((v == 1).sum()) for v in new_tables)
        confirmed = sum(
            int(((a == 1) & (b == 1)).sum()) for a, b in zip(true_tables, new_tables, strict=True)
        )
        assert (risk.apparent_ones, risk.confirmed_ones) == (ones, confirmed)
        assert risk.false_match_share == pytest.approx(1 - confirmed / ones)

    def test_variances_of_two_published_tables_add_up(self, counted, design):
        found = perturb_by_cell_key(counted, design, seed=3).perturbation
        other = random_rounding(counted, seed=1, base=5).perturbation
        assert summed_variance([(found, 12), (other, 12)]) == pytest.approx(2 + 2 * 3)
        assert variances(found, np.array([0, 4, 4])).tolist() == pytest.approx([0, 2, 2])
        assert uncertainty(found, 6).highest == 10


def test_results_tell_themselves(counted, design):
    found = perturb_by_cell_key(counted, design, seed=3)
    assert "variance 2" in repr(found)
    assert found.plot().startswith("<svg")
    assert perturbed_risk(found).plot().startswith("<svg")
    assert design.plot().startswith("<svg")
    assert found.to_dict()["largest_deviation"] <= 4
