"""Measure the house: what is form, what is told twice, what a verb loads, what nobody reaches.

    python tools/house.py [--json] [--still]

Everything is read from the tree by its syntax, or seen from outside in a process of its own;
`--still` leaves out what starts processes. Times are those of the processor (user and system).
"""

from __future__ import annotations

import argparse
import ast
import functools
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "indistinct"
OPTION = "max_drop"
HANDWRITTEN = ("to_dict", "_lines", "_tables", "__repr__")
MIXING = {
    0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB,
    0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53, 0xD6E8FEB86659FD93,
}  # fmt: skip
"""Constants of SplitMix64, of the finaliser of MurmurHash3, and of a kin of theirs."""
WORDINGS = ("must be an integer of at least", "must be a whole number")

Facts = dict[str, Any]
_SEEN: list[tuple[str, Callable[[], Facts], bool]] = []


def measure(
    title: str, *, runs: bool = False
) -> Callable[[Callable[[], Facts]], Callable[[], Facts]]:
    """Declare a function that measures; `runs` where it starts processes."""

    def declare(function: Callable[[], Facts]) -> Callable[[], Facts]:
        _SEEN.append((title, function, runs))
        return function

    return declare


# The tree --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Module:
    """A module of the package, read."""

    name: str
    path: Path
    tree: ast.Module = field(repr=False)
    text: str = field(repr=False)

    @property
    def room(self) -> str:
        return self.name.split(".")[1] if "." in self.name else ""

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())


@functools.cache
def modules() -> dict[str, Module]:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        text = path.read_text(encoding="utf-8")
        found[name] = Module(name, path, ast.parse(text), text)
    return found


def nodes(kind: type | tuple[type, ...]) -> Iterator[tuple[Module, Any]]:
    for module in modules().values():
        for node in ast.walk(module.tree):
            if isinstance(node, kind):
                yield module, node


FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


@measure("lines and modules under src")
def size() -> Facts:
    found = modules().values()
    return {
        "lines": sum(m.lines for m in found),
        "modules": len(found),
        "logic lines": sum(_logic(m) for m in found),
    }


def _logic(module: Module) -> int:
    """Count lines with statements: neither empty, comment, docstring, import nor `__all__`."""
    lines: set[int] = set()
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.stmt) or isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            continue
        body = getattr(node, "body", None)
        last = node.end_lineno if not isinstance(body, list) else body[0].lineno - 1
        lines.update(range(node.lineno, max(last or 0, node.lineno) + 1))
    return len(lines)


@measure("results written by hand")
def results() -> Facts:
    methods: Counter[str] = Counter()
    classes = entries = mirrored = 0
    for _, node in nodes(ast.ClassDef):
        own = {f.name: f for f in node.body if isinstance(f, FUNCTION)}
        written = [name for name in HANDWRITTEN if name in own]
        methods.update(written)
        classes += "_lines" in own or "_tables" in own
        for given in ast.walk(own["to_dict"]) if "to_dict" in own else ():
            if isinstance(given, ast.Dict):
                pairs = [(k, v) for k, v in zip(given.keys, given.values, strict=True) if k]
                entries += len(pairs)
                mirrored += sum(_mirrors(key, value) for key, value in pairs)
    return {
        "classes with _lines or _tables": classes,
        **{name: methods[name] for name in HANDWRITTEN},
        "to_dict entries": entries,
        "that mirror a field": mirrored,
    }


def _mirrors(key: ast.expr, value: ast.expr) -> bool:
    """Say whether an entry is `"name": self.name`, or a plain copy of it."""
    if (
        isinstance(value, ast.Call)
        and getattr(value.func, "id", "") in ("list", "dict", "str", "int", "float")
        and len(value.args) == 1
        and not value.keywords
    ):
        value = value.args[0]
    return (
        isinstance(key, ast.Constant)
        and isinstance(value, ast.Attribute)
        and isinstance(value.value, ast.Name)
        and value.value.id == "self"
        and value.attr == key.value
    )


