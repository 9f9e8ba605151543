"""A page printed to PDF by a browser that is installed here, without network and without traces.

What is decided here, because the page may hold private values:

- The browser reads a copy of the page in a private folder (mode 700, the file 600) and keeps
  its profile, cache, crash reports and temporary files there; all are deleted at the end, after
  an error, a time limit or Ctrl-C too.
- Nothing is loaded. The copy starts with a content security policy that allows inline styles
  and `data:` pictures and fonts alone, no script, no other file, no address; and behind it
  every host name is unknown and every request goes to a proxy that cannot be found.
- The PDF tells nothing about the machine: the browser writes its version, the operating system,
  the time of printing and the private folder's name into it, and these are taken out. So the
  same page, printed by the same browser, gives the same bytes.
- No message repeats what the browser says, which may quote the page.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from indistinct.core import InputError, systems
from indistinct.core.doors import read_text, written_whole
from indistinct.files import workspace

__all__ = ["BROWSER_VARIABLE", "find_browser", "html_to_pdf"]

BROWSER_VARIABLE = "INDISTINCT_BROWSER"

_COMMANDS = (
    "chromium",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "microsoft-edge-stable",
    "msedge",
    "chromium-browser",
)
_MAC_APPLICATIONS = ("Chromium", "Google Chrome", "Microsoft Edge")
_WINDOWS_PROGRAMS = (
    "Google/Chrome/Application/chrome.exe",
    "Microsoft/Edge/Application/msedge.exe",
    "Chromium/Application/chrome.exe",
)

# Where no size is asked for, Chromium prints on US Letter; a page's own rule comes later and wins.
_GUARD = (
    '<meta charset="utf-8">'
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
    "style-src 'unsafe-inline'; img-src data:; font-src data:\">"
    "<style>@page{size:A4}</style>"
)
_DOCTYPE = re.compile(r"\s*(?:<!--.*?-->\s*)*<!doctype[^>]*>", re.IGNORECASE | re.DOTALL)

_FLAGS = (
    "--headless",
    "--disable-gpu",
    # a container's /dev/shm is often too small, and this keeps shared memory in the private folder
    "--disable-dev-shm-usage",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-extensions",
    "--disable-default-apps",
    "--disable-sync",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-background-networking",
    "--no-pings",
    "--password-store=basic",
    "--use-mock-keychain",
    "--font-render-hinting=none",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://nowhere.invalid:9",
    # without this, a browser goes to the machine itself past any proxy
    "--proxy-bypass-list=<-loopback>",
    "--no-pdf-header-footer",
    "--export-tagged-pdf",
    "--generate-pdf-document-outline",
)

_PATH_LENGTH = 160

_MACHINE = re.compile(rb"/(?:Creator|CreationDate|ModDate) \((?:[^()\\]|\\.)*\)", re.DOTALL)


def find_browser() -> Path:
    """Return the program that prints: what INDISTINCT_BROWSER names, or the first one installed.

    Chromium, Google Chrome and Microsoft Edge are looked for by their commands and where they
    are usually installed on Linux, macOS and Windows.

    >>> from unittest.mock import patch
    >>> with patch.dict(os.environ, INDISTINCT_BROWSER="/no/such/browser"):
    ...     find_browser()
    Traceback (most recent call last):
    ...
    indistinct.core.errors.InputError: INDISTINCT_BROWSER names /no/such/browser, which is not a
    program that can be run. Set it to the full path of Chromium, Google Chrome or Microsoft Edge,
    or unset it.
    """
    wanted = os.environ.get(BROWSER_VARIABLE)
    if wanted:
        named = shutil.which(wanted)
        if named is None:
            raise InputError(
                f"{BROWSER_VARIABLE} names {wanted}, which is not a program that can be run. Set "
                "it to the full path of Chromium, Google Chrome or Microsoft Edge, or unset it."
            )
        return Path(named).absolute()
    for command in _COMMANDS:
        if found := shutil.which(command):
            return Path(found).absolute()
    for place in _usual_places(systems.system_name(), os.environ):
        if place.is_file():
            return place
    raise InputError(
        "A PDF is printed by Chromium, Google Chrome or Microsoft Edge, and none was found. "
        f"Install one, or set {BROWSER_VARIABLE} to the full path of its program. "
        "The HTML report needs none."
    )


def _usual_places(platform: str, environment: Mapping[str, str]) -> list[Path]:
    """List where browsers are installed that no command leads to."""
    if platform == "win32":
        names = ("ProgramFiles", "ProgramFiles(x86)", "LocalAppData")
        roots = [environment[name] for name in names if environment.get(name)]
        return [Path(root) / program for program in _WINDOWS_PROGRAMS for root in roots]
    if platform == "darwin":
        folders = (Path("/Applications"), Path(environment.get("HOME", "/")) / "Applications")
        return [
            folder / f"{name}.app" / "Contents" / "MacOS" / name
            for name in _MAC_APPLICATIONS
            for folder in folders
        ]
    return [
        Path("/usr/lib/chromium/chromium"),
        Path("/usr/lib64/chromium-browser/chromium-browser"),
        Path("/opt/google/chrome/chrome"),
        Path("/opt/microsoft/msedge/msedge"),
        Path("/snap/bin/chromium"),
    ]


def html_to_pdf(
    page: str | Path, out: Path, *, browser: Path | None = None, seconds: float = 120.0
) -> Path:
    """Print a self-contained page to `out` as a tagged PDF on A4 with an outline of its headings.

    Parameters
    ----------
    page
        The page itself as text, or the path of its file (UTF-8).
    out
        The PDF. It appears whole or not at all.
    browser
        The program that prints; by default `find_browser()`.
    seconds
        The time limit, after which the browser is stopped.
    """
    browser = (browser or find_browser()).absolute()
    text = _read(page) if isinstance(page, Path) else page
    with written_whole(out, own=True) as aside, workspace(_where(browser)) as folder:
        # As deep as a link may lead upwards, and as long wherever the folder lies, so that
        # `_relative_links` leaves the same bytes.
        filling = "-" * max(1, _PATH_LENGTH - len(folder.as_uri()))
        source = folder / filling / "up" / "here" / "page.html"
        source.parent.mkdir(parents=True)
        source.touch(mode=0o600)
        source.write_text(_guarded(text), encoding="utf-8", newline="\n")
        printed = folder / "page.pdf"
        try:
            _run(browser, source, printed, kept=folder / "browser", seconds=seconds)
            pdf = printed.read_bytes() if printed.is_file() else b""
            if not (pdf.startswith(b"%PDF-") and pdf.rstrip().endswith(b"%%EOF")):
                raise InputError(_why_nothing(browser, folder))
        finally:
            _remove_patiently(folder / "browser")
        aside.write_bytes(_relative_links(_without_machine(pdf), source, folder))
    return Path(out)


def _read(page: Path) -> str:
    return read_text(page, "page")


def _guarded(text: str) -> str:
    """Put the policy before all else in the head, where a browser obeys it."""
    doctype = _DOCTYPE.match(text)
    if doctype is None:
        return f"<!doctype html>{_GUARD}{text}"
    return f"{text[: doctype.end()]}{_GUARD}{text[doctype.end() :]}"


def _where(browser: Path) -> Path | None:
    """Say where the private folder lies: a browser from a snap sees no /tmp but its own."""
    common = Path.home() / "snap" / "chromium" / "common"
    return common if browser.parent == Path("/snap/bin") and common.is_dir() else None


def _run(browser: Path, source: Path, printed: Path, *, kept: Path, seconds: float) -> None:
    places = {name: kept / name for name in ("profile", "config", "cache", "tmp")}
    for place in places.values():
        place.mkdir(parents=True)
    environment = dict(os.environ)
    environment |= {"XDG_CONFIG_HOME": str(places["config"])}
    environment |= {"XDG_CACHE_HOME": str(places["cache"])}
    if systems.system_name() == "win32":
        environment |= {name: str(places["tmp"]) for name in ("TMP", "TEMP")}
    elif systems.system_name() != "darwin":
        # Relative to `cwd` below: the browser makes a socket there, whose path may have 107
        # bytes. (macOS gives every user a private place, which it does not ask this variable for.)
        environment["TMPDIR"] = "tmp"
    command = [
        str(browser),
        *_FLAGS,
        # Chromium refuses to run its sandbox as root
        *(["--no-sandbox"] if systems.system_name() == "linux" and systems.is_superuser() else []),
        f"--user-data-dir={places['profile']}",
        f"--print-to-pdf={printed}",
        source.as_uri(),
    ]
    # A file and not a pipe: a process the browser leaves behind would hold a pipe open.
    with (printed.parent / "said").open("wb") as said:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                env=environment,
                cwd=kept,
                start_new_session=True,
            )
        except OSError as error:
            raise InputError(
                f"The browser {browser} cannot be started: {os.strerror(error.errno or 0)}. "
                f"Set {BROWSER_VARIABLE} to another."
            ) from None
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise InputError(
                f"The browser {browser} did not print within {seconds:g} seconds and was "
                f"stopped, nothing was written. Try again, or set {BROWSER_VARIABLE} to another."
            ) from None
        finally:
            systems.stop_family(process)


def _remove_patiently(folder: Path) -> None:
    """Delete what processes that are just ending may still be writing to."""
    for _ in range(100):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.05)


def _why_nothing(browser: Path, folder: Path) -> str:
    if b"No usable sandbox" in (folder / "said").read_bytes():
        return (
            f"The browser {browser} may not use its sandbox here, as in many containers, and "
            f"printed nothing. Allow user namespaces, or set {BROWSER_VARIABLE} to a script that "
            "starts it with --no-sandbox."
        )
    return (
        f"The browser {browser} printed nothing. Update it, or set {BROWSER_VARIABLE} to the "
        "full path of Chromium, Google Chrome or Microsoft Edge."
    )


def _without_machine(pdf: bytes) -> bytes:
    """Blank browser, system and time; the length stays, and with it every offset in the file.

    >>> _without_machine(rb"<</Title (A \\(b\\)) /Creator (Mozilla \\(X11\\)) /ModDate (D:2026)>>")
    b'<</Title (A \\\\(b\\\\))                                             >>'
    """
    return _MACHINE.sub(lambda found: b" " * len(found[0]), pdf)


def _relative_links(pdf: bytes, source: Path, folder: Path) -> bytes:
    """Make links to files beside the page relative again: they were read from the private folder.

    As above, the length stays.
    """
    start = source.parent.as_uri()
    there = re.compile(
        rb"\((" + re.escape(folder.as_uri().encode()) + rb"/(?:[^()\\]|\\.)*)\)", re.DOTALL
    )

    def shorten(found: re.Match[bytes]) -> bytes:
        link = posixpath.relpath(found[1].decode("latin-1"), start)
        return f"({link})".encode("latin-1").ljust(len(found[0]))

    return there.sub(shorten, pdf)
