"""What the categories of a variable speak of, where neither its name nor its label says it.

Surveys call a variable *v214* and label its codes *Germany*, *France*; or *urban*, *rural*. The
words are English, German, French, Spanish, Italian, Dutch and Portuguese, and few: a variable is
known by most of its categories.
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
    " contesta sin dato entfallt trifft zu verweigert refus sans objet procede ja nein oui non si"
    " sim nao nee altro altri altra nessuno nessuna sconosciuto risponde rifiuto anders overig geen"
    " onbekend weet niet wil zeggen outro outra outros nenhum nenhuma desconhecido responde"
    " respondeu resposta ns nr nc ne pas ninguna kein geweigerd deseja".split()
)
"""Words of categories that say nothing of what a variable is about."""

_WORDS = {
    "sex": """
        male, female, men, women, man, woman, boy, girl, homme, femme, hommes, femmes, masculin,
        feminin, mann, frau, maennlich, mannlich, weiblich, divers, hombre, mujer, varon, masculino,
        femenino, feminino, uomo, donna, maschio, femmina,
        maschile, femminile, maschi, femmine, uomini, donne, vrouw, vrouwen, mannen,
        vrouwelijk, mannelijk, homem, mulher, homens, mulheres, varones, mujeres, hombres,
        manner, frauen, jongen, meisje""",
    "marital status": """
        married, unmarried, divorced, widowed, widow, widower, separated, single, never married,
        cohabiting, civil partnership, registered partnership, verheiratet, ledig, geschieden,
        verwitwet, getrennt, marie, mariee, celibataire, divorce, divorcee, veuf, veuve, separe,
        separee, pacse, casado, casada, soltero, soltera, divorciado, divorciada, viudo, viuda,
        separado, separada, union libre,
        celibe, nubile, coniugato, coniugata, sposato, sposata, divorziato, divorziata,
        vedovo, vedova, separato, separata, convivente, unito civilmente, ongehuwd, gehuwd,
        gescheiden, verweduwd, weduwe, weduwnaar, nooit gehuwd, geregistreerd partnerschap,
        samenwonend, solteiro, solteira, viuvo, viuva, uniao estavel, uniao de facto,
        desquitado, eingetragene lebenspartnerschaft, lebenspartnerschaft, en couple,
        concubinage, conviviente, unido, unida, living together, verpartnerd""",
    "religion": """
        christian, catholic, protestant, orthodox, lutheran, anglican, evangelical, muslim, islam,
        islamic, sunni, shia, jewish, judaism, hindu, hinduism, buddhist, buddhism, sikh, atheist,
        agnostic, no religion, christlich, katholisch, romisch katholisch, evangelisch,
        protestantisch, muslimisch, judisch, konfessionslos, buddhistisch, hinduistisch, catholique,
        protestante, musulman, musulmane, juif, juive, bouddhiste, athee, catolico, catolica,
        evangelico, evangelica, judio, judia, budista, ateo, testigo de jehova, mormon,
        cattolico, cattolica, cristiano, cristiana, ortodosso, ortodossa, musulmano,
        musulmana, ebreo, ebrea, ebraica, islamica, protestanti, valdese, rooms katholiek,
        katholiek, protestants, hervormd, gereformeerd, islamitisch, moslim, joods, hindoe,
        boeddhist, geen religie, onkerkelijk, espirita, umbanda, candomble, judaica, judeu,
        sem religiao, muculmano, muculmana, islamisch, orthodoxe, freikirchlich, sans
        religion, sin religion, nessuna religione, keine religion, cristao""",
    "ethnic group or language": """
        white, black, asian, african, african american, hispanic, latino, latina, caucasian, native,
        indigenous, aboriginal, pacific islander, maori, caribbean, roma, arab, han, bangladeshi,
        english, german, french, spanish, italian, arabic, turkish, polish, russian, chinese,
        mandarin, deutsch, englisch, franzosisch, spanisch, italienisch, turkisch, arabisch,
        polnisch, russisch, anglais, francais, allemand, espagnol, arabe, blanc, noir, ingles,
        espanol, frances, aleman, quechua, aymara, guarani, blanco, negro, mestizo, indigena,
        mulato, afrodescendiente, multiracial, american indian, alaska native, hawaiian, filipino,
        samoan, guamanian, japanese, korean, vietnamese, mexican, puerto rican, cuban,
        central american, non hispanic, not hispanic, latin american,
        branca, branco, preta, preto, parda, pardo, amarela, bianco, nero, asiatico,
        italiano, tedesco, francese, inglese, spagnolo, rumeno, arabo, portoghese,
        nederlands, turks, marokkaans, surinaams, antilliaans, fries, engels, duits, frans,
        spaans, portugues, alemao, portugais, italien, kurdisch, portugiesisch, kurdish,
        hausa, yoruba, igbo, swahili, amharic, somali, hindi, bengali, urdu, punjabi, tamil,
        romani, chinois, creole""",
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
        estados unidos, extranjero, extranjera,
        germania, spagna, marocco, ucraina, cina, filippine, egitto, regno unito, svizzera,
        stati uniti, estero, straniero, straniera, brasile, grecia, turchia, portogallo,
        nederland, duitsland, frankrijk, belgie, spanje, marokko, suriname, antillen,
        indonesie, roemenie, verenigd koninkrijk, verenigde staten, griekenland, syrie,
        buitenland, buitenlander, franca, alemanha, angola, mocambique, cabo verde, ucrania,
        estrangeiro, estrangeira, guine bissau, sao tome e principe, suica, luxemburgo,
        paraguai, uruguai, japao, syrien, bulgarien, bosnien, turkiye, grossbritannien,
        portugiesisch, bresil, cote d ivoire, cameroun, ukrainien, rumania, nacida en el
        pais, born abroad, this country, in this country, abroad""",
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
        vermont, virginia, washington, wisconsin, wyoming,
        nord ovest, nord est, isole, sud ed isole, piemonte, lombardia, veneto, lazio,
        campania, puglia, sicilia, sardegna, toscana, emilia romagna, liguria, umbria,
        abruzzo, calabria, molise, basilicata, friuli venezia giulia, trentino alto
        adige, valle d aosta, citta, paese, campagna, periferia, comune, noord, oost, zuid,
        noord holland, zuid holland, utrecht, noord brabant, limburg, gelderland,
        overijssel, flevoland, friesland, groningen, drenthe, zeeland, stedelijk, landelijk,
        platteland, dorp, stad, grote stad, voorstad, niet stedelijk, sterk stedelijk, zeer
        sterk stedelijk, nordeste, sudeste, sul, centro oeste, lisboa, porto, algarve,
        alentejo, acores, madeira, cidade, aldeia, interior, sao paulo, rio de
        janeiro, minas gerais, bahia, parana, pernambuco, ceara, rio grande do sul, santa
        catarina, goias, amazonas, vlaanderen, wallonie, brussel, landgemeinde,
        kreisfreie stadt, ballungsraum, paris, lyon, marseille, ontario, quebec, british
        columbia, alberta, manitoba, nova scotia, saskatchewan, new brunswick, wien, tirol,
        karnten, steiermark, salzburg, burgenland, vorarlberg, zurich, genf, bern, basel,
        niederosterreich, oberosterreich, asturias, castilla la mancha, castilla y leon,
        extremadura, murcia, navarra, la rioja, canarias, baleares, cantabria, district of
        columbia, puerto rico""",
    "education": """
        primary, secondary, tertiary, elementary school, high school, middle school, college,
        university, bachelor, bachelors, master, masters, doctorate, phd, degree, diploma,
        vocational, postgraduate, undergraduate, kindergarten, preschool, no schooling,
        no education, illiterate, literate, grade, grundschule, hauptschule, realschule, gymnasium,
        abitur, fachhochschule, universitat, hochschule, hauptschulabschluss,
        realschulabschluss, mittlere reife, promotion, lehre, primaire, secondaire, superieur,
        baccalaureat, bac, licence, doctorat, cap, bep, brevet, primaria, secundaria,
        bachillerato, universidad, universitario, licenciatura, maestria, doctorado, preescolar,
        scuola elementare, elementare, licenza elementare, licenza media, scuola media,
        laurea, dottorato, analfabeta, nessun titolo, maturita, superiore, universitaria,
        licenza, basisonderwijs, lagere school, vmbo, mavo, havo, vwo, mbo, hbo, wo,
        universiteit, lbo, geen opleiding, middelbaar, hoger onderwijs, voortgezet
        onderwijs, ensino fundamental, ensino medio, ensino superior, ensino secundario,
        ensino basico, fundamental, superior, mestrado, doutoramento, doutorado, sem
        instrucao, analfabeto, pos graduacao, 1 ciclo, 2 ciclo, 3 ciclo, medio, secundario,
        formation professionnelle, enseignement superieur, sans diplome, certificat,
        volksschule, meister, fachschule, ohne abschluss, kein abschluss, some college,
        associate degree, ged, nursery school, estudios primarios, estudios secundarios,
        estudios universitarios, sin estudios, formacion profesional, eso""",
    "economic activity": """
        employed, unemployed, self employed, retired, student, homemaker, housewife, inactive,
        employee, employer, full time, part time, disabled, pensioner, unpaid family worker,
        looking for work, out of labour force, apprentice, erwerbstatig, arbeitslos, rentner,
        rentnerin, selbststandig, angestellt, angestellte, arbeiter, beamte, beamter, hausfrau,
        schuler, vollzeit, teilzeit, auszubildende, actif, chomeur, chomage, retraite, salarie,
        independant, etudiant, au foyer, inactif, ocupado, desempleado, jubilado, asalariado,
        cuenta propia, estudiante, ama de casa, inactivo, patron, obrero, empleado,
        occupato, occupata, disoccupato, disoccupata, pensionato, pensionata, ritirato dal
        lavoro, studente, studentessa, casalinga, dipendente, autonomo, inattivo, inabile,
        in cerca di occupazione, in cerca di prima occupazione, werkend, werkloos,
        gepensioneerd, scholier, huisvrouw, huisman, arbeidsongeschikt, zelfstandige,
        zelfstandig, loondienst, in loondienst, werkzoekend, voltijd, deeltijd, empregado,
        empregada, desempregado, desempregada, aposentado, aposentada, reformado, reformada,
        pensionista, estudante, domestica, dona de casa, trabalhador por conta propria,
        conta propria, conta de outrem, trabalhador por conta de outrem, servidor publico,
        empregador, inativo, desocupado, im ruhestand, ruhestand, in ausbildung, hausmann,
        studierende, nicht erwerbstatig, arbeitssuchend, en emploi, sans emploi, au chomage,
        demandeur d emploi, invalide, homme au foyer, femme au foyer, jubilada, trabajador
        por cuenta propia, autonoma, labores del hogar, parado, parada""",
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
        abogado, ingeniero,
        dirigenti, impiegati, operai, imprenditori, tecnici, artigiani, insegnante,
        infermiere, avvocato, agricoltori, professioni tecniche, forze armate, addetti,
        professioni non qualificate, leidinggevenden, technici, administratief personeel,
        ambachtslieden, docent, verpleegkundige, chauffeur, landbouwers, elementaire
        beroepen, dirigentes, trabalhadores, professores, enfermeiro, agricultor,
        operadores, pessoal administrativo, forcas armadas, profissoes elementares,
        especialistas, professor, motorista, vendedor, akademische berufe,
        dienstleistungsberufe, fachkrafte, anlagenbediener, streitkrafte, pfleger""",
    "industry": """
        agriculture, forestry, fishing, mining, quarrying, manufacturing, electricity, construction,
        wholesale, retail, trade, transport, transportation, hotels, restaurants, accommodation,
        finance, insurance, real estate, public administration, health care, arts, entertainment,
        landwirtschaft, bergbau, industrie, baugewerbe, handel, verkehr, gastgewerbe, verwaltung,
        industrie manufacturiere, commerce, batiment, hebergement, agricultura, mineria,
        industria manufacturera, construccion, comercio, transporte,
        agricoltura, commercio, industria, costruzioni, manifattura, trasporti, istruzione,
        sanita, pubblica amministrazione, alloggio e ristorazione, servizi, estrazione,
        landbouw, nijverheid, bouw, bouwnijverheid, vervoer, horeca, onderwijs, zorg,
        gezondheidszorg, overheid, openbaar bestuur, pecuaria, industria transformadora,
        construcao, transportes, educacao, saude, administracao publica, alojamento e
        restauracao, pesca, gesundheitswesen, sante, enseignement, administration publique,
        transports, servicios, hosteleria, sanidad""",
    "the relationship to the head": """
        head, householder, reference person, spouse, wife, husband, son, daughter, child, parent,
        mother, father, brother, sister, sibling, grandchild, grandson, granddaughter, in law,
        nephew, niece, relative, non relative, boarder, lodger, roommate, domestic employee,
        haushaltsvorstand, bezugsperson, ehepartner, ehefrau, sohn, tochter, kind, mutter, vater,
        enkel, chef de menage, conjoint, conjointe, epouse, fils, fille, enfant, mere, pere, petit,
        jefe, jefa, conyuge, hijo, hija, padre, madre, nieto, nieta, yerno, nuera, pariente,
        capofamiglia, persona di riferimento, coniuge, marito, moglie, figlio, figlia,
        genitore, fratello, sorella, nipote, suocero, suocera, genero, nuora, convivente,
        altro parente, hoofd, hoofdkostwinner, referentiepersoon, echtgenoot, echtgenote,
        partner, zoon, dochter, ouder, moeder, vader, broer, zus, kleinkind, schoonzoon,
        schoonouder, inwonend, chefe, responsavel, pessoa responsavel, pessoa de
        referencia, conjuge, marido, esposa, companheiro, filho, filha, enteado, pai, mae,
        irmao, irma, neto, neta, genro, nora, sogro, sogra, pensionista, empregado
        domestico, schwiegereltern, schwiegerkind, geschwister, eltern, enkelkind, personne
        de reference, beau parent, gendre, petit enfant, ascendant, suegro, hermano,
        hermana, otro pariente, schwiegersohn, lebenspartner, stiefkind, unmarried partner,
        grandparent""",
    "housing that can be seen": """
        owner, owned, tenant, rented, renter, mortgage, rent free, social housing, apartment,
        detached, semi detached, terraced, house, flat, eigentumer, mieter, miete, eigentum,
        einfamilienhaus, mehrfamilienhaus, proprietaire, locataire, appartement, maison,
        propietario, inquilino, alquilado, propia, departamento, casa,
        proprieta, proprietario, affitto, affittuario, in affitto, usufrutto, appartamento,
        villa, casa unifamiliare, uso gratuito, eigenaar, huurder, koopwoning, huurwoning,
        eigen woning, huur, sociale huur, vrijstaand, rijtjeshuis, tussenwoning, hoekwoning,
        twee onder een kap, proprio, alugado, arrendado, cedido, arrendatario, apartamento,
        moradia, proprio pago, cedida, hypothek, wohnung, reihenhaus,
        doppelhaushalfte, zur miete, logement social, hlm, maison individuelle, proprietaire
        accedant, loge gratuitement, en propiedad, en alquiler, piso, vivienda unifamiliar,
        wood, brick, concrete, tin, thatch, tile, stone, mud, bamboo""",
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
    said = {str(category) for category in categories}
    if len(said) > 2 * _MOST:
        return None
    texts = {words for category in said if (words := words_of(category))}
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
