"""What is made up for one document: drawn with the secret, and never mistaken for another name.

The first draw depends on the secret and the true name alone, so that all letters of a project
agree. A draw is refused, and the next taken, where the made-up name would be misread in this
document: it stands there already, it holds a true name, it is (nearly) the same as another one.
With some thousand surnames and a hundred first names that happens seldom.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from indistinct.knowledge import UNKNOWN, knowledge, plain
from indistinct.scrub.text.replace.pools import clear_sex, first_names, surnames
from indistinct.scrub.text.replace.secret import Secret
from indistinct.scrub.text.replace.style import listed

# Names that nobody and no place bears, from syllables: Peabon, Alberdam, Brighaul.
#
# As in the paper's Figure 22, towns, streets, hospitals and firms get names that sound like one.


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


# After so many refusals a name from syllables is taken: they are far more numerous.
_ATTEMPTS = 60
_FEW_BEARERS = 3.0  # per 100,000
_VOWELS = re.compile(r"[aeiouyhw]+")
_DOUBLED = re.compile(r"(.)\1+")
_NOT_LETTERS = re.compile(r"[\W\d_]+")


@lru_cache(maxsize=16384)
def key_of(name: str) -> str:
    """A name as it is looked up: lower case, plain letters, nothing else.

    >>> key_of("O'Hernández"), key_of("De La Wilson")
    ('ohernandez', 'delawilson')
    """
    return _NOT_LETTERS.sub("", plain(name))


@lru_cache(maxsize=16384)
def sounds(name: str) -> str:
    """What a hurried reader takes from a name: its first letter and its next consonants.

    >>> sounds("hansen") == sounds("hanson"), sounds("long") == sounds("lang")
    (True, True)
    """
    return name[:1] + _DOUBLED.sub(r"\1", _VOWELS.sub("", name[1:]))[:4]


@dataclass
class Choices:
    """Made-up names for one document.

    `words` are those of the document, `true_names` what must not reappear (both as `key_of`
    writes them). `scope` is empty for names that agree over the project, or the patient's.
    """

    secret: Secret
    words: Collection[str]
    true_names: Collection[str]
    scope: str = ""
    _chosen: dict[tuple[str, ...], tuple[str, str]] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)

    def surname(self, true: str, *within: str) -> str:
        """The made-up surname for a true one; `within` narrows where it is the same."""
        key = ("surname", *within, true)
        if key not in self._chosen:
            self._chosen[key] = (self._draw(key, surnames(), true[:1]), "")
        return self._chosen[key][0]

    def first(
        self, true: str, sex: str | None, *within: str, short: bool = False
    ) -> tuple[str, str]:
        """The made-up first name of a sex and its nickname (itself where it has none).

        With `short` the name surely has one.
        """
        key = ("first", *within, true)
        if key not in self._chosen:
            name, nickname = self._pair(key, sex, short)
            self._taken.update((name, nickname, sounds(name)))
            self._chosen[key] = name, nickname
        return self._chosen[key]

    def town(self, true: str) -> str:
        """The made-up name of a place or an organisation."""
        key = ("town", true)
        if key not in self._chosen:
            self._chosen[key] = (self._syllables(true, true[:1]), "")
        return self._chosen[key][0]

    def _pair(self, key: tuple[str, ...], sex: str | None, short: bool) -> tuple[str, str]:
        pool, initial = first_names(sex), key[-1][:1]
        for name in self._drawn(key, _with_nickname(sex) if short else tuple(pool)):
            if name[0] == initial or not self._free(name):
                continue
            nicknames = [nickname for nickname in pool[name] if self._free(nickname, near=False)]
            if nicknames:
                return name, nicknames[self._number(*key, below=len(nicknames))]
            if not pool[name]:
                return name, name
        name = self._syllables("\0".join(key), initial)
        return name, name

    def _draw(self, key: tuple[str, ...], pool: tuple[str, ...], initial: str) -> str:
        for name in self._drawn(key, pool):
            if name[0] != initial and self._free(name):
                self._taken.update((name, sounds(name)))
                return name
        return self._syllables("\0".join(key), initial)

    def _syllables(self, true: str, initial: str) -> str:
        attempt = 0
        while True:
            name = town(self.secret, self.scope + "\0" + true, attempt)
            if name and name[0] != initial and self._free(name):
                self._taken.update((name, sounds(name)))
                return name
            attempt += 1

    def _drawn(self, key: tuple[str, ...], pool: tuple[str, ...]) -> Iterable[str]:
        for attempt in range(_ATTEMPTS):
            yield pool[self._number(*key, str(attempt), below=len(pool))]

    def _number(self, *what: str, below: int) -> int:
        return self.secret.number(self.scope, *what, below=below)

    def _free(self, name: str, *, near: bool = True) -> bool:
        """Whether a made-up name is taken for nothing else in this document."""
        if name in self.words or name in self._taken or (near and sounds(name) in self._taken):
            return False
        for true in self.true_names:  # noqa: SIM110 (four times as fast as any())
            if true in name and len(true) > 2:
                return False
        return True


@lru_cache(maxsize=3)
def _with_nickname(sex: str | None) -> tuple[str, ...]:
    return tuple(name for name, nicknames in first_names(sex).items() if nicknames)


def sex_of(first: str, nickname: str, sex: str | None) -> str | None:
    """The sex that a made-up name must say: the name's where that is beyond doubt.

    A clerk who writes "her sister Anthony" leaves the reader with a man's name; so do we.
    """
    name = first or nickname
    said = clear_sex(name)
    # Nam and Jo are borne by so few that what the letter says is the better guess.
    if sex is not None and knowledge().word(name).first < _FEW_BEARERS:
        return sex
    return said or sex or knowledge().sex(name)


@lru_cache(maxsize=16384)
def full_name(short: str, sex: str | None) -> str:
    """The first name that a nickname most likely stands for; itself where there is none.

    Tony Cook in one letter is then Anthony Cook of the other. A name that is as usual in its own
    right stands for itself.

    >>> full_name("bill", "M"), full_name("pat", "F"), full_name("anthony", "M")
    ('william', 'patricia', 'anthony')
    """
    if len(short) > 6:
        return short

    def bearers(name: str) -> float:
        word = knowledge().word(name)
        return word.male if sex == "M" else word.female if sex == "F" else word.first

    own = bearers(short)
    likely = [
        full
        for full in knowledge().full_names(short)
        if len(full) > len(short) and bearers(full) > 3 * own
    ]
    # Bill is heard in William, not in Robert.
    return max(likely, key=lambda full: (short[1:3] in full, bearers(full)), default=short)
