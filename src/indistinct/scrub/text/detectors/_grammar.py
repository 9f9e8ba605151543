"""How a name is written: parts, initials, particles, suffixes, surname first, any case.

A cue (a title, a label, a relation) says that a name begins here; the grammar says how far it
goes. The stronger the cue, the more of a common word may be a name (*Dr. Long*, *Mrs. May*).
"""

from __future__ import annotations

from enum import IntEnum

from indistinct.knowledge import CREDENTIALS, MONTHS, RELATIONS, TITLES
from indistinct.scrub.text.detectors._name_words import (
    CALENDAR,
    INSTITUTIONS,
    LABELS,
    NOT_BORNE,
    PARTICLES,
    SUFFIXES,
    WRITTEN_OUT,
    words,
)
from indistinct.scrub.text.detectors._names import KNOWN, Reading

_LONGEST = 5
_JOINTS = PARTICLES | SUFFIXES
# Words that begin lines and columns of a record right after a name.
_NEVER = (TITLES | LABELS) - frozenset(
    ("don", "dona", "dame", "judge", "major", "lady", "sir", "bishop", "lord", "pastor", "deacon")
)


class Trust(IntEnum):
    """How much the cue before a name is worth."""

    NONE = 0
    CUE = 1
    TITLE = 2


def begins(read: Reading, i: int, trust: Trust, *, lower: bool = False) -> bool:
    """Whether a name may begin at word i."""
    if i >= len(read.words):
        return False
    word, shape = read.lower[i], read.shapes[i]
    if shape == "l" and not lower and word not in PARTICLES:
        return False
    known = KNOWN[word]
    if shape == "I":
        return _initial_begins(read, i)
    if word in PARTICLES and _over_particles(read, i) > i:
        return shape in "CU" or trust > Trust.NONE
    if (word in _NEVER and not _only_capitals(word, shape)) or len(word) < 2 or shape == "x":
        return False
    if shape == "l":
        return lower and _lower_begins(read, i, trust)
    if shape == "U" and word in CREDENTIALS:
        return False
    if word in MONTHS and any(c.isdigit() for c in read.gaps[i][:4]):
        return False
    if trust > Trust.NONE and "-" in word and read.words[i].partition("-")[2][:1].isupper():
        return True  # Hae-Won, whose parts are words
    if trust == Trust.TITLE:
        return known.named or known.zipf < 4.0 or (known.zipf < 5.4 and read.gaps[i] != " ")
    if trust == Trust.CUE and known.named and _paired(read, i):
        return True
    if known.ordinary or (known.medical and known.nameness < -0.8):
        return False
    if trust == Trust.CUE:
        return known.named or known.zipf < _ORDINARY_HERE
    return known.nameness > -1.5 and word not in CALENDAR


def _initial_begins(read: Reading, i: int) -> bool:
    """Whether a letter is the first initial of a name, and no article: *by A BROTHER*."""
    if i + 1 >= len(read.words) or not read.joined(i) or read.shapes[i + 1] not in "CUI":
        return False
    if read.lower[i] not in ("a", "i") or read.gaps[i] != " ":
        return True
    return read.lower[i + 1] not in RELATIONS and not read.fact(i + 1).ordinary


def _only_capitals(word: str, shape: str) -> bool:
    """Whether a label is one in capitals alone: *ED*, but *Ed* is a name."""
    return shape == "C" and word in LABELS and word not in TITLES and word not in WRITTEN_OUT


def _paired(read: Reading, i: int) -> bool:
    """Whether a common word has the rest of a name after it: *May Bright*, *Best, Amanda*."""
    if i + 1 < len(read.words) and read.gaps[i] == ", " and read.shapes[i + 1] == read.shapes[i]:
        return read.fact(i).last > 0 and _given(read, i + 1)
    if read.fact(i).first <= 0:
        return False
    if i + 1 >= len(read.words) or read.gaps[i] != " " or read.shapes[i + 1] != read.shapes[i]:
        return False
    second = read.fact(i + 1)
    if second.last > 0 and read.gaps[i + 1] != " ":
        return second.nameness > -3.3  # Will Reading (…)
    return (second.last > 0 and second.nameness > -2.0) or second.strange


def _given(read: Reading, i: int) -> bool:
    return read.fact(i).first > 0 and read.fact(i).nameness > -0.8


_ORDINARY_HERE = 3.6  # unlisted names of known people are written this often


def _lower_begins(read: Reading, i: int, trust: Trust) -> bool:
    known = read.fact(i)
    word = read.lower[i]
    if known.ordinary or known.medical or word in CALENDAR or word in RELATIONS:
        return False
    if word[-2:-1] == "'":
        return False  # dx'd
    if known.named:
        return known.nameness > (-2.4 if trust == Trust.TITLE else -1.9)
    return known.zipf < (3.0 if trust == Trust.TITLE else 2.2) and len(word) > 2


