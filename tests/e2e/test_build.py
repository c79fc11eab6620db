"""Two builds of the wheel give the same bytes; the bill of materials names what is pinned."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def tracked() -> list[str]:
    done = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    tops = ("contracts/", "mesh/", "prompts/", "validators/")
    files = [name for name in done.stdout.split("\0") if name.startswith(tops)]
    return [*files, "pyproject.toml", "README.md", "LICENSE"]


def built(folder: Path, changed_at_s: int) -> bytes:
    source = folder / "source"
    for name in tracked():
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target)
        os.utime(target, (changed_at_s, changed_at_s))
    subprocess.run(
        [
            *(
                sys.executable,
                "-m",
                "pip",
                "wheel",
                "--no-deps",
                "--no-build-isolation",
            ),
            *("--no-index", "--quiet", "--wheel-dir", str(folder), str(source)),
        ],
        check=True,
        timeout=300,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"},
    )
    (wheel,) = folder.glob("*.whl")
    return wheel.read_bytes()


def test_two_builds_give_the_same_bytes(tmp_path: Path) -> None:
    first = built(tmp_path / "first", 1_600_000_000)
    assert first == built(tmp_path / "second", 1_650_000_000)


def test_the_bill_of_materials_names_what_is_pinned(tmp_path: Path) -> None:
    bill = tmp_path / "judgemesh.cdx.json"
    done = subprocess.run(
        [
            "make",
            "--dry-run",
            "--always-make",
            "--no-print-directory",
            "sbom",
            f"SBOM={bill}",
        ],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    command = done.stdout.replace("\\\n", " ").strip().splitlines()[-1]
    assert "cyclonedx-py" in command
    subprocess.run(command, cwd=ROOT, check=True, shell=True, timeout=120)  # noqa: S602 (a line of our Makefile)
    data = json.loads(bill.read_text(encoding="utf-8"))
    assert data["bomFormat"] == "CycloneDX"
    assert data["metadata"]["component"]["name"] == "judgemesh"
    named = {
        (part["name"].lower().replace("_", "-"), part.get("version"))
        for part in data["components"]
    }
    pins = re.findall(
        r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)",
        (ROOT / "constraints-hashes.txt").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert len(pins) > 40
    assert set(pins) <= named
    hashed = [
        part
        for part in data["components"]
        if any(ref.get("hashes") for ref in part.get("externalReferences", []))
    ]
    assert len(hashed) == len(pins)
