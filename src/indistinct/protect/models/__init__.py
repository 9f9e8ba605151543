"""Privacy models: what makes a class of a release unsafe.

A model looks at the classes of a release (their sizes, the sensitive values in them, the people
of a register who share them) and says which must not be released. Models are small frozen
dataclasses that a plan can hold; several can be asked for at once.

How far a search may trust a model when classes merge is its `growth`:

- *absorbing*: a safe class stays safe whatever is merged into it (k-anonymity, k-map, distinct
  l-diversity);
- *closed*: safe classes merged are safe, but an unsafe one may spoil a safe one (entropy and
  recursive l-diversity, t-closeness);
- *free*: nothing is promised (estimated population uniques).
"""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.protect.models.base import Grouping, Growth, PrivacyModel, unsafe_classes
    from indistinct.protect.models.classes import (
        Coverage,
        KAnonymity,
        KMap,
        LDiversity,
        MaximumRisk,
        TCloseness,
    )
    from indistinct.protect.models.files import (
        AverageRisk,
        FileModel,
        PopulationUniques,
        SampleUniques,
    )

open_doorway(__name__)
