"""The nine-tuple: its validation, links, the three conditions and the models, by small cases."""

from __future__ import annotations

from dataclasses import replace

import pytest

from indistinct.core.errors import GuaranteeError, InputError
from indistinct.hierarchy import table_hierarchy
from indistinct.prove.ads0 import ADS0
from indistinct.prove.ads0.entities import Entity
from indistinct.prove.ads0.external import join_external
from indistinct.prove.ads0.relations import Channel, Release

PRIVATE = [
    {"name": "Ann", "birth": "10/2/61", "zip": "02139", "ill": "cardiac"},
    {"name": "Abe", "birth": "7/14/61", "zip": "02139", "ill": "cancer"},
    {"name": "Al", "birth": "3/8/61", "zip": "02138", "ill": "liver"},
]
REGISTER = [{k: row[k] for k in ("name", "birth", "zip")} for row in PRIVATE]
KEY = ("name", "birth", "zip")


def system(released, *, origins=(0, 1, 2), **changes):
    parts = {
        "subjects": ["Ann", "Abe", "Al"],
        "private": PRIVATE,
        "key": KEY,
        "external": [REGISTER],
        "releases": [Release.of(released, origins=origins)],
    }
    return ADS0.of(**(parts | changes))


def without_names(*cells):
    return [dict(zip(("birth", "zip", "ill"), row, strict=True)) for row in cells]


def names(entities):
    return [str(entity) for entity in entities]


# Validation: properties 1 to 8


def test_subjects_must_be_in_the_population():
    with pytest.raises(InputError, match="S ⊆ P"):
        system(PRIVATE, population=["Ann", "Abe"], external=[])


def test_the_population_must_be_in_the_universe():
    with pytest.raises(InputError, match="P ⊆ U"):
        system(PRIVATE, universe=["Ann", "Abe"])


def test_a_tuple_without_subject_means_that_collection_is_not_onto():
    with pytest.raises(
        InputError, match=r"not onto\. Of S nobody is the subject of tuple 3:"
    ) as error:
        system(PRIVATE, subjects=["Ann", "Abe"])
    assert "liver" not in str(error.value)


def test_every_subject_has_a_tuple():
    with pytest.raises(InputError, match="about every subject"):
        system(PRIVATE, subjects=["Ann", "Abe", "Al", "Dan"])


def test_a_subject_with_several_tuples_is_warned_about():
    twice = [*PRIVATE, PRIVATE[0] | {"ill": "asthma"}]
    found = system(PRIVATE, private=twice)
    assert "1 of 3 subjects have several private tuples" in found.warnings[0]
    assert system(PRIVATE).warnings == ()


def test_the_key_must_be_private_attributes():
    with pytest.raises(InputError, match=r"'brith' is none. Did you mean 'birth'\?"):
        system(PRIVATE, key=("name", "brith"))
    with pytest.raises(InputError, match="The key must consist of attributes"):
        system(PRIVATE, key=())


def test_a_release_has_private_attributes_only_and_an_origin_for_each_tuple():
    with pytest.raises(InputError, match="attribute 'zap' that the private table does not have"):
        system([{"zap": "1"}], origins=None)
    with pytest.raises(InputError, match=r"one origin for each tuple\. Got 2 for 3"):
        system(PRIVATE, origins=(0, 1))
    with pytest.raises(InputError, match="from 0 to 2, or None"):
        system(PRIVATE, origins=(0, 1, 3))
    with pytest.raises(InputError, match="There must be a release"):
        system(PRIVATE, releases=[])


def test_external_information_is_about_the_population():
    dan = {"name": "Dan", "birth": "1/1/50", "zip": "02139"}
    with pytest.raises(InputError, match="External table 1, tuple 4 names nobody"):
        system(PRIVATE, external=[[*REGISTER, dan]], population=["Ann", "Abe", "Al"])
    # left out, the population is everybody who is named
    assert names(system(PRIVATE, external=[[*REGISTER, dan]]).population) == [
        "Ann",
        "Abe",
        "Al",
        "Dan",
    ]


