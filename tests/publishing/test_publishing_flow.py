"""Tables published from beginning to end: what is in the folder, what is true of it, what is not
told, and that nothing is left behind where nothing is published."""

from __future__ import annotations

import csv
import hashlib
import itertools
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from small_data import open_small

from indistinct.core.errors import GuaranteeError, InputError
from indistinct.flow.session import Data
from indistinct.project import DeclaredRecode, DeclaredTable
from indistinct.release import check_folder
from indistinct.tables import (
    CellSystem,
    Published,
    Rounded,
    Sensitive,
    Suppression,
    controlled_rounding,
    suppress,
)
from indistinct.tables.publishing import (
    Asked,
    Publication,
    protecting,
    publish_tables,
)

SEED = 918273645
STAGES = ((0, "0–14"), (15, "15–64"), (65, "65+"))
TABLES = ("age[0,15,65],sex", "sex,ethnic")
DIMENSIONS = {"age-0-15-65-sex.csv": ("stage", "sex"), "sex-ethnic.csv": ("sex", "ethnic")}
METHODS = ("suppress", "round", "small-counts", "cell-key", "modify", "random-round")
ADDING_UP = ("round", "small-counts", "cell-key")

Row = dict[str, str]
Publish = Callable[..., Publication]


def census() -> dict[str, list[Any]]:
    """Three hundred people in five areas of two counties; the last area is small."""
    rng = np.random.default_rng(25)
    area = rng.choice(5, 300, p=[0.3, 0.25, 0.2, 0.2, 0.05])
    return {
        "area": [f"area {n}" for n in area],
        "county": ["north" if n < 2 else "south" for n in area],
        # all but a few people of two areas
        "zone": ["left" if n < 3 or at % 50 == 7 else "right" for at, n in enumerate(area)],
        "age": rng.integers(0, 90, 300).tolist(),
        "sex": rng.choice(["f", "m"], 300).tolist(),
        "ethnic": rng.choice(["white", "black", "asian"], 300, p=[0.8, 0.15, 0.05]).tolist(),
        "wage": rng.integers(0, 5000, 300).tolist(),
    }


def true_counts() -> dict[str, Counter[tuple[str, ...]]]:
    """The count of every cell and total, for areas and counties: by going through the people."""
    people = census()
    stage = [next(label for low, label in reversed(STAGES) if age >= low) for age in people["age"]]
    people["stage"] = stage
    found: dict[str, Counter[tuple[str, ...]]] = {}
    for name, dimensions in DIMENSIONS.items():
        count: Counter[tuple[str, ...]] = Counter()
        for n in range(300):
            own = [people[d][n] for d in dimensions]
            places = (("area", people["area"][n]), ("county", people["county"][n]))
            for place in places:
                for at in itertools.product(*((value, "total") for value in own)):
                    count[(*place, *at)] += 1
        found[name] = count
    return found


TRUTH = true_counts()


@pytest.fixture(scope="module")
def data() -> Any:
    with open_small(census()) as opened:
        yield opened


@pytest.fixture(scope="module")
def publish(data: Data, tmp_path_factory: pytest.TempPathFactory) -> Publish:
    """Publish the tables in a folder of their own."""

    def made(*tables: str, although_unproved: bool = False, **settings: Any) -> Publication:
        out = tmp_path_factory.mktemp("published") / "tables"
        given = {"area": "area", "seed": SEED, "out": out} | settings
        asked = Asked.of_texts(tables or TABLES, **given)
        return publish_tables(data, asked, although_unproved=although_unproved)

    return made


class EveryMethod(dict[str, Publication]):
    """The tables by every method, for areas and, but for suppression, for counties."""

    def __init__(self, publish: Publish) -> None:
        self.publish = publish

    def __missing__(self, method: str) -> Publication:
        self[method] = self.publish(method=method, also=also(method))
        return self[method]


@pytest.fixture(scope="module")
def published(publish: Publish) -> EveryMethod:
    """What was published, each when it is first asked for."""
    return EveryMethod(publish)


def also(method: str) -> tuple[str, ...] | None:
    """A second geography makes many more linear programs of a suppression."""
    return None if method == "suppress" else ("county",)


