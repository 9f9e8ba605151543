"""The project is changed as its page says or not at all, and every state is found again."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pytest
from served import PROJECT, Served, folder_with, serving

from indistinct.core import InputError
from indistinct.options import known_methods
from indistinct.workbench.desk import PRIVATE, Desk
from indistinct.workbench.forms import changes_of, fields_of_method
from indistinct.workbench.history import History


def text_of(served: Served) -> str:
    return (served.desk.folder / "release.toml").read_text()


def test_a_change_is_written_and_undone_and_redone_to_the_byte(begun: Served):
    assert begun.change("/risk", k="4").status == 303
    changed = text_of(begun)
    assert changed == PROJECT.replace("k = 3", "k = 4")
    begun.change("/protect/undo")
    assert text_of(begun) == PROJECT
    begun.change("/protect/redo")
    assert text_of(begun) == changed


def test_of_two_tabs_the_second_change_is_refused_with_a_word(begun: Served):
    version = begun.desk.history.version
    assert begun.post("/risk", version=version, k="4").status == 303
    answer = begun.post("/risk", version=version, k="9")
    assert answer.status == 409
    assert "another tab" in answer.text
    assert text_of(begun) == PROJECT.replace("k = 3", "k = 4")


@pytest.mark.parametrize("path", ["/risk", "/variables", "/protect", "/protect/undo",
                                  "/protect/go", "/prove/terms", "/prove/export"])  # fmt: skip
def test_no_change_without_a_version(begun: Served, path: str):
    begun.get("/risk")
    begun.settle("count")
    answer = begun.post(path, k="9", method="optimal", state="0", out="elsewhere")
    assert answer.status in (303, 409)
    assert text_of(begun) == PROJECT


def test_what_another_program_writes_is_taken_up_and_can_be_undone(begun: Served):
    version = begun.desk.history.version
    outside = PROJECT.replace("k = 3", "k = 7")
    (begun.desk.folder / "release.toml").write_text(outside)
    assert begun.post("/risk", version=version, k="9").status == 409
    assert text_of(begun) == outside
    assert "changed outside" in begun.get("/protect").text or begun.desk.jobs.working
    begun.change("/protect/undo")
    assert text_of(begun) == PROJECT


def test_what_is_no_project_is_refused_and_nothing_is_lost(begun: Served):
    answer = begun.change("/prove/export", out="../outside")
    assert answer.status == 400
    assert "out" in answer.text
    assert text_of(begun) == PROJECT
    assert begun.change("/risk", k="1").status == 400
    assert begun.change("/risk", k="many").status == 400
    assert begun.change("/protect", method="no-such").status == 400
    assert text_of(begun) == PROJECT
    assert len(begun.desk.history.states) == 1


def test_a_project_that_somebody_breaks_is_told_and_mended_by_going_back(begun: Served):
    (begun.desk.folder / "release.toml").write_text("[release\nk = ")
    answer = begun.get("/risk")
    assert answer.status in (400, 500)
    assert "TOML" in answer.text
    (begun.desk.folder / "release.toml").write_text(PROJECT)
    assert begun.get("/risk").status == 200


def test_history_outlives_a_restart_and_branches_lose_nothing(tmp_path: Path):
    folder = folder_with(tmp_path / "work")
    desk = Desk(folder)
    desk.open_project("release.toml")
    for k in (4, 5, 6):
        desk.change(desk.history.version, {("release", "k"): k}, ("promised", str(k)))
    desk.history.name("six")
    desk.step(desk.history.version, "undo")
    desk.step(desk.history.version, "undo")
    desk.change(desk.history.version, {("release", "k"): 20}, ("promised", "20"))
    again = Desk(folder)
    again.open_project("release.toml")
    assert again.content["release"]["k"] == 20
    assert [s.branch for s in again.history.ends() if s.branch] == ["six"]
    six = next(s.number for s in again.history.states if s.branch == "six")
    again.step(again.history.version, "go", six)
    assert again.content["release"]["k"] == 6
    for _ in range(3):
        again.step(again.history.version, "undo")
    assert (folder / "release.toml").read_text() == PROJECT
    with pytest.raises(InputError, match="nothing to undo"):
        again.step(again.history.version, "undo")


def test_history_has_no_end_and_undoing_is_quick(tmp_path: Path):
    history = History(tmp_path / "private")
    for number in range(50):
        history.record(f"k = {number}", ("promised", str(number)))
    began = time.process_time()
    for number in reversed(range(49)):
        history.undo()
        assert history.text == f"k = {number}"
    assert (time.process_time() - began) / 49 < 0.2


def test_a_state_that_was_changed_on_the_disk_is_not_believed(tmp_path: Path):
    history = History(tmp_path / "private")
    history.record("k = 5", ("opened",))
    place = next((tmp_path / "private" / "states").iterdir())
    place.write_text("k = 2")
    with pytest.raises(InputError, match="damaged"):
        assert history.text
    (tmp_path / "private" / "history.json").write_text("[")
    with pytest.raises(InputError, match="damaged"):
        History(tmp_path / "private")


def test_on_a_full_disk_the_project_is_as_it_was(begun: Served, monkeypatch):
    def full(*args, **options):
        raise InputError("The disk is full.")

    monkeypatch.setattr("indistinct.workbench.desk.write_whole", full)
    answer = begun.change("/risk", k="4")
    assert answer.status == 400
    assert "full" in answer.text
    assert text_of(begun) == PROJECT
    assert begun.desk.content["release"]["k"] == 3


# What is in the folder, and what is not ----------------------------------------------------------

OUTSIDE = ("../secret.csv", "/etc/passwd", "..", ".", "", "a/b.csv", "a\\b.csv", ".hidden.csv",
           "people.csv\0.toml", "C:\\people.csv")  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("path", ["/open/data", "/open/project"])
def test_nothing_outside_the_folder_is_opened(begun: Served, path: str, name: str):
    (begun.desk.folder.parent / "secret.csv").write_text("a\n1\n")
    (begun.desk.folder / ".hidden.csv").write_text("a\n1\n")
    assert begun.post(path, name=name).status == 400
    assert not begun.desk.jobs.working


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="this system has no links")
def test_no_link_is_listed_opened_or_written_through(begun: Served):
    folder = begun.desk.folder
    secret = folder.parent / "secret.csv"
    secret.write_text("a\n1\n")
    (folder / "linked.csv").symlink_to(secret)
    (folder / "linked.toml").symlink_to(folder / "release.toml")
    assert "linked" not in [one.name.partition(".")[0] for one in begun.desk.data_files]
    assert begun.post("/open/data", name="linked.csv").status == 400
    assert begun.post("/open/project", name="linked.toml").status == 400
    assert bring(begun, "linked.csv", b"b\n2\n").status == 400
    assert secret.read_text() == "a\n1\n"


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="this system has no links")
def test_a_private_folder_that_is_a_link_is_refused(tmp_path: Path):
    folder = folder_with(tmp_path / "work")
    (tmp_path / "elsewhere").mkdir()
    (folder / PRIVATE).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="link"):
        Desk(folder).open_project("release.toml")
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.skipif(os.name != "posix", reason="modes of files are those of POSIX")
def test_what_is_kept_is_for_its_owner_alone(begun: Served):
    begun.get("/risk")
    begun.settle("count")
    for place in (begun.desk.folder / PRIVATE).rglob("*"):
        mode = stat.S_IMODE(place.stat().st_mode)
        assert place.is_dir() or not mode & 0o077, place
    assert stat.S_IMODE((begun.desk.folder / PRIVATE).stat().st_mode) == 0o700


def bring(served: Served, name: str, content: bytes, **headers: str | None):
    sent = {"X-Name": name, "Content-Type": "application/octet-stream", **headers}
    return served.ask("POST", "/open/bring", sent, content)


def test_a_file_that_is_dropped_is_kept_whole_and_never_over_another(begun: Served):
    assert bring(begun, "more%20people.csv", b"a\n1\n").status == 200
    assert (begun.desk.folder / "more people.csv").read_bytes() == b"a\n1\n"
    assert bring(begun, "people.csv", b"a\n1\n").status == 400
    assert bring(begun, "program.exe", b"MZ").status == 400
    assert bring(begun, "..%2F..%2Fevil.csv", b"a\n1\n").status in (200, 400)
    assert not (begun.desk.folder.parent / "evil.csv").exists()
    assert not (begun.desk.folder.parent.parent / "evil.csv").exists()


def test_too_large_a_file_is_refused_before_it_is_read(begun: Served):
    answer = bring(begun, "large.csv", b"", **{"Content-Length": str(5 << 30)})
    assert answer.status == 400
    assert "larger" in answer.text
    assert not (begun.desk.folder / "large.csv").exists()


def test_a_file_that_ends_too_soon_is_not_kept(begun: Served):
    import socket

    with socket.create_connection(("127.0.0.1", begun.port), timeout=10) as there:
        cookie = "; ".join(f"{n}={v}" for n, v in begun.cookies.items())
        there.sendall(
            f"POST /open/bring HTTP/1.1\r\nHost: {begun.host}\r\nCookie: {cookie}\r\n"
            f"Origin: http://{begun.host}\r\nSec-Fetch-Site: same-origin\r\nX-Name: half.csv\r\n"
            "Content-Length: 1000\r\n\r\na,b\n1,2\n".encode()
        )
    for _ in range(100):
        if not list(begun.desk.folder.glob("*half*")):
            break
        time.sleep(0.02)
    assert not list(begun.desk.folder.glob("*half*"))


def test_too_large_a_form_is_refused(begun: Served):
    answer = begun.ask("POST", "/risk", body=b"k=" + b"9" * 3_000_000)
    assert answer.status == 413
    assert text_of(begun) == PROJECT


# Jobs --------------------------------------------------------------------------------------------


def test_a_job_that_is_killed_is_told_and_can_be_begun_again(begun: Served):
    begun.get("/risk")
    (job,) = begun.desk.jobs.working
    job.process.kill()
    begun.settle("count")
    assert job.state == "failed"
    page = begun.get("/risk").text
    assert "ended before it was done" in page
    assert begun.post("/working/again", job=str(job.number), back="risk").status == 303
    begun.settle("count")
    assert "stand out" in begun.get("/risk").text
    assert text_of(begun) == PROJECT


def test_a_job_that_is_stopped_leaves_nothing_behind(begun: Served):
    begun.get("/risk")
    (job,) = begun.desk.jobs.working
    assert begun.post("/working/stop", job=str(job.number), back="risk").status == 303
    assert job.state == "stopped"
    job.process.wait(10)
    assert begun.desk.result("count") is None


def test_records_that_changed_on_the_disk_are_counted_anew(begun: Served):
    begun.get("/risk")
    begun.settle("count")
    assert begun.desk.result("count")["records"] == 60
    place = begun.desk.folder / "people.csv"
    place.write_text(place.read_text() + "m,a,20,n\n")
    begun.get("/risk")
    begun.settle("count")
    assert begun.desk.result("count")["records"] == 61
    assert "another one than before" in begun.get("/risk").text
    assert begun.change("/open/noted").status == 303
    assert "another one than before" not in begun.get("/risk").text


def test_a_file_is_read_as_somebody_says(begun: Served):
    place = begun.desk.folder / "people.csv"
    place.write_bytes(place.read_text().replace(",a,", ",Ł,").encode("iso8859-2"))
    answer = begun.change("/open/reading", **{"data-decimal": "?"})
    assert answer.status == 400
    assert "decimal" in answer.text
    assert begun.change("/open/reading", **{"data-encoding": "iso8859-2"}).status == 303
    begun.get("/open")
    begun.settle("count")
    assert "Ł" in {row[1] for row in begun.desk.result("look")["first"]}
    begun.change("/protect/undo")
    assert text_of(begun) == PROJECT


def test_a_file_that_is_no_data_is_told(begun: Served):
    (begun.desk.folder / "broken.parquet").write_bytes(b"not data at all")
    begun.post("/open/close")
    begun.post("/open/data", name="broken.parquet")
    begun.settle("draft")
    page = begun.get("/open").text
    assert "broken.parquet" in page
    assert 'role="alert"' in page
    assert not (begun.desk.folder / "broken.toml").exists()


def test_the_estimate_for_a_population_is_that_of_the_risk_verb(begun: Served):
    from indistinct import open_data

    begun.get("/risk")
    begun.settle("count")
    for wrong in ("", "0", "100", "nan", "x", "-5"):
        assert begun.post("/risk/population", sample=wrong).status == 400
    answer = begun.post("/risk/population", sample="12,5")
    assert answer.headers["location"] == "/risk?sample=12.5"
    begun.settle("population")
    page = begun.get("/risk?sample=12.5").text
    with open_data(begun.desk.project_path) as data:
        found = data.risk(fraction=0.125, sensitive=["ill"]).to_dict()
    kept = begun.desk.store.read("population", begun.desk.key_of_population(0.125))
    assert kept["expected_population_uniques"] == found["expected_population_uniques"]
    assert f"{found['expected_population_uniques']:,.1f}" in page


def test_a_survey_with_weights_households_and_several_records_goes_the_whole_way(begun: Served):
    """Weights say how large the population is, and people are counted, not their records."""
    lines = ["id,home,sex,age,weight"]
    for n in range(80):
        lines.append(f"p{n // 2},{n // 6},{'mf'[n // 2 % 2]},{20 + n // 2 % 5},{8 + n % 3}")
    (begun.desk.folder / "survey.csv").write_text("\n".join(lines) + "\n")
    roles = {"id": "identifier", "home": "household", "sex": "key", "age": "key"}
    roles["weight"] = "weight"
    text = PROJECT.partition("[variables.sex]")[0].replace("people.csv", "survey.csv")
    text = text.replace("k = 3", 'k = 3\nperson = "id"')
    text += "".join(f'[variables.{name}]\nrole = "{role}"\n' for name, role in roles.items())
    (begun.desk.folder / "release.toml").write_text(text)
    begun.get("/risk")
    begun.settle("count")
    counted = begun.desk.result("count")
    assert (counted["person"], counted["people"], counted["records"]) == ("id", 40, 80)
    assert "40 people" in begun.get("/risk").text
    assert begun.post("/risk/population").headers["location"] == "/risk?sample=w"
    begun.settle("population")
    assert "expected to be alone" in begun.get("/risk?sample=w").text
    begun.get("/protect")
    begun.settle("protect")
    assert begun.desk.result("protect")["after"] == 0
    assert begun.change("/prove/export", out="survey-release").status == 303
    begun.settle("release")
    job = begun.desk.jobs.of("release")[-1]
    assert job.state == "done", job.error
    assert (begun.desk.folder / "survey-release" / "certificate.json").exists()


# Forms -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(known_methods()))
def test_every_option_a_project_file_can_say_of_a_method_has_a_field(name: str):
    method = known_methods()[name]
    fields = {one.name for one in fields_of_method(method, {}, ["a", "b"], ["a"])}
    for option in method.options:
        said = option.kind.check is not None and option.in_project
        if said and option.name not in WITHOUT:
            assert f"option-{option.name}" in fields, option.name


WITHOUT = {"profile", "quasi_identifiers", "sensitive"} | set(
    "apart hold levels stay at bands derived leave nominal ordered households ties diagonal".split()
)
"""Options that no form asks for: lists within lists, and what the shuffle's own sections say."""


