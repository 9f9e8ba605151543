"""`indistinct query` through the command line."""

from __future__ import annotations

import json

import pytest

from indistinct.cli import run

RELEASED = (
    "age,sex,income\n" + "30-39,m,100\n" * 600 + "30-39,f,200\n" * 700 + "40-49,f,300\n" * 200
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "released.csv"
    path.write_text(RELEASED)
    return path


BY_SEX = "select sex, count(*) n from data group by sex"


def test_an_answer_as_json(file, capfd):
    assert run(["query", str(file), BY_SEX, "--json"]) == 0
    said = json.loads(capfd.readouterr().out)
    assert said["columns"] == ["sex", "n"]
    (f, women), (m, men), *chance = said["rows"]
    assert (f, m, said["smallest"]) == ("f", "m", 5)
    assert abs(women - 900) < 60
    assert abs(men - 600) < 60
    assert said["errors"][0][1] > 6
    assert said["withheld"] + len(chance) == 2  # what is neither f nor m, and what is missing
    assert len(said["notes"]) == 1


def test_an_answer_for_people_is_on_standard_output_and_the_rest_beside(file, capfd):
    asked = ["query", str(file), "select sex, mean(income) from data group by sex"]
    assert run(asked) == 2
    assert "--range income=0:100000" in capfd.readouterr().err
    assert run([*asked, "--range", "income=0:400", "--who", "Ann"]) == 0
    said = capfd.readouterr()
    assert said.out.splitlines()[0] == "sex\tmean(income)"
    assert "with noise" in said.err
    assert "note: Answers have noise" in said.err
    log = next((file.parent / ".indistinct" / "asked").iterdir())
    assert '"who": "Ann"' in log.read_text()


def test_an_answer_in_a_file_is_the_same_for_whoever_asks(file, tmp_path, capfd):
    out = tmp_path / "answer.csv"
    log = ["--log", str(tmp_path / "log.jsonl")]
    question = "select sex, count(*) n from data where sex = 'f' or not sex <> 'm' group by sex"
    assert run(["query", str(file), question, "--out", str(out), *log]) == 0
    assert capfd.readouterr().out == f"written: {out}\n"
    asked = "select sex, count(*) as n from data where sex in ('m', 'f') group by sex"
    assert run(["query", str(file), asked, "--json", "--who", "Ben", *log]) == 0
    rows = json.loads(capfd.readouterr().out)["rows"]
    assert out.read_text().splitlines() == ["sex,n", *(f"{a},{b}" for a, b in rows)]


def test_a_recipient_of_a_project(tmp_path, capfd):
    (tmp_path / "people.csv").write_text(
        "id,town\n" + "".join(f"{n},t{n % 2}\n" for n in range(40))
    )
    project = tmp_path / "release.toml"
    project.write_text(
        '[data]\nfile = "people.csv"\n[variables]\nid = { role = "identifier" }\n'
        'town = { role = "key" }\n[recipients.press]\nk = 10\n'
    )
    asked = ["query", str(project), "--recipient", "press"]
    assert run([*asked, "select town, count(*) from data group by town", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["rows"] == [["t0", 20], ["t1", 20]]
    for question, said in (("select id from data", "There is no"), ("select 1", "should name")):
        assert run([*asked, question]) == 2
        assert said in capfd.readouterr().err
    assert run(["query", str(project), "--recipient", "pres", "select 1"]) == 2
    assert "Did you mean 'press'" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{file}", "drop table data"], "should have 'select'"),
        (["{file}", "select * from data"], "single records"),
        (["{file}", "select aeg, count(*) from data group by aeg"], "Did you mean 'age'"),
        (["{file}", "select count(*) from data", "--range", "income"], "NAME=LOW:HIGH"),
        (["{file}", "select count(*) from data", "--guess", "2"], "between 0.5"),
        (["{file}", "select count(*) from data", "--smallest", "0"], "at least 1"),
        (["{file}", "select count(*) from data", "--recipient", "x"], "is for a project file"),
        (
            ["x.toml", "select 1", "--recipient", "x", "--smallest", "3"],
            "cannot be given with --recipient",
        ),
        (["{folder}", "select count(*) from data"], "no released data"),
        (["nowhere.csv", "select count(*) from data"], "no file nowhere.csv"),
    ],
)
def test_mistakes_are_one_sentence(file, tmp_path, capfd, arguments, said):
    empty = tmp_path / "empty"
    empty.mkdir()
    filled = [a.format(file=file, folder=empty) for a in arguments]
    assert run(["query", *filled]) == 2
    err = capfd.readouterr().err
    assert said in err
    assert "Traceback" not in err
