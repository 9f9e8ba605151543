"""What the tagger sees of a word by itself: features, and one coarse class.

Features of a word depend on the word alone, so that they are worked out once per word and the
tagger adds up ready-made weights. No feature holds a rare word itself: what is rare is a name,
and is known by its letters, its ending and what the lexicon says of it.
"""

from __future__ import annotations

from functools import lru_cache

from indistinct.knowledge import (
    CREDENTIALS,
    MONTHS,
    RELATIONS,
    STATES,
    TITLES,
    WEEKDAYS,
    Knowledge,
    plain,
)

OFFSETS = (-3, -2, -1, 0, 1, 2, 3)
COMMON_ZIPF = 3.6  # from here on a word is common enough to be a feature itself

_HEADS = {
    head: kind
    for kind, heads in {
        "care": "hospital clinic clinics infirmary hospice medical health healthcare rehab surgery "
        "center centre care medicine pharmacy practice pediatrics dental",
        "firm": "inc corp corporation llc ltd llp gmbh plc co company group sons bank holdings "
        "technologies industries associates partners services systems solutions enterprises",
        "school": "school elementary university college academy institute kindergarten campus",
        "body": "association foundation council committee department ministry agency bureau "
        "church party union federation commission society court museum team club orchestra "
        "army police office board institute league",
        "shop": "restaurant hotel cafe bar store shop market mall inn pizza grill salon spa bakery "
        "airlines airport station park",
        "street": "street st avenue ave road rd drive dr lane ln boulevard blvd court ct place pl "
        "terrace way highway hwy parkway circle trail square alley apt suite floor unit box",
        "ground": "county city state province district island islands river lake mountain bay "
        "valley beach village town township coast",
        "compass": "north south east west northern southern eastern western new saint san santa "
        "los las fort port mount el la",
        "particle": "van von der den de la del della di da dos bin ibn al el le du mac mc o",
    }.items()
    for head in heads.split()
}
_STATE_NAMES = {name.lower() for name in STATES.values()}
_ENDINGS = 3


@lru_cache(maxsize=1 << 16)
def shape(token: str) -> str:
    """Letters' case, number of digits, or the mark itself."""
    first = token[0]
    if first == "\n":
        return "line"
    if first.isdigit():
        return f"d{min(len(token), 6)}"
    if not first.isalpha():
        return token
    if len(token) == 1:
        return "X" if first.isupper() else "x"
    if token.islower():
        return "low"
    if token.isupper():
        return "UP2" if len(token) < 4 else "UP"
    if first.isupper() and token[1:].islower():
        return "Cap"
    return "mIx" if first.isupper() or first.islower() else "other"


def step(value: float, *edges: float) -> int:
    """How many of the edges a value has reached."""
    return sum(value >= edge for edge in edges)


def word_features(token: str, known: Knowledge) -> list[str]:
    """Everything about a token that needs no neighbour."""
    form = shape(token)
    features = ["bias", f"s={form}"]
    if not token[0].isalpha():
        return features
    low = plain(token)
    word = known.word(low)
    zipf = step(word.zipf, 1.4, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6)
    if word.zipf >= COMMON_ZIPF:
        features += [f"w={low}", f"w={low}|{form}"]
    if len(low) > _ENDINGS:
        features += [f"e3={low[-3:]}", f"e2={low[-2:]}", f"b2={low[:2]}", f"b3={low[:3]}"]
    first = step(word.first, 0.9, 3, 10, 50, 200)
    last = step(word.surname, 0.9, 2, 5, 20, 80)
    # More often a name than chance would have it: people per 100,000 against its share of words.
    tilt = step(word.first + word.surname - 10 ** (word.zipf - 4), -30, -3, 0, 3, 30)
    sounds = step(known.surname_sound(low), -1, -0.5, -0.2, 0, 0.2, 0.5, 1)
    features += [
        f"z={zipf}|{form}",
        f"f={first}|{form}",
        f"l={last}|{form}",
        f"t={tilt}|{form}",
        f"fz={first}|{zipf}",
        f"lz={last}|{zipf}",
        f"fl={first}|{last}|{form}",
        f"n={sounds}|{form}",
        f"nz={sounds}|{zipf}",
        f"len={min(len(low), 10)}|{form}",
    ]
    proper = known.proper(low)
    written = f"{proper.small:d}{proper.capital:d}{proper.sense}"
    features += [f"p={written}|{form}", f"pz={written}|{zipf}|{form}"]
    features += [f"k={kind}|{form}" for kind in _kinds(low, known)]
    return features


