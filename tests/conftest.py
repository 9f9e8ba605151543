"""What all tests share."""

from __future__ import annotations

import small_data


def pytest_sessionfinish() -> None:
    small_data.close()
