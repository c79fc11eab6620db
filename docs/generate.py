"""Write the pages and tables under docs/ that come from code.

The page of failure codes, the table of settings (configuration.md), the table of formats (transcripts.md).

The codes come from the table in contracts/codes.py, the installed validators and
examples/every_code; the settings from `MeshConfig` and the flags of `judgemesh grade`.

python docs/generate.py           writes these pages
python docs/generate.py --check   exit code 1 if a page is not current
python docs/generate.py --site    writes the pages below docs/generated, which only the site has
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

from generated_pages.pages import PAGES

from judgemesh.contracts.codes import CODES, CodeInfo, Effect, FailureCode
from judgemesh.contracts.validator import Validator
from judgemesh.mesh.cli.settings import FLAGS
from judgemesh.mesh.config import SETTINGS, MeshConfig, expected_value
from judgemesh.mesh.tracing.conversations.table import FORMATS

_DOCS = Path(__file__).parent
PAGE = _DOCS / "reference/failure-codes.md"
CONFIGURATION = _DOCS / "reference/configuration.md"
_TABLE_BEGIN = "<!-- settings: written by docs/generate.py -->"
_TABLE_END = "<!-- end of settings -->"
TRANSCRIPTS = _DOCS / "how-to/transcripts.md"
_FORMATS_BEGIN = "<!-- formats: written by docs/generate.py -->"
_FORMATS_END = "<!-- end of formats -->"
CASES = Path(__file__).resolve().parents[1] / "examples" / "every_code"

HEAD = """\
# Failure codes

A verdict that is not a pass says why by a code. This page is generated from the table in `contracts/codes.py`, the
installed validators and the pairs in [examples/every_code](../../examples/every_code/README.md) by
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
    head = "| code | attribution | meaning | reported by | traits |\n| --- | --- | --- | --- | --- |"
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


def configuration() -> str:
    """The page of settings as it is, with a current table."""
    before, _, rest = CONFIGURATION.read_text(encoding="utf-8").partition(_TABLE_BEGIN)
    _, _, after = rest.partition(_TABLE_END)
    rows = "\n".join(_setting_rows())
    head = "| setting | takes | default | flag | meaning |\n| --- | --- | --- | --- | --- |"
    return f"{before}{_TABLE_BEGIN}\n\n{head}\n{rows}\n\n{_TABLE_END}{after}"


def _setting_rows() -> Iterator[str]:
    flags = {flag.setting: f"`{flag.name}`" for flag in FLAGS}
    for name, field in MeshConfig.model_fields.items():
        if name not in SETTINGS:
            continue
        default = "" if field.default in (None, ()) else f"`{field.default}`".lower()
        takes = expected_value(name)
        flag = flags.get(name, "")
        yield f"| `{name}` | {takes} | {default} | {flag} | {field.description} |"


def transcripts() -> str:
    """The page of transcripts as it is, with a current table of formats."""
    before, _, rest = TRANSCRIPTS.read_text(encoding="utf-8").partition(_FORMATS_BEGIN)
    _, _, after = rest.partition(_FORMATS_END)
    rows = "\n".join(
        f"| `{row.name}` | {row.known_by} | {row.lacks} |" for row in FORMATS
    )
    head = "| format | recognised by | what it lacks |\n| --- | --- | --- |"
    return f"{before}{_FORMATS_BEGIN}\n\n{head}\n{rows}\n\n{_FORMATS_END}{after}"


def write_site_pages() -> None:
    """Write the pages that only the site has."""
    folder = _DOCS / "generated"
    folder.mkdir(exist_ok=True)
    for name, text in PAGES.items():
        (folder / name).write_text(text(), encoding="utf-8")


def main() -> int:
    """Write or check the pages."""
    if "--site" in sys.argv[1:]:
        write_site_pages()
        return 0
    stale = 0
    pages = (
        (PAGE, page()),
        (CONFIGURATION, configuration()),
        (TRANSCRIPTS, transcripts()),
    )
    for path, text in pages:
        current = path.is_file() and path.read_text(encoding="utf-8") == text
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
            continue
        state = "is current" if current else "is stale: run `python docs/generate.py`"
        sys.stdout.write(f"{path.name} {state}\n")
        stale += not current
    return int(stale > 0)


if __name__ == "__main__":
    raise SystemExit(main())
