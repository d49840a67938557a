"""The script that makes the virtual environment, where an earlier run of it was interrupted."""

import subprocess
import sys
import venv
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "tarneeb_service/local/make_venv.sh"


@pytest.mark.slow
def test_an_environment_left_without_pip_is_made_anew(tmp_path: Path) -> None:
    environment, requirements = tmp_path / "venv", tmp_path / "none.txt"
    requirements.write_text("# nothing\n")
    venv.create(environment, with_pip=False)
    made = subprocess.run(
        ["sh", SCRIPT, environment, requirements],
        env={"PATH": "/usr/bin:/bin", "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    assert "Making" in made.stdout
    assert subprocess.run([environment / "bin/python", "-m", "pip", "--version"], check=False).returncode == 0
