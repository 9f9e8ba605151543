"""What only some systems have is called in `core/systems.py` alone, and text is written alike."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "indistinct"
HOME = PACKAGE / "core" / "systems.py"

MODULES = {"fcntl", "msvcrt", "resource", "pwd", "grp", "termios", "winreg"}
NAMES = {
    "os": set(
        "sysconf preadv pread fork forkpty kill killpg getuid geteuid getgid chown lchown chmod "
        "fchmod link symlink mkfifo fsync fdatasync sched_getaffinity nice umask setsid uname "
        "statvfs posix_fadvise getloadavg name O_NONBLOCK O_BINARY O_DIRECTORY O_NOFOLLOW O_SYNC "
        "startfile".split()
    ),
    "signal": set("SIGKILL SIGTERM SIGHUP SIGALRM SIGCHLD SIGUSR1 SIGPIPE alarm pause".split()),
    "sys": {"platform"},
    "ctypes": {"windll"},
}
MODULES_READ = sorted(path for path in PACKAGE.rglob("*.py") if path != HOME)


def uses_of_one_system(text: str) -> list[str]:
    """Return what a module uses that another system lacks, with its lines."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in NAMES.get(node.value.id, ()):
                found.append(f"{node.lineno}: {node.value.id}.{node.attr}")
        elif isinstance(node, ast.Import):
            found += [f"{node.lineno}: {a.name}" for a in node.names if a.name in MODULES]
        elif isinstance(node, ast.ImportFrom):
            if node.module in MODULES:
                found.append(f"{node.lineno}: {node.module}")
            known = NAMES.get(node.module or "", ())
            found += [
                f"{node.lineno}: {node.module}.{a.name}" for a in node.names if a.name in known
            ]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            called = node.func.attr
            if called in ("chmod", "hardlink_to", "symlink_to") and node.args:
                found.append(f"{node.lineno}: .{called}()")
    return found


def loose_texts(text: str) -> list[str]:
    """Return where text is read or written as the system likes: its encoding, its line ends."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if ast.unparse(node.func.value) == "formatter":  # of the help
            continue
        given = {one.arg for one in node.keywords}
        if node.func.attr == "write_text" and not {"encoding", "newline"} <= given:
            found.append(f"{node.lineno}: write_text")
        if node.func.attr == "read_text" and "encoding" not in given:
            first = node.args[0] if node.args else None
            if not (isinstance(first, ast.Constant) or len(node.args) > 1):
                found.append(f"{node.lineno}: read_text")
    return found


def test_there_is_something_to_read() -> None:
    assert len(MODULES_READ) > 300
    assert uses_of_one_system(HOME.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "text",
    [
        "import fcntl",
        "from os import fork",
        "import os\nos.sysconf('SC_PAGE_SIZE')",
        "import sys\nif sys.platform == 'win32': pass",
        "import signal\nsignal.SIGKILL",
        "path.chmod(0o600)",
    ],
)
def test_a_call_of_one_system_is_seen(text: str) -> None:
    assert uses_of_one_system(text)


def test_text_that_the_system_decides_about_is_seen() -> None:
    assert loose_texts("path.write_text('x', encoding='utf-8')")
    assert loose_texts("path.read_text()")
    assert not loose_texts("path.write_text('x', encoding='utf-8', newline='\\n')")


def test_one_module_knows_systems() -> None:
    found = {
        str(path.relative_to(PACKAGE)): uses
        for path in MODULES_READ
        if (uses := uses_of_one_system(path.read_text(encoding="utf-8")))
    }
    assert not found


def test_text_is_written_alike_everywhere() -> None:
    found = {
        str(path.relative_to(PACKAGE)): uses
        for path in [*MODULES_READ, HOME]
        if (uses := loose_texts(path.read_text(encoding="utf-8")))
    }
    assert not found
