"""Take pictures of an HTML page for docs/: its first screen, or single elements of it.

    python tools/screenshots.py PAGE.html FOLDER                 writes FOLDER/PAGE.png
    python tools/screenshots.py PAGE.html FOLDER --element '#map'  writes FOLDER/PAGE-map.png

The window is 1200 px wide, one pixel of the picture for one of the page, in light colours and
without network, so that the same page and browser give the same picture. It needs playwright and
an installed Chromium, Google Chrome or Microsoft Edge.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

from indistinct.core.errors import InputError
from indistinct.files import written_whole
from indistinct.release.report.pdf import find_browser

WIDTH = 1200
HEIGHT = 900
MOST_BYTES = 250_000


def take(
    page: Path, folder: Path, *, elements: list[str], width: int = WIDTH, height: int = HEIGHT
) -> list[Path]:
    """Write one PNG for each element, or one of the first screen; return where they are."""
    from playwright.sync_api import sync_playwright

    if not page.is_file():
        raise InputError(f"There is no page {page}.")
    with sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=str(find_browser()),
            args=["--disable-dev-shm-usage", "--font-render-hinting=none", "--disable-lcd-text"],
        )
        try:
            shown = browser.new_page(
                viewport={"width": width, "height": height},
                device_scale_factor=1,
                color_scheme="light",
                reduced_motion="reduce",
                offline=True,
            )
            shown.goto(page.resolve().as_uri(), wait_until="load")
            if not elements:
                return [_write(shown.screenshot(), folder / f"{page.stem}.png")]
            return [_take_element(shown, element, page, folder) for element in elements]
        finally:
            browser.close()


def _take_element(shown: Any, element: str, page: Path, folder: Path) -> Path:
    found = shown.locator(element)
    if found.count() != 1:
        raise InputError(f"{page} has {found.count()} elements {element}, and not one.")
    name = re.sub(r"\W+", "-", element).strip("-")
    return _write(found.screenshot(animations="disabled"), folder / f"{page.stem}-{name}.png")


def _write(picture: bytes, out: Path) -> Path:
    if len(picture) > MOST_BYTES:
        raise InputError(
            f"{out.name} would have {len(picture):,} bytes, more than {MOST_BYTES:,}. "
            "Choose a smaller element, --width or --height."
        )
    with written_whole(out) as aside:
        aside.write_bytes(picture)
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("page", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--element", action="append", default=[], metavar="CSS")
    parser.add_argument("--width", type=int, default=WIDTH)
    parser.add_argument("--height", type=int, default=HEIGHT)
    given = parser.parse_args()
    try:
        written = take(
            given.page,
            given.folder,
            elements=given.element,
            width=given.width,
            height=given.height,
        )
    except InputError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    for out in written:
        print(f"{out} ({out.stat().st_size:,} bytes)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
