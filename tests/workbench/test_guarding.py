"""Nobody but the browser that was started gets anything, and no other page changes anything."""

from __future__ import annotations

import re
import socket

import pytest
from served import PROJECT, Served

SCREENS = (
    "/",
    "/open",
    "/variables",
    "/hierarchies",
    "/risk",
    "/protect",
    "/lattice",
    "/compare",
    "/result",
    "/prove",
    "/open/records",
    "/risk/people",
    "/variables/values",
    "/result/records",
    "/prove/read?what=report",
    "/static/workbench.css",
)


@pytest.mark.parametrize("path", SCREENS)
def test_without_the_cookie_nothing_is_shown(served: Served, path: str):
    served.desk.open_project("release.toml")
    answer = served.get(path)
    assert answer.status == 403
    assert "people" not in answer.text
    assert "release.toml" not in answer.text


def test_the_start_address_works_once(served: Served):
    start = served.guard.start_address.partition(served.host)[2]
    assert served.get("/start?token=" + "x" * 43).status == 403
    first = served.get(start)
    assert (first.status, first.headers["location"]) == (303, "/")
    assert served.get(start).status == 403
    assert served.get("/start?token=None").status == 403


def test_the_cookie_is_for_the_browser_alone(served: Served):
    answer = served.get(served.guard.start_address.partition(served.host)[2])
    (cookie,) = answer.cookies
    said = cookie.lower()
    assert "httponly" in said
    assert "samesite=strict" in said
    assert "domain" not in said
    token = served.guard.start_address.partition("token=")[2]
    assert token == "None"
    assert len(re.search(r"=([^;]+)", cookie)[1]) >= 40


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1.evil.example:{port}",
     "localhost:1", "0.0.0.0:{port}", None],
)  # fmt: skip
def test_another_host_is_refused_even_with_the_cookie(begun: Served, host: str | None):
    """DNS rebinding: a name of somebody's own that points at 127.0.0.1."""
    named = host.format(port=begun.port) if host else None
    answer = begun.ask("GET", "/open", {"Host": named})
    assert answer.status in (400, 421)
    assert "people.csv" not in answer.text


def test_it_listens_on_the_loopback_address_alone(begun: Served):
    others = {
        found[4][0] for found in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
    } - {"127.0.0.1", "127.0.1.1"}
    for address in others:
        with socket.socket() as there:
            there.settimeout(2)
            assert there.connect_ex((address, begun.port)) != 0


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": None},
        {"Origin": "null"},
        {"Origin": "https://evil.example"},
        {"Origin": "http://127.0.0.1"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": None},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
    ],
)
def test_a_change_that_another_page_sends_is_refused(begun: Served, headers):
    before = (begun.desk.folder / "release.toml").read_text()
    body = f"version={begun.desk.history.version}&k=9".encode()
    answer = begun.ask("POST", "/risk", headers, body)
    assert answer.status == 403
    assert (begun.desk.folder / "release.toml").read_text() == before == PROJECT
    assert begun.ask("POST", "/risk", body=body).status == 303, "the same from its own page"


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_page_cannot_show_it_or_load_from_it(begun: Served, site: str):
    assert begun.ask("GET", "/open", {"Sec-Fetch-Site": site}).status == 403


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_no_other_method_and_no_cors(begun: Served, method: str):
    answer = begun.ask(method, "/open", {"Origin": "https://evil.example"})
    assert answer.status == 405
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("path", [*SCREENS, "/no/such/page", "/start?token=x", "/static/none"])
def test_every_answer_says_what_may_be_loaded_and_that_nothing_is_kept(begun: Served, path: str):
    headers = begun.get(path).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'self'; ")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "server" not in headers or "uvicorn" in headers["server"]


def test_no_page_has_script_or_style_in_it(begun: Served):
    for path in SCREENS:
        begun.get(path)
    begun.settle("count")
    begun.settle("protect")
    for path in SCREENS[:13]:
        text = begun.get(path).text
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", text), path
        assert not re.search(r"<script(?! src=\"/static/)", text), path
        assert not re.search(r"(src|href|action)=\"(?!/|#)", text), path


@pytest.mark.parametrize("header", ["Host", "Origin", "Sec-Fetch-Site"])
def test_a_header_that_is_there_twice_is_not_believed(begun: Served, header: str):
    with socket.create_connection(("127.0.0.1", begun.port), timeout=10) as there:
        usual = {
            "Host": begun.host,
            "Origin": f"http://{begun.host}",
            "Sec-Fetch-Site": "same-origin",
            "Cookie": "; ".join(f"{n}={v}" for n, v in begun.cookies.items()),
            "Content-Length": "0",
            "Connection": "close",
        }
        lines = [f"{name}: {value}" for name, value in usual.items()]
        lines.append(f"{header}: {usual[header]}")
        there.sendall(("POST /risk HTTP/1.1\r\n" + "\r\n".join(lines) + "\r\n\r\n").encode())
        status = int(there.recv(4000).split()[1])
    assert status in (400, 403, 421)


@pytest.mark.parametrize("back", ["//evil.example", "https://evil.example", "/\\evil.example", ""])
def test_nobody_is_sent_elsewhere(begun: Served, back: str):
    answer = begun.post("/language", language="de", back=back)
    assert (answer.status, answer.headers["location"]) == (303, "/")


def test_an_address_that_is_no_page_says_nothing_back(begun: Served):
    answer = begun.get("/<script>alert(1)</script>?x=<b>")
    assert answer.status == 404
    assert "alert(1)" not in answer.text


def test_values_of_records_are_shown_on_demand_alone_and_never_named(begun: Served):
    """A town that no declaration names: in what was asked for, and nowhere else."""
    odd = "Zzyzx-under-Test"
    place = begun.desk.folder / "people.csv"
    place.write_text(place.read_text() + f"m,{odd},99,y\n")
    for path in SCREENS[:9]:
        begun.get(path)
    for kind in ("count", "protect"):
        begun.settle(kind)
        for path in SCREENS[:9]:
            answer = begun.get(path)
            assert odd not in answer.text, path
            assert odd not in str(answer.headers), path
    begun.settle("count")
    begun.settle("protect")
    for path in SCREENS[:9]:
        assert odd not in begun.get(path).text, path
    for path in ("/open/records", "/risk/people", "/variables/values"):
        assert path != "/risk/people" or odd in begun.get(path).text
