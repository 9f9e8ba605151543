"""What all tests share: one engine for small tables, and how long properties are searched.

By ``--hypothesis-profile everyday`` every property is tried with a third of the examples that its
test asks for, five at least. `make test-fast` does so; `make test` searches in full.
"""

from __future__ import annotations

import pytest
import small_data
from hypothesis import is_hypothesis_test, settings

# no test fails because the machine is busy
settings.register_profile("default", deadline=None)
settings.register_profile("everyday", settings.get_profile("default"))
settings.load_profile("default")

# they are all called conftest, and so cannot be searched for examples as modules
collect_ignore_glob = ["*conftest.py"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if settings.get_current_profile_name() != "everyday":
        return
    functions = {getattr(item, "function", None) for item in items}
    for function in filter(is_hypothesis_test, functions):
        # a profile gives way to what a test asks for itself, and nothing public changes that
        asked = function._hypothesis_internal_use_settings
        few = min(asked.max_examples, max(5, asked.max_examples // 3))
        function._hypothesis_internal_use_settings = settings(asked, max_examples=few)


def pytest_sessionfinish() -> None:
    small_data.close()
