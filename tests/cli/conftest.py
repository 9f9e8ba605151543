"""What the tests of the command line share: its commands, which are built once."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest
import typer.main


@pytest.fixture(scope="session", autouse=True)
def commands_built_once() -> Iterator[None]:
    """A process builds them once; tests that run many commands in one would at every call."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", functools.cache(typer.main.get_command))
        yield
