"""Guessing what each variable is for, from its name and its content, and saying why.

The reasons tell counts and forms, never a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from indistinct.core import Level, Role, Variable
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.naming.amounts import with_amounts
from indistinct.naming.births import born_on
from indistinct.naming.categories import concept_of_categories
from indistinct.naming.concepts import (
    POSITION,
    Concept,
    asks_opinion,
    concept_of,
    concept_of_label,
    concept_of_part,
    concepts_in,
    covers,
    is_numbered,
    may_be_a_kind,
    says_amount,
    words_of,
)
from indistinct.naming.content import SAMPLE, Content, hold_names, look_at
from indistinct.naming.contradictions import contradiction
from indistinct.naming.dependence import Together
from indistinct.naming.forms import formed_like

__all__ = [
    "DECLARED",
    "FEW_RECORDS",
    "MOST_OF_A_KIND",
    "Certainty",
    "Guess",
    "guess_roles",
    "guess_variables",
    "points_to_people",
    "spelt_out",
]


DECLARED = "the data file says so"

_FEW = 12
"""Numbers with at most so many different values are more often codes than amounts."""

FEW_RECORDS = 5
"""Records per value up to which an id of unknown things may be that of people."""

MOST_OF_A_KIND = 20
"""The same for what may be a person's number by its name, or a kind of something."""

_HOUSEHOLD = (1.2, 15.0)
"""Records per value between which a number may be that of a household."""

_LARGEST = 60
"""Kinds of relatives, at most."""


_MOSTLY, _PARTLY = 0.5, 0.3
"""The share of the words of a label from which it says what its variable is, and from which it
may; a smaller one only speaks of it among other things."""

_NOTHING_SAID = "neither name nor content says more: key, if an intruder could know it"

_SHORT = 4
"""Letters of the words of a name that may be short for several things; a label decides."""

Certainty = Literal["sure", "likely", "unsure"]
"""How certain a guess is. `unsure` is what a person is asked for."""

_QUESTIONS: Mapping[Role, str] = {
    "identifier": 'does it name a person, or number people? If not: role = "other"',
    "key": 'could somebody outside know it? If not: role = "other"',
    "sensitive": 'is it what somebody would be after? If it can be known: role = "key"',
    "weight": 'is it the sampling weight? If not: role = "other"',
    "household": 'does it number households? If it numbers people: role = "identifier"',
    "relationship": 'is it the relationship to the head of the household? If not: role = "other"',
    "other": 'could somebody outside know it? Then role = "key"; does it name or number people?'
    ' Then role = "identifier"',
}
"""What is asked of a guess that is not sure."""


@dataclass(frozen=True)
class Guess:
    """What a variable may be for, why it is thought so, and how certain that is."""

    name: str
    role: Role
    level: Level
    reason: str
    label: str = ""
    missing: tuple[str, ...] = ()
    hierarchy: Mapping[str, Any] = field(default_factory=dict)
    certainty: Certainty = "likely"

    @property
    def question(self) -> str:
        """What a person should answer; nothing where the guess is likely enough."""
        return _QUESTIONS[self.role] if self.certainty == "unsure" else ""


@dataclass(frozen=True)
class _Said:
    """What a variable is said to be about, where that is said, and how certain it is.

    `against` tells what was said and cannot be, or is spoken of among other things.
    """

    concept: Concept | None = None
    where: str = ""
    certainty: Certainty = "unsure"
    against: str = ""


def guess_variables(engine: Engine, source: Source) -> tuple[Guess, ...]:
    """Guess role and level of every variable, in file order.

    What the data file itself says of a role is kept. One variable at most becomes the weight,
    the household and the relationship: the likeliest, and of equals the first.

    >>> import indistinct
    >>> people = {"v1": ["Frau", "Mann"] * 20, "q9": range(40), "Arrival Time": ["08:15"] * 40}
    >>> with indistinct.open_data(people) as data:
    ...     for guess in guess_variables(data.engine, data.source):
    ...         print(guess.name, guess.role, guess.certainty, guess.reason, sep="; ")
    v1; key; likely; categories say sex; 2 categories
    q9; identifier; likely; unique in every record: it points to one person
    Arrival Time; other; sure; name says the time of the survey; one value
    """
    contents = with_amounts(source, look_at(engine, source))
    said = _listen_to_all(source, contents)
    guesses = _guess_roles(source, contents, said)
    _look_alike(guesses, contents)
    _go_together(guesses, contents, source)
    return tuple(
        _with_level(guess, content, one, engine, source)
        for guess, content, one in zip(guesses, contents, said, strict=True)
    )


