"""What runs in a process beside: chunks come in, outcomes go out. See `workers`."""

from __future__ import annotations

import pickle
import signal
import sys

from indistinct.scrub.streaming import Chunk, treat_chunk

__all__ = ["serve"]


def serve() -> None:
    """Treat what comes in through standard input until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that asks decides when to end
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # whatever is printed is no answer
    treater = pickle.load(questions).start()
    while True:
        try:
            chunk: Chunk = pickle.load(questions)
        except EOFError:
            return
        pickle.dump(treat_chunk(treater, chunk), answers)
        answers.flush()
