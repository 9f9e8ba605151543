"""Results about letters and notes, of documents with markup in them, whose ids are no better."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from indistinct.scrub import ScrubResult, scrub
from indistinct.scrub.text.annotated import Annotated, Reference
from indistinct.scrub.text.baselines import Known, four_rows
from indistinct.scrub.text.evaluating import evaluate
from indistinct.scrub.text.finding import Finder
from indistinct.scrub.text.judging import verdict
from indistinct.scrub.text.reliable import reliability
from indistinct.scrub.text.replace import Secret
from indistinct.scrub.text.scrubber import Scrubber

LETTER = (
    "RE: Virginia Townsend, DOB 05/26/86 <b>urgent</b>\n\n"
    "Dear Dr. Lang:\n\n"
    "At the age of two she was stabbed. At the age of three she was adopted. At the age of four "
    "she moved. Mrs. Townsend is a 64-year-old <i>Korean-born</i> violinist with <script>lupus.\n"
)
NAMES = ("Virginia Townsend", "Lang", "Townsend is")


class Letters:
    """The letters, and what several results are made from; each made once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @functools.cached_property
    def marked(self) -> Annotated:
        starts = [(LETTER.index(name), len(name.removesuffix(" is"))) for name in NAMES]
        references = [Reference(start, start + size, "NAME") for start, size in starts]
        return Annotated(LETTER, references, id="<b>1")

    @functools.cached_property
    def scrubbed(self) -> ScrubResult:
        given = self.folder / "<i>letters"
        given.mkdir()
        (given / "<b>1.txt").write_text(LETTER)
        (given / "<u>2.txt").write_bytes(b"\xff\xfe\xfd\x00\x01")
        return scrub(given, out=self.folder / "<u>out", seed=1)


RESULTS: dict[str, Callable[[Letters], Any]] = {
    "Scrubbed": lambda t: Scrubber(Secret.from_seed(1)).scrub(LETTER),
    "ScrubEvaluation": lambda t: evaluate([t.marked], Finder().find),
    "FourRows": lambda t: four_rows([t.marked], known={"<b>1": Known(patient="Virginia Townsend")}),
    "Reliability": lambda t: reliability([t.marked], Finder().find),
    "text.Verdict": lambda t: verdict([LETTER, LETTER.replace("lupus", "asthma")]),
    "ScrubResult": lambda t: t.scrubbed,
}
"""Results by the names of their classes, with a word before where a name is taken elsewhere."""