def common_name(read: Reading, i: int) -> bool:
    """Whether a common word without a capital is also a name, and seldom shorthand."""
    known, word = read.fact(i), read.lower[i]
    borne = known.named and known.nameness > -3.6 and max(known.first, known.last) > 1
    return borne and read.shapes[i] == "l" and not known.medical and word not in NOT_BORNE


# What follows *will* after a person: *May will return in six weeks*.
_DEEDS = words(
    "return call come follow need start stop continue take bring contact see visit stay go have "
    "try meet schedule undergo complete keep"
)
_STATES_OF_PEOPLE = words(
    "seen followed admitted discharged referred contacted evaluated scheduled called reached "
    "staying returning coming starting taking calling going"
)


def does_something(read: Reading, i: int) -> bool:
    """Whether *will* or *can* at word i begins what somebody does, or is done to them."""
    lower = read.lower
    if i + 1 >= len(lower) or lower[i] not in ("will", "can", "could"):
        return False
    if lower[i + 1] == "be":
        return lower[i + 2 : i + 3] != [] and lower[i + 2] in _STATES_OF_PEOPLE
    return lower[i + 1] in _DEEDS


def following(read: Reading, i: int) -> str:
    """The word after word i where a blank parts them; else empty."""
    return read.lower[i + 1] if read.gaps[i] == " " and i + 1 < len(read.words) else ""


def ends_clause(read: Reading, i: int) -> bool:
    """Whether a mark follows that ends a clause or opens a bracket."""
    return read.gaps[i][:1] in ".,;:)/\n" or read.gaps[i].startswith((" (", " -"))


def continues(read: Reading, i: int, shape: str, *, sure: bool = False) -> bool:
    """Whether word i may be a further part of a name whose parts have this shape.

    `sure` says that a first name stands before it, so that *Best* and *Small* are surnames.
    """
    here, word = read.shapes[i], read.lower[i]
    if here == "I":
        return True
    if word in SUFFIXES:
        return True
    if here != shape:
        return False
    if word in _NEVER and word not in PARTICLES and not _only_capitals(word, here):
        return False
    if here == "U" and word in CREDENTIALS:
        return False
    if word in MONTHS and any(c.isdigit() for c in read.gaps[i][:4]):
        return False
    known = read.fact(i)
    if word in ("doe", "roe"):
        return True
    if here == "l":
        if known.medical or len(word) < 3 or known.ordinary or word in CALENDAR:
            return False
        if known.named:
            return known.nameness > -1.0 and word not in RELATIONS
        return known.strange and read.page.knowledge.medical_sound(word) <= 1
    if known.named:
        if word in INSTITUTIONS and known.nameness < -2.0:
            return False
        if sure:
            return known.nameness > (-3.3 if known.last > 0 else -1.5)
        return known.nameness > -2.6 and not (known.medical and known.nameness < -1)
    if known.medical or word in INSTITUTIONS:
        return False
    return known.zipf < (4.7 if sure else _ORDINARY_HERE)


def name_from(
    read: Reading, i: int, trust: Trust, *, lower: bool = False, inverted: bool = False
) -> int:
    """Where the name that begins at word i ends (exclusive); i itself when there is none.

    With `inverted`, *Townsend, Virginia A.* is one name.
    """
    if not begins(read, i, trust, lower=lower):
        return i
    count, shapes, lowers = len(read.words), read.shapes, read.lower
    j, shape = _first_part(read, i)
    if j == i:
        return i
    parts = 1
    while j < count and parts < _LONGEST and read.joined(j - 1):
        if shapes[j] == "l" and shape in ("C", "U") and lowers[j] not in _JOINTS:
            break
        if shape == "":
            shape = shapes[j] if shapes[j] != "I" else ""
        ahead = _over_particles(read, j)
        before = KNOWN[lowers[j - 1]]
        sure = before.first > 0 and (before.nameness > -1.0 or trust > Trust.NONE)
        sure = sure or (before.strange and trust > Trust.NONE)
        if not continues(read, ahead, shape or shapes[ahead], sure=sure):
            break
        j, parts = ahead + 1, parts + 1
    j = _suffixed(read, j)
    if inverted and j < count and read.gaps[j - 1] in (", ", ","):
        j = _given_after_comma(read, i, j, lower=lower)
    return _without_dangling(read, i, j) if shapes[j - 1] == "I" else j


def _first_part(read: Reading, i: int) -> tuple[int, str]:
    j = _over_particles(read, i)
    if j >= len(read.words):
        return i, ""
    shape = read.shapes[j]
    return j + 1, "" if shape == "I" else shape


