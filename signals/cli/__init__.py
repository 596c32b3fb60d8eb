"""The command line: argv in, one use case, text or JSON out, an exit code."""

from __future__ import annotations

import os
import signal
import sys

__all__ = ["main"]

STOPPED = 130
"""Exit code after Ctrl-C, as shells count it."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave the process with its exit code.

    Args:
        arguments: without the program's name; None for `sys.argv`.
    """
    # threads that share the small matrices of a study wait for each other longer than they work
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        # a Ctrl-C while the modules load is one like any other
        from signals.cli.app import run

        code = run(sys.argv[1:] if arguments is None else arguments)
        # the work is done and told: a Ctrl-C while the interpreter ends would only hide the code
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        code = STOPPED
    if code == STOPPED:
        sys.stderr.write("stopped; the store holds what was finished, and nothing by halves\n")
    sys.exit(code)
