"""What the names and labels of variables mean: a small dictionary, and how it is looked up.

English words and names of well-known files (the United States' ACS, IPUMS, sdcMicro's test data,
Popstan) stand here, those of six more languages in `languages`. Accents and capitals are taken
away before comparing. A word is known as a word of its own, never inside another: an *arrival* is
no *rival*, and a *stage* no *age*. A header of words that are written together (*TOTREVENUE*) may
be taken apart, if it is no word itself; what is found so is never sure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product

from indistinct.core import Level, Role
from indistinct.households import numbers_households
from indistinct.knowledge import knowledge
from indistinct.naming.languages import ALONE, ATTITUDES, FILLING, JOINING, PHRASES

__all__ = [
    "CONCEPTS",
    "NUMBER_OF_A_PERSON",
    "POSITION",
    "Concept",
    "asks_opinion",
    "concept_of",
    "concept_of_label",
    "concept_of_part",
    "concepts_in",
    "covers",
    "is_numbered",
    "may_be_a_kind",
    "says_amount",
    "words_of",
]


@dataclass(frozen=True)
class Concept:
    """What a variable may be about.

    Parameters
    ----------
    about
        For people: the name *says* or *looks like* this.
    role
        The role that such a variable has if its content agrees.
    level
        Its level if its content agrees.
    words
        Names, or parts of names, of one or several words.
    alone
        Names that mean this only when there is no other word.
    """

    about: str
    role: Role
    level: Level
    words: frozenset[tuple[str, ...]]
    alone: frozenset[str] = frozenset()


def _concept(about: str, role: Role, level: Level, words: str, alone: str = "") -> Concept:
    told = f"{words}, {PHRASES.get(about, '')}".split(",")
    phrases = frozenset(tuple(phrase.split()) for phrase in told if phrase.strip())
    only = frozenset(f"{alone} {ALONE.get(about, '')}".split())
    return Concept(about, role, level, phrases, only)


A_NAME, AGE = "a person's name", "age"
NUMBER_OF_A_PERSON = "a number of a person"
POSITION = "a position in the household"

_WHOSE = frozenset(
    "person patient client customer member employee worker staff student pupil subject participant"
    " respondent case donor simulant citizen taxpayer individual resident insured beneficiary"
    " inmate enrollee panelist voter applicant claimant borrower cardholder subscriber"
    " patienten personen personal fall kunden mitglieds mitarbeiter schuler probanden versicherten"
    " proband klient klienten bewohner studenten"
    " teilnehmer matrikel akten paciente persona cliente empleado alumno caso expediente historia"
    " personne dossier salarie eleve etudiant cas assure adherent beneficiaire"
    " deelnemer persoon klant leerling medewerker verzekerde paziente intervistato dipendente"
    " assistito iscritto pessoa utente inquirido aluno trabalhador segurado".split()
)
_NUMBER = frozenset(
    "id ids identifier nr no num number nummer numero key code hash token pseudonym pseudo".split()
)
_EVENTS = ("visit", "admission", "encounter", "stay", "sample", "specimen", "event", "episode")
_PLAIN = frozenset("id ids identifier hash token pseudonym".split())
"""What numbers somebody wherever a name ends in it: *patient_study_id*."""

_LINES = frozenset(
    (whose, number)
    for whose in ("person", "persona", "member", "individual", "resident")
    for number in ("number", "num", "numero", "no", "nr")
)
"""What a census calls the place of a person within the household."""


def _numbers_of_people() -> str:
    """Return *patient id*, *id patient*, *Fallnummer*, *numéro de dossier* and their like.

    *number patients* is not among them: it counts.
    """
    whose, numbers = sorted(_WHOSE), sorted(_NUMBER)
    named = [f"{one} {number}" for one, number in product(whose, numbers)]
    named = [name for name in named if tuple(name.split()) not in _LINES]
    named += [f"id {one}" for one in whose]
    named += [f"{number} de {one}" for number in ("numero", "num", "id") for one in whose]
    return ",".join(named)


NUMBER_OF_THE_HOUSEHOLD = Concept(
    "a number of the household", "household", "nominal", words=frozenset()
)
"""Known by the names that households know."""

CONCEPTS: tuple[Concept, ...] = (
    _concept(
        "a sampling weight",
        "weight",
        "numeric",
        "sampling weight, sample weight, person weight, survey weight, design weight, final weight,"
        "pwgtp, perwt, fnlwgt, wgtp, hhwt, wgt, wt, wgts, expansion factor, factor expansion, fexp,"
        "factor de expansion, ponderation, poids de sondage, gewichtung, hochrechnungsfaktor,"
        "household weight, weight, weighting, peso muestral",
        alone="w poids peso gewicht ponderador",
    ),
    _concept(
        "a body measure",
        "other",
        "numeric",
        "body weight, birth weight, weight kg, weight lbs, weight lb, height, waist, estatura,"
        "taille cm, korpergewicht, korpergrosse, blood pressure, systolic, diastolic, pulse,"
        "heart rate, cholesterol, glucose, temperature, weight g, weight grams, gewicht kg",
    ),
    _concept(
        "a measured amount",
        "other",
        "numeric",
        "amount, amounts, value eur, area m2, area in m2, area sqm, square metres,"
        "square meters, floor area,"
        "distance, length, width, volume, duration, minutes, seconds, days, population, employees,"
        "quantity, count, score, balance, percentage, percent, share, rate, betrag, menge, flache,"
        "dauer, entfernung, montant, duree, surface, superficie, distancia, monto, cantidad,"
        "importe, puntaje",
    ),
    _concept(
        "the relationship to the head",
        "relationship",
        "nominal",
        "relationship, relationship to head, relationship to reference person, relat, relate, rel,"
        "relp, relshipp, relation, relation to head, kinship, parentesco, relacion parentesco,"
        "lien parente, lien de parente, parente, verwandtschaft, stellung im haushalt",
    ),
    _concept(
        POSITION,
        "other",
        "ordinal",
        "line, line number, pernum, per num, number of person, numero persona,"
        + ",".join(" ".join(line) for line in sorted(_LINES)),
        alone="person hh",
    ),
    _concept(
        "a link to another person",
        "identifier",
        "nominal",
        "guardian, mother id, father id, spouse id, partner id, parent id, momloc, poploc, sploc",
    ),
    _concept(
        A_NAME,
        "identifier",
        "nominal",
        "first name, last name, given name, family name, middle name, middle initial, maiden name,"
        "full name, surname, forename, firstname, lastname, fname, lname, mname, initials,"
        "nombre, apellido, prenom,"
        "nom famille, nom de famille, vorname, nachname, familienname, geburtsname",
        alone="name nom nombres initial",
    ),
    _concept(
        "a way to reach a person",
        "identifier",
        "nominal",
        "email, e mail, mail, phone, telephone, tel, mobile, fax, url, ip address, correo,"
        "correo electronico, telefono, courriel, telefon, handy, handynummer",
    ),
    _concept(
        "an address",
        "identifier",
        "nominal",
        "address, street, street name, street number, house number, unit number, apartment, apt,"
        "building, building number, housing unit, dwelling number, hu, latitude, longitude, lat,"
        "lon, lng, gps, coordinates, coord x, coord y, x coord, y coord, xcoord, ycoord, easting,"
        "northing, geohash, direccion, calle, adresse, rue, strasse, hausnummer, anschrift",
    ),
    _concept(
        "a number of a visit or sample",
        "identifier",
        "nominal",
        ",".join(f"{event} {number}" for event, number in product(_EVENTS, sorted(_NUMBER))),
    ),
    _concept(
        NUMBER_OF_A_PERSON,
        "identifier",
        "nominal",
        "ssn, social security, social security number, identity, identity number, identity card,"
        "national id, passport, nhs number, mrn, medical record number, patient number, tax number,"
        "account number, iban, insurance number, licence number, license number, license plate,"
        "cpr, dni, nie, nif, curp, rut, cedula, numero securite sociale, nir,"
        "sozialversicherungsnummer, steuernummer, personalausweis, uuid, guid, record number,"
        "record id, id record, lfdnr, lfd nr, laufende nummer, aktenzeichen, identifiant,"
        "identificador, pseudonym, badge, payroll number, roll number, " + _numbers_of_people(),
        alone="id pid caseid patient pat paciente numero nummer matricule matricula folio"
        " participant respondent client klient proband subject pseudonyme nhs",
    ),
    _concept(
        "sex",
        "key",
        "nominal",
        "sex, gender, gender identity, sexo, genero, sexe, genre, geschlecht, isex",
    ),
    _concept(AGE, "key", "numeric", "age, agep, age years, age group, iage, edad, alter"),
    _concept(
        "the date of birth",
        "key",
        "date",
        "date of birth, dob, birth date, birthdate, birthday, fecha nacimiento,"
        "fecha de nacimiento, date naissance, date de naissance, geburtsdatum, geburtstag,"
        "data nascita, data di nascita, data de nascimento, geboortedatum, fecha nac, geb datum",
    ),
    _concept(
        "the year of birth",
        "key",
        "numeric",
        "birth year, year of birth, yob, birthyr, ano nacimiento, ano de nacimiento,"
        "annee naissance, annee de naissance, geburtsjahr",
    ),
    _concept("the month or day of birth", "key", "ordinal", ""),
    _concept(
        "marital status",
        "key",
        "nominal",
        "marital, marital status, civil status, civil, marst, mar, ms, msp, hhcivil,"
        "estado civil, etat civil, etat matrimonial, familienstand, zivilstand",
    ),
    _concept(
        "ethnic group or language",
        "key",
        "nominal",
        "ethnic, ethnicity, ethnic group, race, race ethnicity, irace, rac1p, hisp, hispan,"
        "hispanic, ihispanic, ancestry, tribe, language, mother tongue, etnia, raza, idioma,"
        "lengua, ethnie, langue, sprache, muttersprache",
    ),
    _concept(
        "religion", "key", "nominal", "religion, relig, faith, denomination, konfession, culte"
    ),
    _concept(
        "country of birth or nationality",
        "key",
        "taxonomy",
        "country, country of birth, birth country, native country, nationality, citizenship,"
        "citizen, birthplace, place of birth, region of birth, bpl, pob, birth, native,"
        "country of residence, immigration, pais, pais nacimiento, pais de nacimiento,"
        "nacionalidad, pays, pays naissance, pays de naissance, nationalite, staatsangehorigkeit,"
        "nationalitat, geburtsland, geburtsort",
    ),
    _concept(
        "a postal code",
        "key",
        "taxonomy",
        "zip, zip code, zipcode, postal code, postcode, post code, codigo postal, code postal, plz,"
        "postleitzahl",
    ),
    _concept(
        "a place",
        "key",
        "taxonomy",
        "region, county, state, statefip, istatenum, province, district, municipality, city, town,"
        "village, area, ward, parish, tract, puma, taz, geography, geoid, ea, enumeration area,"
        "urbrur, ur, urban, rural, urban rural, residence, res95, location, nuts,"
        "local authority, provincia, distrito, municipio, ciudad, comuna, departamento,"
        "departement, commune, ville, gemeinde, kreis, bundesland, stadt, ort, kanton, canton",
    ),
    _concept(
        "how densely a place is settled",
        "key",
        "numeric",
        "density, population density, bevolkerungsdichte, densite",
    ),
    _concept("a cluster or stratum of the sample", "key", "nominal", ""),
    _concept(
        "education",
        "key",
        "ordinal",
        "education, edu, educ, schooling, school, schl, schg, attend, highest grade, high gr,"
        "literacy, qualification, degree, field of study, educacion, instruccion, nivel educativo,"
        "escolaridad, diplome, niveau etudes, etudes, bildung, schulabschluss, abschluss",
    ),
    _concept(
        "economic activity",
        "key",
        "nominal",
        "economic, economic activity, econ active, employment, employment status, empstat, esr,"
        "work status, wk status, workclass, class of worker, labour force, labor force, student,"
        "working, looking, why not, social grade, actividad, situacion laboral, ocupado, activite,"
        "emploi, statut emploi, erwerbsstatus, erwerbstatigkeit, means of travel, travel",
    ),
    _concept(
        "hours of work", "key", "ordinal", "hours, hours worked, wkhp, horas, heures, stunden"
    ),
    _concept(
        "occupation",
        "key",
        "taxonomy",
        "occupation, occ, occp, isco, isco08, isco88, soc, job, job title, profession, ocupacion,"
        "profesion, beruf, metier",
    ),
    _concept(
        "industry",
        "key",
        "taxonomy",
        "industry, ind, indp, naicsp, naics, isic, nace, sector, industria, rama, rama actividad,"
        "branche, secteur, wirtschaftszweig",
    ),
    _concept(
        "the make-up of the household",
        "key",
        "numeric",
        "household size, family size, hhsize, number of children, noc, npf, np, nchild, children,"
        "family composition, family type, household type, hht, persons, born, born12, living,"
        "mother, tamano hogar, hijos, taille menage, enfants, haushaltsgrosse, kinder",
    ),
    _concept(
        "housing that can be seen",
        "key",
        "nominal",
        "housing, housing type, dwelling type, residence type, tenure, own rent, roof, walls,"
        "water, electcon, electricity, toilet, rooms, floor, vehicles, veh, vivienda, techo,"
        "paredes, logement, wohnung",
    ),
    _concept(
        "health",
        "sensitive",
        "nominal",
        "health, diagnosis, diag, icd, icd9, icd10, disease, illness, condition, injury, iinjury,"
        "cause of death, medication, drug, treatment, procedure, symptom, hiv, pregnant, pregnancy,"
        "disability, dvet, drem, dphy, deye, dear, blood, bmi, salud, diagnostico, enfermedad,"
        "discapacidad, sante, diagnostic, maladie, handicap, gesundheit, diagnose, krankheit,"
        "behinderung",
    ),
    _concept(
        "money",
        "sensitive",
        "numeric",
        "income, salary, salary class, wage, earnings, pay, cost, price, turnover, sales, revenue,"
        "profit, fee, charge, payment, loan, pension, premium, expense, spending, purchase,"
        "precio, costo, ventas, prix, cout, loyer, chiffre affaires, preis, kosten, umsatz, miete,"
        "rente, pincp, hincp, hhincadj, inctot, expend,"
        "expenditure, savings, debt, wealth, poverty, povpip, benefits, tax, credit, assets, rent,"
        "ingreso, salario, renta, gasto, ahorro, sueldo, revenu, salaire, depenses, epargne,"
        "einkommen, lohn, gehalt, ausgaben, vermogen, ersparnisse",
    ),
    _concept(
        "opinion, sexuality or crime",
        "sensitive",
        "nominal",
        "sexual orientation, orientation, vote, voting, party, political, politics, trade union,"
        "crime, conviction, offence, offense, voto, partido, delito, parti, partei, straftat",
    ),
    _concept(
        "the time of the survey",
        "other",
        "ordinal",
        "survey year, interview date, wave, survey date",
        alone="year month quarter date jahr annee ano fecha datum",
    ),
)
"""In order: of two concepts that fit equally many words of a name, the first is taken."""


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith("ss") else word


# the first concept that has a phrase, as it is or in the singular; of joined phrases the longest
_PHRASES: dict[tuple[str, ...], int] = {}
_SINGULAR: dict[tuple[str, ...], int] = {}
_JOINED: dict[str, tuple[int, int]] = {}
_ALONE: dict[str, int] = {}
for _place, _one in enumerate(CONCEPTS):
    for _word in _one.alone:
        _ALONE.setdefault(_word, _place)
    for _phrase in _one.words:
        # words that join others may stand within a phrase or be left out, but not at its ends
        _plain = (_phrase[0], *(w for w in _phrase[1:-1] if w not in JOINING), *_phrase[1:][-1:])
        for _form in (_phrase, _plain):
            _PHRASES.setdefault(_form, _place)
            _SINGULAR.setdefault(tuple(map(_singular, _form)), _place)
        if len(_phrase) > 1:
            _fit = (len(_phrase), -_place)
            _JOINED["".join(_phrase)] = max(_fit, _JOINED.get("".join(_phrase), _fit))

_SHORTEST_PART = 5
"""Letters of a word that may be known at the end of a longer one, but for *name* and *tax*."""

_COMMON = 3.5
"""How common a word is that stands for itself in a header (1 rare, 7 'the')."""

_NUMBERED = next(concept for concept in CONCEPTS if concept.about == NUMBER_OF_A_PERSON)
_ID = frozenset({"id", "identifier", "nr", "no", "num", "numero", "nummer", "key", "code"})


@lru_cache(maxsize=1 << 15)
def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a variable's name, in lower case and without accents.

    >>> words_of("P03_SEX"), words_of("dateNaissance"), words_of("Année")
    (('p03', 'sex'), ('date', 'naissance'), ('annee',))
    """
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", plain)
    return tuple(re.findall(r"[a-z0-9]+", plain.lower()))


