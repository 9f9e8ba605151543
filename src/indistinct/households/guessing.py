"""Guessing the columns of households from roles, names and value labels."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import InputError, Value, Variable, Variables
from indistinct.files import Source
from indistinct.households.codes import HouseholdColumns

__all__ = ["guess_household", "named_household", "numbers_households"]

_NUMBERS = (
    "household id, household number, household serial, hid, hhid, hh id, id hh, hhnr, hhnum, "
    "serialno, family id, family number, dwelling id, id hogar, numero hogar, id menage, "
    "numero menage, haushaltsnummer, haushalt id, haushaltsnr, haushaltsid, hh nr, "
    "nummer des haushalts, num menage, nummenage, identifiant menage, identifiant du menage, "
    "numero du menage, identificador hogar, identificador del hogar, id del hogar, "
    "numero de hogar, numero del hogar, codigo del hogar, codice famiglia, codice della famiglia, "
    "numero famiglia, id famiglia, identificativo famiglia, identificativo della famiglia, "
    "huishoudnummer, huishouden id, huishoudid, nummer huishouden, nummer van het huishouden, "
    "id domicilio, identificador do domicilio, identificador domicilio, codigo do domicilio, "
    "numero do domicilio, id familia, identificador da familia, id agregado, "
    "numero do agregado, identificador do agregado, agregado id"
)
"""What a column is called that numbers households, whatever other words it has."""

# Names, each of one or several words; a name of the file may have neutral words beside them.
_NAMES = {
    "household": "household, hogar, menage, haushalt, serial, " + _NUMBERS,
    "relationship": "relationship, relate, related, relation, relat, rel, relp, relshipp, "
    "relationship head, relation head, parentesco, lien parente, verwandtschaft",
    "sex": "sex, gender, sexo, sexe, geschlecht",
    "age": "age, agep, edad, alter",
    "marital": "marital, marst, ms, civil, mar, estado civil, etat civil, familienstand",
    "person": "pernum, line, person, line number, person number, person id, sporder",
    "spouse_pointer": "sploc, spouse pointer, spouse line, spouse number, spouse person, partner "
    "pointer, partner line",
    "mother_pointer": "momloc, mother pointer, mother line, mother number, mother person",
    "father_pointer": "poploc, father pointer, father line, father number, father person",
}
_PEOPLE = frozenset({"person", "persons", "member", "members", "people"})
_NEUTRAL = frozenset(
    {"a", "the", "of", "to", "in", "within", "head", "household", "reference", "person", "persons"}
    | {"code", "status", "years", "year", "single", "completed", "id", "no", "nr", "number"}
    | {"location"}
)

# In order: the first that fits a label is taken.
_KIN_WORDS: tuple[tuple[str, str], ...] = (
    (
        "",
        r"\b(other|non-?relatives?|not related|unrelated|foster|ex|former|great|otr[oa]s?|autres?)"
        r"\b",
    ),
    ("", r"servant|employee|lodger|boarder|roomer|institution|group quarters|visitor|missing"),
    ("grandchild", r"grand-?(child|son|daughter)|\bniet[oa]|petits?[ -](enfant|fil)|\benkel"),
    ("", r"grand|\babuel[oa]|\bniece|\bnephew|cousin|\buncle|\baunt|great"),
    ("parent", r"parents? (or|and|/) ?(parents?|step)"),
    ("parent_in_law", r"(parent|mother|father)s?[ -]in[ -]laws?|\bsuegr[oa]|beaux?-parent"),
    ("", r"(sibling|brother|sister)s?[ -]in[ -]law|\bcunad[oa]"),
    (
        "child_in_law",
        r"(child|children|son|daughter)s?[ -]in[ -]laws?|\byerno|\bnuera|\bgendre"
        r"|\b(spouse|wife|husband|partner) of (the |a )?(child|son|daughter)|(belle|beau)-fil",
    ),
    (
        "child",
        r"\b(step|adopted |biological )?-?(child|children|son|sons|daughter|daughters)\b"
        r"|\bstep(child|son|daughter)|\bhij[oa]|\benfant|\bfils\b|\bfille\b|\bkind\b|\bkinder\b",
    ),
    (
        "spouse",
        r"spouse|husband|\bwife|partner|consort|cohabit|\bconyuge|\bespos[oa]|\bpareja"
        r"|companer[oa]|conjoint|epou(x|se)|ehe(gatt|partner|frau|mann)",
    ),
    ("parent", r"\b(step)?-?(parent|mother|father)s?\b|\bpadres?\b|\bmadre\b|\beltern"),
    ("sibling", r"\bsiblings?\b|\bbrothers?\b|\bsisters?\b|\bherman[oa]|\bfrere|\bsoeur"),
    (
        "head",
        r"^(the )?(household(er)?\b|heads?\b|reference person|self\b|person 1\b|jef[ea]\b"
        r"|chef\b|haushaltsvorstand|bezugsperson|main person)",
    ),
)
_SEX_WORDS = (
    ("female", r"^(f|w|female|woman|women|girl|mujer|femenino|femme|feminin|weiblich|frau)$"),
    ("male", r"^(m|h|male|man|men|boy|hombre|masculino|homme|masculin|mannlich|mann|varon)$"),
)
_MARITAL_WORDS = (
    ("never_married", r"never|\bsingle|unmarried|not married|solter[oa]|celibataire|\bledig"),
    (
        "formerly_married",
        r"widow|divorc|separat|viud[oa]|veuf|veuve|verwitwet|geschieden|getrennt"
        r"|dissolved|surviving",
    ),
    (
        "married",
        r"married|union|cohabit|civil partner|registered partner|casad[oa]|unid[oa]\b"
        r"|marie|verheiratet|living together",
    ),
)

# Codes of well-known files, by the name of the variable, where the file has no labels.
_KNOWN: Mapping[str, Mapping[str, tuple[int, ...]]] = {
    "p02_rel": {"head": (1,), "spouse": (2,), "child": (3,), "parent": (4,)},
    "relp": {
        "head": (0,), "spouse": (1, 13), "child": (2, 3, 4), "sibling": (5,), "parent": (6,),
        "grandchild": (7,), "parent_in_law": (8,), "child_in_law": (9,),
    },
    "relshipp": {
        "head": (20,), "spouse": (21, 22, 23, 24), "child": (25, 26, 27), "sibling": (28,),
        "parent": (29,), "grandchild": (30,), "parent_in_law": (31,), "child_in_law": (32,),
    },
    "p05_ms": {"married": (1,), "formerly_married": (2, 3, 4), "never_married": (5,)},
}  # fmt: skip
_USUAL_KIN = {"head": (1,), "spouse": (2,), "child": (3,)}
_USUAL_SEX = {"male": (1,), "female": (2,)}


def guess_household(source: Source, **settings: Any) -> HouseholdColumns:
    """Guess which columns speak of households and what their codes mean.

    Columns come from the roles *household* and *relationship*, then from names, then from the
    long names of variables. What codes mean is read from value labels, or from the values
    themselves where they are words. Unlabelled numbers are taken as 1 head, 2 spouse, 3 child and
    1 male, 2 female, and that is noted. `settings` are not guessed.

    >>> from indistinct import open_data
    >>> people = {"SERIAL": [1, 1], "RELATE": ["Head", "Partner"], "SEX": [1, 2], "AGE": [40, 38]}
    >>> with open_data(people) as data:
    ...     guess_household(data.source)
    Households by 'SERIAL'
      relationship   'RELATE': head Head; spouse Partner
      sex            'SEX': male 1; female 2
      age            'AGE'
      note: the codes 1 and 2 of 'SEX' were taken as male and female
    """
    found = _columns(source.variables, settings)
    if "household" not in found:
        raise InputError(
            f"{source.origin}: which variable numbers the households is not known. Give it the "
            'role "household", or name it in [household] household.'
        )
    if "relationship" not in found and "spouse_pointer" not in found:
        raise InputError(
            f"{source.origin}: which variable holds the relationship to the head is not known. "
            'Give it the role "relationship", or name it in [household] relationship.'
        )
    source.check_columns([name for part, name in found.items() if part in _NAMES])
    notes: list[str] = []
    for column, words, usual in (
        ("relationship", _KIN_WORDS, _USUAL_KIN),
        ("sex", _SEX_WORDS, _USUAL_SEX),
        ("marital", _MARITAL_WORDS, {}),
    ):
        kinds = [kind for kind, _ in words if kind]
        if column in found and not any(kind in found for kind in kinds):
            found |= _codes(source, found[column], words, usual, notes)
    _check_found(source, found)
    return HouseholdColumns(**found, notes=tuple(notes))


def named_household(variables: Variables) -> str | None:
    """Return the column whose name says that it numbers households."""
    found = [variable for variable in variables.values() if numbers_households(variable.name)]
    plain = _named(found, _NAMES["household"], lambda v: v.name)
    return plain or next((variable.name for variable in found), None)


def numbers_households(name: str) -> bool:
    """Say whether a name says that a column numbers households.

    >>> [numbers_households(name) for name in ("ori_hid", "household_income", "hh_person_id")]
    [True, False, False]
    """
    words = _words(name)
    if not words or not _PEOPLE.isdisjoint(words):
        return False
    if _named([Variable(name)], _NAMES["household"], lambda v: v.name) is not None:
        return True
    return any(
        words[at : at + len(phrase)] == phrase
        for phrase in (tuple(phrase.split()) for phrase in _NUMBERS.split(", "))
        for at in range(len(words))
    )


def _columns(variables: Variables, settings: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {n: v for n, v in settings.items() if v is not None}
    for role in ("household", "relationship"):
        named = variables.names(role=role)
        if role not in found and named:
            found[role] = named[0]
    for part, phrases in _NAMES.items():
        if part in found:
            continue
        free = [v for v in variables.values() if v.name not in found.values()]
        name = _named(free, phrases, lambda v: v.name) or _named(free, phrases, lambda v: v.label)
        if name is not None:
            found[part] = name
    return found


def _named(variables: Iterable[Variable], phrases: str, said: Any) -> str | None:
    """Return the variable that is named so with the fewest words beside it."""
    best: tuple[int, str] | None = None
    wanted = [tuple(phrase.split()) for phrase in phrases.split(", ")]
    for variable in variables:
        words = _words(said(variable))
        for phrase in wanted:
            size = len(phrase)
            for at in range(len(words) - size + 1):
                rest = words[:at] + words[at + size :]
                fits = words[at : at + size] == phrase and all(map(_is_neutral, rest))
                if fits and (best is None or len(rest) < best[0]):
                    best = (len(rest), variable.name)
    return best[1] if best else None


def _is_neutral(word: str) -> bool:
    return word in _NEUTRAL or bool(re.fullmatch(r"[a-z]{0,2}\d+[a-z]?", word))


def _plain(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    return "".join(c for c in parts if not unicodedata.combining(c)).lower().strip()


def _words(name: str) -> tuple[str, ...]:
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)
    return tuple(re.findall(r"[a-z0-9]+", _plain(parted)))


def _codes(
    source: Source,
    name: str,
    words: tuple[tuple[str, str], ...],
    usual: Mapping[str, tuple[int, ...]],
    notes: list[str],
) -> dict[str, tuple[Value, ...]]:
    labels: Mapping[Any, str] = source.variables[name].labels or _texts(source, name)
    found: dict[str, list[Value]] = {}
    for value, label in labels.items():
        kind = next((k for k, pattern in words if re.search(pattern, _plain(label))), "")
        if kind:
            found.setdefault(kind, []).append(value)
    if found:
        return {kind: tuple(values) for kind, values in found.items()}
    known = _KNOWN.get(name.lower())
    if known is not None:
        return dict(known)
    if usual:
        codes = " and ".join(str(code) for values in usual.values() for code in values)
        notes.append(
            f"the codes {codes.replace(' and ', ', ', len(usual) - 2)} of '{name}' were taken as "
            f"{' and '.join(usual).replace(' and ', ', ', len(usual) - 2)}"
        )
    return dict(usual)


def _texts(source: Source, name: str) -> dict[str, str]:
    """Return the words that occur in a column of text, each as its own label."""
    if not pa.types.is_string(source.schema.field(name).type):
        return {}
    distinct = {t for batch in source.batches([name]) for t in pc.unique(batch[0]).to_pylist()}
    texts = sorted(text for text in distinct if text is not None)
    return {text: text for text in texts if not text.strip().lstrip("-").isdigit()}


def _check_found(source: Source, found: Mapping[str, Any]) -> None:
    if "relationship" in found and not found.get("head"):
        raise InputError(
            f"{source.origin}: which code of '{found['relationship']}' means the head of the "
            "household is not known. Give the codes in [household], as head = [1]."
        )