def guess_roles(source: Source, contents: Sequence[Content]) -> list[Guess]:
    """Guess the roles alone, of columns that were looked at."""
    return _guess_roles(source, contents, _listen_to_all(source, contents))


def _guess_roles(source: Source, contents: Sequence[Content], said: Sequence[_Said]) -> list[Guess]:
    guesses = [
        _guess_role(source.variables[content.facts.name], content, one)
        for content, one in zip(contents, said, strict=True)
    ]
    _choose_weight(guesses)
    _choose_household(guesses)
    _choose_relationship(guesses)
    return guesses


def _guess_role(variable: Variable, content: Content, said: _Said) -> Guess:
    role, reason, certainty = _role(content, said, variable.label)
    if not _says_enough(said.concept) and hold_names(list(variable.labels.values())):
        role, reason, certainty = "identifier", "its labels are names of people", "likely"
    if said.where != "name" and reason.startswith("name says"):
        reason = reason.replace("name says", said.where, 1)
    if said.against and certainty != "sure":
        reason = f"{said.against}; {reason}"
    if variable.role != "other":
        role, reason, certainty = variable.role, DECLARED, "sure"
    return Guess(variable.name, role, variable.level, reason, variable.label, certainty=certainty)


def _listen_to_all(source: Source, contents: Sequence[Content]) -> list[_Said]:
    return [_listen(source.variables[content.facts.name], content) for content in contents]


def _listen(variable: Variable, content: Content) -> _Said:
    """Return what a variable speaks of: by its name, its label, its categories, part of its name.

    What the content contradicts is not believed, and told. What is only touched on in a label is
    not believed, either, and told where nothing else is known.
    """
    against = ""
    labelled = _has_categories(variable, content)
    for concept, where, certainty in _sayings(variable, content):
        if (held := contradiction(concept, content, labelled=labelled)) is None:
            certain: Certainty = "likely" if against and certainty == "sure" else certainty
            return _Said(concept, where, certain, against)
        against = against or f"{where} {concept.about}, but holds {held}"
    if not against and asks_opinion(variable.label):
        return _Said(certainty="likely", against="label asks what somebody thinks")
    spoken, share = concept_of_label(variable.label)
    if spoken is not None and not against and share < _PARTLY:
        against = f"label speaks of {spoken.about} among other things"
    return _Said(against=against)


def _has_categories(variable: Variable, content: Content) -> bool:
    """Say whether values are codes of categories by their labels, not of people by their names."""
    if not variable.labels or not variable.labels_most(content.sample.unique().to_pylist()):
        return False
    return not hold_names(list(variable.labels.values()))


def _sayings(variable: Variable, content: Content) -> Iterator[tuple[Concept, str, Certainty]]:
    """Give what is said of a variable, what is believed most first."""
    named = concept_of(variable.name)
    spoken, share = concept_of_label(variable.label)
    if spoken is not None and spoken.role != "sensitive" and asks_opinion(variable.label):
        spoken = None
    names: list[tuple[Concept, str, Certainty]] = []
    labels: list[tuple[Concept, str, Certainty]] = []
    if spoken is not None and share >= _PARTLY:
        labels.append((spoken, "label says", "likely" if share >= _MOSTLY else "unsure"))
    if named is not None:
        clear = covers(variable.name) >= _MOSTLY or (bool(labels) and spoken is named)
        names.append((named, "name says", "sure" if clear else "likely"))
    # MS may be short for many things, of which a label tells the one
    short = all(len(word) <= _SHORT for word in words_of(variable.name))
    if short and share >= _MOSTLY and spoken is not named:
        yield from labels + names
    else:
        yield from names + labels
    labelled = (variable.labels or {}).values()
    texts = labelled or (content.texts if content.is_text and not content.singles_out else ())
    if (told := concept_of_categories(texts)) is not None:
        yield told, "categories say", "likely"
    for text, where in ((variable.name, "name"), (variable.label, "label")):
        if (part := concept_of_part(text)) is not None and not asks_opinion(text):
            yield part, f"part of the {where} says", "unsure"
    if names or labels:
        for text, where in ((variable.name, "name"), (variable.label, "label")):
            for further in concepts_in(text)[1:]:
                yield further, f"{where} may say", "unsure"


