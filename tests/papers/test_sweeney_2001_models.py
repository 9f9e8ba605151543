"""Sweeney, *Computational disclosure control* (2001), sections 4 to 6: ADS0 and its models.

Figures 15 to 17 and 19 with the examples of section 5, and the systems of section 6 as anonymous
data systems. Datafly, µ-Argus and k-Similar are run on Figure 28. Where the paper leaves something
open, the test says what was taken.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from indistinct import open_data
from indistinct.hierarchy import date_hierarchy, suppression_only, table_hierarchy
from indistinct.keys import Generalisable
from indistinct.protect.methods.datafly_ii.datafly import datafly
from indistinct.protect.methods.k_similarity.k_similar import KSimilarStep
from indistinct.protect.methods.mu_argus.argus import argus
from indistinct.protect.plan import Plan
from indistinct.prove.ads0 import ADS0
from indistinct.prove.ads0.relations import Release
from indistinct.scrub.text.judging import verdict
from indistinct.scrub.text.replace.secret import Secret
from indistinct.scrub.text.scrubber import Scrubber

# Figure 19

ATTRIBUTES = ("name", "birth date", "ZIP", "diagnosis")
QI = ("name", "birth date", "ZIP")
PT = [
    ("Ann", "10/2/61", "02139", "cardiac"),
    ("Abe", "7/14/61", "02139", "cancer"),
    ("Al", "3/8/61", "02138", "liver"),
]
IDENTITY = PT
SUPPRESSION = [(None, None, None, None)] * 3
DE_IDENTIFICATION = [(None, *row[1:]) for row in PT]
ENCRYPTION = [
    ("Jcd", "x1", "y1", "cardiac"),
    ("Jwq", "x2", "y2", "cancer"),
    ("Jxy", "x3", "y3", "liver"),
]
GENERALISATION = [("A*", "1961", "0213*", row[3]) for row in PT]
SWAP = [
    ("Abe", "7/14/61", "02139", "cardiac"),
    ("Al", "3/8/61", "02138", "cancer"),
    ("Ann", "10/2/61", "02139", "liver"),
]
EVERYBODY = [["Abe", "Al", "Ann"]] * 3
EACH = [["Ann"], ["Abe"], ["Al"]]
ALL = ["Ann", "Abe", "Al"]


def rows(table):
    return [dict(zip(ATTRIBUTES, row, strict=True)) for row in table]


def figure_19(**parts):
    subjects = ["Ann", "Abe", "Al"]
    population = ["Dan", "Don", "Dave", *subjects]
    return ADS0.of(
        subjects=subjects,
        population=population,
        private=rows(PT),
        key=QI,
        universe=["Jcd", "Jwq", "Jxy", *population],
        external=[[{n: row[n] for n in QI} for row in rows(PT)]],
        names="name",
        **parts,
    )


def texts(entities):
    return [str(entity) for entity in entities]


# the functions f, as the examples define them


def unit_swap(private):
    """The QI of the next tuple, with one's own diagnosis."""
    following = private[1:] + private[:1]
    return [
        {**{n: other[n] for n in QI}, "diagnosis": row["diagnosis"]}
        for row, other in zip(private, following, strict=True)
    ]


FUNCTIONS = {
    "identity": lambda private: private,
    "suppression": lambda private: [dict.fromkeys(ATTRIBUTES) for _ in private],
    "de-identification": lambda private: [row | {"name": None} for row in private],
    "encryption": lambda private: [
        row | {"name": n, "birth date": f"x{i}", "ZIP": f"y{i}"}
        for i, (row, n) in enumerate(zip(private, ("Jcd", "Jwq", "Jxy"), strict=True), start=1)
    ],
    "generalisation": lambda private: [
        row
        | {
            "name": row["name"][0] + "*",
            "birth date": "19" + row["birth date"][-2:],
            "ZIP": row["ZIP"][:4] + "*",
        }
        for row in private
    ],
    "swap": unit_swap,
}
RELEASES = {
    # released tuples, is it an ADS0, links, disclosed
    "identity": (IDENTITY, False, EACH, ALL),
    "suppression": (SUPPRESSION, True, EVERYBODY, []),
    "de-identification": (DE_IDENTIFICATION, False, EACH, ALL),
    "encryption": (ENCRYPTION, True, [[], [], []], []),
    # the text names Al and Ann; Abe, whom the lost drawing left out, fits as well
    "generalisation": (GENERALISATION, True, EVERYBODY, []),
    "swap": (SWAP, True, [["Abe"], ["Al"], ["Ann"]], []),
}


