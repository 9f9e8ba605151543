"""Tables for areas from beginning to end: asked for, weighed, protected, attacked, published."""

from indistinct.arguments import check_arguments
from indistinct.publishing.asked import Asked
from indistinct.publishing.experimenting import EXPERIMENTS, Experiment, experiment
from indistinct.publishing.folder import TablesFolder
from indistinct.publishing.front import (
    Publication,
    check_publication,
    count_asked,
    publish_tables,
)
from indistinct.publishing.geography import Geographies, settle_geographies
from indistinct.publishing.numbers import PublishedTable
from indistinct.publishing.weighing import TableRisk, weigh_tables

__all__ = [
    "EXPERIMENTS",
    "Asked",
    "Experiment",
    "Geographies",
    "Publication",
    "PublishedTable",
    "TableRisk",
    "TablesFolder",
    "check_publication",
    "count_asked",
    "experiment",
    "publish_tables",
    "settle_geographies",
    "weigh_tables",
]

check_arguments(__name__)
