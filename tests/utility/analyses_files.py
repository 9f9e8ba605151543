"""Two frames as the files that the analyses compare."""

from __future__ import annotations

import numpy as np
import pandas as pd

from indistinct.files import open_table, workspace
from indistinct.keys import Coded, read_coded


def coded(original, released=None, **options) -> Coded:
    with workspace() as folder:
        first = open_table(pd.DataFrame(original), workspace=folder, origin="original")
        second = first
        if released is not None:
            second = open_table(pd.DataFrame(released), workspace=folder, origin="released")
        return read_coded(first, second, **options)


def people(n: int, seed: int = 0) -> pd.DataFrame:
    """Records whose variables depend on each other, with missing values in some."""
    rng = np.random.default_rng(seed)
    age = rng.integers(16, 90, n)
    sex = rng.choice(["f", "m"], n)
    region = rng.choice(["north", "east", "south"], n, p=[0.5, 0.3, 0.2])
    school = np.clip(rng.normal(12 - age / 30 + (sex == "f"), 2, n).round(), 4, 20)
    income = np.exp(0.1 * school + 0.01 * age + rng.normal(0, 0.5, n)).round(3)
    married = np.where(rng.random(n) < 1 / (1 + np.exp(-(age - 40) / 10)), "yes", "no")
    frame = pd.DataFrame(
        {
            "age": age,
            "sex": sex,
            "region": region,
            "school": school,
            "income": income,
            "married": married,
        }
    )
    frame.loc[rng.random(n) < 0.05, "income"] = np.nan
    frame.loc[rng.random(n) < 0.03, "region"] = None
    return frame
