"""The table of commands whose output is kept as files: what is typed, in a folder with the examples."""

from __future__ import annotations

from typing import Final

_DESK: Final = "examples/support_desk"
_NUMBERS: Final = "examples/numbers"
_LEDGER: Final = "--ledger ledger.db"
_TRACES: Final = "--ledger traces.db"

COMMANDS: Final[dict[str, str]] = {
    "init": "init examples/transcripts/chat.json --help",
    "grade": f"grade {_DESK}/results.jsonl -c {_DESK}/contracts.yaml --judge replay:{_DESK}/judge.jsonl --ledger new.db --no-progress",
    "grade_hostile": "grade hostile.jsonl -c hostile.yaml --ledger new.db --all --no-progress",
    "convert": "convert examples/transcripts/chat.json -o converted.jsonl",
    "report": f"report {_LEDGER}",
    "report_failed_plain": f"report {_LEDGER} --failed --plain",
    "report_result": f"report refund-twice {_LEDGER}",
    "report_hostile": "report hostile --ledger hostile.db",
    "report_runs": f"report --runs {_LEDGER}",
    "view": "view --help",
    "asr": f"asr {_NUMBERS}/graded.jsonl",
    "compare": f"compare {_NUMBERS}/graded.jsonl {_NUMBERS}/graded.jsonl --flips",
    "triangle": f"triangle {_NUMBERS}/axes.jsonl",
    "weighted_show": f"weighted {_NUMBERS}/answers.jsonl --preset completion",
    "weighted_what-if": f"weighted what-if {_NUMBERS}/answers.jsonl --preset completion",
    "validators": "validators",
    "plugin_new": "plugin new kind_words",
    "contract_check": f"contract check {_DESK}/contracts.yaml",
    "contract_schema": "contract schema --help",
    "contract_new": "contract new --help",
    "trace_list": f"trace list {_TRACES}",
    "trace_show": f"trace show task_20260428_001 {_TRACES}",
    "trace_import": f"trace import examples/cost_profile/steps.jsonl {_TRACES}",
    "trace_bill": "trace bill examples/cost_profile/steps.jsonl",
    "trace_findings": "trace findings examples/cost_profile/steps.jsonl",
    "prices": "prices --model openai/gpt-4.1-mini",
    "snapshot_before": "snapshot before --help",
    "snapshot_after": "snapshot after --help",
    "snapshot_diff": "snapshot diff --help",
    "label_walk": "label walk --help",
    "label_export": f"label export queue.csv {_LEDGER}",
    "label_import": "label import --help",
    "rollback": "rollback --help",
    "calibrate": "calibrate --help",
    "agreement": f"agreement {_NUMBERS}/ann.jsonl {_NUMBERS}/ben.csv --reference {_NUMBERS}/canonical.jsonl",
    "config_show": f"config show {_LEDGER}",
    "config_schema": "config schema --help",
    "doctor": "doctor --help",
    "ledger_purge": f"ledger purge --before 2100-01-01 {_LEDGER}",
    "ledger_backup": f"ledger backup copy.db {_LEDGER}",
    "ledger_merge": f"ledger merge traces.db {_LEDGER}",
}
"""What is typed, by the name of the snapshot; a command with several has the name of the command before `_`."""
