"""The codebook of a release: what was done and what values mean, and nothing of who left."""

from __future__ import annotations

import random
from xml.etree import ElementTree

import pyarrow as pa
import pytest

import indistinct as ind
from indistinct.core import InputError, Variable, Variables
from indistinct.files import write_data
from indistinct.release import check_folder

JOBS = {1: "clerk", 2: "cook & <maid>", 3: "smith", 9: "only the Mayor"}
DDI = "{ddi:codebook:2_5}"


@pytest.fixture
def people(tmp_path):
    draw = random.Random(1)
    table = pa.table(
        {
            "age": [draw.randrange(20, 60) for _ in range(200)],
            "job": [draw.choice([1, 2, 3]) for _ in range(200)],
        }
    )
    told = Variables([Variable("age", label="Age in years"), Variable("job", labels=JOBS)])
    return write_data(table, tmp_path / "people.dta", variables=told)


def released(people, folder, format):
    with ind.open(people) as data:
        done = data.protect(["age", "job"], method="mondrian", k=5, seed=1)
        return data.release(folder, done, seed=1, format=format, although_unproved=True)


@pytest.mark.parametrize("format", ["stata", "spss", "parquet", "csv"])
def test_a_codebook_tells_what_was_done_and_what_values_mean(people, tmp_path, format):
    made = released(people, tmp_path / "r", format)
    page = (made.folder / "codebook.html").read_text()
    book = (made.folder / "codebook.xml").read_text()
    for text in (page, book):
        assert "Age in years" in text
        assert "Mayor" not in text
        assert "cook &amp; &lt;maid&gt;" in text
        assert "900000001" in text or format not in ("stata", "spss")
    root = ElementTree.fromstring(book)
    assert root.tag == f"{DDI}codeBook"
    variables = {var.get("name"): var for var in root.iter(f"{DDI}var")}
    assert list(variables) == ["age", "job"]
    assert variables["age"].find(f"{DDI}notes") is not None
    values = {
        one.find(f"{DDI}catValu").text: one.find(f"{DDI}labl").text
        for one in variables["job"].iter(f"{DDI}catgry")
    }
    assert values["2"] == "cook & <maid>"
    if format in ("stata", "spss"):
        assert variables["age"].find(f"{DDI}varFormat").get("type") == "numeric"


def test_a_changed_codebook_is_found(people, tmp_path):
    made = released(people, tmp_path / "r", "stata")
    assert check_folder(made.folder).whole
    page = made.folder / "codebook.html"
    page.write_text(page.read_text() + "<!-- -->")
    assert "codebook.html was changed" in check_folder(made.folder).findings
    page.unlink()
    with pytest.raises(InputError):
        check_folder(made.folder)
