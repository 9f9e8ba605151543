"""Gather names of people in scripts that are not Latin, from the lists of the package `faker`.

`pip install faker` (not among the project's own needs), then `python tools/native_names.py`. What
is a town or an everyday word there, too, is left out. The rules by which names are formed
(`native.txt`) were written by hand.
"""

from __future__ import annotations

import re
import unicodedata
from importlib import import_module
from pathlib import Path

OUT = Path(__file__).parents[1] / "src/indistinct/knowledge/data/native_names.txt"
LOCALES = (
    "ar_AA ar_PS ar_SA bg_BG bn_BD el_GR fa_IR he_IL "
    "hi_IN hy_AM ka_GE ne_NP ru_RU ta_IN th_TH uk_UA"
)
LEAST = 2  # letters


def words_of(module: str, *starts: str) -> set[str]:
    """The words of all lists of a provider whose names start so."""
    try:
        provider = import_module(module).Provider
    except ModuleNotFoundError:
        return set()
    found: set[str] = set()
    for name in dir(provider):
        if name.startswith(starts):
            entries = getattr(provider, name)
            entries = list(entries) if isinstance(entries, dict | list | tuple | set) else []
            for entry in entries:
                if isinstance(entry, str):
                    found |= set(re.split(r"[\s\-]+", entry.lower()))
    return found


def native(word: str) -> bool:
    """Whether a word has letters of such a script alone."""
    kinds = [unicodedata.category(sign)[0] for sign in word]
    latin = any("LATIN" in unicodedata.name(sign) for sign in word)
    return kinds.count("L") >= LEAST and set(kinds) <= {"L", "M"} and not latin


def main() -> None:
    names: set[str] = set()
    for locale in LOCALES.split():
        people = words_of(
            f"faker.providers.person.{locale}", "first_name", "last_name", "middle_name"
        )
        others = words_of(f"faker.providers.address.{locale}", "cit", "state", "countr", "district")
        others |= words_of(f"faker.providers.lorem.{locale}", "word")
        others |= words_of(f"faker.providers.job.{locale}", "job")
        names |= {word for word in people - others if native(word)}
    OUT.write_text("\n".join(sorted(names)) + "\n", encoding="utf-8")
    print(f"{len(names):,} names")


if __name__ == "__main__":
    main()
