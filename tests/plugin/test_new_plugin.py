"""`judgemesh plugin new` writes a package that installs in a fresh environment and passes its own tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("judgemesh")
ROOT = Path(__file__).resolve().parents[2]


def run(*command: object, cwd: Path, code: int = 0) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_new_plugin_installs_and_passes_its_own_tests(tmp_path: Path) -> None:
    run(COMMAND, "plugin", "new", "kind-words", cwd=tmp_path)
    folder = tmp_path / "judgemesh-kind-words"
    site = Path(pytest.__file__).parents[1]
    run(sys.executable, "-m", "venv", "--without-pip", "fresh", cwd=tmp_path)
    python = tmp_path / "fresh/bin/python"
    # What the plug-in needs is installed already; the plug-in itself is built as a wheel, as for anybody.
    path = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    libraries = Path(run(python, "-c", path, cwd=tmp_path).strip())
    (libraries / "needed.pth").write_text(
        f"import site; site.addsitedir({str(site)!r})\n"
    )
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index")
    run(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        *options,
        "-w",
        "dist",
        folder,
        cwd=tmp_path,
    )
    [wheel] = (tmp_path / "dist").glob("*.whl")
    run(sys.executable, "-m", "zipfile", "-e", wheel, libraries, cwd=tmp_path)
    assert "passed" in run(
        python, "-m", "pytest", "-q", folder / "tests", cwd=folder / "tests"
    )
    shown = run(
        python,
        "-c",
        "from judgemesh.mesh.cli.app import main; main()",
        "validators",
        cwd=tmp_path,
    )
    assert "kind_words" in shown


@pytest.mark.parametrize("name", ["2fast", "class", "../up", "Loud", ""])
def test_a_name_that_cannot_be_a_validators_is_refused(
    tmp_path: Path, name: str
) -> None:
    shown = run(COMMAND, "plugin", "new", name, cwd=tmp_path, code=2)
    assert "cannot be the name of a validator" in shown
    assert list(tmp_path.iterdir()) == []


def test_the_name_of_an_installed_validator_is_refused(tmp_path: Path) -> None:
    shown = run(COMMAND, "plugin", "new", "citations", cwd=tmp_path, code=2)
    assert "has a validator 'citations'" in shown
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_exists_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "judgemesh-brevity"
    folder.mkdir()
    shown = run(COMMAND, "plugin", "new", "brevity", cwd=tmp_path, code=2)
    assert str(folder.name) in shown
    assert list(folder.iterdir()) == []