def test_what_a_form_sends_is_what_the_project_says():
    method = known_methods()["optimal"]
    fields = list(fields_of_method(method, {}, ["age", "sex"], ["age", "sex"]))
    form = Form({"option-max_drop": "0,05", "option-loss": "entropy", "option-limits-age": "2"})
    changes = changes_of(fields, form)
    assert changes["release", "max_drop"] == 0.05
    assert changes["release", "loss"] == "entropy"
    assert changes["variables", "age", "highest_level"] == 2
    assert changes["variables", "sex", "highest_level"] is None
    with pytest.raises(InputError, match="must be a number"):
        changes_of(fields, Form({"option-max_drop": "nan"}))


class Form(dict):
    def getlist(self, name):
        return [self[name]] if name in self else []


# The same as the command line --------------------------------------------------------------------


def test_the_release_is_what_the_command_line_writes_byte_for_byte(begun: Served, tmp_path: Path):
    from indistinct.flow import run_project

    begun.get("/hierarchies")
    begun.settle("count")
    age = next(str(j) for j, n in enumerate(begun.desk.rollup.names) if n == "age")
    assert begun.change("/hierarchies", **{f"level.{age}": "1"}).status == 303
    begun.change("/protect", method="mondrian", options_of="mondrian")
    begun.change("/protect/undo")
    begun.change("/prove/terms", **{"release-holder": "Somebody", "release-format": "csv"})
    assert begun.change("/prove/export", out="released").status == 303
    begun.settle("release")
    job = begun.desk.jobs.of("release")[-1]
    assert job.state == "done", job.error
    ours = begun.desk.folder / "released"
    theirs = begun.desk.folder / "by-hand"
    run_project(begun.desk.folder / "release.toml", out=theirs)
    assert begun.desk.content["steps"]["coarser age"]["level"] == 1
    for name in ("data.csv", "methodology.md", "contract.md", "private/plan.json"):
        assert (ours / name).read_bytes() == (theirs / name).read_bytes(), name


