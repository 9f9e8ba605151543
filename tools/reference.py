"""Write docs/reference/: the Python names and the command line, from their own words.

Run `python tools/reference.py` after a change; a test compares.
"""

from __future__ import annotations

import importlib
import inspect
import re
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOMS = [
    "indistinct",
    "indistinct.core.variables",
    "indistinct.results.figures",
    "indistinct.options",
    "indistinct.hierarchy",
    "indistinct.files",
    "indistinct.engine",
    "indistinct.keys",
    "indistinct.households",
    "indistinct.naming",
    "indistinct.dirt",
    "indistinct.rules",
    "indistinct.risk",
    "indistinct.utility",
    "indistinct.utility.analyses",
    "indistinct.utility.demography",
    "indistinct.protect",
    "indistinct.protect.methods",
    "indistinct.protect.shuffling",
    "indistinct.protect.steps",
    "indistinct.protect.steps.households",
    "indistinct.prove",
    "indistinct.prove.ads0",
    "indistinct.prove.attacks",
    "indistinct.prove.changes",
    "indistinct.prove.together",
    "indistinct.tables",
    "indistinct.tables.matching",
    "indistinct.tables.differencing",
    "indistinct.tables.magnitudes",
    "indistinct.tables.suppressing",
    "indistinct.tables.perturb",
    "indistinct.tables.merging",
    "indistinct.tables.derived",
    "indistinct.tables.experiments",
    "indistinct.tables.argus",
    "indistinct.tables.publishing",
    "indistinct.scrub.text",
    "indistinct.scrub.text.detectors",
    "indistinct.scrub.text.tagger",
    "indistinct.knowledge",
    "indistinct.scrub.text.replace",
    "indistinct.scrub",
    "indistinct.utility.tradeoff",
    "indistinct.release",
    "indistinct.release.report",
    "indistinct.query",
    "indistinct.flow",
    "indistinct.workbench",
    "indistinct.project",
    "indistinct.census",
]
VERBS = [
    "demo",
    "init",
    "run",
    "report",
    "uniques",
    "risk",
    "protect",
    "verify",
    "utility",
    "tables",
    "scrub",
    "query",
    "workbench",
    "census",
]


def rooms() -> dict[str, list[str]]:
    """Return the modules of each room: the packages right below `indistinct`, and itself."""
    found: dict[str, list[str]] = {}
    for module in ROOMS:
        room = module.split(".")[1] if "." in module else module
        found.setdefault(room, []).append(module)
    return found


def api() -> str:
    """Return the page that leads to the pages of the rooms."""
    lines = ["# Python reference", "", "Made by `tools/reference.py` from the docstrings.", ""]
    lines += ["| room | what is in it |", "| --- | --- |"]
    for room in rooms():
        module = importlib.import_module(_module_of(room))
        meaning = _first(inspect.getdoc(module) or "").replace("|", "\\|")
        lines.append(f"| [`{module.__name__}`](python/{room}.md) | {meaning} |")
    return "\n".join([*lines, ""])


def page_of_room(room: str) -> str:
    """Return the page of a room's public Python names."""
    lines = [f"# `{_module_of(room)}`", "", "Made by `tools/reference.py` from the docstrings.", ""]
    for name in rooms()[room]:
        lines += _names_of(name)
    return "\n".join(lines)


def _module_of(room: str) -> str:
    return room if room == "indistinct" else f"indistinct.{room}"


def _names_of(room: str) -> list[str]:
    module = importlib.import_module(room)
    lines = [f"## `{room}`", "", _first(inspect.getdoc(module) or ""), ""]
    for name in sorted(module.__all__, key=str.lower):
        thing = getattr(module, name)
        if inspect.ismodule(thing) and callable(thing):  # a room whose name is a verb
            thing = thing._function()
        lines.append(f"- `{name}{_signature(thing)}` — {_summary(thing)}")
    return [*lines, ""]


def cli() -> str:
    """Return the page of the command line."""
    lines = ["# Command line", "", "Made by `tools/reference.py` from `--help`.", ""]
    from indistinct.cli.app import verb_function
    from indistinct.cli.declared import topics_of

    for verb in VERBS:
        lines += [f"## `indistinct {verb}`", "", "```", _help(verb), "```", ""]
        for topic in (topics_of(verb_function(verb)) or ())[1:]:
            lines += [f"### `indistinct {verb} --help {topic.name}`", "", "```"]
            lines += [_help(verb, topic.name), "```", ""]
    return "\n".join(lines)


def methods() -> str:
    """Return the page of methods and their options, from the registry."""
    from indistinct.options import known_methods

    lines = [
        "# Methods and their options",
        "",
        "Made by `tools/reference.py` from what the methods declare. An option is typed on the "
        "command line, stands in a project file, or is a keyword of `Data.protect`.",
        "",
    ]
    for method in known_methods().values():
        lines += [f"## `{method.name}`", "", f"It {method.meaning}. Afterwards {method.promises}."]
        lines += [""]
        if method.options:
            lines += ["| keyword | typed | project file | meaning |", "| --- | --- | --- | --- |"]
        for option in method.options:
            section, _, setting = (option.setting or f"method.{option.name}").partition(".")
            heading = "[variables.NAME]" if section == "variables" else f"[{section}]"
            in_file = option.in_method_section or option.setting
            lines.append(
                f"| `{option.name}` | {f'`{option.typed_as}`' if option.on_the_line else ''} | "
                f"{f'`{heading} {setting}`' if in_file else ''} | {option.meaning} |"
            )
        lines += [""] if method.options else []
    return "\n".join(lines)


PAGES = {
    "api.md": api,
    "cli.md": cli,
    "methods.md": methods,
    **{f"python/{room}.md": partial(page_of_room, room) for room in rooms()},
}


def _first(text: str) -> str:
    return " ".join(text.split("\n\n")[0].split())


def _summary(thing: object) -> str:
    if inspect.isclass(thing) or inspect.isroutine(thing):
        own = thing.__doc__ or ""
        generated = inspect.isclass(thing) and own.startswith(f"{thing.__name__}(")
        return "" if generated else _first(inspect.cleandoc(own))
    return f"a constant or a type: `{type(thing).__name__}`"


def _signature(thing: object) -> str:
    if not inspect.isroutine(thing):
        return ""
    text = str(inspect.signature(thing))
    text = re.sub(r"<[^<>]+ at 0x[0-9a-f]+>", "…", text)
    return text.replace("|", "\\|") if len(text) < 400 else "(…)"


def _help(verb: str, *topic: str) -> str:
    from typer.testing import CliRunner

    from indistinct.cli.app import app

    environment = {"COLUMNS": "100", "TERMINAL_WIDTH": "100", "TERM": "dumb", "NO_COLOR": "1"}
    shown = CliRunner().invoke(
        app, [verb, "--help", *topic], env=environment, prog_name="indistinct"
    )
    return "\n".join(line.rstrip() for line in shown.stdout.strip().splitlines())


if __name__ == "__main__":
    for name, page in PAGES.items():
        path = ROOT / "docs" / "reference" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(page())
        print(path.relative_to(ROOT))
