"""The basic anonymous data system of Sweeney (2001, section 5), for instances one can look at."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.prove.ads0.entities import (
        CollectionFunction,
        Entity,
        as_rows,
        collected_from,
        identifies_somebody,
        project,
        pseudo_entities,
        re_identification,
    )
    from indistinct.prove.ads0.explicit import (
        EMAIL,
        POSTAL_MAIL,
        TELEPHONE,
        Method,
        explicit_identifiers,
        is_explicit_identifier,
        reach_of,
    )
    from indistinct.prove.ads0.external import join_external
    from indistinct.prove.ads0.relations import Channel, Relation, Release
    from indistinct.prove.ads0.system import ADS0
    from indistinct.prove.ads0.verdict import TupleVerdict, Verdict, Witness

open_doorway(__name__)
