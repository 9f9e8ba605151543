"""Tables for areas from beginning to end: asked for, weighed, protected, attacked, published."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.tables.publishing.asked import Asked
    from indistinct.tables.publishing.beside import WrittenTable, written_tables
    from indistinct.tables.publishing.experimenting import Experiment, experiment
    from indistinct.tables.publishing.folder import TablesFolder
    from indistinct.tables.publishing.geography import Geographies, settle_geographies
    from indistinct.tables.publishing.numbers import PublishedTable
    from indistinct.tables.publishing.publish_tables import (
        Publication,
        TableRisk,
        check_publication,
        count_asked,
        publish_tables,
        weigh_tables,
    )

open_doorway(__name__)
