"""Small labelled surveys in other languages, whose headers say nothing: made up for the tests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat


@dataclass(frozen=True)
class Item:
    """A variable: the roles that are right, its label, what it holds, and the labels of codes."""

    roles: str
    label: str
    holds: str
    values: tuple[str, ...] = ()


def item(roles: str, label: str, holds: str, values: str = "") -> Item:
    return Item(roles, label, holds, tuple(v.strip() for v in values.split(";")) if values else ())


SURVEYS: dict[str, tuple[Item, ...]] = {
    "German": (
        item("identifier", "Laufende Nummer des Befragten", "serial"),
        item("household", "Nummer des Haushalts", "household"),
        item("other", "Person im Haushalt (lfd. Nr.)", "line"),
        item("weight", "Hochrechnungsfaktor Personen", "weight"),
        item("key", "Geschlecht", "codes", "Männlich; Weiblich; Divers"),
        item("key", "Alter in Jahren", "age"),
        item("key", "Familienstand", "codes", "Ledig; Verheiratet; Geschieden; Verwitwet"),
        item("key", "Bundesland des Hauptwohnsitzes", "codes", "Bayern; Hessen; Berlin; Saarland"),
        item("key", "Staatsangehörigkeit", "codes", "Deutsch; Türkisch; Polnisch; Andere"),
        item("key", "In welchem Land wurden Sie geboren?", "codes", "Deutschland; Türkei; Syrien"),
        item("key", "Höchster allgemeinbildender Schulabschluss", "codes",
             "Hauptschulabschluss; Mittlere Reife; Abitur; Ohne Abschluss"),
        item("key", "Derzeit ausgeübter Beruf (KldB 2010)", "many"),
        item("key", "Wirtschaftszweig des Betriebs", "codes", "Landwirtschaft; Baugewerbe; Handel"),
        item("key", "Anzahl der Personen im Haushalt", "size"),
        item("key", "Religionszugehörigkeit", "codes",
             "Evangelisch; Katholisch; Muslimisch; Keine"),
        item("key", "Zu Hause gesprochene Sprache", "codes", "Deutsch; Türkisch; Russisch; Andere"),
        item("sensitive", "Monatliches Nettoeinkommen", "amount"),
        item("sensitive", "Wahlabsicht Bundestagswahl", "codes", "Partei A; Partei B; Nichtwähler"),
        item("other", "Zufriedenheit mit dem Wohnort", "codes", "sehr; eher; kaum; gar nicht"),
        item("relationship", "Verwandtschaftsverhältnis zur Bezugsperson", "codes",
             "Bezugsperson; Ehepartner; Kind; Sonstige"),
        item("key|identifier", "Geburtsdatum", "birth"),
        item("other", "Interviewdatum", "day"),
    ),
    "French": (
        item("identifier", "Identifiant du répondant", "serial"),
        item("household", "Identifiant du ménage", "household"),
        item("other", "Numéro d'ordre dans le ménage", "line"),
        item("weight", "Coefficient de pondération individuel", "weight"),
        item("key", "Sexe de l'individu", "codes", "Homme; Femme"),
        item("key", "Âge au dernier anniversaire", "age"),
        item("key", "État matrimonial légal", "codes",
             "Célibataire; Marié(e); Veuf(ve); Divorcé(e)"),
        item("key", "Région de résidence", "codes", "Bretagne; Occitanie; Normandie; Grand Est"),
        item("key", "Nationalité", "codes", "Française; Étrangère (UE); Étrangère (hors UE)"),
        item("key", "Pays de naissance", "codes", "France; Algérie; Maroc; Portugal; Autre"),
        item("key", "Diplôme le plus élevé obtenu", "codes",
             "Aucun; Brevet; Baccalauréat; Licence"),
        item("key", "Profession et catégorie socioprofessionnelle", "codes",
             "Agriculteurs; Artisans; Cadres; Employés; Ouvriers"),
        item("key", "Secteur d'activité de l'établissement", "codes",
             "Agriculture; Industrie; Services"),
        item("key", "Nombre de personnes dans le ménage", "size"),
        item("key", "Religion", "codes", "Catholique; Protestante; Musulmane; Sans religion"),
        item("key", "Langue parlée à la maison", "codes", "Français; Arabe; Portugais; Autre"),
        item("key", "Statut d'activité au sens du BIT", "codes", "Actif occupé; Chômeur; Inactif"),
        item("sensitive", "Revenu mensuel net du ménage", "amount"),
        item("sensitive", "Maladie chronique déclarée", "codes", "Oui; Non"),
        item("other", "Confiance dans le gouvernement", "codes", "Forte; Moyenne; Faible"),
        item("relationship", "Lien avec la personne de référence", "codes",
             "Personne de référence; Conjoint; Enfant; Autre"),
        item("key|identifier", "Date de naissance", "birth"),
    ),
    "Spanish": (
        item("identifier", "Número de identificación de la persona", "serial"),
        item("household", "Identificador del hogar", "household"),
        item("other", "Número de orden de la persona en el hogar", "line"),
        item("weight", "Factor de elevación", "weight"),
        item("key", "Sexo", "codes", "Hombre; Mujer"),
        item("key", "Años cumplidos", "age"),
        item("key", "Estado civil actual", "codes", "Soltero/a; Casado/a; Viudo/a; Divorciado/a"),
        item("key", "Comunidad autónoma de residencia", "codes",
             "Andalucía; Galicia; Madrid; Aragón"),
        item("key", "Nacionalidad", "codes", "Española; Extranjera; Española y otra"),
        item("key", "País de nacimiento", "codes", "España; Marruecos; Rumanía; Colombia; Otro"),
        item("key", "Nivel de estudios terminados", "codes", "Primaria; Secundaria; Universidad"),
        item("key", "Ocupación principal (CNO)", "many"),
        item("key", "Rama de actividad", "codes",
             "Agricultura; Industria; Construcción; Servicios"),
        item("key", "Número de miembros del hogar", "size"),
        item("key", "¿Cuál es su religión?", "codes", "Católica; Evangélica; Musulmana; Ninguna"),
        item("key", "Lengua materna", "codes", "Castellano; Catalán; Gallego; Otra"),
        item("key", "Situación laboral", "codes", "Ocupado; Parado; Jubilado; Estudiante"),
        item("sensitive", "Ingresos mensuales netos", "amount"),
        item("sensitive", "Intención de voto", "codes", "Partido A; Partido B; No votaría"),
        item("other", "Satisfacción con la vida en su barrio", "codes", "Mucha; Alguna; Poca"),
        item("relationship", "Parentesco con la persona de referencia", "codes",
             "Persona de referencia; Cónyuge; Hijo/a; Otro"),
        item("identifier", "Teléfono de contacto", "phone"),
    ),
    "Italian": (
        item("identifier", "Codice dell'individuo", "serial"),
        item("household", "Codice della famiglia", "household"),
        item("other", "Numero d'ordine del componente", "line"),
        item("weight", "Coefficiente di riporto all'universo", "weight"),
        item("key", "Sesso", "codes", "Maschio; Femmina"),
        item("key", "Età in anni compiuti", "age"),
        item("key", "Stato civile", "codes", "Celibe/nubile; Coniugato/a; Vedovo/a; Divorziato/a"),
        item("key", "Regione di residenza", "codes", "Piemonte; Lazio; Sicilia; Toscana"),
        item("key", "Cittadinanza", "codes", "Italiana; Straniera; Apolide"),
        item("key", "Paese di nascita", "codes", "Italia; Romania; Albania; Altro"),
        item("key", "Titolo di studio più elevato", "codes", "Licenza media; Diploma; Laurea"),
        item("key", "Professione svolta", "codes", "Dirigenti; Impiegati; Operai; Tecnici"),
        item("key", "Settore di attività economica", "codes", "Agricoltura; Industria; Servizi"),
        item("key", "Numero di componenti della famiglia", "size"),
        item("key", "Confessione religiosa", "codes", "Cattolica; Ortodossa; Musulmana; Nessuna"),
        item("key", "Lingua parlata in famiglia", "codes", "Italiano; Dialetto; Altra lingua"),
        item("key", "Condizione occupazionale", "codes",
             "Occupato; Disoccupato; Casalinga; Studente"),
        item("sensitive", "Reddito netto mensile", "amount"),
        item("sensitive", "Stato di salute", "codes", "Buono; Discreto; Cattivo"),
        item("other", "Fiducia nel prossimo", "codes", "Molta; Poca; Nessuna fiducia"),
        item("relationship", "Relazione di parentela con la persona di riferimento", "codes",
             "Persona di riferimento; Coniuge; Figlio; Altro"),
        item("key|identifier", "Data di nascita", "birth"),
    ),
    "Dutch": (
        item("identifier", "Respondentnummer", "serial"),
        item("household", "Nummer van het huishouden", "household"),
        item("other", "Volgnummer van de persoon in het huishouden", "line"),
        item("weight", "Weegfactor personen", "weight"),
        item("key", "Geslacht", "codes", "Man; Vrouw"),
        item("key", "Leeftijd in jaren", "age"),
        item("key", "Burgerlijke staat", "codes", "Gehuwd; Ongehuwd; Gescheiden; Verweduwd"),
        item("key", "Provincie waar u woont", "codes", "Utrecht; Gelderland; Limburg; Drenthe"),
        item("key", "Nationaliteit", "codes", "Nederlandse; Marokkaanse; Turkse; Anders"),
        item("key", "Geboorteland", "codes", "Nederland; Marokko; Turkije; Suriname; Anders"),
        item("key", "Hoogst voltooide opleiding", "codes", "Basisonderwijs; VMBO; HAVO; HBO"),
        item("key", "Beroep (ISCO)", "many"),
        item("key", "Bedrijfstak waarin u werkt", "codes",
             "Landbouw; Bouwnijverheid; Handel; Zorg"),
        item("key", "Aantal personen in het huishouden", "size"),
        item("key", "Godsdienst of levensbeschouwing", "codes",
             "Katholiek; Protestants; Islam; Geen"),
        item("key", "Taal die thuis wordt gesproken", "codes", "Nederlands; Fries; Turks; Anders"),
        item("key", "Arbeidsmarktpositie", "codes", "Werkend; Werkloos; Gepensioneerd; Student"),
        item("sensitive", "Netto maandinkomen", "amount"),
        item("sensitive", "Ervaren gezondheid", "codes", "Goed; Redelijk; Slecht"),
        item("other", "Tevredenheid met de buurt", "codes", "Heel; Redelijk; Niet"),
        item("relationship", "Relatie tot de referentiepersoon", "codes",
             "Referentiepersoon; Partner; Kind; Anders"),
        item("identifier", "Achternaam", "surname"),
    ),
    "Portuguese": (
        item("identifier", "Número do cartão de cidadão", "serial"),
        item("household", "Identificador do domicílio", "household"),
        item("other", "Número de ordem da pessoa", "line"),
        item("weight", "Peso amostral com correção", "weight"),
        item("key", "Sexo", "codes", "Homem; Mulher"),
        item("key", "Idade do morador", "age"),
        item("key", "Estado civil", "codes", "Solteiro(a); Casado(a); Viúvo(a); Divorciado(a)"),
        item("key", "Unidade da Federação", "codes", "Bahia; Paraná; Ceará; Goiás"),
        item("key", "Nacionalidade", "codes", "Brasileira; Estrangeira; Naturalizada"),
        item("key", "País de nascimento", "codes", "Brasil; Portugal; Angola; Outro"),
        item("key", "Nível de instrução mais elevado", "codes",
             "Ensino fundamental; Ensino médio; Superior"),
        item("key", "Ocupação no trabalho principal", "many"),
        item("key", "Setor de atividade", "codes", "Agricultura; Comércio; Construção; Serviços"),
        item("key", "Número de moradores no domicílio", "size"),
        item("key", "Qual é a sua religião?", "codes", "Católica; Evangélica; Espírita; Nenhuma"),
        item("key", "Cor ou raça", "codes", "Branca; Preta; Parda; Amarela; Indígena"),
        item("key", "Condição em relação à força de trabalho", "codes",
             "Ocupado; Desocupado; Inativo"),
        item("sensitive", "Rendimento mensal habitual", "amount"),
        item("sensitive", "Tem alguma deficiência", "codes", "Sim; Não"),
        item("other", "Confiança nas instituições", "codes", "Muita; Pouca; Nenhuma"),
        item("relationship", "Condição no domicílio", "codes",
             "Responsável; Cônjuge; Filho(a); Outro"),
        item("key|identifier", "Data de nascimento", "birth"),
    ),
}  # fmt: skip
"""By language: what a file of a survey has, in the words of such files."""

SURNAMES = (
    "Jansen de Vries Bakker Visser Smit Meijer Mulder Bos Vos Peters Hendriks Dekker Dijkstra"
    " Vermeulen Kok Jacobs Brouwer Hoekstra Kuipers"
).split()


def table_of(survey: tuple[Item, ...], *, homes: int = 150, seed: int = 1) -> pd.DataFrame:
    """Draw people in households who answer a survey; the columns are v1, v2 and so on."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, homes)
    home = np.repeat(np.arange(homes), sizes)
    n = len(home)
    drawn: dict[str, Any] = {
        "serial": lambda: rng.permutation(90_000)[:n] + 10_000,
        "household": lambda: home + 301,
        "line": lambda: np.concatenate([np.arange(1, size + 1) for size in sizes]),
        "weight": lambda: np.round(rng.gamma(4, 200, homes), 3)[home],
        "age": lambda: rng.integers(0, 95, n),
        "size": lambda: sizes[home],
        "many": lambda: rng.integers(1000, 1090, n),
        "amount": lambda: np.round(np.exp(rng.normal(7.5, 0.9, n)), -1),
        "birth": lambda: _days(rng, n, 1930, 80),
        "day": lambda: _days(rng, n, 2023, 1),
        "phone": lambda: [f"+34 6{a:02} {b:03} {c:03}" for a, b, c in rng.integers(10, 99, (n, 3))],
        "surname": lambda: rng.choice(SURNAMES, n),
    }
    return pd.DataFrame(
        {
            f"v{at}": rng.integers(1, len(one.values) + 1, n)
            if one.holds == "codes"
            else drawn[one.holds]()
            for at, one in enumerate(survey, 1)
        }
    )


def _days(rng: np.random.Generator, n: int, year: int, years: int) -> list[str]:
    days = rng.integers(0, 365 * years, n)
    return [str(np.datetime64(f"{year}-01-01") + int(day)) for day in days]


def write_survey(language: str, path: Path) -> Path:
    """Write a survey with its labels, as Stata or SPSS would have it."""
    survey = SURVEYS[language]
    table = table_of(survey)
    told: dict[str, Any] = {
        "column_labels": [one.label for one in survey],
        "variable_value_labels": {
            f"v{at}": dict(enumerate(one.values, 1))
            for at, one in enumerate(survey, 1)
            if one.values
        },
    }
    write = pyreadstat.write_dta if path.suffix == ".dta" else pyreadstat.write_sav
    write(table, str(path), **told)
    return path
