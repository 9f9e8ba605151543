"""`indistinct query` through the command line."""

from __future__ import annotations

import json

import pytest

from indistinct.cli import run

RELEASED = "age,sex,income\n" + "30-39,m,100\n" * 6 + "30-39,f,200\n" * 7 + "40-49,f,300\n" * 2


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "released.csv"
    path.write_text(RELEASED)
    return path


def test_an_answer_as_json(file, capfd):
    assert run(["query", str(file), "select sex, count(*) n from data group by sex", "--json"]) == 0
    said = json.loads(capfd.readouterr().out)
    assert said["columns"] == ["sex", "n"]
    assert said["rows"] == [["f", 9], ["m", 6]]
    assert said["records"] == [9, 6]
    assert (said["withheld"], said["smallest"]) == (0, 5)
    assert len(said["notes"]) == 1


def test_an_answer_for_people_is_on_standard_output_and_the_rest_beside(file, capfd):
    question = "select age, sex, avg(income) from data group by age, sex"
    assert run(["query", str(file), question, "--smallest", "3"]) == 0
    said = capfd.readouterr()
    assert said.out.splitlines() == ["age\tsex\tavg(income)", "30-39\tf\t200"]
    assert "2 withheld" in said.err
    assert "note: 2 rows are withheld" in said.err


def test_an_answer_in_a_file(file, tmp_path, capfd):
    out = tmp_path / "answer.csv"
    question = "select sex, count(*) n from data group by sex"
    assert run(["query", str(file), question, "--out", str(out)]) == 0
    assert out.read_text() == "sex,n\nf,9\nm,6\n"
    assert capfd.readouterr().out == ""


def test_a_log_keeps_answers_in_mind(file, tmp_path, capfd):
    log = ["--log", str(tmp_path / "answers.npz"), "--json"]
    assert run(["query", str(file), "select count(*) from data where sex = 'f'", *log]) == 0
    assert json.loads(capfd.readouterr().out)["rows"] == [[9]]
    again = "select count(*) from data where sex = 'f' and age = '30-39'"
    assert run(["query", str(file), again, *log]) == 0
    assert json.loads(capfd.readouterr().out)["withheld"] == 1


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
    for question in ("select id from data", "select count(*) from people"):
        assert run([*asked, question]) == 2
        assert "There is no" in capfd.readouterr().err
    assert run(["query", str(project), "--recipient", "pres", "select 1"]) == 2
    assert "Did you mean 'press'" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{file}", "drop table data"], "one SELECT"),
        (["{file}", "select * from data"], "single records"),
        (["{file}", "select aeg from data"], "Did you mean 'age'"),
        (["{file}", "select count(*) from data", "--smallest", "0"], "at least 1"),
        (["{file}", "select count(*) from data", "--recipient", "x"], "is for a project file"),
        (["x.toml", "select 1", "--recipient", "x", "--smallest", "3"], "project file decides"),
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
