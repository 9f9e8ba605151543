"""Laws are searched from this folder; for single steps by `make test`, for methods every day."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents and "[step " in item.name:
            item.add_marker(pytest.mark.heavy)
