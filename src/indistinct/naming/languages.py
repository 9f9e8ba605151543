"""Words by which variables are called in names and labels, by language, beside those of `concepts`.

German, French, Spanish, Italian, Dutch and Portuguese, without accents, as `words_of` has them. A
phrase is written as it stands in a label; words that only join (*of*, *de*, *van*) are left out of
it and of the label alike before they are compared.
"""

from __future__ import annotations

__all__ = ["ALONE", "ATTITUDES", "FILLING", "JOINING", "PHRASES"]

JOINING = frozenset(
    # English; whoever asks a person speaks to them
    "the a an of to in into on at for and or by with from is are was were be been has have had do"
    " does did you your yours his her their this that these those what which who where s per own"
    # German
    " der die das dem den des ein eine einer eines und oder von vom zu zum zur im am bei mit fur"
    " auf aus sind ist war wurden wurde haben hat sie ihr ihre ihrer ihrem ihren welche welcher"
    " welches welchem welchen was wer wo"
    # French
    " le la les l un une du de d des et ou a au aux en dans par sur avec est sont etes vous votre"
    " vos son sa ses quel quelle quels quelles qui c ce cette"
    # Spanish
    " el los las lo una unos del y o al con por para su sus es son esta cual que usted"
    # Italian
    " il gli i uno di dello della dell delle dei degli e ed nel nella nelle negli nell con per suo"
    " sua quale quali che ha lei da dal dalla al alla all"
    # Dutch
    " het een van voor op bij te ten ter uit met en uw bent is heeft heeft u welk welke wat wie"
    # Portuguese
    " os as um uma do da dos das no na nos nas pelo pela com ou seu sua qual quais o".split()
)
"""Words that join others; a phrase means the same without them."""

FILLING = frozenset(
    "person persons respondent household total current currently main number code level type status"
    " highest dollars euro euros net gross monthly annual average own usual approximate self stated"
    " recoded derived variable ratio rank decile percentile question grouped group groups category"
    " categories bands years year"
    " befragte befragten befragter person haushalt insgesamt aktuell derzeit monatlich netto brutto"
    " hochste hochster kategorie jahre gruppiert repondant personne menage actuel mensuel annuel"
    " total plus eleve encuestado persona hogar actual mensual anual intervistato famiglia attuale"
    " mensile annuo netto lordo persoon huishouden huidige maandelijks jaarlijks respondente pessoa"
    " atual mensal anual domicilio".split()
)
"""Words that may stand beside any subject: whose it is, how it is measured or grouped."""

ATTITUDES = frozenset(
    "satisfaction satisfied dissatisfied trust confidence agree agreement disagree attitude opinion"
    " importance important interested interest worry worried feeling feel prefer preference"
    " zufriedenheit zufrieden vertrauen zustimmung einstellung meinung wichtigkeit wichtig"
    " sorgen bewertung interesse confiance satisfait accord avis importance inquietude"
    " satisfaccion confianza acuerdo opinion importancia preocupacion soddisfazione fiducia accordo"
    " opinione importanza preoccupazione tevredenheid tevreden vertrouwen mening belang houding"
    " belangrijk satisfacao confianca concordancia opiniao importancia preocupacao".split()
)
"""Words of labels that ask what somebody thinks of something, not what they are."""