def _with_level(
    guess: Guess, content: Content, said: _Said, engine: Engine, source: Source
) -> Guess:
    variable = source.variables[guess.name]
    level, missing = _level(variable, content, said.concept, guess.role, engine, source)
    hierarchy = _hierarchy(content, said.concept, level) if guess.role == "key" else {}
    return replace(guess, level=level, missing=missing, hierarchy=hierarchy)


def _role(content: Content, said: _Said, label: str) -> tuple[Role, str, Certainty]:
    facts, concept = content.facts, said.concept
    if not facts.distinct:
        return "other", "no values", "sure"
    if content.contact:
        return "identifier", f"holds {content.contact}", "sure"
    if (birth := born_on(content, label)) is not None and not _known_as_key(concept):
        return "key", birth, "likely"
    if not _says_enough(concept) and content.persons:
        return "identifier", f"holds {content.persons}", "likely"
    if concept is not None:
        role, reason = _role_by_name(content, concept)
        changed = role != concept.role and ", but " in reason
        certainty: Certainty = "unsure" if changed and role != "identifier" else said.certainty
        return role, reason, certainty
    role, reason, certainty = _role_by_content(content, label)
    return role, reason, said.certainty if role == "other" and certainty == "unsure" else certainty


def _role_by_content(content: Content, label: str) -> tuple[Role, str, Certainty]:
    """Guess the role of what neither name nor label nor categories tell."""
    facts = content.facts
    if content.has_medical_codes:
        return "sensitive", "codes like those of diagnoses (ICD)", "likely"
    if content.is_free_text:
        reason = "free text, which may name people: scrub it before it is released"
        return "identifier", reason, "likely"
    if (pointing := points_to_people(content, label)) is not None:
        return "identifier", pointing, "likely"
    shared = f"{content.records_per_value:,.1f} records per value"
    if is_numbered(facts.name) and content.records_per_value <= FEW_RECORDS:
        return "identifier", f"name of an id, {shared}", "likely"
    if _like_household(content):
        return "household", f"repeats in runs, {shared}", "unsure"
    if facts.distinct == 1 and not facts.missing:
        return "other", "the same in every record", "sure"
    return "other", f"{_values(content)}; {_NOTHING_SAID}", "unsure"


def _known_as_key(concept: Concept | None) -> bool:
    return concept is not None and concept.about == "the date of birth"


def _says_enough(concept: Concept | None) -> bool:
    """Say whether a name is believed whatever stands in the cells: counties are named like people.

    The mother of a household's child is counted, numbered, or called by her name.
    """
    if concept is None or concept.about == "the make-up of the household":
        return False
    return concept.role in ("identifier", "key")


def _role_by_name(content: Content, concept: Concept) -> tuple[Role, str]:
    name = f"name says {concept.about}"
    if concept.role == "weight":
        if content.is_positive:
            parts = "with fractions" if content.has_fractions else "whole numbers"
            return "weight", f"name looks like {concept.about}; positive, {parts}"
        if content.is_number:
            return "other", f"name looks like {concept.about}, but some are missing or not positive"
        return "other", f"name looks like {concept.about}, but holds text"
    if concept.role == "household":
        if content.nearly_unique:
            return "identifier", f"{name}, but {unique_words(content)}"
        if content.records_per_value < 50 and not content.has_fractions:
            return "household", f"{name}; {content.records_per_value:.1f} records per value"
        return "other", f"{name}, but {content.records_per_value:,.0f} records share a value"
    if concept.role == "identifier":
        if content.facts.distinct <= 2 and content.present >= 20 and "name" not in concept.about:
            return "other", f"{name}, but {_values(content)}"
        if may_be_a_kind(content.facts.name) and content.records_per_value > MOST_OF_A_KIND:
            shared = f"{content.records_per_value:,.0f} records share a value"
            return "other", f"{name}, but {shared}"
        return "identifier", name
    if concept.about == POSITION and content.records_per_value < FEW_RECORDS:
        return "identifier", f"{name}, but {_values(content)} are too many"
    if concept.role == "relationship" and content.facts.distinct > _LARGEST:
        return "other", f"{name}, but {_values(content)} are too many"
    measured = concept.level == "numeric"
    if concept.role == "key" and not measured and content.nearly_unique and is_given_out(content):
        return "identifier", f"{name}, but {unique_words(content)}"
    return concept.role, f"{name}; {_values(content)}"


