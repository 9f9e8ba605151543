"""What all tests share: one engine for small tables, and how long properties are searched.

By ``--hypothesis-profile everyday`` every property is tried with a third of the examples that its
test asks for, five at least. `make test-fast` does so; `make test` searches in full. By
``--hypothesis-profile long`` every property gets ten times as many, and nothing is run but
properties and what is marked `long`: the searches of `make test-all`.

One run has everything: what needs Spark or a server comes first, and so stays together in one
process. With ``--budget SECONDS`` a run says how long it took of what it may take, and which
everyday tests took longer than such a test should; it is told and not asserted, because it
depends on the machine.
"""

from __future__ import annotations

import time
from collections import Counter

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


CEILING = 2.0
"""Seconds that an everyday test should take at most."""
_DEAREST = 15
FIRST = ("spark", "postgres")
"""Marks of tests that start something of their own, which is started once if they are together."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--budget", type=float, help="seconds that the run may take; they are told")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    profile = settings.get_current_profile_name()
    items.sort(key=lambda item: not item.keywords.keys() & {*FIRST})
    if profile == "long":
        short = [item for item in items if not _searches(item)]
        config.hook.pytest_deselected(items=short)
        items[:] = [item for item in items if _searches(item)]
    if profile in ("everyday", "long"):
        # the fuzzer has numbers of its own
        named = [item for item in items if item.path.parent.name != "fuzz"]
        functions = {getattr(item, "function", None) for item in named}
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


class _Taken:
    """How long the tests of a run took."""

    def __init__(self, budget: float) -> None:
        self._budget = budget
        self._began = time.monotonic()
        self._all: Counter[str] = Counter()
        self._everyday: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._all[report.nodeid] += report.duration
        if not report.keywords.keys() & {"heavy", "long", *FIRST}:
            self._everyday[report.nodeid] += report.duration if report.when == "call" else 0.0

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        taken = time.monotonic() - self._began
        terminalreporter.write_sep("-", f"{taken:,.0f} s of {self._budget:,.0f} s")
        files: Counter[str] = Counter()
        for name, seconds in self._all.items():
            files[name.partition("::")[0]] += seconds
        for kind, counted in (("files", files), ("tests", self._all)):
            terminalreporter.write_line(f"the dearest {kind}, with what they set up:")
            for name, seconds in counted.most_common(_DEAREST):
                terminalreporter.write_line(f"  {seconds:5.1f} s  {name}")
        slow = {name: taken for name, taken in self._everyday.items() if taken > CEILING}
        if slow:
            total = sum(self._everyday.values())
            share = sum(slow.values()) / total
            terminalreporter.write_line(
                f"{len(slow)} of {len(self._everyday):,} everyday tests took more than "
                f"{CEILING:g} s, {share:.0%} of the time of all:"
            )
            for name, taken in sorted(slow.items(), key=lambda one: -one[1]):
                terminalreporter.write_line(f"  {taken:5.1f} s  {name}")


def pytest_configure(config: pytest.Config) -> None:
    budget = config.getoption("--budget")
    if budget is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Taken(budget))
