"""A page becomes a PDF without network and without traces."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from indistinct.core.errors import InputError
from indistinct.release.report import pdf
from indistinct.release.report.pdf import find_browser, html_to_pdf

ROWS = 90
PAGE = f"""<!doctype html><html lang="en"><head><title>Größe – a page</title><style>
@page {{ margin: 20mm; @bottom-right {{ content: "page " counter(page) " of " counter(pages) }} }}
figure, tr {{ break-inside: avoid }}
@media print {{ details::details-content {{ content-visibility: visible; block-size: auto }} }}
</style></head><body><h1 id="first">First heading</h1>
<table><caption>Numbers</caption><thead><tr><th scope="col">HEADCELL</th></tr></thead><tbody>
{"".join(f"<tr><td>row {i}</td></tr>" for i in range(ROWS))}</tbody></table>
<h2>Second heading</h2><details><summary>More</summary><p>folded words</p></details>
<p><a href="#first">back</a> <a href="../data%20(1).csv">data</a> <a href="plan.json#a">plan</a>
<a href="https://example.org/law">law</a></p>
<script>document.write("written by a script")</script></body></html>"""

unix_alone = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")


@pytest.fixture(scope="module")
def browser():
    try:
        return find_browser()
    except InputError as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def printed(browser, tmp_path_factory):
    return html_to_pdf(PAGE, tmp_path_factory.mktemp("pdf") / "page.pdf", browser=browser)


@pytest.fixture
def room(tmp_path, monkeypatch):
    """A place of its own for temporary files, to see what is left in it."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def stand_in(folder, script):
    program = folder / "browser"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


def text_pages(path):
    """What stands on each page, by pdftotext or pypdf, whichever is here."""
    if shutil.which("pdftotext"):
        command = ["pdftotext", "-layout", str(path), "-"]
        done = subprocess.run(command, capture_output=True, check=True)
        return done.stdout.decode().split("\f")[:-1]
    reader = pytest.importorskip("pypdf", reason="neither pdftotext nor pypdf is installed")
    return [page.extract_text() for page in reader.PdfReader(path).pages]


def test_the_text_can_be_read_and_every_page_is_numbered(printed):
    pages = text_pages(printed)
    whole = "\n".join(pages)
    assert len(pages) == 3
    assert [re.findall(r"page (\d) of (\d)", page) for page in pages] == [
        [("1", "3")],
        [("2", "3")],
        [("3", "3")],
    ]
    assert re.findall(r"row (\d+)", whole) == [str(i) for i in range(ROWS)]
    # a table that goes on has its head again
    assert whole.count("HEADCELL") == sum("row" in page for page in pages) >= 2
    assert "folded words" in whole
    assert "written by a script" not in whole


def test_it_is_a4_tagged_titled_and_outlined(printed):
    reader = pytest.importorskip("pypdf", reason="pypdf is not installed").PdfReader(printed)
    box = reader.pages[0].mediabox
    assert (float(box.width), float(box.height)) == pytest.approx((595.28, 841.89), abs=1)
    assert reader.trailer["/Root"]["/MarkInfo"]["/Marked"]
    assert reader.trailer["/Root"]["/Lang"] == "en"
    first, under = reader.outline
    assert first.title == "First heading"
    assert [one.title for one in under] == ["Second heading"]
    # nothing of the machine or the hour
    assert reader.metadata.title == "Größe – a page"
    assert set(reader.metadata) == {"/Title", "/Producer"}


def test_links_lead_where_they_led_from_the_page(printed):
    reader = pytest.importorskip("pypdf", reason="pypdf is not installed").PdfReader(printed)
    links = [note.get_object() for note in reader.pages[-1]["/Annots"]]
    assert [link["/A"]["/URI"] if "/A" in link else link["/Dest"] for link in links] == [
        "/first",
        "../data%20(1).csv",
        "plan.json#a",
        "https://example.org/law",
    ]
    assert b"file:" not in printed.read_bytes()


@pytest.mark.heavy
def test_a_file_gives_the_same_bytes_as_its_text(printed, browser, tmp_path, room):
    page = tmp_path / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    again = html_to_pdf(page, tmp_path / "again.pdf", browser=browser)
    assert again == tmp_path / "again.pdf"
    assert again.read_bytes() == printed.read_bytes()
    assert list(room.iterdir()) == []
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "again.pdf",
        "page.html",
        "temporary",
    ]


class _Listener(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.heard.append(self.path)
        self.send_response(200)
        self.end_headers()

    do_HEAD = do_POST = do_OPTIONS = do_CONNECT = do_GET

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), _Listener) as listening:
        listening.heard = []
        thread = threading.Thread(target=listening.serve_forever)
        thread.start()
        yield listening
        listening.shutdown()
        thread.join()


