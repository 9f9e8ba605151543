"""The report says in word and colour what the certificate says, for every way, in both editions."""

from __future__ import annotations

import pytest
from ways import KEY, WAYS, Way, population, released

from indistinct.flow import make_report
from indistinct.release.report.pieces import Claim

TONES = {"holds": "good", "reservations": "note", "fails": "bad"}


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_word_and_colour_of_the_report_are_those_of_the_certificate(way: Way, tmp_path):
    found = released(way, population(2), tmp_path / "r", although_unproved=True, keep=[*KEY, "ill"])
    assert found.folder is not None, found.refused
    found.examine(whatever_is_said=True)
    state = found.certificate.state
    for edition in ("private", "shareable"):
        document = make_report(found.folder, edition=edition)
        claims = list(document.every(Claim))
        verdict = next(p for p in document["verdict"].pieces if isinstance(p, Claim))
        assert document.state == state
        assert verdict.tone == TONES[state]
        assert any(claim.tone == "good" for claim in claims) is (state == "holds")
        said = verdict.text.lower()
        assert ("does not hold" in said or "does not keep" in said) is (state == "fails")
        if state == "reservations":
            assert "with reservations" in said or "no promise of k" in said
        if state == "fails":
            assert sum(claim.tone == "bad" for claim in claims) > 1
