"""Write down what every verb shows and writes, or compare it with what was written down.

    python tools/goldens.py [--write] [--apart] [--shuffle SEED] [--whole DIR] [NAME …]

Without names all scenes of `tests/goldens/golden_cases.py` are played. `--apart` gives every
command a process of its own, which must make no difference, and takes minutes. `--whole` writes
all lines of long outputs, of which the expected files have a hash and the first ones: written
before and after a change, the two folders say what changed.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "goldens"))

from golden_cases import PREPARED, by_name
from golden_running import EXPECTED, compare, prepare, show


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write", action="store_true", help="write what is seen, as expected")
    parser.add_argument("--apart", action="store_true", help="a process for every command")
    parser.add_argument("--shuffle", type=int, help="play the scenes in another order")
    parser.add_argument("--whole", type=Path, help="write everything that is seen to this folder")
    asked = parser.parse_args()
    scenes = by_name(asked.names)
    if asked.shuffle is not None:
        random.Random(asked.shuffle).shuffle(scenes)
    different = 0
    begun = time.process_time()
    beside = Path(tempfile.mkdtemp(prefix="goldens-actual-"))
    with tempfile.TemporaryDirectory(prefix="goldens-") as folder:
        prepared = prepare(Path(folder) / "prepared", PREPARED)
        for scene in scenes:
            start = time.process_time()
            seen = show(scene, prepared, apart=asked.apart, whole=asked.whole is not None)
            differs = "" if asked.write or asked.whole else compare(scene, seen, beside)
            if asked.whole is not None:
                asked.whole.mkdir(parents=True, exist_ok=True)
                (asked.whole / scene.expected.name).write_text(seen, encoding="utf-8")
            elif asked.write:
                EXPECTED.mkdir(exist_ok=True)
                scene.expected.write_text(seen, encoding="utf-8")
            print(f"{time.process_time() - start:6.1f} s  {scene.name}", flush=True)
            if differs:
                different += 1
                print(differs, flush=True)
    if asked.write and not asked.names:
        for path in EXPECTED.iterdir():
            if path.stem not in {scene.name for scene in scenes}:
                path.unlink()
    spent = time.process_time() - begun
    print(f"{len(scenes)} scenes in {spent:.0f} s of a processor, {different} differ")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
