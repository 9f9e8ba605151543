"""Words that announce what follows: titles, credentials, relatives, months, states.

And how a list of cues is written: once, see `cues`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

TITLES = frozenset(
    "mr mrs ms miss mx dr doctor prof professor rev reverend fr sister br brother sr sra srta "
    "señor señora hon judge capt captain maj major col colonel gen general lt lieutenant sgt "
    "sergeant cpl pvt officer nurse madam madame mme mlle monsieur herr frau don dona sir lady "
    "lord dame rabbi imam pastor deacon bishop atty attorney messrs drs".split()
)
CREDENTIALS = frozenset(
    "md do phd mbbs mbbch mb bch frcp frcs frcpc facs facp faap facc np fnp aprn arnp crnp anp "
    "pnp dnp rn bsn msn lpn lvn cna cns crna cnm pa pac dds dmd od dpm dc pt dpt ot otr otrl "
    "slp ccc msw lcsw licsw lmsw lmhc lpc mft lmft psyd edd jd esq mph ms ma mba bs ba rd ldn "
    "rph pharmd bcps emt cpnp ccrn rt rrt msc fnpc fnpbc pgy".split()
)
RELATIONS = frozenset(
    "mother father mom mum mommy mummy dad daddy parent parents stepmother stepfather stepmom "
    "stepdad wife husband spouse partner fiance fiancee girlfriend boyfriend ex son daughter "
    "stepson stepdaughter child children kid baby infant twin brother sister stepbrother "
    "stepsister sibling grandmother grandfather grandma grandpa grandparent grandson "
    "granddaughter aunt uncle niece nephew cousin guardian caregiver carer friend neighbor "
    "neighbour roommate landlord colleague coworker boss supervisor teacher coach counselor "
    "counsellor caseworker".split()
)
MONTHS = {
    name: number
    for number, names in enumerate(
        "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|"
        "september sep sept|october oct|november nov|december dec".split("|"),
        start=1,
    )
    for name in names.split()
}
WEEKDAYS = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs "
    "fri sat sun".split()
)
STATES = {
    "AL": "Alabama", "AK": "Alaska", "AZ": "Arizona", "AR": "Arkansas", "CA": "California",
    "CO": "Colorado", "CT": "Connecticut", "DE": "Delaware", "DC": "District of Columbia",
    "FL": "Florida", "GA": "Georgia", "HI": "Hawaii", "ID": "Idaho", "IL": "Illinois",
    "IN": "Indiana", "IA": "Iowa", "KS": "Kansas", "KY": "Kentucky", "LA": "Louisiana",
    "ME": "Maine", "MD": "Maryland", "MA": "Massachusetts", "MI": "Michigan", "MN": "Minnesota",
    "MS": "Mississippi", "MO": "Missouri", "MT": "Montana", "NE": "Nebraska", "NV": "Nevada",
    "NH": "New Hampshire", "NJ": "New Jersey", "NM": "New Mexico", "NY": "New York",
    "NC": "North Carolina", "ND": "North Dakota", "OH": "Ohio", "OK": "Oklahoma", "OR": "Oregon",
    "PA": "Pennsylvania", "RI": "Rhode Island", "SC": "South Carolina", "SD": "South Dakota",
    "TN": "Tennessee", "TX": "Texas", "UT": "Utah", "VT": "Vermont", "VA": "Virginia",
    "WA": "Washington", "WV": "West Virginia", "WI": "Wisconsin", "WY": "Wyoming",
    "PR": "Puerto Rico", "GU": "Guam", "VI": "Virgin Islands", "AS": "American Samoa",
    "MP": "Northern Mariana Islands",
}  # fmt: skip


@dataclass(frozen=True)
class Cues:
    """Words and phrases that announce something, written once.

    A page is asked for their first words before an expression is searched, which is slow; both are
    made from the same list and cannot drift apart.
    """

    phrases: tuple[str, ...]

    @cached_property
    def words(self) -> frozenset[str]:
        """The first word of each, in small letters."""
        return frozenset(_word(phrase.split()[0]) for phrase in self.phrases)

    @cached_property
    def ends(self) -> frozenset[str]:
        """The last word of each, in small letters."""
        return frozenset(_word(phrase.split()[-1]) for phrase in self.phrases)

    @cached_property
    def any(self) -> str:
        """An expression for any of them, the longest first."""
        longest = sorted(self.phrases, key=lambda phrase: (-len(phrase), phrase))
        return "(?:" + "|".join(re.escape(p).replace("\\ ", " ") for p in longest) + ")"

    @cached_property
    def pattern(self) -> str:
        """An expression for any of them as whole words."""
        return rf"{self.any}(?!\w)"


def cues(listed: str) -> Cues:
    """Make cues of a list; the words of a phrase are joined by underscores.

    >>> found = cues("lake gulf_of")
    >>> sorted(found.words), found.pattern
    (['gulf', 'lake'], '(?:gulf of|lake)(?!\\\\w)')
    """
    return Cues(tuple(dict.fromkeys(phrase.replace("_", " ") for phrase in listed.split())))


def _word(written: str) -> str:
    return written.rstrip(".").lower()
