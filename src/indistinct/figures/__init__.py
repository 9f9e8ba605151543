"""Small figures as vector graphics, made without a library: bars, points, lines and scales.

Series differ in hue, in lightness and in form (hatching, dashes, markers), so that they can be told
apart by colour-blind readers and in grey print. Every number is written out, beside its bar or in
the figure's description, so that nobody needs to measure; a number that is None, not a number or
infinite is written as a dash and not drawn.
"""

from indistinct.arguments import check_arguments
from indistinct.figures.bar_charts import bars, before_after, shares
from indistinct.figures.distributions import marginal
from indistinct.figures.dot_plots import Measure, candidates
from indistinct.figures.gauges import gauge
from indistinct.figures.grids import small_multiples, stacked
from indistinct.figures.line_charts import Line, lines
from indistinct.figures.maps import Spot, frontier
from indistinct.figures.scatter import Point, agreement, points
from indistinct.figures.sheet import WIDTH

__all__ = [
    "WIDTH",
    "Line",
    "Measure",
    "Point",
    "Spot",
    "agreement",
    "bars",
    "before_after",
    "candidates",
    "frontier",
    "gauge",
    "lines",
    "marginal",
    "points",
    "shares",
    "small_multiples",
    "stacked",
]

check_arguments(__name__)