def spelt_out(content: Content) -> str | None:
    """Say why cells name people whatever the column is for; None for amounts and for kinds."""
    if content.contact:
        return f"holds {content.contact}"
    if content.persons:
        return f"holds {content.persons}"
    amount = content.looks_numeric or content.tells_times
    if content.is_text and content.singles_out and not amount:
        return f"texts, {unique_words(content)}: each points to one person"
    return _drawn_at_random(content)


def _drawn_at_random(content: Content) -> str | None:
    if content.is_drawn_at_random and content.records_per_value <= FEW_RECORDS:
        return f"codes drawn at random, {content.records_per_value:.1f} records per value"
    return None


def points_to_people(content: Content, label: str = "") -> str | None:
    """Say why values point to one person each, or to few; None for amounts and for what repeats.

    A time of a day is no amount: who came when is known to whoever stood there.
    """
    if (drawn := _drawn_at_random(content)) is not None:
        return drawn
    if not content.singles_out:
        return None
    if is_given_out(content, label):
        return f"{unique_words(content)}: it points to one person"
    if content.tells_times:
        return f"times, {unique_words(content)}: each points to one person"
    if content.follows_records and not says_amount(content.facts.name, label):
        return "numbers that follow the order of the records"
    return None


def is_given_out(content: Content, label: str = "") -> bool:
    """Say whether values are names or numbers of something, not amounts or dates."""
    if content.holds_dates or content.measured:
        return False
    if content.looks_numeric:
        return content.is_whole and not says_amount(content.facts.name, label)
    return content.is_text


def _like_household(content: Content) -> bool:
    low, high = _HOUSEHOLD
    return (
        low <= content.records_per_value <= high
        and content.facts.distinct >= 20
        and not content.facts.missing
        and (content.is_integer or content.code_length > 0)
        and content.comes_in_runs
    )


def _values(content: Content) -> str:
    distinct = content.facts.distinct
    if content.has_dates:
        return "dates"
    if content.has_other_dates:
        return "dates, but not as ISO writes them (1965-03-12)"
    if distinct == 1:
        return "one value"
    what = "different numbers" if content.looks_numeric and distinct > _FEW else "categories"
    return f"{distinct:,} {what}"


def unique_words(content: Content) -> str:
    """Say of a column that singles people out how nearly it does."""
    if content.people is not None:
        return "another for nearly every person"
    everywhere = content.facts.distinct == content.present
    return "unique in every record" if everywhere else "unique in nearly every record"


def _level(
    variable: Variable,
    content: Content,
    concept: Concept | None,
    role: Role,
    engine: Engine,
    source: Source,
) -> tuple[Level, tuple[str, ...]]:
    """Return the level, and the codes that stand among numbers for *no number*."""
    if variable.level in ("ordinal", "taxonomy"):
        return variable.level, ()
    if role in ("identifier", "household", "relationship"):
        return "nominal", ()
    if content.has_dates:
        return "date", ()
    if role == "weight":
        return "numeric", ()
    if content.has_fractions:
        return "numeric", ()
    wanted = concept.level if concept is not None else None
    if wanted == "taxonomy" and concept is not None:
        return ("taxonomy" if content.code_length >= _tree(concept) else "nominal"), ()
    if content.has_medical_codes:
        return "taxonomy", ()
    many = content.facts.distinct > _FEW
    if wanted in ("numeric", "ordinal") or (wanted is None and content.is_number and many):
        markers = content.markers(engine, source)
        if markers is not None and many and wanted != "ordinal":
            return "numeric", markers
        return ("ordinal" if markers is not None else "nominal"), ()
    return "nominal", ()


def _tree(concept: Concept) -> int:
    """Return from which length on codes are likely to form a tree: 01 to 15 may just count."""
    return 5 if concept.about in ("a place", "country of birth or nationality") else 2


def _hierarchy(content: Content, concept: Concept | None, level: Level) -> dict[str, Any]:
    """Return a hierarchy worth proposing."""
    if level == "date":
        return {"kind": "dates", "levels": ["month", "year", "5 years", "10 years"]}
    if level == "numeric" and concept is not None and concept.about == "age":
        return {"kind": "intervals", "widths": [5, 10, 20], "top": 85}
    if level == "taxonomy" and content.code_length > 1:
        return {"kind": "codes", "keep": list(range(content.code_length - 1, 0, -1))}
    return {}