@lru_cache(maxsize=1 << 14)
def concept_of(name: str) -> Concept | None:
    """Return what a name speaks of: the concept that explains most of its words.

    >>> concept_of("Country of Birth").about, concept_of("P03_SEX").about
    ('country of birth or nationality', 'sex')
    >>> concept_of("street_name").about, concept_of("x17"), concept_of("Arrival Time").about
    ('an address', None, 'the time of the survey')
    """
    if numbers_households(name):
        return NUMBER_OF_THE_HOUSEHOLD
    words = words_of(name)
    if (best := max(_ranked(words), default=None)) is not None:
        return CONCEPTS[-best[-1]]
    if any(word.endswith(("wgt", "wght")) for word in words):
        return concept_of("weight")
    numbered = bool(words) and (words[-1] in _PLAIN or words[0] == "id")
    return _NUMBERED if numbered and not _WHOSE.isdisjoint(words) else None


def concept_of_label(label: str) -> tuple[Concept | None, float]:
    """Return what a label speaks of, and the share of its words that say so.

    What stands in brackets only explains.

    >>> concept, share = concept_of_label("In welchem Land sind Sie geboren?")
    >>> concept.about, share
    ('country of birth or nationality', 1.0)
    >>> concept, share = concept_of_label("How well the state serves those who pay (taxes)")
    >>> concept.about, share
    ('a place', 0.2)
    """
    text = re.sub(r"[(\[].*?[)\]]", " ", label)
    if not words_of(text):
        text = label
    concept = concept_of(text)
    return (None, 0.0) if concept is None else (concept, covers(text))