every_method = pytest.mark.parametrize("method", METHODS)


def folder(found: Publication) -> Path:
    assert found.folder is not None
    return found.folder.folder


def rows(found: Publication, name: str) -> list[Row]:
    with (folder(found) / "tables" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def cells(found: Publication, name: str) -> dict[tuple[str, ...], int | None]:
    """The published number of every place and cell; None where it is suppressed."""
    numbers: dict[tuple[str, ...], int | None] = {}
    for row in rows(found, name):
        value = row.pop("value")
        hidden = row.pop("suppressed", "false") == "true"
        assert hidden == (value == "")
        at = tuple(row.values())
        assert at not in numbers
        numbers[at] = None if hidden else int(value)
    return numbers


def public_files(found: Publication) -> list[Path]:
    every = [p for p in folder(found).rglob("*") if p.is_file()]
    return [p for p in every if p.parent.name != "private"]


# what every folder has --------------------------------------------------------------------------


@every_method
def test_folder_contents(published, method):
    where = folder(published[method])
    assert sorted(p.relative_to(where).as_posix() for p in where.rglob("*") if p.is_file()) == [
        "certificate.json",
        "conditions.md",
        "methodology.md",
        "private/ledger.json",
        "tables.json",
        "tables/age-0-15-65-sex.csv",
        "tables/sex-ethnic.csv",
    ]
    assert (where / "private").stat().st_mode & 0o777 == 0o700
    assert (where / "private" / "ledger.json").stat().st_mode & 0o777 == 0o600
    listed = json.loads((where / "tables.json").read_text())["tables"]
    assert [one["table"] for one in listed] == list(TABLES)
    for one in listed:
        written = rows(published[method], Path(one["file"]).name)
        assert len(written) == one["cells"]
        places = {(row["geography"], row["area"]) for row in written}
        assert len(places) == one["places"] == (7 if also(method) else 5)
        for name, labels in one["dimensions"].items():
            assert list(dict.fromkeys(row[name] for row in written)) == labels
    assert "No differencing" in (where / "conditions.md").read_text()
    assert "| sex,ethnic | sex × ethnic |" in (where / "methodology.md").read_text()


@every_method
def test_certificate_has_the_hash_of_every_file_and_its_own(published, method):
    where = folder(published[method])
    certificate = json.loads((where / "certificate.json").read_text())
    assert check_folder(where).whole
    public = {p.relative_to(where).as_posix() for p in public_files(published[method])}
    assert set(certificate["files"]) == public - {"certificate.json"}
    for name, known in {
        **certificate["files"],
        "private/ledger.json": certificate["ledger"],
    }.items():
        assert hashlib.sha256((where / name).read_bytes()).hexdigest() in known
    assert certificate["verdict"]["holds"] is True
    assert certificate["verdict"]["attacks"]
    assert published[method].holds


@every_method
def test_every_cell_of_every_place_is_there(published, method):
    geographies = ("area", *(also(method) or ()))
    for name, count in TRUTH.items():
        found = cells(published[method], name)
        assert {at[0] for at in found} == set(geographies)
        assert set(found) >= {at for at in count if at[0] in geographies}


# what is true of the numbers --------------------------------------------------------------------


@pytest.mark.parametrize("method", ADDING_UP)
def test_cells_add_up_to_their_totals(published, method):
    for name in DIMENSIONS:
        found = cells(published[method], name)
        for *place, first, second in found:
            if first == "total":
                parts = [
                    v
                    for at, v in found.items()
                    if at[:2] == tuple(place) and at[2] != "total" and at[3] == second
                ]
                assert sum(parts) == found[(*place, first, second)]
            if second == "total":
                parts = [
                    v for at, v in found.items() if at[:3] == (*place, first) and at[3] != "total"
                ]
                assert sum(parts) == found[(*place, first, second)]
    assert "add up to" in (folder(published[method]) / "methodology.md").read_text()


@pytest.mark.parametrize("method", ["round", "small-counts"])
def test_areas_add_up_to_counties_and_shared_totals_agree(published, method):
    county = {"area 0": "north", "area 1": "north"}
    both = [cells(published[method], name) for name in DIMENSIONS]
    for found in both:
        sums: Counter[tuple[str, ...]] = Counter()
        for (geography, area, *at), value in found.items():
            if geography == "area":
                sums[("county", county.get(area, "south"), *at)] += value
        assert sums == {at: v for at, v in found.items() if at[0] == "county"}
    for sex, (kind, place) in itertools.product("fm", {at[:2] for at in both[0]}):
        assert both[0][(kind, place, "total", sex)] == both[1][(kind, place, sex, "total")]


def test_rounded_counts_are_the_multiples_beside_the_true_ones(published):
    for name, count in TRUTH.items():
        for at, value in cells(published["round"], name).items():
            assert value % 3 == 0
            assert abs(value - count[at]) < 3


def test_small_counts_are_not_published(published):
    for name, count in TRUTH.items():
        found = cells(published["small-counts"], name)
        assert {1, 2} & set(count.values())
        assert not {1, 2} & set(found.values())
        assert all(found[at] == 0 for at in found if count[at] == 0)


@pytest.mark.parametrize("method", ["cell-key", "modify", "random-round"])
def test_noise_moves_counts_a_little_and_not_all(published, method):
    moved = Counter(
        value - TRUTH[name][at]
        for name in DIMENSIONS
        for at, value in cells(published[method], name).items()
        if at[2] != "total" and at[3] != "total"
    )
    assert 0 < moved[0] < moved.total()
    assert max(map(abs, moved)) <= 6
    assert min(v for name in DIMENSIONS for v in cells(published[method], name).values()) >= 0


def test_suppressed_cells_hide_all_small_counts_and_others_are_true(published):
    hidden = 0
    for name, count in TRUTH.items():
        for at, value in cells(published["suppress"], name).items():
            assert value is None or value == count[at]
            assert value not in (1, 2)
            hidden += value is None
    assert 0 < hidden < 50


def test_suppression_where_somebody_is_alone_in_a_cell_and_in_its_total(tmp_path):
    """The only child: alone among the boys and among all children."""
    sex = ["m"] * 9 + ["f"] * 8
    age = [7] + [30] * 4 + [70] * 4 + [30] * 4 + [70] * 4
    with open_small({"sex": sex, "age": age}) as people:
        asked = Asked.of_texts(
            ["age[0,15,65],sex"], area="persons", method="suppress", out=tmp_path / "tables"
        )
        assert publish_tables(people, asked).holds


def test_true_counts_are_published_where_nobody_stands_out(publish):
    found = publish("age[0,15,65],sex", area="county", method="none")
    count = TRUTH["age-0-15-65-sex.csv"]
    written = cells(found, "age-0-15-65-sex.csv")
    assert written == {at: n for at, n in count.items() if at[0] == "county"}


def test_sums_are_suppressed_and_the_others_are_true(publish):
    found = publish("sex,ethnic", value="wage", method="suppress", dominance=(1, 60.0))
    people = census()
    sums: Counter[tuple[str, str, str]] = Counter()
    for area, sex, ethnic, wage in zip(
        *(people[name] for name in ("area", "sex", "ethnic", "wage")), strict=True
    ):
        sums[area, sex, ethnic] += wage
    shown = 0
    for (_, area, sex, ethnic), value in cells(found, "sex-ethnic.csv").items():
        if "total" not in (sex, ethnic) and value is not None:
            assert value == sums[area, sex, ethnic]
            shown += 1
    assert shown > 5


def test_parquet_holds_what_csv_does(publish, published):
    found = publish(method="round", also=("county",), format="parquet")
    for name in DIMENSIONS:
        table = pq.read_table(folder(found) / "tables" / name.replace(".csv", ".parquet"))
        plain = pa_csv.read_csv(folder(published["round"]) / "tables" / name)
        assert table["value"].to_pylist() == plain["value"].to_pylist()
        assert table["area"].to_pylist() == plain["area"].to_pylist()


# what is not told -------------------------------------------------------------------------------


@every_method
def test_public_files_tell_neither_the_seed_nor_who_was_exposed(published, method):
    found = published[method]
    ledger = json.loads((folder(found) / "private" / "ledger.json").read_text())
    assert ledger["seed"] == SEED
    assert ledger["found_before"]["frtu"] == found.risk.uniques.frtu
    for path in public_files(found):
        text = path.read_text(encoding="utf-8")
        assert str(SEED) not in text, path.name
        assert ledger["salt"] not in text
        for word in ("frtu", "prtu", "unique", "seed", "salt", "deviation", "risk"):
            allowed = word == "unique" and path.name == "certificate.json"  # names of attacks
            assert word not in text.lower() or allowed, (path.name, word)
    told = json.loads((folder(found) / "certificate.json").read_text())
    assert "private" not in told["verdict"]
    # of what was looked for, nothing was found, and no other number is told
    numbers = [v for v in told["verdict"].values() if not isinstance(v, (bool, str, list))]
    assert set(numbers) <= {0}


def test_an_unproved_certificate_does_not_say_how_many_are_exposed(publish):
    found = publish(method="none", although_unproved=True)
    assert not found.holds
    assert found.risk.uniques.frtu > 0
    told = json.loads((folder(found) / "certificate.json").read_text())["verdict"]
    assert told["holds"] is False
    assert set(told) == {"attacks", "state", "holds"}
    ledger = json.loads((folder(found) / "private" / "ledger.json").read_text())
    assert ledger["verdict"]["frtu"] == found.risk.uniques.frtu


# the same again, and merging --------------------------------------------------------------------


def tables_of(found: Publication) -> dict[str, bytes]:
    where = folder(found)
    names = ("tables.json", "methodology.md", *(f"tables/{name}" for name in DIMENSIONS))
    return {name: (where / name).read_bytes() for name in names}


@every_method
def test_the_same_seed_gives_the_same_bytes(publish, published, method):
    again = publish(method=method, also=also(method))
    assert tables_of(again) == tables_of(published[method])


@pytest.mark.parametrize("method", ["cell-key", "modify", "random-round"])
def test_another_seed_gives_other_numbers(publish, published, method):
    other = publish(method=method, also=("county",), seed=SEED + 1)
    assert tables_of(other) != tables_of(published[method])


def test_merged_areas_hold_without_noise_and_their_file_says_which(publish):
    found = publish(merge=True)
    assert found.risk.uniques.frtu > 0
    merged = {
        row["area"]: row["published_area"]
        for row in csv.DictReader((folder(found) / "areas.csv").open(encoding="utf-8"))
    }
    assert sorted(merged) == [f"area {n}" for n in range(5)]
    for name, count in TRUTH.items():
        sums: Counter[tuple[str, ...]] = Counter()
        for (geography, area, *at), n in count.items():
            if geography == "area":
                sums[("area", merged[area], *at)] += n
        assert {at: n for at, n in cells(found, name).items() if n} == sums


# the attack on the files ------------------------------------------------------------------------


def test_cells_that_can_be_worked_out_are_found_in_the_files(publish, tmp_path, monkeypatch):
    """A suppression that forgets what small cells can be subtracted from."""

    def careless(system: CellSystem, sensitive: Sensitive, **options: Any) -> Suppression:
        done = suppress(system, sensitive, **options)
        return replace(done, suppressed=done.primary)

    monkeypatch.setattr(protecting, "suppress", careless)
    with pytest.raises(GuaranteeError, match=r"\d+ sensitive cells can be worked out too closely"):
        publish(method="suppress", out=tmp_path / "tables")
    assert list(tmp_path.iterdir()) == []


def test_true_counts_among_rounded_ones_are_found_in_the_files(publish, tmp_path, monkeypatch):
    def careless(system: CellSystem, base: int, **options: Any) -> Rounded:
        done = controlled_rounding(system, base, **options)
        values = done.values.copy()
        values[0] += 1
        return replace(done, values=values)

    monkeypatch.setattr(protecting, "controlled_rounding", careless)
    said = "1 counts are no multiples of the base. .* totals differ from the sums"
    with pytest.raises(GuaranteeError, match=said):
        publish(method="round", out=tmp_path / "tables")
    assert list(tmp_path.iterdir()) == []


def test_what_several_codings_tell_together_is_not_published(tmp_path):
    """Everybody without those of A, of B and of D are those of C, of whom there is one."""
    codes = [*"A" * 10, *"B" * 10, *"D" * 10, "C"]
    columns = {"group": codes}
    recodes, tables = {}, {}
    for code in "ABCD":
        rest = tuple(other for other in "ABCD" if other != code)
        recodes[f"only {code}"] = DeclaredRecode(
            variable="group", groups={code: (code,), "rest": rest}
        )
        tables[code] = DeclaredTable(dimensions=(f"only {code}",))
    settings = Asked.of_texts(area="persons", method="suppress", out=tmp_path / "out").settings
    asked = Asked(settings=settings, tables=tables, recodes=recodes)
    with open_small(columns) as people:
        found = publish_tables(people, asked)
    told = {at[2]: value for code in "ABCD" for at, value in cells(found, f"{code}.csv").items()}
    known = [told[name] for name in ("total", "A", "B", "D")]
    assert None in known, "the one person of C was worked out"


# what is refused --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"method": "none"}, r"do not hold: \d+ people are full record tabular uniques"),
        ({"method": "round", "also": ("zone",)}, "'zone' beside 'area' reveals"),
        ({"method": "round", "least_people": 10**6}, "fewer than 1,000,000 people"),
    ],
)
def test_what_cannot_be_proved_is_not_published(publish, tmp_path, settings, said):
    with pytest.raises(GuaranteeError, match=said):
        publish(out=tmp_path / "tables", **settings)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("stop", ["refuse", "merge", "leave-out"])