def test_a_function_gives_one_tuple_or_none_for_each():
    with pytest.raises(InputError, match="one tuple, or None, for each of the 3"):
        system(PRIVATE, releases=[], function=lambda rows: rows[:1])
    dropped = system(PRIVATE, releases=[], function=lambda rows: [None, *rows[1:]])
    assert dropped.releases[0].origins == (1, 2)
    assert names(dropped.verdict().disclosed) == ["Abe", "Al"]


def test_entities_named_by_several_attributes():
    private = [
        {"name": "Ann", "address": "1 Elm", "age": 40, "ill": "flu"},
        {"name": "Ann", "address": "2 Oak", "age": 41, "ill": "gout"},
    ]
    people = [{k: row[k] for k in ("name", "address")} for row in private]
    register = [{k: row[k] for k in ("name", "address", "age")} for row in private]
    parts = {"subjects": people, "private": private, "key": ["age"], "external": [register]}
    by_both = ADS0.of(
        **parts, names=("name", "address"), releases=[[{"age": 40}, {"age": "40-49"}]]
    )
    assert by_both.links() == [
        (Entity.of(people[0]),),
        (Entity.of(people[0]), Entity.of(people[1])),
    ]
    # by the name alone a message comes to both of them
    by_name = replace(by_both, channels=(Channel(("name",)),))
    assert [len(found) for found in by_name.links()] == [2, 2]
    assert by_name.verdict().ads0
    with pytest.raises(InputError, match="named by name, address"):
        ADS0.of(**(parts | {"subjects": ["Ann"]}), names=("name", "address"))


def test_private_tuples_that_name_nobody():
    private = [{k: row[k] for k in ("birth", "zip", "ill")} for row in PRIVATE]
    found = system(
        without_names(("1961", "02138", "liver")),
        private=private,
        key=("birth", "zip"),
        whose=["Ann", "Abe", "Al"],
        origins=(2,),
    )
    assert names(found.verdict().disclosed) == ["Al"]


# Several external tables


def test_tables_are_joined_on_what_they_share():
    births = [{"name": "Ann", "birth": "10/2/61"}, {"name": "Al", "birth": "3/8/61"}]
    zips = [{"name": "Abe", "zip": "02139"}, {"name": "Ann", "zip": "02139"}]
    assert join_external([tuple(births), tuple(zips)]) == (
        {"name": "Ann", "birth": "10/2/61", "zip": "02139"},
        {"name": "Al", "birth": "3/8/61", "zip": None},
        {"name": "Abe", "birth": None, "zip": "02139"},
    )


def test_tables_in_any_order_if_a_third_connects_them():
    births = ({"name": "Ann", "birth": "10/2/61"},)
    homes = ({"phone": "555", "zip": "02139"},)
    book = ({"name": "Ann", "phone": "555"},)
    (row,) = join_external([births, homes, book])
    assert row == {"name": "Ann", "birth": "10/2/61", "phone": "555", "zip": "02139"}
    with pytest.raises(InputError, match="External table 2 shares no attribute"):
        join_external([births, homes])


def test_tables_that_share_no_identifier_cannot_be_joined():
    homes = ({"name": "Ann", "zip": "02139"}, {"name": "Abe", "zip": "02139"})
    means = ({"zip": "02139", "income": "40"},)
    with pytest.raises(InputError, match="External table 2 shares zip with the others, which does"):
        join_external([homes, means])
    with pytest.raises(InputError, match="at most 6 external tables"):
        system(PRIVATE, external=[[{"name": "Ann"}]] * 7)


