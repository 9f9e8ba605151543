"""Small figures as vector graphics, made without a library: bars, points, lines and scales.

Series differ in hue, in lightness and in form (hatching, dashes, markers), so that they can be told
apart by colour-blind readers and in grey print. Every number is written out, beside its bar or in
the figure's description, so that nobody needs to measure; a number that is None, not a number or
infinite is written as a dash and not drawn.
"""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.results.figures.bar_charts import bars, before_after, shares
    from indistinct.results.figures.distributions import marginal
    from indistinct.results.figures.dot_plots import Measure, candidates
    from indistinct.results.figures.gauges import gauge
    from indistinct.results.figures.grids import stacked
    from indistinct.results.figures.line_charts import Line, lines
    from indistinct.results.figures.maps import Spot, frontier
    from indistinct.results.figures.scatter import Point, agreement, points
    from indistinct.results.figures.sheet import WIDTH

open_doorway(__name__)
