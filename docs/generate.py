"""Write docs/failure-codes.md from the table in contracts/codes.py, the installed validators, and examples/every_code.

python docs/generate.py           writes the page
python docs/generate.py --check   exit code 1 when the page is not current
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

from judgemesh.contracts.codes import CODES, CodeInfo, Effect, FailureCode
from judgemesh.contracts.validator import Validator

PAGE = Path(__file__).with_name("failure-codes.md")
CASES = Path(__file__).resolve().parents[1] / "examples" / "every_code"

HEAD = """\
# Failure codes

A verdict that is not a pass says why by a code. This page is generated from the table in `contracts/codes.py`, the
installed validators and the pairs in [examples/every_code](../examples/every_code/README.md) by
`python docs/generate.py`.

The order is the precedence: of several codes that failed a gate, the one that stands highest is the report's
`primary_failure_reason_code`, whatever order the validators ran in.

* **Who**: `agent` (the run did wrong), `environment` (what surrounded the run failed it), `evaluator` (the grading
  itself is in doubt, which says nothing about the agent).
* **Effect**: `gate` fails the hard gate; `soft` is reported and lowers scores; `hold` leaves the gate `undecided`.
  A contract may move a code between `gate` and `soft` under `outcome.effects`, or make a soft code a gate by naming it
  in `must_not_include`. A `hold` code cannot be moved.
* **Said by**: the validators that carry the code by themselves. A contract may give it to rules, criteria and prose
  rules of its own.
* **Traits**: `fabrication` makes the outcome class `hallucinated`; `missing part` allows `partial+`.
"""

_TITLES = {
    Effect.GATE: "Codes that fail the gate",
    Effect.SOFT: "Codes that lower scores",
    Effect.HOLD: "Codes that leave the gate undecided",
}


_OTHERS = {
    FailureCode.LOW_COMPLETENESS_SCORE: "the sub-score",
    FailureCode.LOW_EVIDENCE_VALIDITY_SCORE: "the sub-score",
    FailureCode.LOW_EVIDENCE_CONSISTENCY_SCORE: "the sub-score",
    FailureCode.LOW_METHODOLOGY_SCORE: "the sub-score",
    FailureCode.LOW_READABILITY_SCORE: "the sub-score",
    FailureCode.EVALUATOR_FAILURE: "the engine, for any validator",
    FailureCode.EVIDENCE_SOURCE_INACCESSIBLE: "any validator that cannot see what it needs",
    FailureCode.LOW_CONFIDENCE_EVALUATION: "any validator that cannot tell",
}
"""Who else says a code."""


def page() -> str:
    """The whole page."""
    sayers = _sayers()
    return (
        HEAD
        + "".join(_section(effect, sayers) for effect in Effect)
        + "".join(_examples())
    )


def _sayers() -> dict[FailureCode, str]:
    """By code: who says it."""
    found: dict[FailureCode, list[str]] = {}
    for point in entry_points(group="judgemesh.validators"):
        if point.dist is not None and point.dist.name == "judgemesh":
            validator: Validator = point.load()
            for code in validator.codes:
                found.setdefault(code, []).append(f"`{validator.name}`")
    named = {
        code: sorted(names) + ([_OTHERS[code]] if code in _OTHERS else [])
        for code, names in found.items()
    }
    others = {code: [word] for code, word in _OTHERS.items() if code not in named}
    return {code: ", ".join(names) for code, names in (named | others).items()}


def _section(effect: Effect, sayers: dict[FailureCode, str]) -> str:
    rows = "\n".join(_rows(effect, sayers))
    head = (
        "| code | who | meaning | said by | traits |\n| --- | --- | --- | --- | --- |"
    )
    return f"\n## {_TITLES[effect]}\n\n{head}\n{rows}\n"


def _rows(effect: Effect, sayers: dict[FailureCode, str]) -> Iterator[str]:
    for info in sorted(CODES.values(), key=lambda info: info.precedence):
        if info.effect is effect:
            validators = sayers.get(info.code, "")
            yield f"| `{info.code}` | {info.attribution} | {info.meaning} | {validators} | {_traits(info)} |"


def _examples() -> Iterator[str]:
    """For each code a contract, and a result that is graded with it."""
    yield "\n## Examples\n\nEach result fails, or is held, by the code above it. What a judge says is recorded.\n"
    contracts = {_task(text): text for text in _documents()}
    lines = (CASES / "results.jsonl").read_text(encoding="utf-8").splitlines()
    results = {str(result["result_id"]): result for result in map(json.loads, lines)}
    for info in sorted(CODES.values(), key=lambda info: info.precedence):
        name = info.code.value.lower()
        members = ",\n  ".join(
            f"{json.dumps(key)}: {json.dumps(value)}"
            for key, value in results[name].items()
        )
        yield f"\n### {info.code}\n\n```yaml\n{contracts[name].strip()}\n```\n\n```json\n{{\n  {members}\n}}\n```\n"


def _documents() -> Iterator[str]:
    """The contracts as they are written, without comments in front."""
    text = (CASES / "contracts.yaml").read_text(encoding="utf-8")
    for part in text.split("\n---\n"):
        yield "\n".join(line for line in part.splitlines() if not line.startswith("#"))


def _task(text: str) -> str:
    return text.strip().splitlines()[0].removeprefix("task_id:").strip()


def _traits(info: CodeInfo) -> str:
    return ", ".join(sorted(trait.value.replace("_", " ") for trait in info.traits))


def main() -> int:
    """Write or check the page."""
    if "--check" in sys.argv[1:]:
        current = PAGE.is_file() and PAGE.read_text(encoding="utf-8") == page()
        state = "is current" if current else "is stale: run `python docs/generate.py`"
        sys.stdout.write(f"{PAGE.name} {state}\n")
        return 0 if current else 1
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