@pytest.mark.parametrize("example", RELEASES)
def test_examples_of_section_5(example):
    released, ads0, links, disclosed = RELEASES[example]
    by_function = figure_19(function=FUNCTIONS[example])
    assert list(by_function.releases[0].rows) == rows(released)
    as_a_table = figure_19(releases=[rows(released)])
    for system in (by_function, as_a_table):
        verdict = system.verdict()
        assert verdict.ads0 is ads0
        assert [texts(found) for found in system.links()] == links
        assert texts(verdict.disclosed) == disclosed
        assert [(w.record, str(w.entity)) for w in verdict.witnesses] == list(enumerate(disclosed))
        # nothing here hangs on how condition (c) is read
        assert system.verdict(reading="printed").ads0 is ads0


@pytest.mark.parametrize(
    ("example", "null_map", "k_map", "wrong_map"),
    [
        ("encryption", True, 0, False),
        ("generalisation", False, 3, False),
        ("swap", False, 1, True),
        ("identity", False, 1, False),
    ],
)
def test_protection_models_of_section_5(example, null_map, k_map, wrong_map):
    verdict = figure_19(function=FUNCTIONS[example]).verdict()
    assert (verdict.null_map, verdict.k_map, verdict.wrong_map) == (null_map, k_map, wrong_map)


def test_complete_suppression_satisfies_the_first_two_conditions():
    for t in figure_19(function=FUNCTIONS["suppression"]).verdict().tuples:
        assert t.linked_correctly
        assert t.a
        assert t.b


def test_unit_swap_satisfies_the_third_condition_only():
    """Without origins: each tuple leads to one subject, whose diagnosis it does not have."""
    for t in figure_19(releases=[rows(SWAP)]).verdict().tuples:
        assert (t.linked_correctly, t.a, t.b, t.c) == (True, False, False, True)


def test_figure_16_maps_to_pseudo_entities_only():
    verdict = figure_19(function=FUNCTIONS["encryption"]).verdict()
    assert [texts(t.pseudo) for t in verdict.tuples] == [["Jcd"], ["Jwq"], ["Jxy"]]
    assert {t.model for t in verdict.tuples} == {"null-map"}


def test_figure_16_with_weak_encryption_is_inverted():
    """Every digit one more: the relation g inverts f."""
    shift = str.maketrans("0123456789", "1234567890")

    def weak(private):
        return [
            row | {"name": None, "birth date": row["birth date"].translate(shift), "ZIP": None}
            for row in private
        ]

    def inverts(attribute, label, value):
        return label is None or label == (value or "").translate(shift)

    assert figure_19(function=weak).verdict().null_map
    assert texts(figure_19(function=weak, covers=inverts).verdict().disclosed) == ALL


def test_figure_17_links_fall_on_people_outside_the_subjects_too():
    """Section 4.2: additional protection where links refer to entities not in Subjects."""
    system = figure_19(function=FUNCTIONS["generalisation"])
    adam = {"name": "Adam", "birth date": "1/1/61", "ZIP": "02131"}
    larger = ADS0.of(
        subjects=system.subjects,
        private=rows(PT),
        key=QI,
        external=[[*system.external[0], adam]],
        function=FUNCTIONS["generalisation"],
    )
    assert (system.verdict().k_map, larger.verdict().k_map) == (3, 4)


# Section 6: the systems on Figure 28

