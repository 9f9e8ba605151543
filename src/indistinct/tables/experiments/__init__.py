"""What the risk of tables depends on: their number, their coding, the size and kind of areas.

Openshaw, Duke-Williams and Rees (1997), sections 3.2 and 5.4, leave these to computer experiments.
"""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.tables.experiments.area_size import RiskByAreaSize, risk_by_area_size
    from indistinct.tables.experiments.recodes import RiskByRecodes, risk_by_recodes, with_width
    from indistinct.tables.experiments.safe_size import SafeSize, smallest_safe_size
    from indistinct.tables.experiments.table_number import RiskByTables, risk_by_tables
    from indistinct.tables.experiments.zones import ZoneRisk, risk_in_zones

open_doorway(__name__)
