"""Tables for areas: who can be found in them, what they reveal together, how to publish them."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.tables.argus import (
        ArgusMetadata,
        ArgusVariable,
        open_argus,
        read_codelist,
        read_hrc,
        read_rda,
    )
    from indistinct.tables.attributes import (
        AttributeDisclosure,
        TargetDisclosure,
        attribute_disclosure,
    )
    from indistinct.tables.cell_rules import (
        combined,
        dominance_rule,
        p_percent_rule,
        pq_rule,
        threshold_rule,
    )
    from indistinct.tables.counting import CellCounts, Counted, Layout, count_tables
    from indistinct.tables.derived import (
        Derived,
        DerivedSpec,
        Share,
        derive,
        is_derived,
        output_class,
    )
    from indistinct.tables.differencing import (
        Differences,
        Differencing,
        Published,
        RequestVerdict,
        Revealed,
        Stopped,
        Zoning,
        check_request,
        difference_geographies,
        difference_recodings,
        difference_universes,
        differences,
        merge_to_stop,
        revealed_variance,
        revealed_zones,
        zoning_of,
    )
    from indistinct.tables.experiments import (
        RiskByAreaSize,
        RiskByRecodes,
        RiskByTables,
        SafeSize,
        risk_by_area_size,
        risk_by_recodes,
        risk_by_tables,
        smallest_safe_size,
        with_width,
    )
    from indistinct.tables.few_people import SmallCells, small_cells
    from indistinct.tables.grouping import Categories, Grouping, grouping_from_text, persons
    from indistinct.tables.magnitudes import (
        Contributions,
        SystemContributions,
        class_amounts,
        contributions,
        magnitude_system,
        system_contributions,
    )
    from indistinct.tables.matching import (
        FalseMatches,
        TableLinks,
        Trace,
        Traceable,
        false_matches,
        table_links,
        trace,
        traceable,
    )
    from indistinct.tables.merging import Merged, merge_areas
    from indistinct.tables.perturb import (
        CellKeyDesign,
        PerturbedRisk,
        PerturbedTables,
        Rounded,
        RoundedIntervals,
        controlled_rounding,
        design_perturbation,
        perturb_by_cell_key,
        perturbed_risk,
        random_modification,
        random_rounding,
        rounded_intervals,
        small_count_rounding,
        uncertainty,
    )
    from indistinct.tables.places import Places, published_places, with_totals
    from indistinct.tables.sensitive import Sensitive
    from indistinct.tables.specification import TableSet, TableSpec, Universe
    from indistinct.tables.suppressing import (
        Audit,
        Optimum,
        Suppression,
        attacker_intervals,
        audit,
        optimal_suppression,
        suppress,
    )
    from indistinct.tables.system import CellName, CellSystem, cell_system
    from indistinct.tables.uniques import TabularUniques, tabular_uniques, teaching_vectors

open_doorway(__name__)
