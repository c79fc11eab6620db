"""Small real agents (sh, which starts in milliseconds) and specs for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

OPEN_GATE = 'exec 3<"$JUDGEMESH_GATE"\n'
SAY = 'say() { echo "{\\"event_type\\": \\"$1\\"}" >> "$JUDGEMESH_EVENTS"; %s; }\n'
WAIT = "dd bs=1 count=1 <&3 >/dev/null 2>&1"

GATED = OPEN_GATE + SAY % WAIT
"""Waits after each event until it may go on."""
FREE = SAY % ":"
"""Never waits."""

WORK = """
say tool.called
echo one > world/one.txt
say artifact.created
echo two > world/two.txt
say artifact.created
"""
END = "say run.completed\n"


def spec(folder: Path, script: str, **more: Any) -> Path:
    """A spec of one agent in `folder`, with an empty world unless there is one. JSON is YAML."""
    (folder / "agent.sh").write_text(script)
    (folder / "world").mkdir(exist_ok=True)
    data: dict[str, Any] = {
        "task_id": "t",
        "agent": {
            "command": ["sh", "agent.sh"],
            "time_limit_s": 10,
            **more.pop("agent", {}),
        },
        "progress": more.pop("progress", {"writes": 2}),
        "world": more.pop("world", {"directories": [{"path": "world"}]}),
        **more,
    }
    path = folder / "spec.yaml"
    path.write_text(json.dumps(data))
    return path
