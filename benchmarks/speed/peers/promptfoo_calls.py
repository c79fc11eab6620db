"""The yes/no calls of `judge_calls.py` with promptfoo: one test a prompt, answered by `echo`, one `llm-rubric`.

NODE_MODULES=FOLDER python promptfoo_calls.py BASE_URL MODEL AT_ONCE < prompts.json

FOLDER has the npm package promptfoo; `node` is taken from PATH. It is a command, so its start is counted, unlike that
of the others; its database is not written. Prints `verdicts`, `cpu_s`, `wall_s`, `version`.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

_REPLY = {
    "type": "json_schema",
    "json_schema": {
        "name": "grade",
        "schema": {
            "type": "object",
            "properties": {
                "reason": {"type": "string"},
                "pass": {"type": "boolean"},
                "score": {"type": "number"},
            },
        },
    },
}


def main() -> None:
    """Do the work and print what it took."""
    base_url, model, at_once = sys.argv[1:]
    prompts = json.load(sys.stdin)
    package = Path(os.environ["NODE_MODULES"]) / "promptfoo"
    described = json.loads((package / "package.json").read_text())
    grader = {
        "id": f"openai:chat:{model}",
        "config": {
            "apiBaseUrl": base_url,
            "apiKey": "none",
            "response_format": _REPLY,
        },
    }
    suite: dict[str, Any] = {
        "prompts": ["{{output}}"],
        "providers": ["echo"],
        "defaultTest": {
            "assert": [{"type": "llm-rubric", "value": "Does it hold?"}],
            "options": {"provider": grader},
        },
        "tests": [{"vars": {"output": prompt}} for prompt in prompts],
    }
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "promptfooconfig.json").write_text(json.dumps(suite))
        environment = {
            **os.environ,
            "PROMPTFOO_DISABLE_TELEMETRY": "1",
            "PROMPTFOO_DISABLE_UPDATE": "1",
            "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
            "PROMPTFOO_CONFIG_DIR": folder,
        }
        command = [
            *("node", str(package / described["bin"]["promptfoo"]), "eval"),
            *("-c", "promptfooconfig.json", "-o", "out.json", "-j", at_once),
            *("--no-cache", "--no-write", "--no-table", "--no-progress-bar"),
        ]
        wall = time.perf_counter()
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        wall_s = time.perf_counter() - wall
        written = Path(folder, "out.json")
        if not written.exists():
            raise SystemExit(done.stderr or done.stdout)
        results = json.loads(written.read_text())["results"]["results"]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    line = {
        "verdicts": sum(bool(one.get("gradingResult")) for one in results),
        "cpu_s": used.ru_utime + used.ru_stime,
        "wall_s": wall_s,
        "version": described["version"],
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
