"""What is heavy is imported when it is used: `import signals` and `--help` stay quick."""

import json
import subprocess
import sys

import pytest

from tests.contracts.tree import ROOT

HEAVY = ("arch", "dash", "numba", "plotly", "pyarrow", "ruptures", "scipy", "statsmodels")

AFTER = """
import json, sys
try:
    {code}
except SystemExit:
    pass
names = {names!r}
sys.stderr.write(json.dumps([name for name in names if name in sys.modules]))
"""


def loaded_by(code: str) -> list[str]:
    """Which heavy packages a piece of code loads in a fresh interpreter."""
    script = AFTER.format(code=code, names=HEAVY)
    result = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return json.loads(result.stderr.splitlines()[-1])


@pytest.mark.parametrize(
    "code",
    [
        "import signals",
        "import signals; dir(signals)",
        "from signals.cli import main; main(['--help'])",
        "from signals.cli import main; main(['--version'])",
        "from signals.cli import main; main(['evaluate', '--help'])",
    ],
)
def test_nothing_heavy_is_loaded(code):
    """A user who asks for help does not wait for a compiler."""
    assert loaded_by(code) == []
