"""Names that nobody and no place bears, from syllables: Peabon, Alberdam, Brighaul.

As in the paper's Figure 22, towns, streets, hospitals and firms get names that sound like one.
"""

from __future__ import annotations

from functools import lru_cache

from indistinct.knowledge import UNKNOWN, knowledge
from indistinct.scrub.text.replace.secret import Secret
from indistinct.scrub.text.replace.style import listed

_FIRST = listed(
    "al ar ash bal bar bel ber bram brid bro cal car cas cor cran dar del dor dun el fal far fen "
    "gar gil glen hal har hes kel kim kin lam lan lor mal mar mel mor nam nel nor os pel pem per "
    "quar ral ren rom sal sel sor stan tal tar tel thor tor val var vel wan war wel wil wor"
)
_MIDDLE = [
    "a",
    "be",
    "ber",
    "bi",
    "da",
    "de",
    "di",
    "en",
    "er",
    "fa",
    "gen",
    "i",
    "la",
    "li",
    "lo",
    "man",
    "mi",
    "na",
    "ne",
    "o",
    "ra",
    "ri",
    "sen",
    "ta",
    "ten",
    "ver",
    "vi",
]
_LAST = listed(
    "bon borne burn bury combe croft dale dam den don fell fold gate greave hal ham haul holm "
    "hurst law leigh ley low mere mond more nell ney rick rook sby sham shaw stead stoke stow "
    "sworth thorn thwaite tock vane wick win with worth"
)


@lru_cache(maxsize=65536)
def town(secret: Secret, what: str, attempt: int) -> str:
    """The made-up name for `what` under a secret, or '' where that attempt gave a real name.

    >>> names = [town(Secret.from_seed(1), "Boston", n) for n in range(20)]
    >>> [name for name in names if name and knowledge().place(name)]
    []
    """
    drawn = secret.draw("town", what, str(attempt))
    name = _FIRST[drawn[0] % len(_FIRST)]
    if drawn[1] % 2:
        name += _MIDDLE[drawn[2] % len(_MIDDLE)]
    name += _LAST[drawn[3] % len(_LAST)]
    known = knowledge()
    if known.place(name) is not None or known.word(name) != UNKNOWN or known.is_medical(name):
        return ""
    return name