KEY = ("ethnicity", "birth", "sex", "zip")
FIGURE_28 = [
    ("Black", "1965-09-20", "m", "02141", "shortness of breath"),
    ("Black", "1965-02-14", "m", "02141", "chest pain"),
    ("Black", "1965-10-23", "f", "02138", "hypertension"),
    ("Black", "1965-08-24", "f", "02138", "hypertension"),
    ("Black", "1964-11-07", "f", "02138", "obesity"),
    ("Black", "1964-12-01", "f", "02138", "chest pain"),
    ("Caucasian", "1964-10-23", "m", "02138", "chest pain"),
    ("Caucasian", "1965-03-15", "f", "02139", "hypertension"),
    ("Caucasian", "1964-08-13", "m", "02139", "obesity"),
    ("Caucasian", "1964-05-05", "m", "02139", "shortness of breath"),
    ("Caucasian", "1967-02-13", "m", "02138", "chest pain"),
    ("Caucasian", "1967-03-21", "m", "02138", "chest pain"),
]
PEOPLE = [f"person {number}" for number in range(1, 13)]
PRIVATE = [dict(zip((*KEY, "problem"), row, strict=True)) for row in FIGURE_28]
REGISTER = [
    {"name": name, **{n: row[n] for n in KEY}} for name, row in zip(PEOPLE, PRIVATE, strict=True)
]
# neighbours who are in no hospital: one like person 8 by sex and ZIP, and two like nobody
NEIGHBOURS = [
    {
        "name": "neighbour 1",
        "ethnicity": "Black",
        "birth": "1970-01-01",
        "sex": "f",
        "zip": "02139",
    },
    {
        "name": "neighbour 2",
        "ethnicity": "Asian",
        "birth": "1964-02-02",
        "sex": "m",
        "zip": "02138",
    },
    {
        "name": "neighbour 3",
        "ethnicity": "Asian",
        "birth": "1931-03-03",
        "sex": "f",
        "zip": "02142",
    },
]
LIKE_PERSON_7 = {
    "name": "neighbour 4",
    "ethnicity": "Caucasian",
    "birth": "1964-06-06",
    "sex": "m",
    "zip": "02138",
}


def hierarchies():
    births = date_hierarchy([r[1] for r in FIGURE_28], name="birth", windows=("month", "year"))
    zips = [(z, z[:4] + "*", z[:3] + "**", "*****") for z in ("02138", "02139", "02141", "02142")]
    return {
        "ethnicity": suppression_only(["Black", "Caucasian"], name="ethnicity"),
        "birth": births,
        "sex": suppression_only(["f", "m"], name="sex"),
        "zip": table_hierarchy(zips, name="zip"),
    }


def run(method) -> Release:
    """f(PT): apply a system's plan to Figure 28; a column of numbers tells each tuple's origin."""
    columns = {n: [row[n] for row in PRIVATE] for n in PRIVATE[0]}
    with open_data(columns | {"number": list(range(12))}) as data:
        keys = Generalisable.of(data.key_table(list(KEY)), hierarchies())
        table = method(keys).apply(data.engine, data.source, seed=28).source.table()
    origins = table.column("number").to_pylist()
    return Release.of(table.drop_columns(["number"]).to_pylist(), origins=origins)


def as_system(release: Release, register=REGISTER) -> ADS0:
    """S, the patients; QI, the attributes with replications in E; E, a register that names them."""
    return ADS0.of(
        subjects=PEOPLE,
        private=PRIVATE,
        whose=PEOPLE,
        key=KEY,
        external=[register],
        releases=[release],
        hierarchies=hierarchies(),
    )


def by_datafly(keys):
    return datafly(keys, k=2, max_drop=1).plan()


RATED = {"ethnicity": 1, "birth": 2, "sex": 2, "zip": 2}


def by_argus(keys, **options):
    found = argus(
        keys, k=2, identification=RATED, combinations="described", levels={"birth": 2}, **options
    )
    return found.plan()


