"""The terms, checked against the release (Sweeney 2001, Figure 35), and the contract they fill."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from indistinct.core.errors import InputError
from indistinct.hierarchy import suppression_only
from indistinct.project import load_project
from indistinct.protect import Deidentify, Generalise, Plan, Select
from indistinct.release import Terms, check_terms, told_steps, write_contract

TODAY = dt.date(2027, 3, 1)
RELEASED, KEY = ["age", "zip", "income"], ["age", "zip"]
FULL = Terms(
    purpose="Cancer\nby district",
    needed=("age", "income"),
    recipient="The registry",
    holder="The office",
    access="semi-private",
    security="a room without a network",
    could_link=("age", "zip"),
    will_link=("zip",),
    lifetime=dt.date(2028, 6, 30),
    destroy_by=dt.date(2028, 12, 31),
    review_days=30,
    sanctions="no data for ten years",
)


def checked(terms, **options):
    return check_terms(terms, **{"released": RELEASED, "key": KEY, "today": TODAY, **options})


def drawn(terms):
    return write_contract(terms, released=RELEASED, key=KEY, k=5, today=TODAY)


def test_terms_that_fit_are_taken_without_a_word():
    assert checked(FULL) == ()
    assert checked(Terms()) == ()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"could_link": ("age", "zip", "income")}, "'income', which is not in the key"),
        ({"could_link": ("age", "zip", "ethnicity")}, "'ethnicity', which is not in the released"),
        ({"will_link": ("zip", "income")}, "'income', but could_link does not"),
        ({"destroy_by": dt.date(2027, 2, 28)}, "2027-02-28 has passed"),
        ({"lifetime": dt.date(2027, 2, 28)}, "2027-02-28 has passed"),
        ({"lifetime": dt.date(2029, 1, 1)}, "ends after they are destroyed"),
        ({"access": "public"}, "could_link means nothing for a public release"),
    ],
)
def test_what_the_release_does_not_keep_is_refused(change, said):
    with pytest.raises(InputError, match=said):
        checked(replace(FULL, **change))


def test_the_last_day_is_not_past():
    assert checked(replace(FULL, lifetime=TODAY, destroy_by=TODAY)) == ()


def test_all_problems_are_told_at_once():
    terms = replace(FULL, could_link=("income",), destroy_by=dt.date(2020, 1, 1))
    with pytest.raises(InputError) as caught:
        checked(terms, identifiers=["zip"])
    assert len(str(caught.value).splitlines()) == 5


def test_what_the_purpose_needs_and_does_not_get_is_warned_of():
    (warning,) = checked(replace(FULL, needed=("age", "diagnosis")))
    assert "'diagnosis', which is not released" in warning


def test_a_full_contract_has_seven_clauses_and_nothing_open():
    contract = drawn(FULL)
    assert contract.open == ()
    assert [f"## {n}." in contract.text for n in range(1, 8)] == [True] * 7
    body = contract.text.split("## Signatures")[0]
    assert "__________" not in body
    for words in ("Cancer by district", "30 days", "2028-12-31", "2028-06-30", "k = 5",
                  "no data for ten years", "a room without a network", "consent"):  # fmt: skip
        assert words in body


def test_each_term_left_out_is_blank_and_listed():
    names = [name for name in Terms.__dataclass_fields__ if name != "will_link"]
    for name in names:
        contract = drawn(replace(FULL, **{name: None}))
        assert len(contract.open) == 1, name
        body = contract.text.split("## Signatures")[0]
        assert body.count("__________") == 1, name
        assert f"- {contract.open[0]}" in body
    assert len(drawn(Terms()).open) == len(names) + 1


def test_who_will_not_link_promises_so():
    contract = drawn(replace(FULL, will_link=None))
    assert contract.open == ()
    assert "not going to link" in contract.text
    assert "consent" not in contract.text


def test_a_public_release_binds_nobody():
    terms = replace(FULL, access="public", could_link=None, will_link=None)
    contract = drawn(terms)
    assert "must hold against anybody" in contract.text
    assert "Signatures" not in contract.text
    (warning,) = checked(terms)
    assert "lifetime, destroy_by, review_days, sanctions, security" in warning


def test_the_terms_of_a_project_file(tmp_path):
    (tmp_path / "people.csv").write_text("age,zip\n1,2\n")
    path = tmp_path / "release.toml"
    path.write_text(
        '[data]\nfile = "people.csv"\n[release]\nkey = ["age"]\nholder = "The office"\n'
        'access = "semi-public"\n[contract]\ncould_link = ["age"]\ndestroy_by = 2030-01-31\n'
    )
    assert Terms.from_project(load_project(path)) == Terms(
        holder="The office",
        access="semi-public",
        could_link=("age",),
        destroy_by=dt.date(2030, 1, 31),
    )
    assert Terms.from_project(None) == Terms()


# what the note on method may say of a selection


def test_values_of_a_selection_are_told_only_of_what_is_released_as_it_was():
    select = Select((), {"zip": ("02138",), "sex": ("f",)})
    told = told_steps(Plan((select,)), ["zip", "sex"])
    assert told == [f"K{select.describe()[1:]}."]
    raised = Generalise(suppression_only(["02138"], name="zip"), 1)
    for plan, released in (
        (Plan((select, raised)), ["zip", "sex"]),
        (Plan((select, Deidentify(("zip",)))), ["sex"]),
    ):
        said = told_steps(plan, released)[0]
        assert "02138" not in said
        assert said == (
            "Keep the records whose sex is f; keep the records that meet a condition on zip, "
            "which is not told."
        )
