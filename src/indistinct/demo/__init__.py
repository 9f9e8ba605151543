"""The whole flow on a synthetic census: what `make demo` shows."""

from indistinct.demo.making import run_demo
from indistinct.demo.story import Demo

__all__ = ["Demo", "run_demo"]
