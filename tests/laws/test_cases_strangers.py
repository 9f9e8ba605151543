"""What a stranger found: files that were called *holds* and gave people away, or the reverse."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from small_data import open_small

from indistinct.hierarchy import suppression_only
from indistinct.households import pairs_in_households
from indistinct.knowledge import knowledge
from indistinct.naming import columns_that_name, guess_variables
from indistinct.naming.content import hold_addresses, hold_names
from indistinct.naming.people import find_person
from indistinct.protect.households_alike import _Cells
from indistinct.prove.pairs import pairs_that_tell

SURNAMES = (
    "Kofron Todd Krumm Sorrell Yeager Garcia Martinez Nguyen Okafor Lindqvist Schneider Fischer"
    " Dubois Moreau Rossi Bianchi Novak Kowalski Petrov Hansen Jensen Silva Santos Pereira Tanaka"
).split()
GIVEN = (
    "Diana John Richard Evelyn Julie Nancy Patricia Virginia Patrick Lukas Emma Hannah Jonas"
    " Pierre Camille Giulia Marco Ana Joao Ingrid Lars Sofia Pedro Maria Kenji"
).split()
STREETS = ["magnolia park rd", "145th st", "registry dr", "san pablo rd s", "Oak Ave", "rue Monge"]
TOWNS = (
    "Boston Paris Lyon Austin Berlin Madrid Porto Orlando Dallas Perth Leeds Bonn Turin Lagos Osaka"
).split()


def _people(size: int = 400) -> dict[str, list[object]]:
    rng = np.random.default_rng(1)
    return {
        "age": rng.integers(20, 60, size).tolist(),
        "sex": rng.choice(["f", "m"], size).tolist(),
        "nm": rng.choice(SURNAMES, size).tolist(),
        "resp": [
            f"{a} {b}"
            for a, b in zip(rng.choice(GIVEN, size), rng.choice(SURNAMES, size), strict=True)
        ],
        "contact": [f"Dr. {name.upper()}" for name in rng.choice(SURNAMES, size)],
        "mother": rng.choice(GIVEN, size).tolist(),
        "v17": [
            f"{n} {s}"
            for n, s in zip(rng.integers(1, 5, size), rng.choice(STREETS, size), strict=True)
        ],
        "seat": rng.choice(TOWNS, size).tolist(),
        "county": rng.choice(SURNAMES, size).tolist(),
        "answer": rng.choice(["agree", "neither", "disagree", "refused"], size).tolist(),
    }


def test_names_of_people_do_not_leave_under_a_header_that_says_nothing():
    with open_small(_people()) as data:
        found = {
            one.name: one.reason
            for one in columns_that_name(data.engine, data.source, key=["age", "sex"])
        }
    assert set(found) == {"nm", "resp", "contact", "mother", "v17"}
    assert found["nm"] == "holds names of people"
    assert found["v17"] == "holds addresses"


def test_a_draft_calls_them_identifiers():
    with open_small(_people()) as data:
        roles = {guess.name: guess.role for guess in guess_variables(data.engine, data.source)}
    assert {name for name, role in roles.items() if role == "identifier"} == {
        "nm",
        "resp",
        "contact",
        "mother",
        "v17",
    }


@pytest.mark.parametrize("form", [str.upper, str.lower, str.title])
def test_names_are_known_however_they_are_written(form):
    assert hold_names([form(name) for name in SURNAMES])
    assert hold_names(
        [form(f"{last}, {first}") for first, last in zip(GIVEN, SURNAMES, strict=True)]
    )
    assert hold_names(
        [form(f"{first[0]}. {last}") for first, last in zip(GIVEN, SURNAMES, strict=True)]
    )


def test_what_only_sounds_like_names_stays():
    months = "January February March April May June July August September October November December"
    makes = "Ford Toyota Honda Nissan Audi Fiat Renault Skoda Opel Mazda Volvo Kia Tesla Lexus Jeep"
    jobs = "baker cook carpenter nurse teacher lawyer driver farmer clerk waiter tailor miner smith"
    for words in (months.split(), makes.split(), jobs.split(), TOWNS):
        assert not hold_names(words)
        assert not hold_addresses(words)


def test_the_largest_towns_are_not_taken_for_people():
    known = knowledge()
    towns = [name for name, place in known._places.items() if place.population > 100_000]
    rng = np.random.default_rng(2)
    for _ in range(20):
        assert not hold_names([name.title() for name in rng.choice(towns, 60, replace=False)])


NATIVE = {
    "Russian": "Иванова Мария Петровна, Смирнов Олег Ильич, Кузнецова Анна, Попов Иван",
    "Ukrainian": "Тарас Шевченко, Олена Бондаренко, Ткачук Марія, Ірина Мельник",
    "Greek": "Γεώργιος Παπαδόπουλος, Μαρία Νικολαΐδου, Ελένη Γεωργίου, Νίκος Ιωάννου",
    "Arabic": "محمد أحمد علي, فاطمة حسن, خالد العتيبي, عبد الله الشهري",
    "Persian": "علی رضایی, زهرا محمدی, حسین کریمی, مریم احمدی",
    "Hebrew": "יוסף כהן, שרה לוי, דוד מזרחי, רחל פרץ",
    "Hindi": "राजेश कुमार, सुनीता देवी, अमित शर्मा, पूजा सिंह",
    "Chinese": "王伟, 李秀英, 张敏, 陳美玲",
    "Japanese": "佐藤 健, 鈴木 陽子, 高橋 誠, 田中 結衣",
    "Korean": "김민준, 이서연, 박지훈, 최유진",
    "Georgian": "გიორგი ბერიძე, ნინო კაპანაძე, დავით გელაშვილი, მარიამ ლომიძე",
    "Armenian": "Արմեն Սարգսյան, Անի Հակոբյան, Դավիթ Գրիգորյան, Մարիամ Պետրոսյան",
    "Thai": "นายสมชาย ใจดี, นางสาวมาลี ทองคำ, สมศักดิ์ ศรีสุข, นางวันเพ็ญ บุญมา",
}
NATIVE_TOWNS = {
    "Russian": "Москва, Нижний Новгород, Казань, Самара, Омск, Пермь, Уфа, Сочи, Тула, Рязань",
    "Greek": "Αθήνα, Πάτρα, Λάρισα, Βόλος, Χανιά, Ρόδος, Καβάλα, Σέρρες, Κέρκυρα, Λαμία",
    "Arabic": "الرياض, جدة, القاهرة, بغداد, دمشق, بيروت, عمان, الدوحة, تونس, الجزائر",
    "Chinese": "北京市, 上海市, 广州, 深圳, 成都, 武汉, 重庆, 西安, 杭州, 南京",
    "Japanese": "東京, 大阪, 名古屋, 札幌, 神戸, 京都, 横浜, 広島, 仙台, 那覇",
    "Korean": "서울, 부산, 대구, 인천, 광주, 대전, 울산, 수원, 창원, 제주",
}


@pytest.mark.parametrize("language", NATIVE)
def test_names_are_known_in_their_own_script(language):
    assert hold_names(NATIVE[language].split(", ") * 3)


@pytest.mark.parametrize("language", NATIVE_TOWNS)
def test_towns_are_not_taken_for_people_in_their_own_script(language):
    assert not hold_names(NATIVE_TOWNS[language].split(", "))


def test_full_names_that_repeat_do_not_leave_whatever_their_script():
    """Every name stands three times, under a header that says nothing."""
    names = [name for some in NATIVE.values() for name in some.split(", ")]
    columns = {"c7": names * 3, "sex": ["f", "m", "f"] * len(names)}
    with open_small(columns) as data:
        found = columns_that_name(data.engine, data.source, key=["sex"])
    assert [naming.name for naming in found] == ["c7"]


@pytest.mark.parametrize("gaps", [0.0, 0.4])
def test_people_are_not_counted_by_the_number_of_somebody_else(gaps):
    rng = np.random.default_rng(3)
    person = np.repeat(np.arange(300), 3)
    borrowed = [f"{n:04}" if rng.random() >= gaps else None for n in rng.integers(0, 200, 900)]
    spells = {
        "guarantor_ssn": borrowed,
        "patient_id": [f"P{n}" for n in person],
        "case_no": (person * 2 + np.tile([0, 0, 1], 300)).tolist(),
        "sex": rng.choice(["f", "m"], 300)[person].tolist(),
    }
    with open_small(spells) as data:
        assert find_person(data.engine, data.source, key=["sex"]) == "patient_id"
    del spells["case_no"]
    with open_small(spells) as data:
        assert find_person(data.engine, data.source, key=["sex"]) == "patient_id"


@pytest.mark.parametrize("seed", range(3))
def test_a_value_that_tells_by_itself_makes_no_pair_with_every_other_variable(seed):
    """Income was left out of the census: whoever has none does not travel, in any county."""
    rng = np.random.default_rng(seed)
    works = rng.random(2000) < 0.6
    columns = {
        "travel": np.where(works, rng.integers(1, 10, 2000), 0),
        "income": np.where(works, rng.permutation(2000) + 5, rng.integers(0, 3, 2000)),
        "county": rng.integers(0, 30, 2000),
    }
    assert pairs_that_tell(columns, ["travel"], [("income", "county")]) == {}


@pytest.mark.parametrize("rare_suppressed", [True, False])
def test_members_share_what_their_released_labels_agree_on(rare_suppressed):
    """The draft of a file was refused: its members' labels agreed, its members did not."""
    rng = np.random.default_rng(4)
    home = np.repeat(np.arange(400), 2)
    same = rng.choice(["a", "b", "c"], 400)[home]
    mixed = np.repeat(rng.random(400) < 0.5, 2)
    race = np.where(mixed, rng.choice(["a", "b", "c"], 800), same)
    labels = np.where(mixed & (np.arange(800) % 2 == 0), "*", race) if rare_suppressed else race
    tree = suppression_only(list("abc"), name="race")
    cells = _Cells(sorted(set(labels)), np.unique(labels, return_inverse=True)[1], tree)
    one, other = pairs_in_households(home)
    assert cells.agree(one, other) is rare_suppressed


def test_ids_that_records_share_are_asked_about(tmp_path):
    """Months of firms were counted as firms without a word."""
    firms = {"UTILITYID": np.repeat(np.arange(40), 12), "STATE": np.repeat(list("abcd"), 120)}
    with open_small(pa.table(firms)) as data:
        done = data.protect(["STATE"], method="mondrian", k=3, seed=1)
        written = data.release(tmp_path / "r", done, seed=1)
        assert any("--person UTILITYID" in word for word in written.warnings)
        done = data.protect(["STATE"], method="mondrian", k=3, seed=1, person="UTILITYID")
        written = data.release(tmp_path / "s", done, seed=1)
        assert not any("--person" in word for word in written.warnings)