def page_that_asks(port, *, policy=""):
    there = f"http://127.0.0.1:{port}"
    return (
        f"<!doctype html><title>t</title>{policy}"
        f"<link rel='stylesheet' href='{there}/sheet.css'><link rel='preconnect' href='{there}'>"
        f"<link rel='prefetch' href='http://localhost:{port}/next'>"
        f"<style>@import '{there}/more.css'; @font-face {{font-family: f; src: url({there}/f)}}"
        f"p {{background: url({there}/back.png); font-family: f}}</style><p>words</p>"
        f"<img src='{there}/picture.png' alt=''><iframe src='{there}/frame'></iframe>"
        f"<svg><image href='http://localhost:{port}/in.svg'/></svg>"
        f"<object data='{there}/object'></object><script src='{there}/script.js'></script>"
    )


@pytest.mark.heavy
def test_nothing_is_asked_of_a_server_that_the_page_names(browser, server, tmp_path):
    out = html_to_pdf(page_that_asks(server.server_port), tmp_path / "o.pdf", browser=browser)
    assert "words" in text_pages(out)[0]
    assert server.heard == []


@pytest.mark.heavy
def test_either_of_policy_and_dead_ends_is_enough(browser, server, tmp_path, monkeypatch):
    """And without both, the server of this test does hear: so it would have heard above."""
    page = page_that_asks(server.server_port)
    dead_ends = ("--host-resolver-rules", "--proxy-server", "--proxy-bypass-list")
    open_flags = tuple(flag for flag in pdf._FLAGS if not flag.startswith(dead_ends))
    assert len(open_flags) == len(pdf._FLAGS) - 3

    with monkeypatch.context() as without_policy:
        without_policy.setattr(pdf, "_GUARD", "")
        html_to_pdf(page, tmp_path / "o.pdf", browser=browser)
    assert server.heard == []

    monkeypatch.setattr(pdf, "_FLAGS", open_flags)
    html_to_pdf(page, tmp_path / "o.pdf", browser=browser)
    assert server.heard == []

    monkeypatch.setattr(pdf, "_GUARD", "")
    html_to_pdf(page, tmp_path / "o.pdf", browser=browser)
    assert {"/sheet.css", "/picture.png", "/frame", "/script.js"} <= set(server.heard)


@pytest.mark.parametrize(
    "before",
    ["", "\n", "<!doctype html>", "<!-- a --><!DOCTYPE HTML>\n", '<html lang="en"><head>'],
)
def test_the_policy_comes_before_all_but_the_doctype(before):
    guarded = pdf._guarded(f"{before}<title>t</title>")
    start, _, rest = guarded.partition(pdf._GUARD)
    assert re.fullmatch(r"(<!-- a -->)?<!doctype html>", start, re.IGNORECASE)
    assert rest.endswith("<title>t</title>")
    assert guarded.lower().count("<!doctype") == 1