def covers(text: str) -> float:
    """Return the share of the words of a name or a label that say what it is about.

    Words of measure, or of whose it is, say nothing. What a text begins with is its subject, even
    if much is said of it: then the share is a third at least.

    >>> covers("Person's total income in dollars"), covers("Language most often spoken at home")
    (1.0, 0.3333333333333333)
    """
    if numbers_households(text):
        return 1.0
    words = words_of(text)
    best = max(_ranked(words), default=None)
    if best is None:
        return 0.0
    told = [word for word in _subject_of(words) if word.isalpha() and len(word) > 1]
    telling = [_singular(word) for word in told if word not in FILLING]
    place = -best[-1]
    explained = sum(_SINGULAR.get((word,)) == place for word in telling)
    starts = any(_SINGULAR.get(tuple(telling[:end])) == place for end in range(1, 5))
    share = min(max(best[0], explained) / max(len(telling), 1), 1.0)
    return max(share, 1 / 3) if starts else share


def concepts_in(text: str) -> list[Concept]:
    """Return all that a text speaks of, what explains most of its words first.

    >>> [concept.about for concept in concepts_in("housing unit type")]
    ['an address', 'housing that can be seen']
    """
    ranked = sorted(_ranked(words_of(text)), reverse=True)
    return list(dict.fromkeys(CONCEPTS[-fit[-1]] for fit in ranked))


