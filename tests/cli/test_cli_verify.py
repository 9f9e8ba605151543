"""`indistinct verify` through the command line: releases, registers, earlier releases, mistakes."""

from __future__ import annotations

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from indistinct.census import write_census
from indistinct.cli import run

PRIVATE = """\
name,birth date,ZIP,diagnosis
Ann,10/2/61,02139,cardiac
Abe,7/14/61,02139,cancer
Al,3/8/61,02138,liver
"""
REGISTER = "\n".join(",".join(line.split(",")[:3]) for line in PRIVATE.splitlines()) + "\n"
# Sweeney (2001), section 5: what is released, and what becomes of it
RELEASES = {
    "identity": (PRIVATE, "none", False, 3, 1),
    "de-identified": (
        PRIVATE.replace("Ann", "").replace("Abe", "").replace("Al", ""),
        "none",
        False,
        3,
        1,
    ),
    "encrypted": (
        "name,birth date,ZIP,diagnosis\nJcd,x1,y1,cardiac\nJwq,x2,y2,cancer\nJxy,x3,y3,liver\n",
        "null-map",
        True,
        0,
        0,
    ),
    "generalised": (
        "name,birth date,ZIP,diagnosis\n"
        + "".join(f"A*,1961,0213*,{ill}\n" for ill in ("cardiac", "cancer", "liver")),
        "k-map",
        True,
        0,
        3,
    ),
    "swapped": (
        "name,birth date,ZIP,diagnosis\nAbe,7/14/61,02139,cardiac\nAl,3/8/61,02138,cancer\n"
        "Ann,10/2/61,02139,liver\n",
        "wrong-map",
        True,
        0,
        1,
    ),
}


COLUMNS = [
    *("identity_number", "given_name", "surname", "date_of_birth", "sex", "area", "income"),
    *("household", "age", "age_group", "marital", "industry"),
]


@pytest.fixture(scope="module")
def census(tmp_path_factory):
    folder = tmp_path_factory.mktemp("census")
    path = folder / "census.parquet"
    write_census(path, people=3000, seed=1, register=folder / "list.parquet")
    # what else may be known is tried column by column: a dozen tell the same as all
    pq.write_table(pq.read_table(path, columns=COLUMNS), path)
    return folder


@pytest.fixture(scope="module")
def release(census):
    target = census / "release"
    assert protect(census, target, "age_group,sex,marital", "optimal") == 0
    return target


def protect(census, target, key, method, *more):
    arguments = ["protect", str(census / "census.parquet"), "--method", method, "--key", key]
    accepted = ["--accept", "households"]  # the census says who lives together
    return run([*arguments, "--k", "4", "--seed", "1", "--out", str(target), *accepted, *more])


def facts(arguments, capfd):
    capfd.readouterr()
    code = run(["verify", *map(str, arguments), "--json"])
    return code, json.loads(capfd.readouterr().out)


@pytest.mark.parametrize("name", RELEASES)
def test_the_releases_of_the_paper(name, tmp_path, capfd):
    text, verdict, ads0, disclosures, k = RELEASES[name]
    for file, content in (("private", PRIVATE), ("voters", REGISTER), ("released", text)):
        (tmp_path / f"{file}.csv").write_text(content)
    code, said = facts(
        [
            tmp_path / "released.csv",
            *("--private", tmp_path / "private.csv", "--register", tmp_path / "voters.csv"),
            *("--key", "name,birth date,ZIP"),
            *(["--encrypted", "name,birth date,ZIP"] if name == "encrypted" else []),
        ],
        capfd,
    )
    assert (said["verdict"], said["ads0"], said["disclosures"]) == (verdict, ads0, disclosures)
    # null-map and wrong-map are the paper's words for altered values; the file's own classes are
    # counted as well, and a file that says nothing of altered values has to keep k by itself
    states = {"k-map": (0, "holds"), "null-map": (1, "reservations")}
    assert said["k"] == (k if verdict == "null-map" else max(k, 1))
    assert (code, said["state"]) == states.get(verdict, (1, "fails"))
    assert len(said["witnesses"]) == (3 if verdict == "wrong-map" else disclosures)
    assert said["checked"][0]["name"].endswith("voters.csv")


def test_a_release_folder_says_itself_what_it_promised(release, census, capfd):
    code, said = facts([release, "--private", census / "census.parquet"], capfd)
    assert code == 0
    assert (said["verdict"], said["asked"], said["state"]) == ("k-map", 4, "reservations")
    assert [r["code"] for r in said["reservations"]] == said["accepted"] == ["households"]
    assert said["k"] >= 4
    assert said["key"] == ["age_group", "sex", "marital"]
    assert said["assumptions"]
    assert said["trust"]
    assert said["sensitivity"]


def test_people_read_one_line_first(release, census, capfd):
    assert run(["verify", str(release), "--private", str(census / "census.parquet")]) == 0
    said = capfd.readouterr()
    assert said.out.startswith("k-map, k=")


def test_the_folder_keeps_a_trail_of_who_verified(release, census):
    trail = release / "private" / "audit.jsonl"
    before = len(trail.read_text().splitlines())
    assert run(["verify", str(release), "--private", str(census / "census.parquet")]) == 0
    lines = trail.read_text().splitlines()
    assert len(lines) == before + 1
    assert json.loads(lines[-1])["verb"] == "verify"
    assert run(["verify", str(release), "--brief"]) == 0


