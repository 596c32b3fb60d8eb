"""`python -m signals.cli`."""

from signals.cli import main

main()
