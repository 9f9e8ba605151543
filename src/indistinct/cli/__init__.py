"""The command line: `indistinct VERB`."""

from indistinct.cli.run import main, run

__all__ = ["main", "run"]