def test_two_tables_together_tell_more_than_each():
    births = [{"name": row["name"], "birth": row["birth"][-2:]} for row in PRIVATE]
    births[0]["birth"] = births[2]["birth"] = "x"
    zips = [{"name": row["name"], "zip": row["zip"]} for row in PRIVATE]
    private = [row | {"birth": b["birth"]} for row, b in zip(PRIVATE, births, strict=True)]
    released = [{k: row[k] for k in ("birth", "zip", "ill")} for row in private]
    alone = {"private": private, "key": KEY}
    # by birth Ann and Al are alike, by zip Ann and Abe; together all differ
    assert names(system(released, external=[births], **alone).verdict().disclosed) == ["Abe"]
    assert names(system(released, external=[zips], **alone).verdict().disclosed) == ["Al"]
    both = system(released, external=[births, zips], **alone)
    assert names(both.verdict().disclosed) == ["Ann", "Abe", "Al"]
    assert both.verdict().witnesses[0].relation == "external 1 and 2, {name}"


def test_a_table_more_never_takes_a_disclosure_away():
    """Who stands in a newspaper alone is found, whomever else a list names without the fact."""
    private = [row | {"fire": "yes" if row["name"] == "Ann" else "no"} for row in PRIVATE]
    released = [{"fire": row["fire"], "ill": row["ill"]} for row in private]
    newspaper = [{"name": "Ann", "fire": "yes"}]
    key = ("name", "fire")
    short = system(released, private=private, key=key, external=[newspaper])
    longer = system(released, private=private, key=key, external=[newspaper, REGISTER])
    assert names(short.verdict().disclosed) == names(longer.verdict().disclosed) == ["Ann"]


# Property 9


def test_a_another_entity():
    # Dan is no subject, but in the register: Al's tuple may be his
    dan = {"name": "Dan", "birth": "3/8/61", "zip": "02138"}
    released = without_names(("3/8/61", "02138", "liver"))
    alone = system(released, origins=(2,)).verdict()
    assert (alone.ads0, alone.tuples[0].a, alone.k_map) == (False, False, 1)
    among = system(released, origins=(2,), external=[[*REGISTER, dan]]).verdict()
    assert (among.ads0, among.tuples[0].a, among.k_map) == (True, True, 2)
    assert names(among.tuples[0].links) == ["Al", "Dan"]


def test_b_another_tuple():
    # two tuples of Al's: which is which, nobody can say
    twice = without_names(("3/8/61", "02138", "liver"), ("3/8/61", "02138", "liver"))
    found = system(twice, origins=(2, None)).verdict()
    assert found.ads0
    assert [(t.a, t.b, t.c) for t in found.tuples] == [(False, True, False), (True, True, True)]
    assert [t.linked_correctly for t in found.tuples] == [True, False]


def test_b_any_compatible_tuple_counts_not_equal_ones_alone():
    rows = without_names(("3/8/61", "02138", "liver"), ("1961", "0213*", "cancer"))
    found = system(rows, origins=(2, 1)).verdict()
    assert found.tuples[0].b
    assert found.ads0


def test_c_values_that_are_not_so():
    false = without_names(("3/8/61", "02138", "cardiac"))
    found = system(false, origins=(2,)).verdict()
    assert found.ads0
    assert (found.tuples[0].a, found.tuples[0].b, found.tuples[0].c) == (False, False, True)
    assert found.tuples[0].linked_correctly


def test_c_a_suppressed_value_beside_true_ones_does_not_help():
    private = [row | {"sex": "m"} for row in PRIVATE]
    row = {"birth": "3/8/61", "zip": "02138", "sex": "m", "ill": None}
    assert not system([row], origins=(2,), private=private).verdict().ads0
    assert system([row | {"sex": "f"}], origins=(2,), private=private).verdict().ads0


def test_c_where_nothing_is_told_outside_the_key():
    """Printed, (c) asks for values; read strictly, that she is among the subjects is told."""
    bare = [{"birth": "3/8/61", "zip": "02138"}]
    for row in (bare, [bare[0] | {"ill": None}], [bare[0] | {"ill": "*"}]):
        found = system(row, origins=(2,))
        assert names(found.verdict().disclosed) == ["Al"]
        assert found.verdict(reading="printed").ads0
        assert found.verdict(reading="printed").tuples[0].c
    with pytest.raises(InputError, match="strict or printed"):
        found.verdict(reading="loose")