@pytest.mark.heavy
def test_names_removed_is_not_enough(census, tmp_path, capfd):
    """A census without names falls to the register."""
    table = pq.read_table(census / "census.parquet")
    bare = table.drop_columns(["identity_number", "given_name", "surname"])
    pq.write_table(bare, tmp_path / "bare.parquet")
    code, said = facts(
        [
            tmp_path / "bare.parquet",
            *("--private", census / "census.parquet", "--register", census / "list.parquet"),
            *("--person", "identity_number", "--key", "date_of_birth,sex,area", "--brief"),
            *("--attack", "exact,probabilistic"),
        ],
        capfd,
    )
    assert (code, said["verdict"], said["ads0"]) == (1, "none", False)
    assert said["disclosures"] > 2900
    exact, probable = said["attacks"]
    assert exact["right"] == said["disclosures"]
    assert exact["wrong"] == 0
    assert probable["right"] > 0.9 * said["disclosures"]


def test_an_earlier_release_that_completes_it(census, tmp_path, capfd):
    table = pq.read_table(census / "census.parquet", columns=["sex", "area", "income"])
    table = table.set_column(1, "area", table.column("area").cast(pa.string()))
    for name, hidden in (("new", "sex"), ("old", "area")):
        column = pa.nulls(table.num_rows, pa.string())
        part = table.set_column(table.column_names.index(hidden), hidden, column)
        pq.write_table(part, tmp_path / f"{name}.parquet")
    new, old = tmp_path / "new.parquet", tmp_path / "old.parquet"
    accepted = ["--accept", "labels-of-nobody"]  # the census' codebook is in the file
    code, alone = facts([new, "--key", "sex,area", "--brief", *accepted], capfd)
    assert (code, alone["verdict"]) == (0, "k-map")
    promise = ["--key", "sex,area", "--k", alone["k"], "--brief", *accepted]
    assert facts([new, *promise], capfd)[0] == 0
    code, both = facts([new, *promise, "--with", old], capfd)
    assert code == 1
    assert both["together"]["k"] < alone["k"]
    assert not both["holds"]
    assert both["findings"]


def test_a_release_that_an_earlier_one_would_undo_is_not_written(census, release, tmp_path, capfd):
    old = tmp_path / "old.parquet"
    columns = ["age_group", "sex", "marital", "income"]
    pq.write_table(pq.read_table(census / "census.parquet", columns=columns), old)
    key, new = "age_group,sex,marital", tmp_path / "new"
    assert protect(census, new, key, "optimal", "--with", str(old)) == 1
    assert not new.exists()
    assert "together leave fewer than 4" in capfd.readouterr().err
    assert protect(census, new, key, "optimal", "--with", str(release)) == 0
    assert new.exists()


class TestChanged:
    @pytest.fixture
    def copy(self, release, tmp_path):
        return shutil.copytree(release, tmp_path / "copy")

    def test_a_byte(self, copy, capfd):
        data = copy / "data.parquet"
        content = bytearray(data.read_bytes())
        content[len(content) // 2] ^= 1
        data.write_bytes(content)
        assert run(["verify", str(copy), "--brief"]) in (1, 2)
        assert "data.parquet" in capfd.readouterr().err

    def test_a_value_that_is_put_back(self, copy, census, capfd):
        """The file is readable and its class is too small: both are noticed."""
        table = pq.read_table(copy / "data.parquet")
        column = table.column("age_group").to_pylist()
        column[0] = "nobody else"
        kind = pa.string()
        changed = table.set_column(
            table.column_names.index("age_group"),
            pa.field("age_group", kind),
            pa.array([str(v) for v in column], kind),
        )
        pq.write_table(changed, copy / "data.parquet")
        code, said = facts([copy, "--brief"], capfd)
        assert code == 1
        assert said["verdict"] == "none"
        assert "data.parquet was changed" in said["findings"]

    def test_a_part_that_is_missing(self, copy, capfd):
        (copy / "contract.md").unlink()
        assert run(["verify", str(copy), "--brief"]) == 2
        assert "contract.md" in capfd.readouterr().err

    def test_a_certificate_of_another_version(self, copy, capfd):
        path = copy / "certificate.json"
        content = json.loads(path.read_text())
        content["version"] = "99.0"
        path.write_text(json.dumps(content))
        assert run(["verify", str(copy), "--brief"]) == 2
        assert "99.0" in capfd.readouterr().err


class TestMistakes:
    @pytest.mark.parametrize(
        ("more", "said"),
        [
            (["--key", "zzz"], "zzz"),
            (["--key", "sex", "--k", "1"], "at least 2"),
            (["--key", "sex", "--attack", "exakt"], "exakt"),
            (["--key", "sex", "--attack", "exact"], "needs a register"),
            (["--key", "sex", "--register", "nowhere.csv"], "nowhere.csv"),
            (["--key", "sex", "--signed-by", "key.pem"], "There is no key"),
        ],
    )
    def test_they_are_told(self, census, more, said, capfd):
        assert run(["verify", str(census / "census.parquet"), *more, "--brief"]) == 2
        err = capfd.readouterr().err
        assert said in err
        assert "Traceback" not in err

    def test_no_key(self, tmp_path, capfd):
        (tmp_path / "a.csv").write_text("x,y\n1,2\n1,2\n")
        assert run(["verify", str(tmp_path / "a.csv")]) == 2
        assert "--key" in capfd.readouterr().err

    def test_a_register_that_shares_nothing(self, tmp_path, capfd):
        (tmp_path / "a.csv").write_text("x,y\n1,2\n1,2\n")
        (tmp_path / "b.csv").write_text("town\nBonn\n")
        arguments = [str(tmp_path / "a.csv"), "--register", str(tmp_path / "b.csv"), "--key", "x"]
        assert run(["verify", *arguments]) == 2
        assert "town" in capfd.readouterr().err
