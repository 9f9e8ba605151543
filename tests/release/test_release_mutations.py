"""A thousand ways to change a release folder, and every one is noticed.

The changes that write all hashes anew are told from the holder's ledger, and without it by a
signature only; that they are not noticed without either is tested too, because the documentation
says so.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from indistinct.core.errors import InputError
from indistinct.release import (
    AuditTrail,
    Certificate,
    PublicKey,
    SigningKey,
    check_folder,
    file_digest,
)
from indistinct.release.report.placing import write_together

KEY = SigningKey.fresh()
Change = Callable[[Path], Any]
CERTIFICATE = "certificate.json"


@pytest.fixture(scope="module")
def whole(release, tmp_path_factory) -> dict[str, Path]:
    """Return a release without and one with a signature, each with some lines in its trail."""
    made = {}
    for name, key in (("plain", None), ("signed", KEY)):
        made[name] = tmp_path_factory.mktemp(name) / "out"
        release(made[name], format="csv", sign_with=key, measured={}, origin=np.arange(12))
        _write_reports(made[name])
        trail = AuditTrail(made[name] / "private" / "audit.jsonl")
        for number in range(6):
            trail.append("look", records=[number])
    return made


def _write_reports(folder: Path) -> None:
    page = folder / "private" / "report.html"
    texts = {page.with_suffix(end): f"a report {end}" for end in (".html", ".json", ".pdf")}
    write_together({path: partial(_write, text=text) for path, text in texts.items()}, private=True)


def _write(aside: Path, text: str) -> None:
    aside.write_text(text)


def parts_of(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def noticed(folder: Path, key: PublicKey | None = None) -> bool:
    try:
        return not check_folder(folder, signed_by=key).whole
    except InputError:
        return True


def rewrite(name: str, change: Callable[[bytes], bytes]) -> Change:
    def apply(folder: Path) -> None:
        path = folder / name
        path.write_bytes(change(path.read_bytes()))

    return apply


def byte_changes(names: list[str], rng: np.random.Generator) -> Iterator[tuple[str, Change]]:
    def flip(at: float, mask: int) -> Callable[[bytes], bytes]:
        def change(raw: bytes) -> bytes:
            place = int(at * len(raw))
            return raw[:place] + bytes([raw[place] ^ mask]) + raw[place + 1 :]

        return change

    def cut(at: float) -> Callable[[bytes], bytes]:
        return lambda raw: raw[: int(at * len(raw))]

    def put_in(at: float, extra: bytes) -> Callable[[bytes], bytes]:
        return lambda raw: raw[: int(at * len(raw))] + extra + raw[int(at * len(raw)) :]

    for name in names:
        for _ in range(45):
            change = flip(rng.random(), int(rng.integers(1, 256)))
            yield f"a byte of {name}", rewrite(name, change)
        for at in (0.0, *rng.random(9)):
            yield f"{name} cut", rewrite(name, cut(at))
        for at in (0.0, 1.0, *rng.random(4)):
            for extra in (b"\n", b" ", b"x"):
                yield f"{name} with {extra!r} in it", rewrite(name, put_in(at, extra))


def line_changes(names: list[str], rng: np.random.Generator) -> Iterator[tuple[str, Change]]:
    def remove(at: float) -> Callable[[list[bytes]], None]:
        return lambda lines: lines.__delitem__(int(at * len(lines)))

    def repeat(at: float) -> Callable[[list[bytes]], None]:
        return lambda lines: lines.insert(int(at * len(lines)), lines[int(at * len(lines))])

    def swap(at: float) -> Callable[[list[bytes]], None]:
        def change(lines: list[bytes]) -> None:
            i = int(at * (len(lines) - 1))
            lines[i], lines[i + 1] = lines[i + 1], lines[i]

        return change

    def on_lines(change: Callable[[list[bytes]], None]) -> Callable[[bytes], bytes]:
        def apply(raw: bytes) -> bytes:
            lines = raw.splitlines(keepends=True)
            if len(lines) > 1:
                change(lines)
            return b"".join(lines) if len(lines) > 1 else raw + raw

        return apply

    for name in names:
        for at in (*rng.random(5), 0.999):
            for what in (remove, repeat, swap):
                yield f"{what.__name__} a line of {name}", rewrite(name, on_lines(what(at)))


def file_changes(names: list[str]) -> Iterator[tuple[str, Change]]:
    for name in names:
        yield f"{name} removed", lambda f, n=name: (f / n).unlink()
        yield f"{name} renamed", lambda f, n=name: (f / n).rename(f / f"{n}.old")
        yield f"{name} copied", lambda f, n=name: shutil.copy(f / n, f / f"{n}.copy")
        yield f"{name} a link", lambda f, n=name: _link(f, n)
        yield f"{name} a folder", lambda f, n=name: _folder(f, n)
        yield f"{name} a pipe", lambda f, n=name: _pipe(f, n)
        yield f"{name} empty", lambda f, n=name: (f / n).write_bytes(b"")
    extras = (
        "x",
        ".x",
        "data.parquet",
        "private/report.txt",
        "private/.x",
        "more/x",
        "private/m/x",
    )
    for extra in extras:
        yield f"{extra} added", lambda f, n=extra: _add(f, n)
    for one, other in pairwise(names):
        yield f"{one} in place of {other}", lambda f, a=one, b=other: shutil.copy(f / a, f / b)


def _link(folder: Path, name: str) -> None:
    elsewhere = folder.parent / "elsewhere"
    (folder / name).rename(elsewhere)
    (folder / name).symlink_to(elsewhere)


def _folder(folder: Path, name: str) -> None:
    (folder / name).unlink()
    (folder / name).mkdir()


def _pipe(folder: Path, name: str) -> None:
    (folder / name).unlink()
    os.mkfifo(folder / name)


def _add(folder: Path, name: str) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("x")


def leaves(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner = content.items() if isinstance(content, dict) else enumerate(content)
    for name, value in inner:
        if isinstance(value, (dict, list)) and value:
            yield from leaves(value, (*path, name))
        yield (*path, name)


def field_changes(folder: Path) -> Iterator[tuple[str, Callable[[dict[str, Any]], None]]]:
    """Yield ways to change, remove or add a field of the certificate."""
    content = json.loads((folder / CERTIFICATE).read_text())

    def at(content: Any, path: tuple[Any, ...]) -> Any:
        for step in path:
            content = content[step]
        return content

    def other(value: Any) -> list[Any]:
        changed = {bool: [not value], int: [0, -1, 10**6], str: ["", "0" * 64]}.get(type(value), [])
        return [v for v in (*changed, None, [], {}) if v != value or type(v) is not type(value)]

    for path in leaves(content):
        named = ".".join(map(str, path))
        for value in other(at(content, path)):
            yield (
                f"{named} = {value!r}",
                lambda c, p=path, v=value: at(c, p[:-1]).__setitem__(p[-1], v),
            )
        yield f"{named} removed", lambda c, p=path: at(c, p[:-1]).__delitem__(p[-1])
    yield "a field more", lambda c: c.__setitem__("extra", 1)


def on_certificate(change: Callable[[dict[str, Any]], None], *, seal: bool) -> Change:
    def apply(folder: Path) -> None:
        path = folder / CERTIFICATE
        content = json.loads(path.read_text())
        change(content)
        if seal:
            body = Certificate(content).body()
            sha = hashlib.sha256(Certificate(body).to_bytes()).hexdigest()
            content = {**body, "sha256": sha, **_kept(content)}
        path.write_bytes(Certificate(content).to_bytes())

    return apply


def _kept(content: dict[str, Any]) -> dict[str, Any]:
    return {"signature": content["signature"]} if "signature" in content else {}


def all_changes(whole: dict[str, Path]) -> Iterator[tuple[str, str, Change]]:
    rng = np.random.default_rng(1986)
    names = parts_of(whole["plain"])
    for what, change in (
        *byte_changes(names, rng),
        *line_changes([n for n in names if not n.endswith(".head")], rng),
        *file_changes(names),
    ):
        yield "plain", what, change
    for what, change in byte_changes([CERTIFICATE], rng):
        yield "signed, key unknown", what, change
    for what, on in field_changes(whole["plain"]):
        yield "plain", what, on_certificate(on, seal=False)
    for what, on in field_changes(whole["signed"]):
        yield "signed", f"{what}, sealed", on_certificate(on, seal=True)


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.heavy), 7])
def test_every_one_of_a_thousand_changes_is_noticed(whole, tmp_path, step):
    """All changes, and every seventh of them for every day."""
    assert not noticed(whole["plain"])
    assert not noticed(whole["signed"])
    assert not noticed(whole["signed"], KEY.public)
    tried, same, missed = 0, 0, []
    originals = {name: state(folder) for name, folder in whole.items()}
    for which, what, change in islice(all_changes(whole), 0, None, step):
        name = which.split(",")[0]
        place = tmp_path / name / "out"
        restore(place, originals[name])
        change(place)
        if state(place) == originals[name]:
            same += 1  # two equal lines were swapped: nothing was changed
            continue
        tried += 1
        if not noticed(place, KEY.public if which == "signed" else None):
            missed.append(f"{which}: {what}")
    assert missed == []
    assert tried >= 1000 // step
    assert same < 30


State = dict[str, bytes | str | None]


def state(folder: Path) -> State:
    """Return everything in a folder: bytes of files, targets of links, None for folders."""
    found: State = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = str(path.readlink())
        elif path.is_fifo():
            found[name] = "a pipe"
        else:
            found[name] = path.read_bytes() if path.is_file() else None
    return found


def restore(folder: Path, original: State) -> None:
    """Bring a folder to a state; only what differs is written, which is quicker than a copy."""
    now = state(folder)
    for name in reversed(now):
        if (
            name not in original
            or isinstance(now[name], str)
            or ((now[name] is None) != (original[name] is None))
        ):
            path = folder / name
            path.rmdir() if now[name] is None else path.unlink()
            now[name] = ""
    for name, content in original.items():
        if content is None:
            (folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        elif now.get(name) != content:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)


def _data_and_certificate(folder: Path, key: SigningKey | None) -> None:
    """Replace the data and write every hash of the certificate anew."""
    (folder / "data.csv").write_text("age,sex,income\n20-29,f,1\n")
    path = folder / CERTIFICATE
    content = Certificate.read(path).to_dict()
    content["files"]["data.csv"] = file_digest(folder / "data.csv")
    content["records"] = 1
    path.write_bytes(Certificate(content).signed(key).to_bytes())


def _trail_and_certificate(folder: Path, key: SigningKey | None) -> None:
    """Write another trail with another head, and a certificate that knows it."""
    path = folder / "private" / "audit.jsonl"
    for old in (path, path.with_name("audit.jsonl.head")):
        old.unlink()
    trail = AuditTrail(path)
    trail.append("nothing happened")
    content = Certificate.read(folder / CERTIFICATE).to_dict()
    content["audit"] = trail.head().to_dict()
    (folder / CERTIFICATE).write_bytes(Certificate(content).signed(key).to_bytes())
    trail.append("seal", data={CERTIFICATE: file_digest(folder / CERTIFICATE)})


def _claims(**claims: Any) -> Callable[[Path, SigningKey | None], None]:
    def forge(folder: Path, key: SigningKey | None) -> None:
        content = Certificate.read(folder / CERTIFICATE).to_dict()
        promise = {**content["promise"], **{n: v for n, v in claims.items() if n in ("key", "k")}}
        changed = Certificate({**content, **claims, "promise": promise}).signed(key)
        (folder / CERTIFICATE).write_bytes(changed.to_bytes())

    return forge


FORGERIES = {
    "data": _data_and_certificate,
    "trail": _trail_and_certificate,
    "key": _claims(key=["sex"]),
    "k": _claims(k=3),
    "records": _claims(records=5),
    "verdict": _claims(verdict=None, proved=False),
    "created": _claims(created="2001-01-01T00:00:00+00:00"),
}
forgeries = pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
keys = pytest.mark.parametrize("key", [None, SigningKey.fresh()], ids=["unsigned", "another key"])


@forgeries
@keys
def test_a_certificate_that_was_written_anew_is_told_from_the_holders_ledger(
    whole, tmp_path, forge, key
):
    folder = shutil.copytree(whole["plain"], tmp_path / "out")
    forge(folder, key)
    assert noticed(folder)


@forgeries
@keys
def test_without_a_ledger_a_certificate_written_anew_is_told_by_key_or_ledger_from_elsewhere(
    whole, tmp_path, forge, key
):
    """With neither, the bytes show nothing: the documentation says so, and it is so."""
    folder = shutil.copytree(whole["signed"], tmp_path / "out")
    forge(folder, key)
    shutil.rmtree(folder / "private")
    assert not noticed(folder)
    assert noticed(folder, KEY.public)
    ledger = whole["signed"] / "private" / "ledger.json"
    assert not check_folder(folder, ledger=ledger).whole


def test_the_ledger_that_was_kept_elsewhere_knows_its_release(whole, tmp_path):
    folder = shutil.copytree(whole["plain"], tmp_path / "out")
    shutil.rmtree(folder / "private")
    ledger = whole["plain"] / "private" / "ledger.json"
    assert check_folder(folder, ledger=ledger).whole
    assert not check_folder(folder, ledger=whole["signed"] / "private" / "ledger.json").whole


def test_a_signature_that_was_taken_off_is_told_from_the_trail(whole, tmp_path):
    folder = shutil.copytree(whole["signed"], tmp_path / "out")
    path = folder / CERTIFICATE
    path.write_bytes(Certificate.read(path).signed(None).to_bytes())
    assert "certificate.json was changed" in check_folder(folder).findings


def test_cutting_the_trail_after_the_release_shows_against_a_head_noted_elsewhere(whole, tmp_path):
    shutil.copytree(whole["signed"], tmp_path / "out")
    path = tmp_path / "out" / "private" / "audit.jsonl"
    noted = AuditTrail(path).head()
    lines = path.read_bytes().splitlines(keepends=True)
    shutil.copy(path, tmp_path / "old")
    for old in (path, path.with_name("audit.jsonl.head")):
        old.unlink()
    # the attacker keeps what the certificate vouches for, and notes the folder as it is
    path.write_bytes(lines[0])
    names = [CERTIFICATE, *(f"private/report.{end}" for end in ("html", "json", "pdf"))]
    noting = {name: file_digest(tmp_path / "out" / name) for name in names}
    AuditTrail(path).append("seal", data=noting)
    assert not noticed(tmp_path / "out", KEY.public)
    assert not AuditTrail(path).check(at=noted).whole
