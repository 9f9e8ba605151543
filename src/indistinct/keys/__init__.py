"""Keys: the key table, the people who stand out in it, and Dalenius' ways of finding them."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.keys.coded import Coded, CodedColumn, Side, read_coded
    from indistinct.keys.dalenius import (
        T1,
        T2,
        Encoding,
        Group,
        Integers,
        RunningTally,
        best_transformation,
        find_groups,
        unique_records,
    )
    from indistinct.keys.explaining import Explanation, explain
    from indistinct.keys.generalisable import Generalisable
    from indistinct.keys.matching import counts_in
    from indistinct.keys.people import (
        alike_spelled,
        class_of_records,
        people_by_class,
        person_of_classes,
        person_of_records,
        present_and_different,
        several_records,
    )
    from indistinct.keys.profiles import profiles_of
    from indistinct.keys.recoding import DROPPED, Recoding, counts_by_row, group_rows
    from indistinct.keys.standing_out import (
        People,
        SmallCategories,
        Uniques,
        public_frequencies,
        pull_out,
        small_categories,
        threshold,
        uniques,
        write_pull_out,
    )
    from indistinct.keys.table import KeyTable, Recode
    from indistinct.keys.wildcards import (
        MOST_LINKS,
        possible_links,
        wildcard_frequencies,
        wildcard_weights,
    )

open_doorway(__name__)
