"""Ages over 89, which are written as one: 90 or older (45 CFR 164.514(b)(2)(i)(C))."""

from __future__ import annotations

import re

_AGE = re.compile(
    r"\d{2,3}|ninety(?:[-\s](?:one|two|three|four|five|six|seven|eight|nine))?"
    r"|(?:one|a)\s+hundred(?:(?:\s+and)?[-\s](?!y)\w{2,9})?",
    re.IGNORECASE,
)
_OLD = re.compile(r"[\s-]{0,2}(?:y|F\b|M\b)", re.IGNORECASE)


def generalised_age(text: str, after: str = "") -> str:
    """The age as 90 or older, in the style it was written; `after` is what follows it.

    >>> generalised_age("92-year-old"), generalised_age("97", " y/o man"), generalised_age("93")
    ('90+-year-old', '90+', '90 or older')
    """

    def written(found: re.Match[str]) -> str:
        if found.group().isdigit() and int(found.group()) < 90:
            return found.group()
        return "90+" if _OLD.match(text[found.end() :] + after) else "90 or older"

    return _AGE.sub(written, text) if _AGE.search(text) else "90 or older"
