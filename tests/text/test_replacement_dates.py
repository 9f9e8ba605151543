"""Dates: to month and year in the style written, or shifted with intervals and weekdays kept."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from replacement_marks import marked

from indistinct.scrub.text.replace import (
    SUPPRESSED,
    Secret,
    generalised_date,
    shifted_date,
    weeks_of,
)
from indistinct.scrub.text.replace.dates import birth_of_the_oldest, latest_year
from indistinct.scrub.text.scrubber import Scrubber

FORMS = (
    "%m/%d/%y", "%m/%d/%Y", "%Y-%m-%d", "%m-%d-%Y", "%d-%b-%Y", "%B %d, %Y", "%d %B %Y", "%b %d %Y",
    "%A, %B %d, %Y", "%Y%m%d", "%Y-%m-%dT10:20:00Z", "%b. %d, %Y",
)  # fmt: skip
DAYS = st.dates(date(1990, 1, 1), date(2028, 12, 31))


@pytest.mark.parametrize(
    ("text", "month", "year"),
    [("Wednesday, February 2, 1994", "February, 1994", "1994"),  # Figure 22
     ("05/26/86", "05/86", "1986"),  # Figure 22
     ("5/13/23", "5/23", "2023"), ("2026-02-09T22:50:00Z", "2026-02", "2026"),
     ("25 December 1995", "December 1995", "1995"), ("9/12", "September", SUPPRESSED),
     ("July 31", "July", SUPPRESSED), ("Sep. 5", "Sep.", SUPPRESSED),
     ("26-Feb-1967", "Feb-1967", "1967"), ("12-10-1967", "12-1967", "1967"),
     ("July 14th, 2023", "July, 2023", "2023"), ("the 5th of May, 2020", "May, 2020", "2020"),
     ("MAY 3RD 2020", "MAY 2020", "2020"), ("25/12/1999", "12/1999", "1999"),
     ("13.5.2021", "5.2021", "2021"), ("5.13.23", "5/23", "2023"),
     ("01152024", "01/2024", "2024"), ("20240115", "2024-01", "2024"),
     ("5/13/23 - 5/20/23", "5/23", "2023"), ("5/13/23 to 6/2/23", "5/23 to 6/23", "2023"),
     ("May 3-5, 2021", "May, 2021", "2021"), ("3-5 May 2021", "May 2021", "2021"),
     ("Oct. 2, 2020 at 10:30 am", "Oct. 2020", "2020"), ("Sat 4 July '98", "July '98", "1998"),
     ("June of 1993", "June of 1993", "1993"), ("2019", "2019", "2019"),
     ("Tuesday", SUPPRESSED, SUPPRESSED), ("99/99/99", SUPPRESSED, SUPPRESSED),
     ("the sixth", SUPPRESSED, SUPPRESSED), ("Labor Day 2019", "[removed] 2019", "[removed] 2019")],
)  # fmt: skip
def test_dates_lose_their_day_and_keep_their_style(text: str, month: str, year: str) -> None:
    assert generalised_date(text) == month
    if "to" not in text:
        assert generalised_date(text, to="year") == year


@given(DAYS, st.sampled_from(FORMS))
def test_a_shift_writes_the_moved_date_exactly_as_it_was_written(day: date, form: str) -> None:
    assume(day.month != 5 or "%b" not in form)  # May is written alike in full and in short
    moved = day + timedelta(days=28)
    made = moved.strftime(form)
    if "%d" in form and " " in form and day.day > 9:
        # The true date does not say how the writer writes a 7; beside a word, as 7.
        made = moved.strftime(form.replace("%d", str(moved.day)))
    assert shifted_date(day.strftime(form), 28) == made


@given(DAYS, st.sampled_from(FORMS))
def test_months_hold_no_day(day: date, form: str) -> None:
    lost = generalised_date(day.strftime(form))
    assert lost != SUPPRESSED
    for other in (day.replace(day=1), day.replace(day=28)):
        assert generalised_date(other.strftime(form)) == lost


@pytest.mark.parametrize(
    ("text", "made"),
    [("July 31", "August 7"), ("7/31", "8/7"), ("3rd of June, 2020", "10th of June, 2020"),
     ("May 3-5, 2021", "May 10-12, 2021"), ("Sept 4 2020", "Sept 11 2020"),
     ("JAN 30 2020", "FEB 6 2020"), ("Tuesday", "Tuesday"), ("2019", "2019"),
     ("2/30/2020", SUPPRESSED), ("Labor Day 2019", SUPPRESSED), ("12/31/9999", SUPPRESSED)],
)  # fmt: skip
def test_shifts_by_a_week(text: str, made: str) -> None:
    assert shifted_date(text, 7) == made


def test_shifts_are_whole_weeks_within_a_year_and_each_patients_own() -> None:
    secret = Secret.from_seed(1)
    shifts = [weeks_of(secret, f"patient {n}") for n in range(400)]
    assert all(days % 7 == 0 and 0 < abs(days) <= 364 for days in shifts)
    assert len(set(shifts)) > 80


def test_a_patients_intervals_stay_over_letters() -> None:
    scrubber = Scrubber(Secret.from_seed(4), dates="shift")
    first = scrubber.apply(*marked("Seen on {2020-02-03|date}."), patient="7").changes[0]
    second = scrubber.apply(*marked("And again {02/10/2020|date} then."), patient="7").changes[0]
    one = date.fromisoformat(first.replacement)
    month, day, year = map(int, second.replacement.split("/"))
    assert date(year, month, day) - one == timedelta(days=7)
    assert first.action == "shifted"
    other = scrubber.apply(*marked("Seen on {2020-02-03|date}."), patient="8").changes[0]
    assert other.replacement != first.replacement


def test_births_of_the_oldest_are_one_class() -> None:
    text, spans = marked("DOB {3/4/1921|date of birth}, seen {5/6/2019|date} with his son.")
    made = [c.replacement for c in Scrubber(Secret.from_seed(4)).apply(text, spans).changes]
    assert made == ["1929 or earlier", "5/2019"]
    assert birth_of_the_oldest("3/4/1930", 2019) is None
    assert birth_of_the_oldest("1/1/29", 2019) == "1929 or earlier"
    assert birth_of_the_oldest("1/1/1909", None) is None
    assert latest_year("no year 12345 in here") is None


@pytest.mark.parametrize("text", ["1/" * 3000, "May " * 3000, "1" * 5000, "", " ", "-" * 100])
def test_odd_dates_end(text: str) -> None:
    generalised_date(text)
    shifted_date(text, 7)