def test_c_a_true_generalisation_is_accurate_if_read_strictly():
    organs = table_hierarchy(
        [("cardiac", "organ", "*"), ("liver", "organ", "*"), ("cancer", "tumour", "*")], name="ill"
    )
    parts = {"origins": (2,), "hierarchies": {"ill": organs}}
    true = system(without_names(("3/8/61", "02138", "organ")), **parts)
    assert not true.verdict().ads0
    assert true.verdict(reading="printed").ads0
    assert system(without_names(("3/8/61", "02138", "tumour")), **parts).verdict().ads0
    # the root tells nothing
    root = system(without_names(("3/8/61", "02138", "*")), **parts)
    assert (root.verdict().ads0, root.verdict(reading="printed").ads0) == (False, True)


def test_without_origins_a_tuple_may_be_anybody_s():
    swapped = without_names(("3/8/61", "02138", "cardiac"), ("10/2/61", "02139", "cardiac"))
    # made from Ann's and Abe's tuples: the second tells the truth of Ann, by chance
    known = system(swapped, origins=(0, 1)).verdict()
    assert known.ads0
    assert not any(t.linked_correctly for t in known.tuples)
    unknown = system(swapped, origins=None).verdict()
    assert names(unknown.disclosed) == ["Ann"]


def test_a_name_that_is_released_needs_no_external_information():
    row = [{"name": "Ann", "birth": None, "zip": None, "ill": "cardiac"}]
    found = system(row, origins=(0,), external=[])
    assert names(found.verdict().disclosed) == ["Ann"]
    assert found.verdict().witnesses[0].relation == "released {name}"
    assert "no external information" in found.warnings[0]


def test_a_generalised_name_cannot_be_called():
    row = [{"name": "An*", "birth": None, "zip": None, "ill": "cardiac"}]
    assert system(row, origins=(0,), external=[]).links() == [()]
    assert [names(found) for found in system(row, origins=(0,)).links()] == [["Ann"]]


def test_a_name_outside_the_key_is_still_a_name():
    row = [{"name": "Ann", "zip": "02139", "ill": "cardiac"}]
    found = system(row, origins=(0,), key=("zip",)).verdict()
    # by zip Ann and Abe, but the name itself is released
    assert names(found.tuples[0].links) == ["Abe", "Ann"]
    assert names(found.disclosed) == ["Ann"]


def test_made_up_names_imply_pseudo_entities():
    rows = [{"name": n, "birth": "x", "zip": "y", "ill": "cardiac"} for n in ("Jcd", "A*", None)]
    found = system(rows, origins=None)
    assert names(found.pseudo) == ["Jcd"]
    first = found.verdict().tuples[0]
    assert (names(first.links), names(first.pseudo), first.model) == ([], ["Jcd"], "null-map")


def test_the_function_of_labels_can_be_one_s_own():
    def shares_first_letter(attribute, label, value):
        return label is None or str(label)[0] == str(value)[0]

    rows = without_names(("3/1/99", "0", "liver"))
    assert system(rows, origins=(2,)).links() == [()]
    found = system(rows, origins=(2,), covers=shares_first_letter)
    assert [names(links) for links in found.links()] == [["Al"]]


def test_attributes_outside_the_key_that_are_known_outside_are_warned_about_and_tried():
    rows = without_names(("3/8/61", "02138", "liver"))
    found = system(
        rows,
        origins=(2,),
        key=("zip",),
        external=[[*REGISTER, REGISTER[2] | {"name": "Dan", "birth": "1/1/50"}]],
    )
    assert "birth: released, and known from external information" in found.warnings[0]
    assert found.verdict().ads0
    beyond = replace(found, beyond_key=True)
    assert names(beyond.verdict().disclosed) == ["Al"]
    assert beyond.warnings == ()