def concept_of_part(name: str) -> Concept | None:
    """Return what one word of a text speaks of that is written together with others.

    In German and Dutch the last part of a word says what it is, and headers are often made so.

    >>> concept_of_part("TOTREVENUE").about, concept_of_part("Bruttomonatseinkommen").about
    ('money', 'money')
    >>> concept_of_part("patientname").about, concept_of_part("countyname").about
    ("a person's name", 'a place')
    >>> concept_of_part("message"), concept_of_part("productname")
    (None, None)
    """
    known = knowledge()
    for word in words_of(name):
        whole = word.rstrip("0123456789")
        if len(whole) <= _SHORTEST_PART or known.word(whole).zipf > 0:
            continue
        if (rest := whole.removesuffix("name")) != whole:
            if (_singular(rest),) in _SINGULAR:
                return CONCEPTS[_SINGULAR[(_singular(rest),)]]
            # the name of a product is nobody's, that of something unknown may be somebody's
            common = rest not in _WHOSE and known.word(rest).zipf >= _COMMON
            return None if common else next(one for one in CONCEPTS if "name" in one.alone)
        if whole.endswith("tax"):
            return concept_of("tax")
        for at in range(1, len(whole) - _SHORTEST_PART + 1):
            if (part := (_singular(whole[at:]),)) in _SINGULAR:
                return CONCEPTS[_SINGULAR[part]]
    return None


