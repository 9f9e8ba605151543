"""The project file `release.toml`: reading it, checking it, and drafting a first one."""

from indistinct.arguments import check_arguments
from indistinct.naming import Guess
from indistinct.project.builders import HierarchyBuilder
from indistinct.project.checking import check_categories, check_levels
from indistinct.project.contract import Contract
from indistinct.project.draft import Draft, draft_project
from indistinct.project.household import Household
from indistinct.project.method import MethodSettings
from indistinct.project.model import Access, Data, Declared, EngineSettings, Project, Release
from indistinct.project.publishing import (
    DeclaredRecode,
    DeclaredTable,
    Publish,
    Stop,
    TableFormat,
    TableMethod,
)
from indistinct.project.reading import load_project, read_project
from indistinct.project.recipients import Recipient
from indistinct.project.reporting import ReportSettings
from indistinct.project.texts import Dates, Scope, TextSettings

__all__ = [
    "Access",
    "Contract",
    "Data",
    "Dates",
    "Declared",
    "DeclaredRecode",
    "DeclaredTable",
    "Draft",
    "EngineSettings",
    "Guess",
    "HierarchyBuilder",
    "Household",
    "MethodSettings",
    "Project",
    "Publish",
    "Recipient",
    "Release",
    "ReportSettings",
    "Scope",
    "Stop",
    "TableFormat",
    "TableMethod",
    "TextSettings",
    "check_categories",
    "check_levels",
    "draft_project",
    "load_project",
    "read_project",
]

check_arguments(__name__)
