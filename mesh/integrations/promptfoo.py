"""promptfoo: an assertion that grades with judgemesh.

    python -m judgemesh.mesh.integrations.promptfoo > grading.cjs

    # promptfooconfig.yaml
    defaultTest:
      assert: [{type: javascript, value: file://grading.cjs, config: {task: refund}}]

The JavaScript file asks one Python process (`--serve`) over its standard input and output, a JSON object a line.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from threading import Lock
from typing import Any, Final, TextIO

from judgemesh.mesh.integrations.samples import NAME, sample_result
from judgemesh.mesh.integrations.session import close_all, session

_FILE: Final = "promptfoo.js"
_TOGETHER: Final = 16
"""How many assertions are graded at once at most; promptfoo itself bounds how many it asks for."""


def grade(request: Mapping[str, Any]) -> dict[str, Any]:
    """The reply to one assertion: `{grading}` as promptfoo takes it, or `{error}` for an undecided gate."""
    config: dict[str, Any] = dict(request.get("config") or {})
    variables: dict[str, Any] = request.get("vars") or {}
    metadata: dict[str, Any] = request.get("metadata") or {}
    name = variables.get("id") or request.get("description")
    data = sample_result(
        request.get("output"),
        result_id=None if name is None else str(name),
        task=config.pop("task", None),
        messages=metadata.get("messages"),
        known=[metadata, variables],
    )
    graded = session("promptfoo", **config).grade(data)
    if graded.passed is None:
        return {"error": f"judgemesh {graded.reason} {json.dumps(graded.facts())}"}
    scores = {f"{NAME}_{code}": 1.0 for code in graded.codes}
    return {
        "grading": {
            "pass": graded.passed,
            "score": graded.score,
            "reason": graded.reason,
            "namedScores": {NAME: graded.score, **scores},
            "metadata": {NAME: graded.facts()},
        }
    }


def serve(requests: TextIO, replies: TextIO) -> None:
    """Answer requests, a line each, until their end; several at once."""
    lock = Lock()

    def answer(line: str) -> None:
        request = json.loads(line)
        try:
            reply = grade(request)
        except Exception as error:  # noqa: BLE001 (told to promptfoo, which shows it; the others go on)
            reply = {"error": f"judgemesh: {error}"}
        with lock:
            replies.write(json.dumps({"number": request["number"], **reply}) + "\n")
            replies.flush()

    with ThreadPoolExecutor(_TOGETHER) as pool:
        for line in requests:
            pool.submit(answer, line)
    close_all()


def main(arguments: list[str]) -> None:
    """Print the JavaScript file, or serve it."""
    if arguments == ["--serve"]:
        serve(sys.stdin, sys.stdout)
        return
    text = files("judgemesh.mesh.integrations").joinpath(_FILE).read_text("utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
