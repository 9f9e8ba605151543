"""Given names by sex, age and origin; surnames, mostly put together from two parts."""

from __future__ import annotations

import numpy as np

from indistinct.census.sampling import AliasTable

__all__ = ["GIVEN", "GIVEN_NAMES", "STREETS", "SURNAME", "SURNAMES", "TONGUE_OF_ETHNIC"]

_GIVEN = """
Arthur Albert George Walter Harold Ernest Frank Ralph Norman Leonard Stanley Edwin Herbert Cyril
John David Peter Michael Alan Robert Paul Stephen Keith Martin Andrew Kevin Ian Graham Colin Neil
Daniel James Thomas Adam Luke Ryan Oliver Jack Harry Samuel Ben Leo Noah Theo Max Felix
Florence Doris Edith Mabel Elsie Winifred Gladys Irene Hilda Ivy Vera Muriel Agnes Nora
Susan Linda Margaret Christine Anne Helen Jane Carol Judith Karen Julie Alison Diane Sandra Ruth
Emma Laura Sophie Chloe Hannah Lucy Olivia Grace Ella Mia Amelia Ava Isla Freya Alice Zoe
Jan Marek Luca Pierre Stefan Andrei Viktor Pavel Antoni Matteo Jonas Nikola
Anna Maria Elena Katarina Ewa Ingrid Sofia Ioana Petra Giulia Magda Olga
Ravi Arjun Imran Sanjay Vikram Wei Minh Hiro Jun Kenji Asif Rohan
Priya Anjali Fatima Sunita Mei Linh Yuki Xiu Lakshmi Ayesha Hana Nisha
Kwame Omar Ahmed Yusuf Hassan Ali Tariq Samir Chidi Karim Diego Carlos
Amina Leila Zahra Yasmin Ngozi Adaeze Nadia Mariam Abena Lucia Camila Rosa
"""

_rows = [line.split() for line in _GIVEN.strip().splitlines()]
GIVEN_NAMES: list[str] = [name for row in _rows for name in row]


def _given() -> AliasTable:
    """Rows: tongue 4 (home, European, Asian, African and others), sex 2, generation 3."""
    starts = np.cumsum([0, *(len(row) for row in _rows)])
    table = np.zeros((4, 2, 3, len(GIVEN_NAMES)))
    for tongue in range(4):
        for sex in range(2):
            for generation in range(3):
                lines = {3 * sex + other: 0.04 for other in range(3)}
                if tongue == 0:
                    lines[3 * sex + generation] = 1.0
                else:
                    lines[6 + 2 * (tongue - 1) + sex] = 1.0
                for line, share in lines.items():
                    names = np.arange(starts[line], starts[line + 1])
                    table[tongue, sex, generation, names] = share / (names - names[0] + 3)
    return AliasTable(table)


GIVEN = _given()
"""Positions in `GIVEN_NAMES`; row ``(tongue * 2 + sex) * 3 + generation``."""

_PARTS = """
Ash Birch Black Brad Brook Burn Carl Clay Cliff Cole Dun East Elm Fair Farn Gold Graven Green Hal
Hart Hather Hazel Kel Kings Lang Lin Mar Mel Nether New Nor Oak Pen Quarring Rad Red Rosen Sander
Shel Stan Sutter Thorn Wake Wal West Whit Wil Win Wood York
-
ford ley ton well by wood ham worth field land bridge stone more wick shaw man
"""
_stems, _endings = (part.split() for part in _PARTS.split("-"))
_FOREIGN = [
    "Novak Kowalski Muller Rossi Popescu Silva Garcia Horvat Jansen Petrov Nagy Dubois Andersen "
    "Keller Moreau Ivanov Bianchi Wojcik Marin Costa Schmidt Lindgren Kral Balogh",
    "Singh Patel Khan Nguyen Chen Wang Sharma Hussain Tran Li Tanaka Kim Begum Perera Das Lim "
    "Gupta Rahman Zhang Pham Sato Reddy Malik Ho",
    "Okafor Mensah Hassan Ibrahim Yilmaz Haddad Abdi Diallo Osei Rahimi Mansour Tesfaye Campbell "
    "Baptiste Gomez Rojas Kaya Saleh Moyo Adeyemi Demir Farah Clarke Vargas",
]
_HOME = [stem + ending for ending in _endings for stem in _stems]
SURNAMES: list[str] = [*_HOME, *(name for text in _FOREIGN for name in text.split())]


def _surname() -> AliasTable:
    """Rows: tongue 4. A few surnames are common and most are rare, as Zipf's law has it."""
    table = np.zeros((4, len(SURNAMES)))
    # Steps of a number prime to the length scatter the common ones over stems and endings.
    rank = (np.arange(len(_HOME)) * 331) % len(_HOME)
    table[0, : len(_HOME)] = 1 / (rank + 12)
    start = len(_HOME)
    for tongue, text in enumerate(_FOREIGN, 1):
        names = len(text.split())
        table[tongue, start : start + names] = 1 / (np.arange(names) + 4)
        start += names
    return AliasTable(table)


SURNAME = _surname()
"""Positions in `SURNAMES`; one row per tongue."""

TONGUE_OF_ETHNIC = np.array([0, 0, 1, 2, 2, 3, 3, 3, 3, 1, 0], dtype=np.int32)
"""By ethnic code: the row of names people bear."""

_STREETS = """
Church Mill Station High Park Orchard River Bridge Castle Garden Market School Chapel Meadow Hill
Spring North South East West Forge Canal Abbey Harbour
-
Street Road Lane Avenue Close
"""
_firsts, _kinds = (part.split() for part in _STREETS.split("-"))
STREETS: list[str] = [f"{first} {kind}" for kind in _kinds for first in _firsts]