def test_three_geographies_that_tell_together_are_refused(tmp_path, stop):
    """Rows, columns and diagonals of a square, of which no two tell its four parts."""
    square = {"row": "aabb", "column": "cdcd", "diagonal": "effe"}
    sizes = (7, 6, 8, 9)
    columns = {
        name: [at for at, size in zip(zones, sizes, strict=True) for _ in range(size)]
        for name, zones in square.items()
    }
    given = {"also": ("column", "diagonal"), "method": "round", "out": tmp_path / "tables"}
    with open_small(columns | {"sex": ["f", "m"] * 15}) as people:
        asked = Asked.of_texts(["sex"], area="row", stop=stop, **given)
        with pytest.raises(GuaranteeError, match="together determine 4 zones below 10 people"):
            publish_tables(people, asked)
        assert list(tmp_path.iterdir()) == []
        assert publish_tables(people, Asked.of_texts(["sex"], area="row", stop="allow", **given))


def test_a_method_needs_a_folder_and_a_folder_must_be_new(publish, tmp_path):
    with pytest.raises(InputError, match="Name a folder with --out"):
        publish(method="round", out=None)
    kept = tmp_path / "tables" / "mine.txt"
    kept.parent.mkdir()
    kept.write_text("mine")
    with pytest.raises(InputError, match="exists already"):
        publish(method="round", out=kept.parent)
    assert [p.name for p in kept.parent.iterdir()] == ["mine.txt"]


def test_zones_are_left_out_or_merged_or_allowed_as_asked(publish):
    out = publish(method="round", also=("zone",), stop="leave-out")
    assert {row["geography"] for row in rows(out, "sex-ethnic.csv")} == {"area"}
    together = publish(method="round", also=("zone",), stop="merge")
    places = {(row["geography"], row["area"]) for row in rows(together, "sex-ethnic.csv")}
    assert len([place for place in places if place[0] == "zone"]) == 1
    allowed = publish(method="round", also=("zone",), stop="allow")
    places = {(row["geography"], row["area"]) for row in rows(allowed, "sex-ethnic.csv")}
    assert {area for geography, area in places if geography == "zone"} == {"left", "right"}


def test_a_later_request_is_checked_against_the_record(publish, tmp_path):
    record = tmp_path / "published.json"
    publish(method="round", published=record)
    before = record.read_bytes()
    with pytest.raises(GuaranteeError, match="beside what was published before"):
        publish(area="zone", method="round", published=record, out=tmp_path / "second")
    assert record.read_bytes() == before
    assert not (tmp_path / "second").exists()
    publish(area="county", method="round", published=record)
    assert [one.name for one in Published.load(record).zonings] == ["area", "county"]