PHRASES: dict[str, str] = {
    "a sampling weight": """
        gewichtungsfaktor, stichprobengewicht, personengewicht, haushaltsgewicht, designgewicht,
        hochrechnung, querschnittsgewicht, kalibrierungsgewicht, analysegewicht,
        gewichtungsvariable, coefficient de ponderation, poids individuel, poids final, poids
        menage, poids du menage, poids de l individu, coefficient d extrapolation, variable de
        ponderation, factor de ponderacion, ponderacion, factor de elevacion, peso de la persona,
        peso poblacional, peso del hogar, peso campionario, peso di riporto, coefficiente di
        riporto, coefficiente di espansione, fattore di espansione, coefficiente di ponderazione,
        ponderazione, peso finale, weegfactor, wegingsfactor, ophoogfactor, steekproefgewicht,
        weging, weegcoefficient, peso amostral, fator de expansao, fator de ponderacao,
        ponderacao, peso da pessoa, peso do domicilio, peso final, fator de peso""",
    "a body measure": """
        groesse cm, poids corporel, poids kg, tension arterielle, peso corporal, peso kg, altura,
        peso corporeo, altezza, statura, pressione arteriosa, lichaamsgewicht, lichaamslengte,
        bloeddruk, pressao arterial, blutdruck, presion arterial""",
    "the relationship to the head": """
        beziehung zum haushaltsvorstand, beziehung zur bezugsperson, verwandtschaftsverhaltnis,
        verwandtschaftsbeziehung, stellung zum haushaltsvorstand, verhaltnis zur bezugsperson,
        beziehung zur haupteinkommensperson, lien avec la personne de reference, lien avec le chef
        de menage, lien familial, lien a la personne de reference, relacion con el jefe, relacion
        con el jefe del hogar, parentesco con el jefe, parentesco con el jefe del hogar, relacion
        con la persona de referencia, relacion de parentesco, relazione di parentela, parentela,
        rapporto di parentela, relazione con la persona di riferimento, relazione con il
        capofamiglia, relatie tot het hoofd, relatie tot het hoofd van het huishouden,
        verwantschap, relatie tot de referentiepersoon, plaats in het huishouden, positie in het
        huishouden, relacao com o responsavel, relacao com o responsavel pelo domicilio, grau de
        parentesco, parentesco com o responsavel, condicao no domicilio, condicao na familia,
        relacao de parentesco, relationship to household head, relationship to head of household""",
    "a position in the household": """
        person im haushalt, personennummer im haushalt, laufende nummer im haushalt, numero d
        ordre, numero d ordre dans le menage, rang dans le menage, numero de orden, numero de
        orden en el hogar, numero de linea, numero d ordine, numero progressivo componente,
        progressivo componente, numero del componente, volgnummer persoon, persoonsvolgnummer,
        volgnummer in het huishouden, volgnummer van de persoon, numero de ordem, numero de ordem
        da pessoa, numero de ordem no domicilio, line number in household, person number in
        household, person number within household""",
    "a person's name": """
        username, user name, nickname, login name,
        zuname, rufname, name des patienten, name der person, name des befragten, vor und
        nachname, patronyme, nom de naissance, nom de jeune fille, nom usuel, prenoms, nom et
        prenom, nom du patient, nom du repondant, primer nombre, primer apellido, segundo
        apellido, apellidos, nombres y apellidos, nombre completo, nombre del paciente, cognome,
        nome e cognome, nome completo, nome di battesimo, nome del paziente, voornaam, achternaam,
        familienaam, voorletters, tussenvoegsel, volledige naam, roepnaam, naam van de patient,
        naam patient, sobrenome, apelido, primeiro nome, nome proprio, nome da mae, nome do pai,
        nome do paciente, patient name, name of patient, name of respondent, respondent name, nom
        complet, nombre y apellido""",
    "a way to reach a person": """
        telefonnummer, rufnummer, mobilnummer, mailadresse, emailadresse, e mail adresse, adresse
        mail, adresse electronique, numero de telephone, celular, numero de telefono, telefono,
        cellulare, posta elettronica, indirizzo email, numero di telefono, recapito telefonico,
        telefoonnummer, telefoon, mobiel nummer, mailadres, emailadres, e mailadres, telefone,
        telemovel, correio eletronico, numero de telefone, numero telephonique, numero de
        portable, telephone portable, contatto, mobiltelefon""",
    "an address": """
        strassenname, wohnadresse, postanschrift, breitengrad, langengrad, laengengrad,
        koordinaten, wohnanschrift, numero de rue, nom de rue, nom de la rue, coordonnees, nombre
        de la calle, numero de casa, coordenadas, latitud, longitud, indirizzo, numero civico,
        latitudine, longitudine, coordinate, nome della via, indirizzo di residenza, adres,
        straat, straatnaam, huisnummer, woonadres, breedtegraad, lengtegraad, coordinaten,
        endereco, rua, morada, logradouro, numero da casa, nome da rua, indirizzo di casa""",
    "a number of a visit or sample": """
        besuchsnummer, aufnahmenummer, probennummer, numero de sejour, numero d echantillon,
        numero de visita, numero de muestra, numero di visita, numero campione, numero di
        ricovero, bezoeknummer, opnamenummer, monsternummer, numero da visita, numero da amostra""",
    "a number of a person": """
        identification number, identification, respondent identification,
        versichertennummer, krankenversichertennummer, patientennummer, personalnummer,
        ausweisnummer, reisepassnummer, passnummer, identifikationsnummer, kundennummer,
        mitgliedsnummer, kontonummer, kennung, befragtennummer, teilnehmernummer, interviewnummer,
        personen id, personenkennung, numero d identification, numero de dossier, numero patient,
        numero de passeport, numero national, numero de compte, plaque d immatriculation,
        identifiant individu, identifiant de l individu, numero individu, identifiant du patient,
        numero de securite sociale, numero de identificacion, documento de identidad, numero de
        documento, historia clinica, numero de paciente, identificacion, pasaporte, seguro social,
        numero de cuenta, identificador de la persona, codice fiscale, tessera sanitaria, codice
        paziente, numero paziente, cartella clinica, carta d identita, passaporto, identificativo,
        codice individuo, codice individuale, codice intervistato, numero di conto, codice
        persona, identificativo individuo, burgerservicenummer, bsn, patientnummer,
        persoonsnummer, rijksregisternummer, paspoortnummer, rekeningnummer, klantnummer,
        clientnummer, dossiernummer, respondentnummer, lidnummer, identificatienummer,
        polisnummer, kenteken, persoon id, nummer van de persoon, nummer respondent, nummer van de
        respondent, numero de identificacao, numero de utente, cartao de cidadao, bilhete de
        identidade, numero do paciente, prontuario, identificador da pessoa, codigo da pessoa,
        numero de contribuinte, cartao sus, titulo de eleitor, numero da conta, numero do
        prontuario, matricola, numero del cuestionario, numero do questionario, numero del
        questionario, questionnaire number, fragebogennummer, numero du questionnaire, code
        adherent, code d adherent, unique id, unique identifier, securite sociale, deelnemer id,
        deelnemernummer, persoonid, rinpersoon""",
    "sex": "sesso, genere, geslacht, sekse, geschlechtsidentitat, sexe de la personne",
    "age": """
        how old, altersgruppe, altersklasse, lebensalter, wie alt, age revolu, tranche d age,
        groupe d age, grupo de edad, anos cumplidos, cuantos anos, eta, eta in anni, classe di
        eta, fascia di eta, quanti anni, leeftijd, leeftijdsgroep, leeftijdsklasse, hoe oud,
        idade, faixa etaria, grupo etario, anos de idade, quantos anos, age in years""",
    "the date of birth": """
        geboren am, tag der geburt, ne le, nee le, data nasc, dt nasc, dtnasc, datum van geboorte,
        fecha de nac""",
    "the year of birth": """
        anno di nascita, geboortejaar, jaar van geboorte, ano de nascimento, year born, annee de
        nais, jahr geboren""",
    "the month or day of birth": """
        birth month, month of birth, birth day, day of birth, geburtsmonat, mois de naissance, mes
        de nacimiento, mese di nascita, geboortemaand, mes de nascimento, dia de nacimiento,
        giorno di nascita, dia de nascimento, jour de naissance""",
    "marital status": """
        personenstand, familienstatus, partnerschaftsstatus, statut matrimonial, situation
        matrimoniale, situation familiale, situation conjugale, situacion conyugal, estado
        conyugal, stato civile, stato coniugale, burgerlijke staat, burgerlijke stand, estado
        conjugal, situacao conjugal, situacao matrimonial, estado matrimonial, legal marital
        status, martial status, etat matrimoniale, have a partner""",
    "ethnic group or language": """
        ethnie, ethnische zugehorigkeit, ethnische herkunft, migrationshintergrund, volksgruppe,
        herkunft, origine ethnique, groupe ethnique, langue maternelle, grupo etnico, origen
        etnico, lengua indigena, pueblo indigena, gruppo etnico, razza, lingua, madrelingua,
        origine etnica, etniciteit, etnische groep, etnische afkomst, etnische herkomst, afkomst,
        migratieachtergrond, taal, moedertaal, herkomst, raca, cor ou raca, raca cor, migration
        background, minority group, ethnic origin, language spoken at home""",
    "religion": """
        religionszugehorigkeit, konfessionszugehorigkeit, glaubensgemeinschaft, glaube, confession
        religieuse, confesion religiosa, religione, confessione religiosa, confessione, religie,
        godsdienst, geloof, kerkelijke gezindte, geloofsovertuiging, religiao, religious
        affiliation, religious denomination, confissao religiosa""",
    "country of birth or nationality": """
        herkunftsland, land der geburt, land geboren, nationalitaet, staatsburgerschaft,
        geburtsstaat, deutschland geboren, lieu de naissance, pays d origine, lugar de nacimiento,
        pais de origen, ciudadania, paese, paese di nascita, cittadinanza, nazionalita, luogo di
        nascita, stato di nascita, comune di nascita, paese di origine, geboorteland,
        nationaliteit, land van herkomst, land van geboorte, geboorteplaats, staatsburgerschap,
        herkomstland, pais de nascimento, nacionalidade, naturalidade, local de nascimento, pais
        de origem, cidadania, country of origin, foreign born, immigration status, immigrant, year
        of arrival, year of immigration, citizen status, country born, staatsang, autochtone""",
    "a postal code": "codice postale, codice di avviamento postale",
    "a place": """
        domicile, wohnumgebung,
        regierungsbezirk, landkreis, wohnort, gemeindegroesse, gemeindegrosse,
        gemeindegrossenklasse, ortsteil, stadtteil, regionstyp, siedlungstyp, bezirk,
        gemeindekennziffer, code insee, code commune, lieu de residence, milieu de residence, type
        de commune, taille de commune, arrondissement, quartier, zone de residence, comunidad
        autonoma, entidad federativa, estado, localidad, zona, barrio, parroquia, tamano de
        localidad, lugar de residencia, regione, comune, citta, localita, quartiere, ripartizione
        geografica, area geografica, residenza, comune di residenza, gemeente, provincie, regio,
        woonplaats, stad, plaats, wijk, buurt, landsdeel, stedelijkheid, stedelijkheidsgraad,
        regiao, municipio, concelho, freguesia, cidade, bairro, unidade da federacao, situacao do
        domicilio, zona de residencia, distretto, governorate, place of residence, type of place
        of residence, neighbourhood, borough, prefecture, agglomeration""",
    "a cluster or stratum of the sample": """
        psu, ssu, primary sampling unit, sampling unit, stratum, strata, cluster, sample point,
        sampling point, sampling stratum, klumpen, schichtung, stichprobenpunkt, strate, grappe,
        unite primaire, estrato, conglomerado, unidad primaria de muestreo, strato, grappolo,
        unita primaria, unita primaria di campionamento, steekproefeenheid, unidade primaria de
        amostragem""",
    "education": """
        schulbildung, bildungsabschluss, bildungsniveau, bildungsstand, hochster schulabschluss,
        ausbildung, berufsabschluss, berufsausbildung, hochschulabschluss, ausbildungsabschluss,
        hochster bildungsabschluss, niveau d etudes, niveau d instruction, niveau de diplome,
        scolarite, niveau de formation, diplome le plus eleve, nivel de estudios, estudios, nivel
        de instruccion, grado de instruccion, nivel de educacion, titulacion, istruzione, titolo
        di studio, livello di istruzione, grado di istruzione, scolarita, opleiding,
        opleidingsniveau, hoogst behaalde opleiding, hoogste opleiding, onderwijsniveau,
        onderwijs, schoolopleiding, escolaridade, instrucao, nivel de instrucao, grau de
        instrucao, educacao, nivel de escolaridade, anos de estudo, habilitacoes literarias,
        habilitacoes, educational attainment, highest qualification, level of education, years of
        schooling, diploma, laurea""",
    "economic activity": """
        erwerbsbeteiligung, berufliche stellung, stellung im beruf, erwerbssituation, arbeitslos,
        beschaftigung, beschaftigungsstatus, berufstatig, beschaftigungsverhaltnis, situation
        professionnelle, statut d activite, situation d emploi, statut dans l emploi, activite
        professionnelle, situacion ocupacional, condicion de actividad, categoria ocupacional,
        situacion profesional, empleo, condizione professionale, condizione occupazionale, stato
        occupazionale, posizione lavorativa, arbeidsstatus, arbeidssituatie, arbeidsmarktpositie,
        maatschappelijke positie, arbeidspositie, betaald werk, condicao de atividade, situacao no
        emprego, condicao de ocupacao, situacao profissional, situacao na ocupacao, posicao na
        ocupacao, forca de trabalho, main activity, working status, labour market status,
        employed, unemployed, fonction""",
    "hours of work": """
        arbeitsstunden, wochenstunden, arbeitszeit, temps de travail, ore lavorate, ore
        settimanali, uren per week, arbeidsuren, werkuren, horas trabalhadas""",
    "occupation": """
        berufsgruppe, berufsbezeichnung, ausgeubte tatigkeit, tatigkeit, categorie
        socioprofessionnelle, categorie socio professionnelle, csp, oficio, professione,
        occupazione, mestiere, lavoro svolto, beroep, beroepsgroep, beroepscode, functie,
        ocupacao, profissao, cargo""",
    "industry": """
        wirtschaftsbereich, wirtschaftssektor, secteur d activite, rama de actividad, ciiu, sector
        de actividad, actividad economica, settore, settore di attivita, ateco, ramo di attivita,
        attivita economica, bedrijfstak, bedrijfssector, ramo de atividade, setor de atividade,
        setor, cnae, atividade economica""",
    "the make-up of the household": """
        haushaltsgroesse, personen im haushalt, anzahl personen im haushalt, kinderzahl, anzahl
        der personen im haushalt, zahl der personen im haushalt, anzahl der kinder, haushaltstyp,
        familientyp, haushaltsmitglieder, nombre d enfants, nombre de personnes, nombre de
        personnes dans le menage, taille du menage, type de menage, type de famille, nombre de
        membres du menage, numero de hijos, numero de personas, tamano del hogar, numero de
        personas en el hogar, tipo de hogar, miembros del hogar, integrantes del hogar, numero di
        componenti, numero componenti, numero di componenti della famiglia, figli, numero di
        figli, ampiezza della famiglia, dimensione della famiglia, tipologia familiare,
        huishoudgrootte, huishoudensgrootte, aantal personen, aantal personen in het huishouden,
        aantal kinderen, kinderen, gezinsgrootte, grootte van het huishouden, huishoudtype,
        huishoudsamenstelling, gezinssamenstelling, numero de moradores, numero de pessoas, numero
        de pessoas no domicilio, numero de pessoas no agregado, tamanho da familia, tamanho do
        agregado, dimensao do agregado, numero de filhos, filhos, tipo de familia, total de
        moradores, household members, number of household members, people in household, size of
        household, number of persons, number of people, number of persons in household, number of
        persons in family, birth order, kids, number of kids, combien d enfants, nbr enfants, nb
        enfants, nbrenf, grootte van je huishouden, grootte van uw huishouden""",
    "housing that can be seen": """
        wohneigentum, wohnverhaltnis, wohnform, wohnungstyp, gebaudetyp, anzahl zimmer, zimmer,
        wohnsituation, eigentumsverhaltnis, mietverhaltnis, statut d occupation, type de logement,
        nombre de pieces, tipo de vivienda, tenencia, tenencia de la vivienda, habitaciones,
        regimen de tenencia, abitazione, titolo di godimento, tipo di abitazione, alloggio, numero
        di stanze, woning, woningtype, type woning, eigendomssituatie, aantal kamers, kamers,
        koopwoning, huurwoning, tipo de domicilio, alojamento, habitacao, comodos, regime de
        ocupacao, numero de quartos, type of housing, wall, material of walls, eau,
        approvisionnement en eau, vehicule, vehicules, agua, acqua""",
    "health": """
        gesundheitszustand, erkrankung, schwangerschaft, medikament, chronische krankheit,
        behandlung, schwerbehinderung, pflegegrad, todesursache, etat de sante, grossesse,
        medicament, traitement, maladie chronique, invalidite, cause de deces, estado de salud,
        embarazo, medicamento, tratamiento, invalidez, enfermedad cronica, causa de muerte,
        salute, stato di salute, malattia, diagnosi, disabilita, invalidita, gravidanza, farmaco,
        terapia, state of health, difficulty, impairment, hearing, vision, chronic, health status,
        self rated health, gezondheid, gezondheidstoestand, ziekte, beperking, medicatie, zwanger,
        aandoening, behandeling, saude, estado de saude, doenca, deficiencia, incapacidade,
        gravidez, cid10, tratamento, cause de mort, date de deces, deces, datum overlijden,
        overlijden, sterbedatum, todestag, date of death, death, defuncion, fecha de defuncion,
        decesso, data di morte, obito, depressao, depression""",
    "money": """
        nettoeinkommen, bruttoeinkommen, haushaltseinkommen, haushaltsnettoeinkommen, verdienst,
        bruttolohn, arbeitslosengeld, sozialhilfe, einkommensklasse, schulden, revenus,
        allocations, prestations, patrimoine, dettes, ingresos, alquiler, deuda, patrimonio,
        remuneracion, gastos, reddito, stipendio, retribuzione, affitto, spesa, spese, pensione,
        risparmio, debito, guadagno, inkomen, loon, salaris, huur, uitgaven, uitkering, pensioen,
        spaargeld, schuld, huishoudinkomen, inkomensklasse, renda, rendimento, rendimentos,
        despesa, despesas, aluguel, remuneracao, pensao, poupanca, divida, earned, revenues,
        treasury, funds, capital, depreciation, liabilities, equity, dividend, cash, financial""",
    "opinion, sexuality or crime": """
        sexuelle orientierung, wahlabsicht, parteipraferenz, parteineigung, gewerkschaft,
        vorstrafe, wahlentscheidung, zweitstimme, orientation sexuelle, intention de vote,
        syndicat, condamnation, orientacion sexual, intencion de voto, sindicato, condena,
        ideologia, orientamento sessuale, partito, reato, condanna, sindacato, seksuele
        geaardheid, seksuele orientatie, politieke partij, vakbond, misdrijf, veroordeling,
        partij, orientacao sexual, crime, condenacao""",
    "the time of the survey": """
        start of interview, end of interview, interview length, length of interview,
        date of interview, time of interview, interview time, start time, end time, arrival time,
        departure time, time of arrival, year of interview, month of interview, interviewdatum,
        befragungsdatum, erhebungsjahr, erhebungsmonat, uhrzeit, date d enquete, date de l
        entretien, annee d enquete, heure de l entretien, fecha de entrevista, hora de inicio, ano
        de la encuesta, data intervista, data dell intervista, anno di rilevazione, anno di
        indagine, datum interview, datum van het interview, jaar van onderzoek, tijdstip, data da
        entrevista, ano da pesquisa, ano de referencia, timestamp""",
}
"""What a variable is about, by its name in `concepts`, and what it is called."""

ALONE: dict[str, str] = {
    "marital status": "partner partnership",
    "a sampling weight": "pond ponderateur",
    "a person's name": "naam nome",
    "an address": "via domicilio",
    "a number of a person": "cpf rg cns nis pis",
    "age": "alt",
    "ethnic group or language": "cor",
    "country of birth or nationality": "land arrival",
    "a postal code": "cap cep",
    "a place": "uf ags milieu",
    "a cluster or stratum of the sample": "upm upa schicht segment",
    "industry": "wz wz08 sbi naf cae",
    "occupation": "kldb cbo pcs",
    "economic activity": "werk trabajo trabalho lavoro",
    "the time of the survey": "time hour hora heure ora tijd",
}
"""Words that mean this only where they stand alone."""