def test_without_any_browser_the_error_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.delenv(pdf.BROWSER_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(pdf, "_usual_places", lambda *_: [tmp_path / "none"])
    out = tmp_path / "o.pdf"
    with pytest.raises(InputError, match="Install one, or set INDISTINCT_BROWSER"):
        html_to_pdf(PAGE, out)
    assert not out.exists()


@unix_alone
def test_the_variable_goes_first_then_commands_then_usual_places(monkeypatch, tmp_path):
    for name in ("mine", "path", "usual"):
        (tmp_path / name).mkdir()
    mine = stand_in(tmp_path / "mine", "")
    command = stand_in(tmp_path / "path", "").rename(tmp_path / "path" / "google-chrome")
    usual = stand_in(tmp_path / "usual", "")
    monkeypatch.setattr(pdf, "_usual_places", lambda *_: [tmp_path / "absent", usual])
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setenv(pdf.BROWSER_VARIABLE, str(mine))
    assert find_browser() == mine
    monkeypatch.setenv(pdf.BROWSER_VARIABLE, "google-chrome")
    assert find_browser() == command
    monkeypatch.delenv(pdf.BROWSER_VARIABLE)
    assert find_browser() == command
    command.unlink()
    assert find_browser() == usual


def test_usual_places_of_each_system():
    windows = pdf._usual_places("win32", {"ProgramFiles": "C:/Program Files"})
    assert Path("C:/Program Files/Microsoft/Edge/Application/msedge.exe") in windows
    assert len(windows) == 3
    mac = pdf._usual_places("darwin", {"HOME": "/Users/ada"})
    assert Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome") in mac
    assert Path("/Users/ada/Applications/Chromium.app/Contents/MacOS/Chromium") in mac
    assert Path("/opt/google/chrome/chrome") in pdf._usual_places("linux", {})


def alive(pid):
    """Whether a process runs; one that has ended and waits to be collected does not."""
    status = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").exists():
        return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"
    return subprocess.run(["kill", "-0", str(pid)], capture_output=True).returncode == 0


@unix_alone
def test_a_browser_that_hangs_is_stopped_with_all_it_started(tmp_path, room):
    program = stand_in(tmp_path, f"sleep 600 &\necho $! $$ > {tmp_path}/pids\nwait")
    out = tmp_path / "o.pdf"
    out.write_bytes(b"as before")
    with pytest.raises(InputError, match=r"did not print within 0\.5 seconds and was stopped"):
        html_to_pdf("<p>secret-value</p>", out, browser=program, seconds=0.5)
    pids = (tmp_path / "pids").read_text().split()
    assert len(pids) == 2
    deadline = time.monotonic() + 20
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(map(alive, pids))
    assert list(room.iterdir()) == []
    assert out.read_bytes() == b"as before"
    assert sorted(os.listdir(tmp_path)) == ["browser", "o.pdf", "pids", "temporary"]


@pytest.mark.heavy
@unix_alone
def test_the_real_browser_is_stopped_without_a_trace(browser, tmp_path, room):
    endless = "<p>" + "word " * 3_000_000
    with pytest.raises(InputError, match="was stopped"):
        html_to_pdf(endless, tmp_path / "o.pdf", browser=browser, seconds=0.7)
    assert list(room.iterdir()) == []
    deadline = time.monotonic() + 20
    while (left := started_in(room)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert left == []
    assert list(room.iterdir()) == []
    assert not (tmp_path / "o.pdf").exists()


def started_in(folder):
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if str(folder) in line]


@unix_alone
@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo secret-value; exit 1", "printed nothing"),
        ("exit 0", "printed nothing"),
        ('for a; do case $a in --print-to-pdf=*) printf "%%PDF-1" > "${a#*=}";; esac; done', "pri"),
        ("echo 'No usable sandbox! secret-value' >&2; exit 1", "starts it with --no-sandbox"),
    ],
)
def test_a_browser_that_fails_leaves_nothing_and_its_words_are_not_repeated(
    tmp_path, room, script, words
):
    out = tmp_path / "o.pdf"
    with pytest.raises(InputError, match=words) as caught:
        html_to_pdf("<p>secret-value</p>", out, browser=stand_in(tmp_path, script))
    assert "secret-value" not in str(caught.value)
    assert list(room.iterdir()) == []
    assert os.listdir(tmp_path) in (["browser", "temporary"], ["temporary", "browser"])


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other places")
def test_the_browser_sees_private_files_and_places_alone(tmp_path, room):
    script = f"""
for a; do case $a in
  file:*) page=${{a#file://}};; --user-data-dir=*) profile=${{a#*=}};;
  --print-to-pdf=*) out=${{a#*=}};; esac; done
ls -l "$page" | cut -c1-10 > {tmp_path}/seen
printf '%s\\n' "$profile" "$XDG_CONFIG_HOME" "$XDG_CACHE_HOME" >> {tmp_path}/seen
cd "$TMPDIR" && pwd >> {tmp_path}/seen
printf '%%PDF-1.4 %%%%EOF' > "$out"
"""
    html_to_pdf("<p>a</p>", tmp_path / "o.pdf", browser=stand_in(tmp_path, script))
    mode, *places = (tmp_path / "seen").read_text().splitlines()
    assert mode == "-rw-------"
    assert len({Path(place).name for place in places}) == 4
    assert all(Path(place).is_relative_to(room) for place in places)
    assert list(room.iterdir()) == []


@unix_alone
def test_a_browser_that_cannot_start_is_named(tmp_path, room):
    program = tmp_path / "browser"
    program.write_text("")
    with pytest.raises(InputError, match="cannot be started: Permission denied"):
        html_to_pdf(PAGE, tmp_path / "o.pdf", browser=program)
    assert list(room.iterdir()) == []


def test_a_page_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"There is no page .*absent\.html"):
        html_to_pdf(tmp_path / "absent.html", tmp_path / "o.pdf", browser=tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="root and its sandbox are Linux matters")
@pytest.mark.parametrize(("user", "expected"), [(0, True), (1000, False)])
def test_the_sandbox_is_given_up_by_root_alone(tmp_path, room, monkeypatch, user, expected):
    monkeypatch.setattr(os, "geteuid", lambda: user)
    program = stand_in(tmp_path, f'printf "%s\\n" "$@" > {tmp_path}/given')
    with pytest.raises(InputError, match="printed nothing"):
        html_to_pdf(PAGE, tmp_path / "o.pdf", browser=program)
    given = (tmp_path / "given").read_text().splitlines()
    assert ("--no-sandbox" in given) is expected
