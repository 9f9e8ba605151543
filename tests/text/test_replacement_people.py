"""Made-up people: one for each, of the same sex and family, with the nickname that belongs."""

from __future__ import annotations

import pytest
from replacement_marks import marked

from indistinct.knowledge import knowledge
from indistinct.scrub.text.people import Mention, Person
from indistinct.scrub.text.replace import Cast, Choices, Secret
from indistinct.scrub.text.replace.choosing import sounds
from indistinct.scrub.text.replace.persons import on_its_own
from indistinct.scrub.text.replace.pools import clear_sex, first_names, surnames
from indistinct.scrub.text.scrubber import Scrubber

SECRET = Secret.from_seed(11)


def cast(*people: Person, words: frozenset[str] = frozenset(), own: str = "me") -> Cast:
    names = {n.lower() for p in people for n in (p.first, p.last, p.nickname) if n}
    return Cast(people, Choices(SECRET, words, names), own)


def scrub(letter: str, seed: int = 11, **options: str) -> list[str]:
    text, spans = marked(letter)
    done = Scrubber(Secret.from_seed(seed), **options).apply(text, spans)
    return [change.replacement for change in done.changes]


@pytest.mark.parametrize("sex", ["F", "M"])
def test_every_first_name_is_clear_and_has_clear_nicknames(sex: str) -> None:
    pool = first_names(sex)
    assert len(pool) > 60
    for name, nicknames in pool.items():
        assert clear_sex(name) == sex
        assert nicknames
        for nickname in nicknames:
            assert nickname in knowledge().nicknames(name)
            assert clear_sex(nickname) == sex
            assert nickname[0] == name[0]


def test_surnames_are_no_words_places_or_first_names() -> None:
    for name in surnames()[::37]:
        assert knowledge().place(name) is None
        assert knowledge().word(name).zipf < 3
        assert knowledge().word(name).first < 1


def test_one_person_is_one_person_in_every_way_of_writing() -> None:
    patricia = Person(
        0, first="Patricia", middle="Rose", last="Oldfield", nickname="Trish", sex="F"
    )
    role = cast(patricia).role(0)
    assert role.write("PATRICIA", "first") == role.first.upper()
    assert role.write("oldfield", "last") == role.last
    assert role.write("Oldfeild", "last").lower() == role.last
    assert role.write("Trish", "nickname").lower() in knowledge().nicknames(role.first)
    assert role.write_initials("PO", []).lower() == role.first[0] + role.last[0]
    assert role.write_initials("p.r.o.", []) == f"{role.first[0]}.{role.middle[0]}.{role.last[0]}."
    assert role.write_initials("O", ["first"]) == role.last[0].upper()
    assert role.write_initials("P", ["last"]) == role.first[0].upper()
    assert role.write("R.", "middle") == role.middle[0].upper() + "."
    assert role.write("O*******", "last") == role.last[0].upper() + "*" * (len(role.last) - 1)
    assert role.write("Oldfield's", "last").lower() == role.last + "'s"


def test_no_initial_is_the_true_one() -> None:
    for number, (first, last) in enumerate([("Ann", "Barker"), ("Zoe", "Quist"), ("Ian", "Udall")]):
        role = cast(Person(number, first=first, last=last)).role(number)
        assert role.first[0] != first[0].lower()
        assert role.last[0] != last[0].lower()


def test_a_family_keeps_its_surname_and_its_members_differ() -> None:
    family = [Person(n, first=name, last="Quimby") for n, name in enumerate(["Ann", "Tom", "Sue"])]
    players = cast(*family)
    roles = [players.role(person.number) for person in family]
    assert len({role.last for role in roles}) == 1
    assert len({role.first for role in roles}) == 3
    assert [clear_sex(role.first) for role in roles] == ["F", "M", "F"]


def test_a_double_surname_has_two_made_up_parts_shared_with_each_family() -> None:
    both = Person(0, first="Ann", last="Quimby-Marsh")
    alone = Person(1, first="Tom", last="Marsh")
    players = cast(both, alone)
    first, second = players.role(0).last.split("-")
    assert second == players.role(1).last != first
    assert players.role(0).write("QUIMBY-MARSH", "last") == f"{first}-{second}".upper()
    assert players.role(0).write("Quimby", "last").lower() == first


def test_two_of_the_same_name_stay_two() -> None:
    players = cast(Person(0, first="John", last="Quimby"), Person(1, first="John", last="Quimby"))
    assert players.role(0).first != players.role(1).first


def test_somebody_called_by_the_nickname_is_who_has_the_full_name_elsewhere() -> None:
    full = cast(Person(0, first="Anthony", last="Quimby")).role(0)
    short = cast(Person(0, first="Tony", last="Quimby")).role(0)
    only = cast(Person(0, nickname="Tony", last="Quimby")).role(0)
    assert full.first == short.first == only.first
    assert short.write("Tony", "first").lower() == only.write("Tony", "nickname").lower()
    assert short.write("Tony", "first").lower() in knowledge().nicknames(full.first)