def by_argus_as_printed(keys):
    return by_argus(keys, without=[("sex", "zip")])


def by_k_similar(keys, **options):
    return Plan((KSimilarStep(keys.names, 2, keys.hierarchies, **options),))


FIGURE_33 = {"improve": False, "method": "greedy"}


def test_datafly_is_an_ads0():
    system = as_system(run(by_datafly))
    verdict = system.verdict()
    assert len(verdict.tuples) == 11
    assert system.releases[0].origins == (0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11)
    assert verdict.ads0
    assert verdict.k_map == 2
    assert verdict.models == {"k-map": 11}


def test_datafly_against_a_larger_register_is_one_still_with_k_no_smaller():
    release = run(by_datafly)
    small, large = as_system(release), as_system(release, [*REGISTER, *NEIGHBOURS, LIKE_PERSON_7])
    assert large.verdict().ads0
    pairs = zip(small.verdict().tuples, large.verdict().tuples, strict=True)
    assert all(set(a.links) <= set(b.links) for a, b in pairs)
    # nobody more of those born in 1967, so k stays; of Caucasian men of 1964 there is one more
    assert large.verdict().k_map == 2
    assert large.verdict().tuples[6].k == small.verdict().tuples[6].k + 1


def test_argus_is_not_an_ads0_the_residual_record_is_the_witness():
    """Figure 30 as printed. Record 8, though half suppressed, is found by sex and ZIP too."""
    verdict = as_system(run(by_argus_as_printed)).verdict()
    assert not verdict.ads0
    found = [(w.record + 1, str(w.entity)) for w in verdict.witnesses]
    assert found == [(7, "person 7"), (8, "person 8")]
    assert [t.k for t in verdict.tuples] == [2, 2, 2, 2, 2, 2, 1, 1, 2, 2, 2, 2]


@pytest.mark.parametrize("options", [{}, {"without": [("sex", "zip")]}, {"ties": "leftmost"}])
def test_argus_leaves_record_7_whichever_pairs_it_examines(options):
    release = run(lambda keys: by_argus(keys, **options))
    verdict = as_system(release, [*REGISTER, *NEIGHBOURS]).verdict()
    assert [(w.record + 1, str(w.entity)) for w in verdict.witnesses] == [(7, "person 7")]


def test_argus_is_saved_by_chance_if_the_register_has_somebody_alike():
    """k is counted over the register: the file alone cannot tell."""
    register = [*REGISTER, *NEIGHBOURS, LIKE_PERSON_7]
    verdict = as_system(run(by_argus_as_printed), register).verdict()
    assert verdict.ads0
    assert verdict.tuples[6].k == 2


@pytest.mark.parametrize("options", [FIGURE_33, {}])
@pytest.mark.parametrize("more", [[], [*NEIGHBOURS, LIKE_PERSON_7]])
def test_k_similar_is_an_ads0(options, more):
    release = run(lambda keys: by_k_similar(keys, **options))
    verdict = as_system(release, [*REGISTER, *more]).verdict()
    assert len(verdict.tuples) == 12
    assert verdict.ads0
    assert verdict.k_map == 2
    assert verdict.models == {"k-map": 12}


def test_systems_are_as_good_as_their_quasi_identifier():
    """The remark after the definition: with the problem known outside, Datafly discloses."""
    informed = [
        row | {"problem": own["problem"]} for row, own in zip(REGISTER, PRIVATE, strict=True)
    ]
    system = as_system(run(by_datafly), informed)
    assert "problem: released, and known from external information" in system.warnings[0]
    assert system.verdict().ads0
    found = replace(system, beyond_key=True).verdict()
    # by class and problem; 3 and 4, 11 and 12 have the same problem
    alone = [1, 2, 5, 6, 7, 9, 10]
    assert texts(found.disclosed) == [f"person {n}" for n in alone]


# Scrub: the paper's argument (section 6.1) on documents that Scrub reads. What they tell beside
# references is written as attributes, as a reader would take notes of them.

