"""How much of a row's own value its masked score keeps.

The scores of the confidential X, less what the non-confidential S tell of them, have the
covariance Σ = L Lᵀ. The masked scores are

    Y* = β S* + A (X* - β S*) + e,   A = L R L⁻¹,   Cov(e) = L (I - R²) Lᵀ,

with R diagonal: 1 keeps a variable as it is (no protection), 0 keeps nothing of it beyond what S
and the less protected variables tell (maximum: X ⊥ Y | S). Cov(Y*) = Cov(X*) for every R, so no
combination of levels has to be refused. Where all levels are the same, A = dI: the form that
McCaa et al. (2013) describe. Their form with different levels, A = D diagonal and
Cov(e) = Σ - DΣD, is `diagonal=True`; it does not exist for every D, and is refused then.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indistinct.core import Floats, InputError

__all__ = ["Drawing", "drawing"]


@dataclass(frozen=True, eq=False)
class Drawing:
    """Masked scores as a function of the scores z and independent noise: Y* = Mz + Ne."""

    scores: Floats
    noise: Floats


def drawing(model: Floats, target: Floats, kept: Floats, *, diagonal: bool = False) -> Drawing:
    """Return how masked scores are drawn.

    Parameters
    ----------
    model
        The correlation of the scores (X*, S*).
    target
        The correlation that (Y*, S*) shall have; the same, but for small corrections.
    kept
        For every column of X how much it keeps, from 0 (maximum protection) to 1 (none).
    """
    size = len(kept)
    beta, own = _regression(model, size)
    beta_target, own_target = _regression(target, size)
    if diagonal:
        through = np.diag(kept)
        left = own_target - through @ own @ through
        values, vectors = np.linalg.eigh(left)
        if values.min() < -1e-9:
            raise InputError(
                "These levels do not go together: variables that depend on each other have "
                "levels too far apart for a diagonal D. Bring them closer, or use the form that "
                "always exists (without diagonal)."
            )
        noise = vectors * np.sqrt(np.maximum(values, 0.0))
    else:
        # the least protected first: the others may lean on them
        order = np.argsort(-kept, kind="stable")
        back = np.argsort(order, kind="stable")
        low = np.linalg.cholesky(own[np.ix_(order, order)])
        low_target = np.linalg.cholesky(own_target[np.ix_(order, order)])
        kept = kept[order]
        through = np.linalg.solve(low.T, (low_target * kept).T).T[np.ix_(back, back)]
        noise = (low_target * np.sqrt(np.maximum(0.0, 1.0 - kept**2)))[back]
    return Drawing(np.hstack([through, beta_target - through @ beta]), noise)


def _regression(matrix: Floats, size: int) -> tuple[Floats, Floats]:
    """Return β of X on S, and the covariance of what S does not tell."""
    cross = matrix[:size, size:]
    beta = np.linalg.solve(matrix[size:, size:], cross.T).T if cross.size else cross
    return np.asarray(beta), matrix[:size, :size] - beta @ cross.T