def _kinds(low: str, known: Knowledge) -> list[str]:
    """Lists that hold the word."""
    kinds = []
    place = known.place(low)
    if place is not None:
        kinds.append(f"{place.kind}{step(place.population, 5e3, 2e4, 1e5, 1e6)}")
    if known.begins_place(low) > 1:
        kinds.append("begins place")
    if known.full_names(low):
        kinds.append("nickname")
    for name, words in (
        ("title", TITLES),
        ("credential", CREDENTIALS),
        ("relation", RELATIONS),
        ("month", MONTHS),
        ("weekday", WEEKDAYS),
        ("state", _STATE_NAMES),
    ):
        if low in words:
            kinds.append(name)
    if low.upper() in STATES:
        kinds.append("ST")
    if low in _HEADS:
        kinds.append(_HEADS[low])
    if known.is_eponym(low):
        kinds.append("eponym")
    if known.is_medical(low):
        kinds.append("medical")
    return kinds or ["none"]


CLASSES = (
    "edge", "line", "stop", "comma", "colon", "open", "mark", "digit", "x", "X", "function",
    "lower", "lower name", "lower rare", "Function", "Common", "First", "Last", "Both", "Place",
    "Rare", "Head", "Title", "UP word", "UP name", "UP rare", "Mix", "credential", "relation",
    "medical",
)  # fmt: skip
_NUMBER = {name: number for number, name in enumerate(CLASSES)}


def word_class(token: str, known: Knowledge) -> int:
    """One coarse class per word, for features of two and three words in a row."""
    return _NUMBER[_class_name(token, known)]


def _class_name(token: str, known: Knowledge) -> str:
    first = token[0]
    if not first.isalpha():
        if first.isdigit():
            return "digit"
        return {"\n": "line", ".": "stop", "!": "stop", "?": "stop", ",": "comma", ":": "colon",
                "(": "open", '"': "open"}.get(first, "mark")  # fmt: skip
    low = plain(token)
    if low in CREDENTIALS and (token.isupper() or len(low) > 2) and known.word(low).zipf < 4.5:
        return "credential"
    if low in TITLES and len(low) < 6:
        return "Title"
    if low in RELATIONS:
        return "relation"
    if len(token) == 1:
        return "X" if first.isupper() else "x"
    word = known.word(low)
    name_like = max(word.first, word.surname / 2)
    if token.islower():
        if word.zipf >= 5.5:
            return "function"
        if known.is_medical(low):
            return "medical"
        if name_like >= 5 and word.zipf < 5:
            return "lower name"
        return "lower" if word.zipf >= 3 else "lower rare"
    if token.isupper():
        if name_like >= 5 and word.zipf < 5:
            return "UP name"
        return "UP word" if word.zipf >= 3 or known.is_medical(low) else "UP rare"
    if not token[1:].islower():
        return "Mix"
    if word.zipf >= 5.6:
        return "Function"
    if low in _HEADS:
        return "Head"
    if known.is_medical(low):
        return "medical"
    place = known.place(low)
    if place is not None and place.population > 50_000 and word.first < 50:
        return "Place"
    common = 10 ** (word.zipf - 4)
    is_first, is_last = word.first > max(2, common), word.surname > max(1, common)
    if is_first or is_last:
        return "Both" if is_first and is_last else "First" if is_first else "Last"
    return "Common" if word.zipf >= 3.2 else "Rare"
