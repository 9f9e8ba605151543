"""Releases that all tests of reports share."""

from __future__ import annotations

import pytest
from report_data import Workshop


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("reports"))
