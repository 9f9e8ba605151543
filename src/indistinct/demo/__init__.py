"""The whole flow on a synthetic census: what `make demo` shows."""

from indistinct.arguments import check_arguments
from indistinct.demo.making import is_demo, run_demo
from indistinct.demo.story import WORDS, Demo

__all__ = ["WORDS", "Demo", "is_demo", "run_demo"]

check_arguments(__name__)