@measure("options")
def options() -> Facts:
    declared, files = [], set()
    for module, node in nodes((ast.arg, ast.AnnAssign, ast.keyword, ast.Constant, ast.Attribute)):
        if isinstance(node, ast.arg) and node.arg == OPTION:
            declared.append(module.name)
        if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == OPTION:
            declared.append(module.name)
        named = (
            getattr(node, "arg", None),
            getattr(node, "attr", None),
            getattr(node, "value", None),
        )
        if OPTION in [name for name in named if isinstance(name, str)]:
            files.add(module.name)
    text = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    by_verb = {
        part.split("`")[0]: set(re.findall(r"^  --([\w-]+)", part, re.M)) - {"help"}
        for part in text.split("## `indistinct ")[1:]
    }
    settings = [
        node.target.id
        for _, node in nodes(ast.AnnAssign)
        if isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "setting"
    ]
    names = {name.replace("-", "_") for verb in by_verb.values() for name in verb}
    return {
        f"declarations of {OPTION}": len(declared),
        f"modules that name {OPTION}": len(files | set(declared)),
        "command line options, by verb": sum(map(len, by_verb.values())),
        "different ones": len(names),
        "project settings": len(settings),
        "names in both": len(names & set(settings)),
    }


@measure("protect")
def protect() -> Facts:
    found = [
        node for module, node in nodes(FUNCTION) if module.room == "cli" and node.name == "protect"
    ]
    if not found:
        return {"function": None}
    node = max(found, key=lambda f: (f.end_lineno or 0) - f.lineno)
    given = node.args
    return {
        "parameters": len(given.posonlyargs) + len(given.args) + len(given.kwonlyargs),
        "lines": (node.end_lineno or 0) - node.lineno + 1,
    }


@measure("array aliases")
def aliases() -> Facts:
    found = [
        module.name
        for module in modules().values()
        for node in module.tree.body
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        and isinstance(node.value, ast.Subscript)
        and getattr(node.value.value, "attr", getattr(node.value.value, "id", "")) == "NDArray"
    ]
    return {"NDArray aliases": len(found), "modules with one": len(set(found))}


@measure("told more than once")
def copies() -> Facts:
    mixing = {m.name for m, node in nodes(ast.Constant) if _is_mixing(node.value)}
    number = [m.name for m, node in nodes(FUNCTION) if node.name == "_is_number"]
    models = Counter(
        m.name
        for m, node in nodes(ast.Call)
        if getattr(node.func, "attr", getattr(node.func, "id", ""))
        in ("HighsLp", "milp", "linprog")
    )
    highs = [name for name in models if "HighsLp()" in modules()[name].text]
    wordings = Counter(
        words
        for _, node in nodes(ast.Constant)
        if isinstance(node.value, str)
        for words in WORDINGS
        if words in node.value
    )
    return {
        "modules with mixing constants": len(mixing),
        "_is_number": len(number),
        "modules that build HiGHS models": len(highs),
        "modules that build milp or linprog": len(models) - len(highs),
        **{f'"{words}"': wordings[words] for words in WORDINGS},
    }


