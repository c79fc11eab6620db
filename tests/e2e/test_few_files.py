"""A process that may open too few files says so in one line."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

COMMAND = Path(sys.executable).with_name("judgemesh")


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (6, 6))


def test_a_limit_that_leaves_no_room_for_an_event_loop(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_text('{"result_id": "r", "task_id": "t"}\n')
    (tmp_path / "contract.yaml").write_text("task_id: t\nvalidators: [completion]\n")
    done = subprocess.run(
        [COMMAND, "grade", "results.jsonl", "-c", "contract.yaml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=_limited,
    )
    assert done.returncode == 2
    assert done.stderr == (
        "error: this process may open 6 files, and 8 are needed; raise the limit with `ulimit -n 256`\n"
    )