def test_every_release_is_judged():
    good = without_names(("1961", "0213*", "liver"))
    bad = without_names(("3/8/61", "02138", "liver"))
    releases = [Release.of(good, origins=(2,)), Release.of(bad, origins=(2,))]
    found = system([], releases=releases).verdict()
    assert [(w.release, w.record, str(w.entity)) for w in found.witnesses] == [(1, 0, "Al")]
    assert system([], releases=releases[:1]).verdict().ads0


# Models


def test_k_is_counted_over_the_universe_not_over_the_file():
    """S44, S61: the file has one record of each kind, the register four people of each."""
    more = [row | {"name": f"{row['name']} {n}"} for row in REGISTER for n in ("II", "III", "IV")]
    rows = [{k: row[k] for k in ("birth", "zip", "ill")} for row in PRIVATE]
    found = system(rows, external=[[*REGISTER, *more]]).verdict()
    keys = [(row["birth"], row["zip"]) for row in rows]
    k_anonymity = min(keys.count(key) for key in keys)
    assert (k_anonymity, found.k_map) == (1, 4)
    assert found.ads0
    assert found.models == {"k-map": 3}
    # k depends on neither |S| nor |RT|
    assert system(rows[:1], origins=(0,), external=[[*REGISTER, *more]]).verdict().k_map == 4


def test_several_models_in_one_release():
    rows = [
        {"name": "Jcd", "birth": "x", "zip": "y", "ill": "cardiac"},
        {"name": None, "birth": "1961", "zip": "0213*", "ill": "cancer"},
        {"name": "Ann", "birth": "10/2/61", "zip": "02139", "ill": "liver"},
        {"name": None, "birth": "3/8/61", "zip": "02138", "ill": "liver"},
    ]
    found = system(rows, origins=(0, 1, 2, 2)).verdict()
    assert [t.model for t in found.tuples] == ["null-map", "k-map", "wrong-map", "none"]
    assert found.models == {"null-map": 1, "k-map": 1, "wrong-map": 1, "none": 1}
    assert (found.null_map, found.wrong_map) == (False, False)
    assert found.k_map == 0
    # tuple 2 may be Al's too
    assert found.ads0


@pytest.mark.parametrize("number", [1, 2])
def test_wrong_map_is_refused_for_one_or_two(number):
    people = PRIVATE[:number]
    swapped = [
        {**{k: other[k] for k in KEY}, "ill": row["ill"]}
        for row, other in zip(people, people[1:] + people[:1], strict=True)
    ]
    parts = {"subjects": [row["name"] for row in people], "private": people}
    found = system(swapped, origins=range(number), **parts).verdict()
    assert not found.wrong_map
    with pytest.raises(GuaranteeError, match=f"more than two subjects and records. Got {number}"):
        found.require_wrong_map()
    # three subjects, but fewer records
    few = system(swapped, origins=range(number)).verdict()
    assert not few.wrong_map


def test_wrong_map_must_hold_for_every_tuple():
    rows = [PRIVATE[0], PRIVATE[2] | {"ill": "cancer"}, PRIVATE[1] | {"ill": "liver"}]
    with pytest.raises(GuaranteeError, match="1 of 3 do not"):
        system(rows).verdict().require_wrong_map()


def test_results_print_themselves():
    found = system(PRIVATE).verdict()
    assert repr(found).startswith("not an ADS0: 3 disclosures\n  tuple 1 is Ann's")
    assert found._repr_html_().startswith("<div><p>not an ADS0")
    told = found.to_dict()
    assert (told["ads0"], told["disclosures"], told["k_map"]) == (False, 3, 1)
    assert told["witnesses"][0]["record"] == 1
    assert told["witnesses"][0]["entity"] == "Ann"
    assert told["tuples"][0]["links"] == ["Ann"]
    assert "3 subjects of 3 people, 0 pseudo-entities" in repr(system(PRIVATE))
    # what private cells hold is told by nobody
    assert "cardiac" not in repr(found) + repr(told) + repr(system(PRIVATE))