@pytest.mark.parametrize(
    ("first", "nickname"), [("Lawrence", "Larry"), ("Larry", "Lawrence"), ("Kathy", "Kat")]
)
def test_first_name_and_nickname_stay_two_whichever_is_called_which(
    first: str, nickname: str
) -> None:
    role = cast(Person(0, first=first, nickname=nickname, last="Quimby")).role(0)
    full, short = sorted((first, nickname), key=len, reverse=True)
    assert role.write(full, "nickname" if full == nickname else "first").lower() == role.first
    assert role.write(short, "nickname" if short == nickname else "first").lower() == role.nickname
    assert role.nickname in knowledge().nicknames(role.first)


def test_sex_unknown_gives_a_name_of_both() -> None:
    role = cast(Person(0, first="Wzyk", last="Quimby")).role(0)
    known = knowledge().word(role.first)
    assert 0 < max(known.female, known.male) <= 4 * min(known.female, known.male)


def test_a_clear_first_name_says_its_sex_against_the_relation() -> None:
    role = cast(Person(0, first="Anthony", sex="F")).role(0)
    assert clear_sex(role.first) == "M"


def test_made_up_names_do_not_stand_in_the_document() -> None:
    person = Person(0, first="Ann", last="Quimby")
    usual = cast(person).role(0)
    there = cast(person, words=frozenset({usual.last, usual.first})).role(0)
    assert there.last != usual.last
    assert there.first != usual.first


def test_made_up_surnames_of_a_document_are_not_alike() -> None:
    people = [Person(n, last=f"{chr(66 + n % 24)}{'aeiou'[n % 5]}row") for n in range(36)]
    players = cast(*people)
    names = {players.role(person.number).last for person in people}
    assert len({sounds(name) for name in names}) == len(names)


def test_first_names_alone_agree_in_a_patients_letters_and_nowhere_else() -> None:
    person = Person(0, first="Nathaniel")
    here, again = cast(person, own="p1").role(0).first, cast(person, own="p1").role(0).first
    others = {cast(person, own=f"p{n}").role(0).first for n in range(2, 12)}
    assert here == again
    assert len(others) > 3


def test_letters_in_last_first_order_capitals_and_possessives_keep_their_form() -> None:
    letter = (
        "Patient: {QUIMBY, Ann|full name}\n{Ann|first name} came. {Mrs. Quimby's|last name} knee."
        " Dictated by {Tom Hurd|full name} {TH|initials}"
    )
    made = scrub(letter)
    last, first = made[0].split(", ")
    assert last.isupper()
    assert first.istitle()
    assert made[1] == first
    text, spans = marked(letter)
    assert f"Mrs. {last.title()}'s knee" in Scrubber(SECRET).apply(text, spans).text
    assert made[4] == "".join(part[0] for part in made[3].split())


def test_first_name_with_an_initial() -> None:
    made = scrub("{Sarah P.|full name} saw us. {Sarah|first name} is well.")
    assert made[0].split()[0] == made[1]
    assert len(made[0].split()[1]) == 2
    assert made[0].endswith(".")


def test_names_in_other_scripts_are_written_in_latin_letters() -> None:
    made = scrub("Seen with {Иван Петров|full name} and {王小明|full name}.")
    assert all(name.isascii() and name[0].isupper() for name in made)


def test_project_scope_agrees_between_letters_and_patient_scope_does_not() -> None:
    one, two = "Re {Ann Quimby|full name}.", "Dear {Ann Quimby|full name}, come again."
    assert scrub(one) == scrub(two)
    assert scrub(one, scope="patient") != scrub(two, scope="patient")


def test_two_secrets_share_no_pseudonyms_beyond_chance() -> None:
    letters = [f"Re {{Ann {name.title()}|full name}}." for name in surnames()[::60]]
    same = sum(scrub(one, seed=1) == scrub(one, seed=2) for one in letters)
    assert same == 0


def test_a_name_that_nobody_gathered_is_still_replaced() -> None:
    text, (span,) = marked("Seen by {Dr. Maria de Souza, MD|full name}.")
    person, mention = on_its_own(span, text, 0)
    written = cast(person).write(mention, text)
    assert written.startswith("Dr. ")
    assert written.endswith(", MD")
    assert not {"maria", "souza"} & set(written.lower().replace(",", "").split())


def test_a_word_that_gathering_left_between_pieces_does_not_leak() -> None:
    text, (span,) = marked("Seen by {Ann Zzyzx Quimby|full name}.")
    form = ((span.start, span.start + 3, "first"), (span.end - 6, span.end, "last"))
    person = Person(0, first="Ann", last="Quimby", sex="F")
    assert "Zzyzx" not in cast(person).write(Mention(span, 0, form), text)
