"""The report: what somebody reads before signing a release."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.release.report.building import build_document, glossary, methods
    from indistinct.release.report.editions import shareable
    from indistinct.release.report.facts import Measured
    from indistinct.release.report.folder import ReleaseFacts, read_release
    from indistinct.release.report.html import document_json, write_page
    from indistinct.release.report.measuring import measure, with_utility
    from indistinct.release.report.pdf import find_browser, html_to_pdf
    from indistinct.release.report.pieces import Claim, Document, Edition, Grid, Picture, Section
    from indistinct.release.report.placing import check_page, write_together
    from indistinct.release.report.weighing import weigh
    from indistinct.release.report.words import Words, load_words

open_doorway(__name__)
