"""The alias tables draw from the distributions they were given."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.census.sampling import AliasTable


class Grid(np.random.Generator):
    """Uniform numbers on a fine even grid, so that frequencies are exact up to its step."""

    def random(self, size: int) -> np.ndarray:  # type: ignore[override]
        return (np.arange(size) + 0.5) / size


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(st.integers(0, 50), min_size=4, max_size=4).filter(any), min_size=1, max_size=4
    )
)
def test_shares_on_an_even_grid_are_the_weights(weights: list[list[int]]) -> None:
    table = AliasTable(weights, codes=[3, 5, 7, 300])
    draws = 40_000
    for row, weight in enumerate(weights):
        drawn = table.draw(Grid(np.random.PCG64(0)), np.full(draws, row))
        share = [(drawn == code).mean() for code in (3, 5, 7, 300)]
        np.testing.assert_allclose(share, np.array(weight) / sum(weight), atol=5e-4)