def asks_opinion(label: str) -> bool:
    """Say whether a label asks what somebody thinks of something.

    >>> asks_opinion("Zufriedenheit mit der Wohnung"), asks_opinion("Wohnung")
    (True, False)
    """
    return not ATTITUDES.isdisjoint(words_of(label))


def may_be_a_kind(name: str) -> bool:
    """Say whether what looks like a person's number may as well be a kind of something.

    >>> may_be_a_kind("subject_code"), may_be_a_kind("subject_id")
    (True, False)
    """
    words = words_of(name)
    return words == ("subject",) or bool(words and words[-1] in ("code", "key"))


def says_amount(name: str, label: str = "") -> bool:
    """Say whether a name, or the label beside it, speaks of something that is measured.

    >>> says_amount("monthly_rent"), says_amount("x17", "Area in m2"), says_amount("case_no")
    (True, True, False)
    """
    return any(
        (concept := concept_of(text)) is not None
        and concept.level == "numeric"
        and concept.role in ("other", "sensitive", "key")
        for text in (name, label)
        if text
    )


def is_numbered(name: str) -> bool:
    """Say whether a name is that of a number which stands for something: an id.

    >>> is_numbered("simulant_id"), is_numbered("humid"), is_numbered("UTILITYID")
    (True, False, True)
    """
    words = words_of(name)
    return bool(words) and (words[-1] in _ID or words[0] == "id" or name.endswith(("ID", "Id")))


