"""The project file `release.toml`: reading it, checking it, and drafting a first one."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.naming import Guess
    from indistinct.options import Lines
    from indistinct.project.builders import HierarchyBuilder
    from indistinct.project.checking import check_categories, check_levels
    from indistinct.project.declared import Declared, DeclaredVariables
    from indistinct.project.draft import Draft, draft_project
    from indistinct.project.method import MethodSettings
    from indistinct.project.model import Access, Data, EngineSettings, Project, Release
    from indistinct.project.policy import POLICY_RULES, Policy, load_policy
    from indistinct.project.publishing import (
        DeclaredRecode,
        DeclaredTable,
        Publish,
        Stop,
        TableFormat,
        TableMethod,
    )
    from indistinct.project.reading import load_project, read_project
    from indistinct.project.sections import (
        Contract,
        Dates,
        Household,
        Recipient,
        ReportSettings,
        Scope,
        TextSettings,
        check_recipients,
    )
    from indistinct.project.settings import Place, Problems, header
    from indistinct.project.writing import changed_project

open_doorway(__name__)