DETECTED = ("name", "address", "phone")
FACTS = ("at two", "at three", "at four", "at five")
FIGURE_25 = (
    "At the age of two she was sexually assaulted. At the age of three she set fire to her home. "
    "At the age of four her parents divorced. At the age of five she was placed in foster care "
    "after stabbing her nursery school teacher with scissors."
)
TOLD = (
    FIGURE_25,
    "At three she had measles. At four her parents divorced. She goes to school.",
    "At three she had measles. She goes to school.",
)
DOCUMENTS = [
    (
        "Zoe Hartwell",
        "14 Elm Street",
        "617-555-1000",
        "assaulted",
        "fire",
        "divorced",
        "foster care",
    ),
    ("Eve Lindqvist", "22 Elm Street", "617-555-1001", None, "measles", "divorced", "school"),
    ("Fay Moreland", "36 Elm Street", "617-555-1002", None, "measles", None, "school"),
]


def letter(document, told):
    """A document of PT: who it is about, and the history of one of them as in Figure 25."""
    name, address, phone, *_ = document
    return f"RE: {name}\n{address}\nPhone: {phone}\n\nDear Dr. Lang:\n\n{told}\n"


def noted(text, document):
    """What of a document's attributes a reader of the text finds in it."""
    return {
        name: value if value and value in text else None
        for name, value in zip((*DETECTED, *FACTS), document, strict=True)
    }


def scrubbed():
    """The texts after Scrub."""
    scrubber = Scrubber(secret=Secret.from_seed(1))
    return [scrubber.scrub(letter(*one)).text for one in zip(DOCUMENTS, TOLD, strict=True)]


def by_scrub():
    """Scrub as an anonymous data system: documents before and after it, as read."""
    before = [letter(*one) for one in zip(DOCUMENTS, TOLD, strict=True)]
    private, released = (
        [
            noted(text, document) | {"note": f"session {number}"}
            for number, (text, document) in enumerate(zip(texts, DOCUMENTS, strict=True), start=1)
        ]
        for texts in (before, scrubbed())
    )
    newspaper = [{"name": "Zoe Hartwell", "at three": "fire", "at five": "foster care"}]
    phone_book = [{n: row[n] for n in DETECTED} for row in private]
    return ADS0.of(
        subjects=[document[0] for document in DOCUMENTS],
        private=private,
        key=DETECTED,
        external=[newspaper, phone_book],
        function=lambda documents: released,
    )


def test_scrub_takes_out_what_its_detectors_know_and_leaves_the_facts():
    for text, document in zip(scrubbed(), DOCUMENTS, strict=True):
        seen = noted(text, document)
        assert [seen[name] for name in DETECTED] == [None] * 3
        assert [seen[name] for name in FACTS] == list(document[3:])


def test_scrub_is_not_an_ads0_once_facts_are_linked():
    system = by_scrub()
    # by what the detectors know, nobody is told from anybody
    assert "at five, at three: released, and known from external" in system.warnings[0]
    beyond = replace(system, beyond_key=True).verdict()
    assert not beyond.ads0
    assert texts(beyond.disclosed) == ["Zoe Hartwell"]
    assert beyond.witnesses[0].record == 0
    # the same with a quasi-identifier that is right: what has replications in E
    right = replace(system, key=(*DETECTED, *FACTS))
    assert right.warnings == ()
    assert texts(right.verdict().disclosed) == ["Zoe Hartwell"]


def test_scrub_by_its_detectors_alone_cannot_see_it():
    assert by_scrub().verdict().ads0


def test_scrub_says_itself_that_it_is_not_an_ads0():
    """A(S, P, PT, QI, U, {RT}, E, G, Scrub) is not an ADS0, and warns of the one document."""
    said = verdict(scrubbed())
    assert said.ads0 is replace(by_scrub(), beyond_key=True).verdict().ads0 is False
    assert said.verdict == "de-identified only, not anonymous"
    assert [sequence.document for sequence in said.sequences] == [1]
