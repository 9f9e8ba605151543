"""The fuzzer: strangers' files, options, projects, plans and folders, and what must hold for all.

Modules are searched from this folder. `cases` gives how many are tried: a few every day, about a
thousand together by `make test`, a hundred thousand by `make test-all`.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="module")
def killer(tmp_path_factory):
    from fuzz_ending import killing

    with killing(tmp_path_factory.mktemp("ended")) as ready:
        yield ready
