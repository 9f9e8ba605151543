"""How a release that was written is told: one JSON object, or a page for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console

from indistinct.cli.options import people, print_json
from indistinct.cli.results import show_protected
from indistinct.cli.terminal import paragraph
from indistinct.core import GuaranteeError

if TYPE_CHECKING:
    from indistinct.flow import Run
    from indistinct.release import ReleaseFolder


__all__ = ["tell_run"]


def tell_run(run: Run, *, as_json: bool, besides: Mapping[str, Any] | None = None) -> None:
    """Tell what was done; raise a `GuaranteeError` where k was promised and does not hold.

    `besides` is told in JSON with the rest.
    """
    console = people()
    for sentence in run.warnings:
        console.print(f"warning: {sentence}", markup=False, soft_wrap=True)
    if as_json:
        print_json({**run.to_dict(), **(besides or {})})
    else:
        _show(console, run)
    if not run.holds:
        raise GuaranteeError(_unaccepted(run.release))


def _unaccepted(release: ReleaseFolder) -> str:
    """Say why a release that was written is not green."""
    if release.state == "fails":
        return f"{release.folder} was written although it {release.sentence}."
    codes = dict.fromkeys(r["code"] for r in release.reservations)
    left = ",".join(code for code in codes if code not in release.accepted)
    return (
        f"{release.folder} {release.sentence}. Mend what they name, or accept them: --accept {left}"
    )


def _show(console: Console, run: Run) -> None:
    written = run.release
    show_protected(console, run.protected)
    if run.protection is not None:
        paragraph(console, run.protection.details())
    paragraph(console, f"verdict: {written.sentence}")
    for reservation in written.reservations:
        paragraph(console, f"{reservation['code']}: {reservation['sentence']}", indent="  ")
    parts = (written.data, written.methodology, written.contract, written.certificate)
    paragraph(console, f"written: {', '.join(map(str, parts))}")
    if written.open:
        paragraph(console, f"to fill in before signing: {', '.join(written.open)}")
    paragraph(console, f"private: {written.plan.parent}")
    paragraph(console, f"read before signing: {run.report.html}")
    if run.shareable is not None:
        paragraph(console, f"to show to others: {run.shareable.html}")
    if run.secret is not None:
        paragraph(console, f"the key: {run.secret}. Keep it; without it nobody can decrypt.")
