"""Where labels of points may stand without covering a point, a line or each other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

__all__ = ["Box", "beside", "column", "leader", "overlap"]

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

_LINE, _FAR = 12, 420
"""The height of a line of labels, and how far from its point one may stand."""


def beside(
    places: Sequence[tuple[float, float]],
    wide: Sequence[float],
    frame: Box,
    *,
    first: Sequence[int] = (),
    lines: Sequence[Box] = (),
) -> list[tuple[float, float, bool] | None]:
    """Find a place for each label near its point that covers no point and no other label.

    Parameters
    ----------
    wide
        The widths of the labels; one of no width gets no place.
    first
        Whose labels may choose before the others.
    lines
        Lines that labels cover only where there is no room elsewhere.

    Returns where the text begins, its base line, and whether it needs a line to its point; None
    where there is no room left.

    >>> beside([(50, 50)], [30], (0, 0, 100, 100))
    [(61, 54, False)]
    """
    points = [(x - 7, y - 7, x + 7, y + 7) for x, y in places]
    labels: list[Box] = []
    leaders: list[Box] = []
    found: list[tuple[float, float, bool] | None] = [None] * len(places)
    rank = {n: i for i, n in enumerate(first)}
    order = sorted(
        range(len(places)), key=lambda n: (rank.get(n, len(places)), places[n][1], places[n][0])
    )
    for n in order:
        if not wide[n]:
            continue
        others = [box for m, box in enumerate(points) if m != n]
        covered, both = [*others, *labels], [*leaders, *lines]
        # a label that crosses a line is easier to read than one far from its point
        for reach, avoided, clear in (
            (25, both, True),
            (0, leaders, True),
            (_FAR, both, True),
            (_FAR, leaders, True),
            (_FAR, [], True),
            (_FAR, [], False),
        ):
            options = _options(*places[n], wide[n], reach)
            chosen = _first_free(options, places[n], wide[n], frame, covered, avoided, clear=clear)
            if chosen:
                labels.append(_box(chosen, wide[n]))
                leaders += [leader(places[n], chosen, wide[n])] if chosen[2] else []
                found[n] = chosen
                break
    return found


def leader(point: tuple[float, float], place: tuple[float, float, bool], wide: float) -> Box:
    """Return the line from a point to the nearest edge of its label.

    >>> leader((0, 0), (20, 30, True), 40)
    (0, 0, 20, 21)
    """
    (x, y), (start, base, _) = point, place
    return x, y, min(max(x, start), start + wide), base - 9 if base - 4 > y else base + 2


def _first_free(
    options: Sequence[tuple[float, float, bool]],
    point: tuple[float, float],
    wide: float,
    frame: Box,
    boxes: Sequence[Box],
    lines: Sequence[Box],
    *,
    clear: bool,
) -> tuple[float, float, bool] | None:
    """Return the first place inside the frame that covers nothing.

    If it must be clear, nor does the line to it.
    """
    x, y = point
    own = (x - 7, y - 7, x + 7, y + 7)
    for option in options:
        box = _box(option, wide)
        if box[0] < frame[0] or box[1] < frame[1] or box[2] > frame[2] or box[3] > frame[3]:
            continue
        if overlap(box, own) or any(overlap(box, other) for other in boxes):
            continue
        if any(_crosses(line, box) for line in lines):
            continue
        if option[2] and clear:
            line = leader(point, option, wide)
            # a point at the same place cannot be avoided
            if any(
                _crosses(line, b) for b in boxes if not b[0] <= x <= b[2] or not b[1] <= y <= b[3]
            ):
                continue
        return option
    return None


def _box(place: tuple[float, float, bool], wide: float) -> Box:
    start, base, _ = place
    return start - 2, base - _LINE + 2, start + wide + 2, base + 2


def _options(x: float, y: float, wide: float, reach: int) -> list[tuple[float, float, bool]]:
    """Return where a label may stand: to the right, to the left, then farther and farther out."""
    options = [(x + 11, y + 4, False), (x - 11 - wide, y + 4, False)]
    for away, turn in itertools.product(range(16, reach + 1, 9), range(16)):
        dx, dy = away * math.cos(math.pi * turn / 8), away * math.sin(math.pi * turn / 8)
        back = 0.0 if dx > 1 else wide if dx < -1 else wide / 2
        options.append((x + dx - back, y - dy + 4, True))
    return options


def _crosses(line: Box, box: Box) -> bool:
    """Say whether a line from (0, 1) to (2, 3) passes through a rectangle (Liang and Barsky)."""
    x, y, dx, dy = line[0], line[1], line[2] - line[0], line[3] - line[1]
    enter, leave = 0.0, 1.0
    for step, low, high in ((dx, box[0] - x, box[2] - x), (dy, box[1] - y, box[3] - y)):
        if step == 0:
            if low >= 0 or high <= 0:
                return False
            continue
        near, far = sorted((low / step, high / step))
        enter, leave = max(enter, near), min(leave, far)
    return enter < leave


def overlap(a: Box, b: Box) -> bool:
    """Say whether two rectangles share an area.

    >>> overlap((0, 0, 2, 2), (1, 1, 3, 3)), overlap((0, 0, 1, 1), (1, 0, 2, 1))
    (True, False)
    """
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def column(wanted: Sequence[float], lowest: float) -> list[float]:
    """Return lines near those wanted, from the top down, that stand 16 apart.

    >>> column([10, 12, 90], 60)
    [10, 26, 64.0]
    """
    found: list[float] = []
    for line in wanted:
        found.append(max([line, *(last + 16 for last in found[-1:])]))
    lowest += 4.0
    for i in range(len(found) - 1, -1, -1):
        found[i] = min(found[i], lowest)
        lowest = found[i] - 16
    return found
