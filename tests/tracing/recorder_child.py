"""Records until it is killed: `python recorder_child.py FILE`. Says `ready` when some steps are written."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from judgemesh.mesh.tracing import Recorder


def main() -> None:
    with (
        Recorder(Path(sys.argv[1])) as recorder,
        recorder.run(trace_id="killed", task_id="t"),
    ):
        for number in range(1_000_000):
            with recorder.think(model_name="alpha") as step:
                step.model_called(usage={"prompt_tokens": 10, "completion_tokens": 1})
                if number == 50:
                    sys.stdout.write("ready\n")
                    sys.stdout.flush()
            time.sleep(0.0005)


if __name__ == "__main__":
    main()