def _look_alike(guesses: list[Guess], contents: Sequence[Content]) -> None:
    """Ask for what values look like, where nothing else is known."""
    for position, (guess, content) in enumerate(zip(guesses, contents, strict=True)):
        if guess.role != "other" or _NOTHING_SAID not in guess.reason:
            continue
        if (formed := formed_like(content)) is not None:
            reason = guess.reason.replace(_NOTHING_SAID, formed.reason)
            guesses[position] = replace(guess, role=formed.role, reason=reason)


def _go_together(guesses: list[Guess], contents: Sequence[Content], source: Source) -> None:
    """Make guesses better by what goes with what.

    Who is counted within runs of a number lives in a household of that number; what is the same
    for every value of a key variable tells of that variable, and is protected as it is.
    """
    together = Together(source.first(SAMPLE), contents)
    where = {guess.name: position for position, guess in enumerate(guesses)}
    counted = together.counted_within()
    household = next((guess.name for guess in guesses if guess.role == "household"), None)
    if counted is not None and household in (None, counted[0]):
        household, line = counted
        at = guesses[where[household]]
        reason = f"{at.reason}; {line} counts from 1 within each"
        if at.reason != DECLARED and at.role in ("other", "household", "identifier"):
            guesses[where[household]] = replace(
                at, role="household", reason=reason, certainty="likely"
            )
        within = guesses[where[line]]
        if within.role == "other" and within.certainty != "sure":
            guesses[where[line]] = replace(
                within, reason=f"counts from 1 within each {household}", certainty="likely"
            )
    if household is not None:
        _weigh_households(guesses, contents, together, household)
    known = [guess.name for guess in guesses if guess.role in ("key", "sensitive")]
    for position, guess in enumerate(guesses):
        if guess.role != "other" or guess.certainty != "unsure":
            continue
        if (told := together.told_by(guess.name, known)) is not None:
            role = guesses[where[told]].role
            guesses[position] = replace(
                guess, role=role, reason=f"{told} tells it: each of its values has one of these"
            )


def _weigh_households(
    guesses: list[Guess], contents: Sequence[Content], together: Together, household: str
) -> None:
    """Ask whether numbers that are the same within each household are weights."""
    if any(guess.role == "weight" for guess in guesses):
        return
    for position, (guess, content) in enumerate(zip(guesses, contents, strict=True)):
        if guess.certainty != "unsure" or not (content.is_positive and content.has_fractions):
            continue
        if together.same_within(guess.name, household):
            reason = f"positive, with fractions, and the same within each {household}: a weight?"
            guesses[position] = replace(guess, reason=reason)


def _only(guesses: list[Guess], role: Role, ranked: Sequence[int], what: str) -> None:
    """Leave a role to the first of some positions; say of the others that they are second."""
    for position in ranked[1:]:
        guess = guesses[position]
        other: Role = "identifier" if role == "household" else "other"
        guesses[position] = replace(
            guess,
            role=other,
            reason=f"{guess.reason}; but another variable is {what}",
            certainty="likely",
        )


def _choose_weight(guesses: list[Guess]) -> None:
    names = [words_of(guess.name) for guess in guesses]
    body = any("height" in words for words in names)

    def rank(position: int) -> int:
        words = {*names[position], "".join(names[position])}
        if words & {"household", "hhwt", "wgtp", "hogar", "menage", "haushalt"}:
            return 2
        return 1 if words <= {"weight", "wt", "w", "wgt", "weights"} else 0

    found = [i for i, guess in enumerate(guesses) if guess.role == "weight"]
    for position in list(found):
        if body and rank(position) == 1 and guesses[position].reason != DECLARED:
            guesses[position] = replace(
                guesses[position],
                role="other",
                reason="there is a height too: more likely the weight of a body",
                certainty="unsure",
            )
            found.remove(position)
    _only(guesses, "weight", sorted(found, key=rank), "the likelier weight")


def _choose_household(guesses: list[Guess]) -> None:
    found = [i for i, guess in enumerate(guesses) if guess.role == "household"]
    named = sorted(
        found, key=lambda i: (guesses[i].reason != DECLARED, concept_of(guesses[i].name) is None)
    )
    _only(guesses, "household", named, "the likelier number of the household")


def _choose_relationship(guesses: list[Guess]) -> None:
    found = [i for i, guess in enumerate(guesses) if guess.role == "relationship"]
    _only(guesses, "relationship", found, "the relationship")
