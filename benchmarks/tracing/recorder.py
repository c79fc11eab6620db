"""How long one recorded event takes: microseconds an event, and the import of the recorder in a fresh process."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from judgemesh.mesh.tracing import Recorder

STEPS = 20_000
EVENTS_A_STEP = 4
USAGE = {
    "prompt_tokens": 12_800,
    "completion_tokens": 320,
    "prompt_tokens_details": {"cached_tokens": 8_600},
}


def microseconds_an_event(path: Path) -> tuple[float, float]:
    """By the clock, and of CPU: on a busy machine the clock counts what others do."""
    with Recorder(path) as recorder, recorder.run(task_id="benchmark"):
        began, cpu = time.perf_counter(), time.process_time()
        for _ in range(STEPS):
            with recorder.think(model_name="openai/gpt-4.1-mini") as step:
                step.context_compiled(
                    skill_instruction=2_600, history=1_800, tool_result=4_200
                )
                step.model_called(usage=USAGE, latency_ms=812)
        took_s, cpu_s = time.perf_counter() - began, time.process_time() - cpu
        lost = recorder.lost
    if lost:
        raise SystemExit(f"{lost} events were lost")
    each = 1e6 / (STEPS * EVENTS_A_STEP)
    return took_s * each, cpu_s * each


def import_ms() -> tuple[float, list[str]]:
    code = (
        "import json,sys,time; before=set(sys.modules); t=time.process_time(); import judgemesh.mesh.tracing;"
        "t=time.process_time()-t; new={m.split('.')[0] for m in set(sys.modules)-before};"
        "print(json.dumps([t*1000, sorted(new-set(sys.stdlib_module_names))]))"
    )
    output = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout
    took_ms, foreign = json.loads(output)
    return took_ms, foreign


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        rounds = [
            microseconds_an_event(Path(folder) / f"{index}.jsonl") for index in range(5)
        ]
    took_ms, foreign = import_ms()
    print(
        json.dumps(
            {
                "events": STEPS * EVENTS_A_STEP,
                "us_per_event_best": round(min(clock for clock, _ in rounds), 2),
                "us_per_event_worst": round(max(clock for clock, _ in rounds), 2),
                "cpu_us_per_event_median": round(median(cpu for _, cpu in rounds), 2),
                "import_cpu_ms": round(took_ms, 1),
                "third_party_modules": [
                    name for name in foreign if name != "judgemesh"
                ],
            }
        )
    )


if __name__ == "__main__":
    main()
