"""The basic anonymous data system of Sweeney (2001, section 5), for instances one can look at."""

from indistinct.arguments import check_arguments
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

__all__ = [
    "ADS0",
    "EMAIL",
    "POSTAL_MAIL",
    "TELEPHONE",
    "Channel",
    "CollectionFunction",
    "Entity",
    "Method",
    "Relation",
    "Release",
    "TupleVerdict",
    "Verdict",
    "Witness",
    "as_rows",
    "collected_from",
    "explicit_identifiers",
    "identifies_somebody",
    "is_explicit_identifier",
    "join_external",
    "project",
    "pseudo_entities",
    "re_identification",
    "reach_of",
]

check_arguments(__name__)
