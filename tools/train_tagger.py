"""Train the tagger of Scrub on annotated text, and write its weights into the package.

    python tools/train_tagger.py ../shared/data/text            # writes the weights
    python tools/train_tagger.py ../shared/data/text --halves DIR   # how good on groups not seen

Texts are JSON lines (`text`, `spans` with start, end, label; `group`). Each document is read as
it is, with its names, places and organisations exchanged for others (so that the tagger learns
what stands around a name and not the names of a corpus), and some in lower or upper case.
Left out are a corpus of which only part is labelled (`ambientmeta`) and one of six notes whose
origin is not told (`pype_notes`).
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pycrfsuite

from indistinct.knowledge import knowledge
from indistinct.knowledge.lexicon import table
from indistinct.scrub.text.board import weigh
from indistinct.scrub.text.finding import Finder
from indistinct.scrub.text.page import Page, read
from indistinct.scrub.text.spans import Span
from indistinct.scrub.text.tagger.context import context_of, feature_names, forms_of
from indistinct.scrub.text.tagger.features import OFFSETS, word_class, word_features
from indistinct.scrub.text.tagger.model import LABELS, Tagger

OUT = Path(__file__).parents[1] / "src/indistinct/scrub/text/tagger/weights.parquet"
LEFT_OUT = ("ambientmeta", "pype_notes")
TAGGED = ("NAME", "LOCATION", "ORG")
MOST_CHARACTERS = 200_000  # of one corpus, so that none drowns the others
LEAST_WEIGHT = 0.02
RULES = Finder()
NEAR = (-1, 0, 1)
FAR_FEATURES = ("w=", "s=", "k=", "bias")


def documents(folder: Path, rng: random.Random) -> list[dict]:
    found = []
    for path in sorted(folder.glob("*.jsonl")):
        if path.stem in LEFT_OUT:
            continue
        corpus = [json.loads(line) for line in path.open(encoding="utf-8")]
        rng.shuffle(corpus)
        size = 0
        for document in corpus:
            size += len(document["text"])
            if size > MOST_CHARACTERS:
                break
            document["corpus"] = path.stem
            found.append(document)
    return found


def tagged(document: dict) -> list[tuple[int, int, str]]:
    spans = []
    for span in sorted(document["spans"], key=lambda s: s["start"]):
        label = "ORG" if span.get("orig") == "REPAIR_OPT" else span["label"]
        if label in TAGGED and (not spans or span["start"] >= spans[-1][1]):
            spans.append((span["start"], span["end"], label))
    return spans


class Others:
    """Names, places and organisations to put in the place of those of a corpus."""

    def __init__(self, corpus: list[dict], rng: random.Random) -> None:
        self.rng = rng
        words = table("words").to_pylist()
        self.firsts = [w["word"] for w in words if w["female"] + w["male"] > 0]
        self.lasts = [w["word"] for w in words if w["surname"] > 0]
        self.common = [w["word"] for w in words if w["surname"] > 20]
        self.places = [p["name"].title() for p in table("places").to_pylist()]
        self.bodies = sorted(
            {d["text"][s:e] for d in corpus for s, e, label in tagged(d) if label == "ORG"}
        )

    def invented(self) -> str:
        """A name that nobody has, of the beginnings and ends of names."""
        rng = self.rng
        first, last = rng.choice(self.lasts), rng.choice(self.lasts)
        return first[: rng.randint(2, 4)] + last[-rng.randint(3, 5) :]

    def name(self, old: str) -> str:
        rng, words = self.rng, []
        count = len(old.split())
        for place in range(count):
            kind = rng.random()
            if kind < 0.15:
                word = self.invented()
            elif place == count - 1 and count > 1:
                word = rng.choice(self.lasts if kind < 0.6 else self.common)
            elif count == 1 and kind < 0.5:
                word = rng.choice(self.common)
            else:
                word = rng.choice(self.firsts)
            words.append(word.title())
        new = " ".join(words)
        if "," in old and count == 2:
            new = f"{words[0]}, {words[1]}"
        return new.upper() if old.isupper() else new.lower() if old.islower() else new

    def place(self, old: str) -> str:
        if any(c.isdigit() for c in old) or len(old.split()) > 3:
            return old
        if self.rng.random() < 0.2:
            end = self.rng.choice(["ville", "ton", "burg", "mouth", "side", "berg", "bury", "ham"])
            new = self.rng.choice(self.common).title() + end
        else:
            new = self.rng.choice(self.places)
        return new.upper() if old.isupper() else new.lower() if old.islower() else new

    def exchange(self, document: dict) -> dict:
        """The document with other people in other places."""
        text, done, position, spans = document["text"], [], 0, []
        chosen: dict[tuple[str, str], str] = {}
        length = 0
        for start, end, label in tagged(document):
            old = text[start:end]
            if (old, label) not in chosen:
                new = (
                    self.name(old) if label == "NAME"
                    else self.place(old) if label == "LOCATION"
                    else self.rng.choice(self.bodies)
                )  # fmt: skip
                chosen[old, label] = new
            new = chosen[old, label]
            done += [text[position:start], new]
            length += start - position
            spans.append({"start": length, "end": length + len(new), "label": label})
            length += len(new)
            position = end
        return {**document, "text": "".join(done) + text[position:], "spans": spans}


def cased(document: dict, how: str) -> dict:
    text = document["text"].lower() if how == "lower" else document["text"].upper()
    return {**document, "text": text} if len(text) == len(document["text"]) else document


def varied(corpus: list[dict], rng: random.Random) -> Iterator[dict]:
    others = Others(corpus, rng)
    for document in corpus:
        yield document
        # Web text is the smallest corpus and the most varied.
        for _ in range(2 if document.get("only_names") else 0):
            yield others.exchange(document)
        other = others.exchange(document)
        yield other
        chance = rng.random()
        if chance < 0.12:
            yield cased(other, "lower")
        elif chance < 0.2:
            yield cased(other, "upper")


def posted(page: Page) -> list[Span]:
    return weigh(RULES.postings(page))


def attributes(page: Page) -> list[list[str]]:
    known = page.knowledge
    words = [word_features(token, known) for token in page.tokens]
    far = [[f for f in features if f.startswith(FAR_FEATURES)] for features in words]
    classes = [word_class(token, known) for token in page.tokens]
    rows = feature_names(context_of(page, posted(page), forms_of(page.tokens)))
    count = len(words)
    for t in range(count):
        row = rows[t]
        for offset in OFFSETS:
            if 0 <= t + offset < count:
                near = words if offset in NEAR else far
                row += [f"{offset}:{feature}" for feature in near[t + offset]]
        left = classes[t - 1] if t else 0
        right = classes[t + 1] if t + 1 < count else 0
        row.append(f"c-1={left},{classes[t]}")
        row.append(f"c+1={classes[t]},{right}")
        row.append(f"c3={left},{classes[t]},{right}")
    return rows


def truth(page: Page, document: dict) -> list[str]:
    labels = ["O"] * len(page.tokens)
    places = page.folded.places
    for start, end, label in tagged(document):
        first = True
        for t in range(len(labels)):
            at = page.starts[t] if places is None else places[page.starts[t]]
            if start <= at < end and page.tokens[t] != "\n":
                labels[t] = f"{'B' if first else 'I'}-{label}"
                first = False
    return labels


def train(
    corpus: list[dict], rng: random.Random, path: Path, rounds: int
) -> tuple[Tagger, dict[str, np.ndarray], np.ndarray]:
    trainer = pycrfsuite.Trainer(verbose=False)
    for document in varied(corpus, rng):
        page = read(document["text"])
        if page.tokens:
            trainer.append(pycrfsuite.ItemSequence(attributes(page)), truth(page, document))
    trainer.set_params({"c1": 0.15, "c2": 0.02, "max_iterations": rounds, "feature.minfreq": 2})
    trainer.train(str(path))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    info = tagger.info()
    index = {label: number for number, label in enumerate(LABELS)}
    weights: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(len(LABELS), np.float32))
    for (feature, label), weight in info.state_features.items():
        if abs(weight) >= LEAST_WEIGHT:
            weights[feature][index[label]] = weight
    transitions = np.zeros((len(LABELS), len(LABELS)), np.float32)
    # A step that never occurs in the texts (I- after O) must not be taken.
    transitions[:] = -8.0
    for (before, after), weight in info.transitions.items():
        transitions[index[before], index[after]] = weight
    return Tagger(dict(weights), transitions), dict(weights), transitions


def write(weights: dict[str, np.ndarray], transitions: np.ndarray, path: Path) -> None:
    rows = sorted(weights.items())
    rows += [(f"from={label}", transitions[number]) for number, label in enumerate(LABELS)]
    columns = {"feature": [name for name, _ in rows]}
    for number, label in enumerate(LABELS):
        columns[label] = pa.array([np.float16(v[number]) for _, v in rows], pa.float16())
    pq.write_table(pa.table(columns), path, compression="zstd", compression_level=19)
    print(f"{len(rows):,} features, {path.stat().st_size:,} bytes")


def half(document: dict) -> int:
    return zlib.crc32(document["group"].encode()) // 7 % 2


def judged(tagger: Tagger, corpus: list[dict]) -> None:
    """Token recall and precision at several probabilities, by corpus."""
    cuts = (0.2, 0.3, 0.4, 0.5, 0.7)
    counts: dict[str, Counter] = defaultdict(Counter)
    for document in corpus:
        page = read(document["text"])
        gold = truth(page, document)
        chance = 1 - tagger.marginals(page, posted(page))[:, 0] if page.tokens else []
        for token, label, p in zip(page.tokens, gold, chance, strict=True):
            if not token[0].isalnum():
                continue
            for cut in cuts:
                kind = ("t" if label != "O" else "f") + ("p" if p >= cut else "n")
                counts[document["corpus"]][kind, cut] += 1
    for name, count in sorted(counts.items()):
        row = []
        for cut in cuts:
            right, missed, wrong = count["tp", cut], count["tn", cut], count["fp", cut]
            row.append(
                f"{cut}: {right / max(1, right + missed):.3f}/{right / max(1, right + wrong):.3f}"
            )
        print(f"{name:20s} recall/precision  " + "  ".join(row))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="+")
    parser.add_argument("--halves", type=Path, help="write weights of either half there")
    parser.add_argument("--rounds", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    rng = random.Random(asked.seed)
    knowledge()
    corpus = [document for folder in asked.folder for document in documents(folder, rng)]
    work = Path(tempfile.mkdtemp()) / "tagger.crfsuite"
    if asked.halves:
        for side in (0, 1):
            seen = [d for d in corpus if half(d) != side]
            tagger, weights, transitions = train(seen, rng, work, asked.rounds)
            write(weights, transitions, asked.halves / f"without_{'AB'[side]}.parquet")
            print(f"trained without half {'AB'[side]}, judged on it:")
            judged(tagger, [d for d in corpus if half(d) == side])
        return
    _, weights, transitions = train(corpus, rng, work, asked.rounds)
    write(weights, transitions, OUT)


if __name__ == "__main__":
    main()