def _is_mixing(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value % 2**64 in MIXING


@measure("names and doorways")
def names() -> Facts:
    past = past_cli = 0
    for module, node in nodes(ast.ImportFrom):
        parts = (node.module or "").split(".")
        if parts[0] != "indistinct" or len(parts) < 3 or parts[1] == module.room:
            continue
        if ".".join(parts) in modules():
            past_cli += module.room == "cli"
            past += module.room != "cli"
    shadows = [
        module.name
        for module in modules().values()
        for node in module.tree.body
        if isinstance(node, FUNCTION) and node.name == module.path.stem
    ]
    rooms = defaultdict(set)
    for module in modules().values():
        if module.path.stem != "__init__" and "." in module.name:
            rooms[module.path.stem].add(module.name.rpartition(".")[0])
    shared = {stem: where for stem, where in rooms.items() if len(where) > 1}
    helpers = Counter(
        node.name
        for module in modules().values()
        for node in module.tree.body
        if isinstance(node, FUNCTION) and node.name.startswith("_")
    )
    return {
        "imports past a doorway, cli aside": past,
        "of cli": past_cli,
        "functions that shadow their module": len(shadows),
        "file names in several packages": len(shared),
        "the most frequent": ", ".join(
            f"{stem} {len(where)}"
            for stem, where in sorted(shared.items(), key=lambda s: (-len(s[1]), s[0]))[:5]
        ),
        "private helpers' names in several modules": sum(n > 1 for n in helpers.values()),
        "most frequent helpers": ", ".join(f"{k} {n}" for k, n in helpers.most_common(5)),
    }


# What is reached ---------------------------------------------------------------------------------

Definition = tuple[str, str]
"""A module, and a name at its top; the name is empty for what the module does when loaded."""


_NAMED = re.compile(r"(?:from )?\b(indistinct[\w.]*)(?: import |:)(\w+)")
"""What a text leads to: a program for a process of its own, or `module:name`."""


class Reach:
    """What the command line, the public names and whatever is registered lead to, by syntax.

    A definition leads to every name that is written in it. Detectors are found by their folder.
    A class that has a base and keywords (`class RankSwap(Step, kind="rank-swap")`) and a
    definition under a decorator of the package count as registered. What a module does when it
    is loaded counts once something of it is reached. An attribute leads to the name of a module
    it is taken from, and to nothing else; so this is an estimate.
    With `pages`, a name that an example of the documentation, or a tool, takes is public too.
    """

    def __init__(self, *, pages: bool = False) -> None:
        self.pages = pages
        self.defined: dict[Definition, list[ast.stmt]] = defaultdict(list)
        self.imported: dict[Definition, tuple[str, str]] = {}
        for module in modules().values():
            self._read(module)
        self.reached: set[Definition] = set()
        self._waiting: list[Definition] = []
        self._follow()

    def _read(self, module: Module) -> None:
        package = module.path.stem == "__init__"
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("indistinct"):
                for alias in node.names:
                    self.imported[module.name, alias.asname or alias.name] = (
                        node.module or "",
                        alias.name,
                    )
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name.startswith("indistinct"):
                        self.imported[module.name, alias.asname or "indistinct"] = (
                            alias.name if alias.asname else "indistinct",
                            "",
                        )
        for statement in module.tree.body:
            if isinstance(statement, (*FUNCTION, ast.ClassDef)):
                self.defined[module.name, statement.name].append(statement)
            elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                targets = getattr(statement, "targets", None) or [statement.target]
                for target in targets:
                    for name in ast.walk(target):
                        if isinstance(name, ast.Name) and name.id != "__all__":
                            self.defined[module.name, name.id].append(statement)
            elif not isinstance(statement, (ast.Import, ast.ImportFrom)) and not package:
                self.defined[module.name, ""].append(statement)

    def _follow(self) -> None:
        for name in _public_names(modules()["indistinct"]):
            self._reach("indistinct", name)
        for module, name in shown_on_pages() if self.pages else ():
            self._reach(module, name)
        for module, name in list(self.defined):
            if modules()[module].room == "cli" or self._is_registered(module, name):
                self._reach(module, name)
        self._reach("indistinct.core.doorway", "open_doorway")  # the last line of every doorway
        while self._waiting:
            module, name = self._waiting.pop()
            for statement in self.defined[module, name]:
                self._follow_names(module, statement)

    def _is_registered(self, module: str, name: str) -> bool:
        for node in self.defined[module, name]:
            if name == "detect" and ".detectors." in module:
                return True
            if isinstance(node, ast.ClassDef) and node.bases and node.keywords:
                return True
            for decorator in getattr(node, "decorator_list", ()):
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                if isinstance(called, ast.Name) and (
                    (module, called.id) in self.imported or (module, called.id) in self.defined
                ):
                    return True
        return False

    def _follow_names(self, module: str, statement: ast.stmt) -> None:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                self._reach(module, node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                source = self.imported.get((module, node.value.id))
                if source is not None:
                    inner = ".".join(filter(None, source))
                    self._reach(inner if inner in modules() else source[0], node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                if node.value.startswith("indistinct.") and node.value in modules():
                    for where, name in list(self.defined):
                        if where == node.value:
                            self._reach(where, name)
                for where, name in _NAMED.findall(node.value):
                    self._reach(where, name)
                if node.value.isidentifier():  # annotations in quotes, names of lazy doorways
                    self._reach(module, node.value)

    def _reach(self, module: str, name: str) -> None:
        for _ in range(20):
            if (module, name) in self.defined:
                for one in ((module, name), (module, "")):
                    if one not in self.reached and one in self.defined:
                        self.reached.add(one)
                        self._waiting.append(one)
                return
            if (module, name) not in self.imported:
                return
            module, name = self.imported[module, name]


def _public_names(module: Module) -> list[str]:
    """Return what a doorway hands out: what it imports for type checkers."""
    return [
        alias.asname or alias.name
        for node in ast.walk(module.tree)
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        for imported in node.body
        if isinstance(imported, ast.ImportFrom)
        for alias in imported.names
    ]


_IMPORTS = re.compile(r"^ *from (indistinct[\w.]*) import (\([^)]*\)|.*)", re.M)


@functools.cache
def shown_on_pages() -> frozenset[Definition]:
    """Return the names that examples on pages, which are run, take; and those that tools take."""
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", *(ROOT / "tools").glob("*.py")]
    found: set[Definition] = set()
    for page in pages:
        text = page.read_text(encoding="utf-8").replace("\n>>> ", "\n").replace("\n... ", "\n")
        words = set(re.findall(r"\w+", text))
        for module, names in _IMPORTS.findall(text):
            every = _public_names(modules()[module]) if "*" in names else []
            found |= {(module, name) for name in re.findall(r"\w+", names)}
            found |= {(module, name) for name in every if name in words}
    return frozenset(found)


@measure("code that is not reached (an estimate)")
def unreached() -> Facts:
    reach, besides = Reach(), Reach(pages=True)
    lines: Counter[str] = Counter()
    shown = 0
    whole: dict[str, bool] = {}
    for (module, name), statements in reach.defined.items():
        if not name:
            continue
        reached = (module, name) in reach.reached
        whole[module] = whole.get(module, True) and not reached
        if not reached:
            long = sum((s.end_lineno or 0) - s.lineno + 1 for s in statements)
            lines[module] += long
            shown += long if (module, name) in besides.reached else 0
    gone = [m for m, nothing in whole.items() if nothing and modules()[m].path.stem != "__init__"]
    words: dict[str, set[str]] = defaultdict(set)
    for module in modules().values():
        if module.path.stem != "__init__":
            for word in set(re.findall(r"\w+", module.text)):
                words[word].add(module.name)
    alone = [
        (module, name)
        for (module, name), statements in reach.defined.items()
        if name
        and not name.startswith("_")
        and isinstance(statements[0], FUNCTION)
        and words[name] <= {module}
    ]
    return {
        "lines": sum(lines.values()) + sum(modules()[m].lines - lines[m] for m in gone),
        "of these behind an example on a page": shown,
        "modules of which nothing is reached": len(gone),
        "their lines": sum(modules()[m].lines for m in gone),
        "public functions named in no other module": len(alone),
        "of these not reached": sum(one not in reach.reached for one in alone),
        "the modules": ", ".join(sorted(m.removeprefix("indistinct.") for m in gone)),
    }


# What a process does -----------------------------------------------------------------------------

_MODULES = """
import json, os, sys
sys.argv = ["indistinct", *sys.argv[1:]]
told = os.environ["HOUSE_TOLD"]
def tell():
    ours = [name for name in sys.modules if name.split(".")[0] == "indistinct"]
    with open(told, "w") as file:
        json.dump([len(sys.modules), len(ours)], file)
try:
    from indistinct.cli import main
    main()
finally:
    tell()
"""

_FRAMES = """
import json, os, sys
sys.argv = ["indistinct", *sys.argv[1:]]
told, (through, kernel) = os.environ["HOUSE_TOLD"], os.environ["HOUSE_KERNEL"].split()
def profile(frame, event, argument):
    if event != "call" or frame.f_code.co_name != kernel:
        return
    if f"{os.sep}indistinct{os.sep}" not in frame.f_code.co_filename:
        return
    frames, one = [], frame
    while one is not None:
        where = one.f_code.co_filename.partition(f"{os.sep}src{os.sep}indistinct{os.sep}")[2]
        if where:
            frames.append(f"{where}:{one.f_code.co_name}")
        one = one.f_back
    if not any(frame.endswith(f":{through}") for frame in frames):
        return
    with open(told, "w") as file:
        json.dump(frames[::-1], file)
    sys.setprofile(None)
    os._exit(0)
from indistinct.cli import main
asked, sys.argv = sys.argv, ["indistinct", "--version"]
try:
    main()  # what is loaded by every verb need not be watched
except SystemExit:
    sys.argv = asked
sys.setprofile(profile)
main()
"""


def _process(
    program: str, *arguments: str, before: Sequence[str] = (), **environment: str
) -> tuple[float, Any, str]:
    """Run a program and return its processor time, what it told in a file, what it printed."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "told.json"
        data = Path(folder) / "people.csv"
        rows = (f"{n * 7 % 50},{n % 2},{n % 5}\n" for n in range(400))
        data.write_text("age,sex,area\n" + "".join(rows))
        (Path(folder) / "letter.txt").write_text("Dear Dr. Lang:\n\nMr. Paul Smith was seen.\n")
        if before:
            _run(_MODULES, before, folder, told)
            told.unlink()
        started = os.times()
        done = _run(program, arguments, folder, told, **environment)
        after = os.times()
        spent = after.children_user + after.children_system
        spent -= started.children_user + started.children_system
        found = json.loads(told.read_text()) if told.exists() else None
        return spent, found, done.stdout + (done.stderr if done.returncode else "")


def _run(
    program: str, arguments: Sequence[str], folder: str, told: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env={
            **os.environ, "PYTHONPATH": str(SOURCE), "HOUSE_TOLD": str(told), **environment,
            "COLUMNS": "80", "TERM": "dumb",
        },
    )  # fmt: skip


def _least(program: str, *arguments: str, times: int = 2) -> tuple[float, Any, str]:
    """Run it several times, the first of which may compile, and take the least."""
    return min((_process(program, *arguments) for _ in range(times)), key=lambda run: run[0])


UNIQUES = ("uniques", "people.csv", "--key", "age,sex", "--k", "3")


@measure("what a verb loads", runs=True)
def loaded() -> Facts:
    facts: Facts = {}
    for title, arguments in (("uniques", UNIQUES), ("--help", ("--help",))):
        spent, (everything, ours), _ = _least(_MODULES, *arguments)
        facts |= {
            f"{title}: modules": everything,
            f"{title}: ours": ours,
            f"{title}: seconds": round(spent, 2),
        }
    spent, _, _ = _least("import indistinct")
    opened, _, _ = _least("import indistinct; indistinct.open_data")
    bare, _, _ = _least("")
    return facts | {
        "import indistinct: seconds": round(spent, 2),
        "indistinct.open_data: seconds": round(opened, 2),
        "python itself: seconds": round(bare, 2),
    }


_PROTECT = "protect people.csv --method datafly --key age,sex --k 3 --out release"
WALKS = {
    "protect": ("", _PROTECT, "datafly"),
    "verify": (_PROTECT, "verify release --private people.csv", "linked_totals"),
    "tables": (
        "",
        "tables people.csv --area area --table age,sex --method suppress --out published",
        "suppress",
    ),
    "scrub": ("", "scrub letter.txt --out scrubbed", "treat on_page"),
}
"""What is done before a verb, how it is called, and the kernel that it leads to (through what)."""

TRANSLATING = ("main", "run", "start", "verb", "checked", "each", "<listcomp>")
"""Frames that read the command line, check arguments or tell progress, and decide nothing."""


@measure("the way to the kernel", runs=True)
def frames() -> Facts:
    _, _, shown = _process(_MODULES, "protect", "--help")
    facts: Facts = {"lines of protect --help": len(shown.splitlines())}
    for verb, (before, asked, kernel) in WALKS.items():
        through, _, last = kernel.rpartition(" ")
        _, way, said = _process(
            _FRAMES, *asked.split(), before=before.split(), HOUSE_KERNEL=f"{through or last} {last}"
        )
        told = [frame for frame in way or () if frame.rpartition(":")[2] not in TRANSLATING]
        facts |= {
            f"{verb}: frames to {last}": len(way) if way else said,
            f"{verb}: that do more than translate": len(told),
            f"{verb}: these": " > ".join(told),
        }
    return facts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--still", action="store_true", help="start no processes")
    asked = parser.parse_args()
    table = {title: function() for title, function, runs in _SEEN if not (runs and asked.still)}
    if asked.json:
        print(json.dumps(table, indent=2))
        return 0
    for title, facts in table.items():
        print(title)
        for name, value in facts.items():
            shown = f"{value:,}" if isinstance(value, int) else str(value)
            if len(shown) > 40:
                print(f"  {name}:\n    {shown}")
            else:
                print(f"  {name:<46}{shown:>14}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
