"""The box that is signed."""

from __future__ import annotations

from indistinct.release.report.folder import ReleaseFacts
from indistinct.release.report.pieces import Section, SignOff
from indistinct.release.report.sections.every import register_section
from indistinct.release.report.words import Words

__all__ = ["signing_section"]


@register_section("signing", place=120)
def signing_section(facts: ReleaseFacts, words: Words) -> Section:
    """Give room for a decision and signatures."""
    choices = [words("sign.release"), words("sign.conditions"), words("sign.refuse")]
    if facts.state == "reservations":
        choices = [words("sign.conditions"), words("sign.refuse")]
    elif facts.state == "fails":
        choices = [words("sign.refuse"), words("sign.although")]
    return Section(
        "signing",
        words("section.signing"),
        (
            words.claim(
                "sign.intro",
                page="report",
                tone="bad" if facts.state == "fails" else "plain",
                name=facts.name,
                sha256=str(facts.certificate.content.get("sha256"))[:16],
            ),
            SignOff(
                "sign",
                tuple(
                    words(f"sign.{name}")
                    for name in ("reasons", "name", "office", "place", "signature")
                ),
                tuple(choices),
            ),
        ),
    )
