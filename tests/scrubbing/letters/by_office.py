"""Letters made by another program: LibreOffice turns `halden.fodt` into every kind.

`halden.fodt` was written by hand, about people who were never there: a header and a footer, a
table, a footnote, a comment, a tracked deletion and an insertion, hidden text, a link, a picture
with words about it, a text box, properties, a name that is half bold, a style that is called like
a patient.

    python tests/scrubbing/letters/by_office.py FOLDER
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
KINDS = ("docx", "odt", "rtf", "pdf", "html")


def converted(files: list[Path], kind: str, folder: Path) -> list[Path]:
    """Have LibreOffice turn files into a kind, in a profile of their own."""
    with tempfile.TemporaryDirectory() as profile:
        command = ["soffice", f"-env:UserInstallation=file://{profile}", "--headless"]
        command += ["--convert-to", kind, "--outdir", str(folder), *map(str, files)]
        subprocess.run(command, check=True, capture_output=True, timeout=600)
    ending = kind.partition(":")[0]
    return [folder / f"{file.stem}.{ending}" for file in files]


def has_office() -> bool:
    """Say whether LibreOffice is there."""
    return shutil.which("soffice") is not None


if __name__ == "__main__":
    for each in KINDS:
        converted([HERE / "halden.fodt"], each, Path(sys.argv[1]))
