"""What all tests share: one engine for small tables, and how long properties are searched.

By ``--hypothesis-profile everyday`` every property is tried with a third of the examples that its
test asks for, five at least. `make test-fast` does so; `make test` searches in full. By
``--hypothesis-profile long`` every property gets ten times as many, and nothing is run but
properties and what is marked `long`: the searches of `make test-all`.
"""

from __future__ import annotations

import pytest
import small_data
from hypothesis import is_hypothesis_test, settings

# no test fails because the machine is busy
settings.register_profile("default", deadline=None)
settings.register_profile("everyday", settings.get_profile("default"))
settings.register_profile("long", settings.get_profile("default"))
settings.load_profile("default")

# they are all called conftest, and so cannot be searched for examples as modules
collect_ignore_glob = ["*conftest.py"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    profile = settings.get_current_profile_name()
    if profile == "long":
        short = [item for item in items if not _searches(item)]
        config.hook.pytest_deselected(items=short)
        items[:] = [item for item in items if _searches(item)]
    if profile in ("everyday", "long"):
        functions = {getattr(item, "function", None) for item in items}
        for function in filter(is_hypothesis_test, functions):
            # a profile gives way to what a test asks for itself, and nothing public changes that
            asked = function._hypothesis_internal_use_settings
            tried = _examples(asked.max_examples, profile)
            function._hypothesis_internal_use_settings = settings(asked, max_examples=tried)


def _searches(item: pytest.Item) -> bool:
    """Say whether a test tries more the longer it is let."""
    return is_hypothesis_test(getattr(item, "function", None)) or "long" in item.keywords


def _examples(asked: int, profile: str) -> int:
    return 10 * asked if profile == "long" else min(asked, max(5, asked // 3))


def pytest_sessionfinish() -> None:
    small_data.close()
