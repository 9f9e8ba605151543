"""Guessing what each variable is for, from its name and its content, and saying why.

The reasons tell counts and forms, never a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from indistinct.core import Level, Role, Variable
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.naming.amounts import with_amounts
from indistinct.naming.births import born_on
from indistinct.naming.concepts import (
    CONCEPTS,
    POSITION,
    Concept,
    concept_of,
    is_numbered,
    may_be_a_kind,
    says_amount,
    words_of,
)
from indistinct.naming.content import Content, look_at

__all__ = [
    "DECLARED",
    "FEW_RECORDS",
    "MOST_OF_A_KIND",
    "Guess",
    "concept_of_categories",
    "guess_roles",
    "guess_variables",
    "points_to_people",
    "spelt_out",
]


# What the categories of a variable speak of, where neither its name nor its label says it.
#
# Surveys call a variable *v214* and label its codes *Germany*, *France*; or *urban*, *rural*. The
# words are English, German, French and Spanish, and few: a variable is known by most of its
# categories.


_MOST = 300
"""Variables with more categories are known by their names, or not at all."""

_SHARE = 0.6
"""The share of the categories that must speak of one thing."""

_LONGEST = 8
"""Words of a category; a longer one is a statement, and may speak of anything."""

_SILENT = frozenset(
    "other others none unknown missing refused refusal na n a nan not applicable answer no yes don"
    " t know dont asked stated blank mixed total all sonstige andere keine angabe weiss nicht"
    " unbekannt autre autres aucun inconnu reponse nsp otro otros otra ninguno desconocido sabe"
    " contesta sin dato entfallt trifft zu verweigert refus sans objet procede".split()
)
"""Words of categories that say nothing of what a variable is about."""

_WORDS = {
    "sex": """
        male, female, men, women, man, woman, boy, girl, homme, femme, hommes, femmes, masculin,
        feminin, mann, frau, maennlich, mannlich, weiblich, divers, hombre, mujer, varon, masculino,
        femenino, feminino, uomo, donna, maschio, femmina""",
    "marital status": """
        married, unmarried, divorced, widowed, widow, widower, separated, single, never married,
        cohabiting, civil partnership, registered partnership, verheiratet, ledig, geschieden,
        verwitwet, getrennt, marie, mariee, celibataire, divorce, divorcee, veuf, veuve, separe,
        separee, pacse, casado, casada, soltero, soltera, divorciado, divorciada, viudo, viuda,
        separado, separada, union libre""",
    "religion": """
        christian, catholic, protestant, orthodox, lutheran, anglican, evangelical, muslim, islam,
        islamic, sunni, shia, jewish, judaism, hindu, hinduism, buddhist, buddhism, sikh, atheist,
        agnostic, no religion, christlich, katholisch, romisch katholisch, evangelisch,
        protestantisch, muslimisch, judisch, konfessionslos, buddhistisch, hinduistisch, catholique,
        protestante, musulman, musulmane, juif, juive, bouddhiste, athee, catolico, catolica,
        evangelico, evangelica, judio, judia, budista, ateo, testigo de jehova, mormon""",
    "ethnic group or language": """
        white, black, asian, african, african american, hispanic, latino, latina, caucasian, native,
        indigenous, aboriginal, pacific islander, maori, caribbean, roma, arab, han, bangladeshi,
        english, german, french, spanish, italian, arabic, turkish, polish, russian, chinese,
        mandarin, deutsch, englisch, franzosisch, spanisch, italienisch, turkisch, arabisch,
        polnisch, russisch, anglais, francais, allemand, espagnol, arabe, blanc, noir, ingles,
        espanol, frances, aleman, quechua, aymara, guarani, blanco, negro, mestizo, indigena,
        mulato, afrodescendiente""",
    "country of birth or nationality": """
        afghanistan, albania, algeria, argentina, armenia, australia, austria, azerbaijan, bahrain,
        bangladesh, belarus, belgium, bolivia, bosnia, brazil, bulgaria, cambodia, cameroon, canada,
        chile, china, colombia, congo, costa rica, croatia, cuba, cyprus, czech republic, czechia,
        denmark, dominican republic, ecuador, egypt, el salvador, eritrea, estonia, ethiopia,
        finland, france, gambia, georgia, germany, ghana, greece, guatemala, haiti, honduras,
        hong kong, hungary, iceland, india, indonesia, iran, iraq, ireland, israel, italy,
        ivory coast, jamaica, japan, jordan, kazakhstan, kenya, korea, kosovo, kuwait, laos, latvia,
        lebanon, libya, lithuania, luxembourg, macedonia, malaysia, mali, malta, mexico, moldova,
        mongolia, morocco, mozambique, myanmar, nepal, netherlands, new zealand, nicaragua, niger,
        nigeria, norway, pakistan, palestine, panama, paraguay, peru, philippines, poland, portugal,
        qatar, romania, russia, rwanda, saudi arabia, senegal, serbia, singapore, slovakia,
        slovenia, somalia, south africa, spain, sri lanka, sudan, sweden, switzerland, syria,
        taiwan, tanzania, thailand, tunisia, turkey, uganda, ukraine, united arab emirates,
        united kingdom, great britain, united states, usa, uruguay, uzbekistan, venezuela, vietnam,
        yemen, zambia, zimbabwe, native born, foreign born, citizen, non citizen, foreigner,
        naturalised, naturalized, national, europe, asia, africa, oceania, north america,
        south america, latin america, eu, non eu, european union,
        deutschland, frankreich, italien, spanien, polen, turkei, osterreich, schweiz, niederlande,
        belgien, rumanien, russland, griechenland, kroatien, ungarn, vereinigte staaten, auslander,
        inlander, europa, asien, afrika, allemagne, espagne, italie, pologne, turquie, suisse,
        belgique, pays bas, maroc, algerie, tunisie, royaume uni, etats unis, etranger, etrangere,
        alemania, francia, italia, espana, polonia, turquia, suiza, marruecos, brasil, reino unido,
        estados unidos, extranjero, extranjera""",
    "a place": """
        urban, rural, city, town, village, suburb, suburban, metropolitan, municipality, province,
        region, district, county, capital, north, south, east, west, central, northern, southern,
        eastern, western, northeast, northwest, southeast, southwest, midwest, midlands, london,
        wales, scotland, northern ireland, england, stadt, land, landlich, stadtisch, dorf, vorort,
        grossstadt, kleinstadt, nord, sud, ost, nordost, sudwest, bayern, bavaria,
        baden wurttemberg, berlin, brandenburg, bremen, hamburg, hessen, hesse, niedersachsen,
        nordrhein westfalen, rheinland pfalz, saarland, sachsen, saxony, thuringen, thuringia,
        schleswig holstein, mecklenburg vorpommern, urbain, rurale, ville, campagne, banlieue, est,
        ouest, centre, ile de france, bretagne, normandie, occitanie, nouvelle aquitaine,
        provence alpes cote d azur, hauts de france, grand est, urbano, urbana, ciudad, pueblo,
        norte, sur, este, oeste, centro, andalucia, cataluna, madrid, galicia, aragon, valencia,
        pais vasco, alabama, alaska, arizona, arkansas, california, colorado, connecticut, delaware,
        florida, hawaii, idaho, illinois, indiana, iowa, kansas, kentucky, louisiana, maine,
        maryland, massachusetts, michigan, minnesota, mississippi, missouri, montana, nebraska,
        nevada, new hampshire, new jersey, new york, north carolina, north dakota, ohio, oklahoma,
        oregon, pennsylvania, rhode island, south carolina, south dakota, tennessee, texas, utah,
        vermont, virginia, washington, wisconsin, wyoming""",
    "education": """
        primary, secondary, tertiary, elementary school, high school, middle school, college,
        university, bachelor, bachelors, master, masters, doctorate, phd, degree, diploma,
        vocational, postgraduate, undergraduate, kindergarten, preschool, no schooling,
        no education, illiterate, literate, grade, grundschule, hauptschule, realschule, gymnasium,
        abitur, fachhochschule, universitat, hochschule, hauptschulabschluss,
        realschulabschluss, mittlere reife, promotion, lehre, primaire, secondaire, superieur,
        baccalaureat, bac, licence, doctorat, cap, bep, brevet, primaria, secundaria,
        bachillerato, universidad, universitario, licenciatura, maestria, doctorado, preescolar""",
    "economic activity": """
        employed, unemployed, self employed, retired, student, homemaker, housewife, inactive,
        employee, employer, full time, part time, disabled, pensioner, unpaid family worker,
        looking for work, out of labour force, apprentice, erwerbstatig, arbeitslos, rentner,
        rentnerin, selbststandig, angestellt, angestellte, arbeiter, beamte, beamter, hausfrau,
        schuler, vollzeit, teilzeit, auszubildende, actif, chomeur, chomage, retraite, salarie,
        independant, etudiant, au foyer, inactif, ocupado, desempleado, jubilado, asalariado,
        cuenta propia, estudiante, ama de casa, inactivo, patron, obrero, empleado""",
    "occupation": """
        manager, managers, professional, professionals, technician, technicians, clerk, clerks,
        clerical, service workers, sales workers, skilled agricultural, craft, trades, operator,
        operators, assemblers, elementary occupations, labourer, labourers, laborers, armed forces,
        military, teacher, teachers, nurse, nurses, farmer, farmers, driver, drivers, engineer,
        engineers, physician, doctor, lawyer, cook, carpenter, mechanic, plumber, electrician,
        secretary, waiter, salesperson, cleaner, accountant, hairdresser, baker, fisherman, police,
        soldier, fuhrungskrafte, techniker, burokrafte, handwerker, lehrer, lehrerin, arzt,
        landwirt, hilfsarbeitskrafte, fahrer, verkaufer, ingenieur, cadres, ouvriers, employes,
        agriculteurs, artisans, professions intermediaires, enseignant, infirmiere, medecin,
        directivos, profesionales, tecnicos, agricultores, operarios, maestro, enfermera, medico,
        abogado, ingeniero""",
    "industry": """
        agriculture, forestry, fishing, mining, quarrying, manufacturing, electricity, construction,
        wholesale, retail, trade, transport, transportation, hotels, restaurants, accommodation,
        finance, insurance, real estate, public administration, health care, arts, entertainment,
        landwirtschaft, bergbau, industrie, baugewerbe, handel, verkehr, gastgewerbe, verwaltung,
        industrie manufacturiere, commerce, batiment, hebergement, agricultura, mineria,
        industria manufacturera, construccion, comercio, transporte""",
    "the relationship to the head": """
        head, householder, reference person, spouse, wife, husband, son, daughter, child, parent,
        mother, father, brother, sister, sibling, grandchild, grandson, granddaughter, in law,
        nephew, niece, relative, non relative, boarder, lodger, roommate, domestic employee,
        haushaltsvorstand, bezugsperson, ehepartner, ehefrau, sohn, tochter, kind, mutter, vater,
        enkel, chef de menage, conjoint, conjointe, epouse, fils, fille, enfant, mere, pere, petit,
        jefe, jefa, conyuge, hijo, hija, padre, madre, nieto, nieta, yerno, nuera, pariente""",
    "housing that can be seen": """
        owner, owned, tenant, rented, renter, mortgage, rent free, social housing, apartment,
        detached, semi detached, terraced, house, flat, eigentumer, mieter, miete, eigentum,
        einfamilienhaus, mehrfamilienhaus, proprietaire, locataire, appartement, maison,
        propietario, inquilino, alquilado, propia, departamento, casa""",
}

_SPEAKS: dict[tuple[str, ...], set[str]] = {}
for _about, _phrases in _WORDS.items():
    for _phrase in _phrases.split(","):
        _SPEAKS.setdefault(words_of(_phrase), set()).add(_about)


def concept_of_categories(categories: Iterable[object]) -> Concept | None:
    """Return what most categories speak of, those that say nothing left aside.

    >>> concept_of_categories(["Germany", "France", "Other", "refused"]).about
    'country of birth or nationality'
    >>> concept_of_categories(["agree", "neither", "disagree"])
    """
    texts = {words for category in categories if (words := words_of(str(category)))}
    telling = [words for words in texts if not set(words) <= _SILENT]
    if not 2 <= len(telling) <= _MOST:
        return None
    spoken = [_spoken_of(words) for words in telling]
    counts = {
        concept: sum(concept.about in about for about in spoken)
        for concept in CONCEPTS
        if concept.about in _WORDS
    }
    best = max(counts, key=lambda concept: counts[concept])
    return best if counts[best] >= max(2, _SHARE * len(telling)) else None


def _spoken_of(words: tuple[str, ...]) -> set[str]:
    if len(words) > _LONGEST:
        return set()
    spans = combinations(range(len(words) + 1), 2)
    return {about for start, end in spans for about in _SPEAKS.get(words[start:end], ())}


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


_SHORT_LABEL = 8
"""Words of a label that still names its variable; a longer one is a question or a story."""


@dataclass(frozen=True)
class Guess:
    """What a variable may be for, and why it is thought so."""

    name: str
    role: Role
    level: Level
    reason: str
    label: str = ""
    missing: tuple[str, ...] = ()
    hierarchy: Mapping[str, Any] = field(default_factory=dict)


def guess_variables(engine: Engine, source: Source) -> tuple[Guess, ...]:
    """Guess role and level of every variable, in file order.

    What the data file itself says of a role is kept. One variable at most becomes the weight,
    the household and the relationship: the likeliest, and of equals the first.
    """
    contents = with_amounts(source, look_at(engine, source))
    guesses = guess_roles(source, contents)
    return tuple(
        _with_level(guess, content, engine, source)
        for guess, content in zip(guesses, contents, strict=True)
    )


def guess_roles(source: Source, contents: Sequence[Content]) -> list[Guess]:
    """Guess the roles alone, of columns that were looked at."""
    guesses = [_guess_role(source.variables[c.facts.name], c) for c in contents]
    _choose_weight(guesses)
    _choose_household(guesses)
    _choose_relationship(guesses)
    return guesses


def _guess_role(variable: Variable, content: Content) -> Guess:
    concept, where = _concept(variable, content)
    role, reason = _role(content, concept, variable.label)
    if where != "name" and reason.startswith("name says"):
        reason = reason.replace("name says", f"{where} says" if where == "label" else where, 1)
    if variable.role != "other":
        role, reason = variable.role, DECLARED
    return Guess(variable.name, role, variable.level, reason, variable.label)


def _concept(variable: Variable, content: Content) -> tuple[Concept | None, str]:
    """Return what a variable speaks of, and where: its name, else its label, else its categories.

    A label is a sentence, and more than its subject may stand in it. So it is asked only where
    the name says nothing, and believed only of what an intruder may know.
    """
    named = concept_of(variable.name)
    if named is not None:
        return named, "name"
    words = words_of(variable.label)
    spoken = concept_of(variable.label) if len(words) <= _SHORT_LABEL else None
    if spoken is not None and spoken.role == "key":
        return spoken, "label"
    labelled = (variable.labels or {}).values()
    texts = labelled or (content.texts if content.is_text and not content.singles_out else ())
    return concept_of_categories(texts), "categories say"


def _with_level(guess: Guess, content: Content, engine: Engine, source: Source) -> Guess:
    variable = source.variables[guess.name]
    concept, _ = _concept(variable, content)
    level, missing = _level(variable, content, concept, guess.role, engine, source)
    hierarchy = _hierarchy(content, concept, level) if guess.role == "key" else {}
    return replace(guess, level=level, missing=missing, hierarchy=hierarchy)


def _role(content: Content, concept: Concept | None, label: str) -> tuple[Role, str]:
    facts = content.facts
    if not facts.distinct:
        return "other", "no values"
    if content.contact:
        return "identifier", f"holds {content.contact}"
    if (birth := born_on(content, label)) is not None and not _known_as_key(concept):
        return "key", birth
    if not _says_enough(concept) and content.persons:
        return "identifier", f"holds {content.persons}"
    if concept is not None:
        return _role_by_name(content, concept)
    if content.has_medical_codes:
        return "sensitive", "codes like those of diagnoses (ICD)"
    if content.is_free_text:
        return "identifier", "free text, which may name people: scrub it before it is released"
    if (pointing := points_to_people(content, label)) is not None:
        return "identifier", pointing
    if is_numbered(facts.name) and content.records_per_value <= FEW_RECORDS:
        return "identifier", f"name of an id, {content.records_per_value:.1f} records per value"
    if _like_household(content):
        return "household", f"repeats in runs, {content.records_per_value:.1f} records per value"
    if facts.distinct == 1 and not facts.missing:
        return "other", "the same in every record"
    return "other", (
        f"{_values(content)}; neither name nor content says more: key, if an intruder could know it"
    )


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
    if concept.role == "key" and content.has_fractions and concept.level == "nominal":
        return "other", f"{name}, but holds numbers with fractions"
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
    if content.has_dates or content.has_other_dates or content.measured:
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


def _only(guesses: list[Guess], role: Role, ranked: Sequence[int], what: str) -> None:
    """Leave a role to the first of some positions; say of the others that they are second."""
    for position in ranked[1:]:
        guess = guesses[position]
        other: Role = "identifier" if role == "household" else "other"
        guesses[position] = replace(
            guess, role=other, reason=f"{guess.reason}; but another variable is {what}"
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