def test_a_trial_stays_in_the_private_folder(begun: Served):
    begun.get("/risk")
    begun.settle("count")
    assert begun.change("/prove/try").status == 303
    begun.settle("release")
    page = begun.get("/prove").text
    assert "Made on trial" in page
    assert "key-not-confirmed" in page
    assert sorted(p.name for p in begun.desk.folder.iterdir()) == [
        PRIVATE,
        "people.csv",
        "release.toml",
    ]
    report = begun.get("/prove/read?what=report")
    assert report.headers["content-disposition"].startswith("attachment")
    for other in ("../../release.toml", "/etc/passwd", "ledger", ""):
        assert begun.get(f"/prove/read?what={other}").status == 400
    begun.change("/prove/accept", code="key-not-confirmed")
    assert begun.desk.content["release"]["accept"] == ["key-not-confirmed"]
    assert begun.change("/prove/accept", code="no-such-code").status == 400


def test_it_closes_itself_when_nobody_is_there(tmp_path: Path):
    from indistinct.workbench.serving import serve_workbench

    told: list[str] = []
    serve_workbench(folder_with(tmp_path / "work"), browser=False, idle=0.3, say=told.append)
    assert told[0].startswith("http://127.0.0.1:")


def test_data_that_have_a_project_open_it_and_others_get_one(tmp_path: Path):
    folder = folder_with(tmp_path / "work")
    (folder / "other.csv").write_text("a\n1\n")
    (folder / "broken.toml").write_text("[")
    desk = Desk(folder)
    desk.open_data("people.csv")
    assert desk.project_name == "release.toml"
    again = Desk(folder)
    again.open_data("other.csv")
    assert [job.kind for job in again.jobs.working] == ["draft"]
    again.close()


def test_a_port_that_is_taken_is_told(tmp_path: Path):
    from indistinct.workbench.serving import serve_workbench

    folder = folder_with(tmp_path / "work")
    with (
        serving(folder) as other,
        pytest.raises(InputError, match=f"Port {other.port} cannot be used"),
    ):
        serve_workbench(folder, port=other.port, browser=False, idle=0.2, say=lambda _: None)
