"""What the categories of a variable speak of, where neither its name nor its label says it.

Surveys call a variable *v214* and label its codes *Germany*, *France*; or *urban*, *rural*. The
words are English, German, French and Spanish, and few: a variable is known by most of its
categories.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from indistinct.naming.concepts import CONCEPTS, Concept, words_of

__all__ = ["concept_of_categories"]

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
