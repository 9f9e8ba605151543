"""Parts of a system of cells that share no sum, each to be worked on by itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from indistinct.core import Bools, Ints

__all__ = ["Part", "parts_of"]


@dataclass(frozen=True, eq=False)
class Part:
    """Cells that hang together by sums, and these sums."""

    cells: Ints
    sums: sparse.csr_matrix


def parts_of(relations: sparse.csr_matrix, among: Ints, free: Bools) -> list[Part]:
    """Divide the cells that may move into parts that share no sum."""
    cells = among[free[among]]
    if not len(cells):
        return []
    sums = relations[:, cells].tocsr()
    sums = sums[np.diff(sums.indptr) > 0]
    links = abs(sums)
    graph = sparse.bmat([[None, links.T], [links, None]]) if sums.shape[0] else None
    if graph is None:
        return [Part(cells[n : n + 1], sums[:, n : n + 1]) for n in range(len(cells))]
    number, label = connected_components(graph, directed=False)
    cell_label, sum_label = label[: len(cells)], label[len(cells) :]
    cell_order = np.argsort(cell_label, kind="stable")
    sum_order = np.argsort(sum_label, kind="stable")
    cell_at = np.searchsorted(cell_label[cell_order], np.arange(number + 1))
    sum_at = np.searchsorted(sum_label[sum_order], np.arange(number + 1))
    ordered = sums[sum_order][:, cell_order].tocsr()
    parts = []
    for n in range(number):
        columns = slice(int(cell_at[n]), int(cell_at[n + 1]))
        first, end = int(sum_at[n]), int(sum_at[n + 1])
        start, stop = ordered.indptr[first], ordered.indptr[end]
        block = sparse.csr_matrix(
            (
                ordered.data[start:stop],
                ordered.indices[start:stop] - columns.start,
                ordered.indptr[first : end + 1] - start,
            ),
            shape=(end - first, columns.stop - columns.start),
        )
        parts.append(Part(cells[cell_order[columns]], block))
    return parts
