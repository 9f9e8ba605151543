"""The probabilistic attack on simulated people, with errors added: files of different years."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv
import pytest
from linkage_noise import dirty

from indistinct.prove.attacks.fellegi_sunter import evaluate, link_probabilistically

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
PERSON = ["first_name", "middle_initial", "last_name", "date_of_birth", "sex"]
PLACE = ["street_number", "street_name", "race_ethnicity"]

pytestmark = [pytest.mark.shared, pytest.mark.heavy]


def people(name: str) -> pa.Table:
    path = SHARED / f"pseudopeople_{name}.csv"
    if not path.exists():
        pytest.skip(f"{path.name} is not beside the project")
    text = csv.ConvertOptions(
        column_types=dict.fromkeys(csv.open_csv(path).schema.names, pa.string()),
        strings_can_be_null=True,
    )
    return csv.read_csv(path, convert_options=text)


def census(year: int) -> pa.Table:
    whole = people("decennial_census")
    return whole.filter(pc.equal(whole["year"], str(year)))


def social_security() -> pa.Table:
    whole = people("social_security")
    whole = whole.filter(pc.equal(whole["event_type"], "creation"))
    return whole.append_column(
        "middle_initial", pc.utf8_slice_codeunits(whole["middle_name"], 0, 1)
    )


def survey() -> pa.Table:
    """The last interview of everybody, because a link is one to one."""
    whole = people("current_population_survey").sort_by("survey_date")
    last = {person: i for i, person in enumerate(whole["simulant_id"].to_pylist())}
    return whole.take(sorted(last.values()))


FILES = {
    "2020 to 2030": (lambda: census(2020), lambda: census(2030), PERSON + PLACE),
    "2030 to 2040": (lambda: census(2030), lambda: census(2040), PERSON + PLACE),
    "2030 to survey": (lambda: census(2030), survey, PERSON + PLACE),
    "2030 to social security": (lambda: census(2030), social_security, PERSON),
}


@pytest.mark.parametrize("files", FILES)
def test_nine_of_ten_links_are_found_at_95_percent_precision(files):
    left, right, known = FILES[files]
    rng = np.random.default_rng(2024)
    sides, ids = [], []
    for side in (left(), right()):
        ids.append(side["simulant_id"].to_pylist())
        sides.append(
            dirty(
                side.select(known),
                rng,
                typos=0.08,
                nicknames=0.05,
                dates=0.06,
                missing=0.02,
                names=("first_name", "last_name", "street_name"),
                date="date_of_birth",
            )
        )
    links = link_probabilistically(*sides, known)
    found = evaluate(links, *ids)
    assert found.recall >= 0.9, found
    assert found.precision >= 0.95, found
    assert links.expected_precision <= found.precision + 0.02
