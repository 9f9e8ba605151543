"""Every method and every kind of step takes part in the laws, and really changes something."""

from __future__ import annotations

import pytest
from ways import HIERARCHIES, KEY, STEPS, WAYS, Way, population, released

from indistinct.flow.perturbing import PERTURBING
from indistinct.protect import ACTIONS, METHODS
from indistinct.protect.step import step_kinds


def test_every_method_and_every_kind_of_step_is_among_the_ways():
    names = {way.name for way in WAYS}
    assert {*METHODS, *ACTIONS, *PERTURBING} - {"steps"} <= names
    kinds = step_kinds().items()
    ours = {kind for kind, step in kinds if step.__module__.startswith("indistinct.")}
    assert ours == set(STEPS)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_every_way_can_be_tried_on_the_files_of_the_laws(way: Way, tmp_path):
    found = released(way, population(1), tmp_path / "r", although_unproved=True)
    assert not found.refused
    assert found.examine(whatever_is_said=True)
    assert set(HIERARCHIES) == set(KEY)
