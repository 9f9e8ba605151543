"""Laws are searched from this folder: for methods every day, for single steps more rarely.

A law is a sentence about every way, and a way is released much alike for every law. So `make test`
tries each law with a part of the steps, and each step with a part of the laws; `make test-all`
tries each with each.

A law that has a way among its parameters must have examined a release of that way when it ends,
or be excused in `unexamined.py`: see `ways.py`.
"""

import sys
import zlib
from collections.abc import Generator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from unexamined import reason_not_examined  # noqa: E402
from ways import EXAMINED, Way  # noqa: E402

PARTS = 4
"""Of so many pairs of a law and a step one is tried by `make test`."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents and "[step " in item.name:
            now = zlib.crc32(item.name.encode()) % PARTS == 0
            item.add_marker(pytest.mark.heavy if now else pytest.mark.long)


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