def _subject_of(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words without those that join others; all of them, where nothing else is left."""
    return tuple(word for word in words if word not in JOINING) or words


def _ranked(words: tuple[str, ...]) -> Iterator[tuple[int, bool, bool, int]]:
    """Give how many words each concept explains, and its place as a negative number, to be ranked.

    Of two that explain equally many, what stands there as it is comes before its singular, and
    what has to be protected before what has not.
    """
    subject = _subject_of(words)
    bare = [tuple(w.rstrip("0123456789") or w for w in some) for some in (words, subject)]
    forms = dict.fromkeys((words, subject, *bare))
    exact = [(form, _PHRASES, True) for form in forms]
    loose = [(tuple(map(_singular, form)), _SINGULAR, False) for form in forms]
    for form, phrases, as_it_is in exact + loose:
        for fit, place in _fits(form, phrases):
            yield fit, as_it_is, CONCEPTS[-place].role != "other", place


def _fits(words: tuple[str, ...], phrases: dict[tuple[str, ...], int]) -> Iterator[tuple[int, int]]:
    """Give how many words a concept explains, and its place in `CONCEPTS` as a negative number."""
    if len(words) == 1 and words[0] in _ALONE:
        yield 1, -_ALONE[words[0]]
    joined = "".join(words)
    if joined in _JOINED:
        yield _JOINED[joined]
    for start, end in combinations(range(len(words) + 1), 2):
        if words[start:end] in phrases:
            yield end - start, -phrases[words[start:end]]