def _over_particles(read: Reading, j: int) -> int:
    """Past the particles at j, when a name with a capital (or in the case of all) follows."""
    if read.lower[j] not in PARTICLES:
        return j
    count, ahead = len(read.words), j
    while (
        ahead < min(j + 3, count - 1)
        and read.lower[ahead] in PARTICLES
        and (read.gaps[ahead] == " " or read.gaps[ahead] == ". ")
    ):
        ahead += 1
    if ahead > j and read.shapes[ahead] in "CU":
        return ahead
    return j


def _suffixed(read: Reading, j: int) -> int:
    """Past a suffix after a comma: *Smith, Jr.*"""
    if j < len(read.words) and read.lower[j] in SUFFIXES and read.gaps[j - 1] in (", ", " "):
        return j + 1
    return j


def _given_after_comma(read: Reading, i: int, j: int, *, lower: bool) -> int:
    """Past the given names after *Surname,*."""
    surnames = [k for k in range(i, j) if read.lower[k] not in _JOINTS]
    if len(surnames) > 2 or any(read.shapes[k] == "I" for k in surnames):
        return j
    known = read.fact(j)
    shape = read.shapes[j]
    if shape == "I" and read.gaps[j] == "." and "".join(read.lower[j : j + 2]) in CREDENTIALS:
        return j
    given = known.first > 0 or known.strange or shape == "I"
    if len(surnames) == 2 and not (known.first > 0 and read.fact(surnames[0]).first == 0):
        return j
    if not given or (shape == "l" and not lower) or not begins(read, j, Trust.CUE, lower=lower):
        return j
    if known.place and known.nameness < -1.2:
        return j
    end = j + 1
    while end < min(j + 3, len(read.words)) and read.joined(end - 1):
        if not continues(read, end, read.shapes[j]):
            break
        end += 1
    return end


def _without_dangling(read: Reading, i: int, j: int) -> int:
    """Without an initial at the end that is a word (*A*) or begins the next sentence."""
    while j - 1 > i and read.shapes[j - 1] == "I" and not read.gaps[j - 1].startswith("."):
        following = read.gaps[j - 1]
        if read.lower[j - 1] == "i" or (
            read.lower[j - 1] == "a" and following == " " and _lower_next(read, j)
        ):
            j -= 1
        else:
            break
    return j


def _lower_next(read: Reading, j: int) -> bool:
    return j < len(read.words) and read.shapes[j] == "l"


def name_before(read: Reading, i: int, *, lower: bool = False) -> int:
    """Where the name that ends with word i begins; i + 1 when there is none.

    *Kurik, Michael* before a credential is one name when *Kurik* opens its line or column.
    """
    if read.lower[i] in SUFFIXES and i and read.gaps[i - 1] in (", ", " "):
        first = name_before(read, i - 1, lower=lower)
        return first if first < i else i + 1
    shape = read.shapes[i]
    if shape == "I":
        shape = read.shapes[i - 1] if i and read.joined(i - 1) else ""
    if shape not in ("C", "U") and not (lower and shape == "l"):
        return i + 1
    first = i + 1
    k = i
    while k >= 0 and i - k < _LONGEST:
        if k < i and not read.joined(k):
            break
        if read.lower[k] in PARTICLES and k < i:
            if read.shapes[k] == "l" and shape == "l":
                break
            k -= 1
            continue
        if not _precedes(read, k, i, shape) or read.lower[k] in RELATIONS:
            break
        first = k
        k -= 1
    if first > i:
        return first
    return _with_surname_before(read, first, i)


def _precedes(read: Reading, k: int, i: int, shape: str) -> bool:
    """Whether word k may be part of the name that ends with word i."""
    sure = k == i and k > 0 and read.joined(k - 1) and read.fact(k - 1).first > 0
    if read.lower[k] in SUFFIXES or continues(read, k, shape, sure=sure):
        return True
    return k < i and read.shapes[k] == shape and read.fact(k).first > 0 and _paired(read, k)


def _with_surname_before(read: Reading, first: int, i: int) -> int:
    """Take in *Kurik* of *Kurik, Michael*, where the comma follows the first word of its kind."""
    if first == 0 or read.gaps[first - 1] not in (", ", ","):
        return first
    given = [k for k in range(first, i + 1) if read.shapes[k] != "I"]
    surname = first - 1
    if len(given) != 1 or read.shapes[surname] != read.shapes[given[0]]:
        return first
    known = read.fact(surname)
    before = read.before(surname)
    opens = "\n" in before or ":" in before or before.startswith("  ") or "(" in before
    if read.fact(given[0]).first > 0 and known.last > 0 and known.nameness > -2.6:
        return surname
    if opens and (known.named or known.strange) and not known.ordinary:
        return surname
    return first


def past_titles(read: Reading, i: int) -> int:
    """Past *Dr.*, *Mr.* and the like, to the word after them; *Major* may be a first name."""
    while i + 1 < len(read.words) and read.lower[i] in TITLES and read.gaps[i] in (" ", ". ", "."):
        if read.gaps[i] == " " and read.fact(i).first > 2:
            break
        i += 1
    return i
