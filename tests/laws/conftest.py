"""Laws are searched from this folder; for single steps by `make test`, for methods every day.

A law that has a way among its parameters must have examined a release of that way when it ends,
or be excused in `unexamined.py`: see `ways.py`.
"""

import sys
from collections.abc import Generator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from unexamined import reason_not_examined  # noqa: E402
from ways import EXAMINED, Way  # noqa: E402


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents and "[step " in item.name:
            item.add_marker(pytest.mark.heavy)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a law that passed without having examined anything."""
    EXAMINED.clear()
    result = yield
    given = getattr(item, "callspec", None)
    way = given.params.get("way") if given is not None else None
    if isinstance(way, Way):
        law = f"{item.path.stem.removeprefix('test_')}::{item.originalname}"
        for name in ("breach", "planted"):  # what a law is searched with besides
            law += f" {given.params[name]}" if name in given.params else ""
        excuse = reason_not_examined(law, way.name)
        if not EXAMINED[way.name] and excuse is None:
            pytest.fail(f"{way} was never examined by this law, and unexamined.py does not say why")
        if EXAMINED[way.name] and excuse is not None:
            pytest.fail(f"unexamined.py excuses {way} ({excuse}), and this law has examined it")
    return result
