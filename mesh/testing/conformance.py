"""What a plug-in has to keep, as checks that its author runs: one for each kind of plug-in.

    class TestConformance(ValidatorConformance):
        validator = brevity
        cases = (case_of("Short."), case_of("Long. " * 500))

`validator_faults`, `record_source_faults`, `evidence_source_faults` and `trace_reader_faults` give the same as lists of
faults, one line each.
"""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Final

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.needs import (
    Answer,
    Found,
    Lookup,
    Need,
    NotFound,
    Records,
    Unanswered,
)
from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.validator import Case, Form, Validator
from judgemesh.contracts.verdicts import Fail, Verdict, codes_of
from judgemesh.mesh.grading.plugins import adapt
from judgemesh.mesh.grading.verdicts import verdicts_of
from judgemesh.mesh.sources.protocols import (
    EvidenceSourceFactory,
    RecordSourceFactory,
    SourceInaccessible,
)
from judgemesh.mesh.testing.drive import drive
from judgemesh.mesh.tracing.readers.protocol import TraceReader
from judgemesh.mesh.tracing.readers.source import TraceFile

_UNANSWERED: Final = Unanswered(error_type="unavailable", message="the judge is down")
_GRADES: Final = ("pass", "fail")

_PROBE: Final = """
import sys
seen = []
def watch(event, args):
    if event in ("socket.connect", "subprocess.Popen", "os.system", "os.remove", "os.mkdir"):
        seen.append(f"{event} {args!r:.100}")
    if event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+"):
        seen.append(f"writes {args[0]!r:.100}")
sys.dont_write_bytecode = True
sys.addaudithook(watch)
import importlib
importlib.import_module(sys.argv[1])
print("\\n".join(seen))
"""


def case_of(
    answer: str | None = None,
    /,
    *,
    result: Mapping[str, Any] | None = None,
    **args: Any,
) -> Case:
    """A case with an answer, or with a result; `args` are the contract's arguments for the validator."""
    data: dict[str, Any] = {"result_id": "r-1", "task_id": "task"}
    if answer is not None:
        data["output"] = {"final_answer": answer}
    return Case(
        result=AgentResult.model_validate({**data, **(result or {})}),
        contract=EvalContract(task_id="task"),
        args=args,
    )


def hostile_cases(args: Mapping[str, Any]) -> Iterator[Case]:
    """Results that agents do write: nothing, very long and very odd text, wrong types, deep data, unread evidence."""
    texts = (
        "",
        " \n",
        "\x00\x1b[31m\ud83d",
        "a" * 200_000,
        "(" * 2000,
        '{"a": ' * 200,
        "RF-1042" * 5000,
    )
    for text in texts:
        yield case_of(result={"output": {"final_answer": text}}, **args)
    deep: Any = "end"
    for _ in range(50):
        deep = {"deeper": deep}
    outputs: tuple[dict[str, Any], ...] = (
        {},
        {"": None},
        {"a": [None, True, -1, 1e308, deep]},
    )
    for output in outputs:
        yield case_of(result={"output": {"outputs": output}}, **args)
    yield case_of(**args)
    yield case_of(result={"status": "timeout"}, **args)
    yield case_of(result={"trace": [{"role": "assistant", "content": None}]}, **args)
    unread = case_of("Done.", **args)
    yield replace(
        unread, problems={"state": "cannot be read", "trace": "cannot be read"}
    )


def import_faults(module: str) -> list[str]:
    """What a module does while it is imported: it may connect nowhere, start nothing and write nothing."""
    done = subprocess.run(  # noqa: S603 (the interpreter that runs the test)
        [sys.executable, "-c", _PROBE, module],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        return [f"{module} cannot be imported: {done.stderr.strip().splitlines()[-1]}"]
    return [
        f"{module}, while it is imported: {line}"
        for line in done.stdout.split("\n")
        if line
    ]


def validator_faults(
    validator: object,
    cases: Sequence[Case],
    answers: Callable[[Need], Answer] | None = None,
) -> list[str]:
    """What a validator does not keep, over the given cases and hostile ones.

    Args:
        validator: a `Validator`, or the bare function of one.
        cases: cases with the arguments that it needs.
        answers: what its needs are answered with; without it, they go unanswered only.
    """
    known = _validator(validator)
    faults = import_faults(inspect.unwrap(known.run).__module__)
    faults += _declared(known)
    if not cases:
        faults.append("no cases: give at least one that passes and one that fails")
    args: Mapping[str, Any] = cases[0].args if cases else {}
    replies = [_unanswered] if answers is None else [answers, _unanswered]
    for reply in replies:
        for number, case in enumerate([*cases, *hostile_cases(args)], 1):
            said = "unanswered" if reply is _unanswered else "answered"
            where = f"case {number} ({said})"
            faults += [f"{where}: {fault}" for fault in _of_case(known, case, reply)]
    return faults


class ValidatorConformance:
    """A class of tests for pytest. Derive from it, and set `validator` and `cases` (and `answers`, if it has needs)."""

    validator: ClassVar[Any]
    cases: ClassVar[Sequence[Case]] = ()
    answers: ClassVar[Callable[[Need], Answer] | None] = None

    def test_it_conforms(self) -> None:
        """No fault in any case."""
        kind = type(self)
        answers = inspect.getattr_static(kind, "answers")
        faults = validator_faults(
            inspect.getattr_static(kind, "validator"), kind.cases, answers
        )
        assert not faults, "\n".join(faults)  # noqa: S101 (a test)


def record_source_faults(
    source: RecordSourceFactory,
    options: Mapping[str, object],
    base_dir: Path,
    *,
    known: str,
    unknown: str = "no-such-result",
) -> list[str]:
    """What a source of execution records does not keep; `known` is a result it has records of."""
    faults = import_faults(source.__module__)

    async def ask() -> None:
        opened = source(options, base_dir)
        try:
            for result_id, expected in ((known, True), (unknown, False)):
                need = Records(source=options, result_id=result_id, task_id="task")
                first, second = await asyncio.gather(
                    opened.records(need), opened.records(need)
                )
                if bool(first) != expected:
                    faults.append(f"{result_id}: {len(first)} records")
                if first != second:
                    faults.append(f"{result_id}: two answers to one need")
                if {type(record) for record in first} - {ExecutionRecord}:
                    faults.append(f"{result_id}: a record is no ExecutionRecord")
        finally:
            opened.close()
            opened.close()

    return faults + _ran(ask)


def evidence_source_faults(
    source: EvidenceSourceFactory,
    options: Mapping[str, object],
    base_dir: Path,
    *,
    known: Mapping[str, str],
    unknown: Mapping[str, str],
) -> list[str]:
    """What a source of evidence does not keep; `known` and `unknown` are queries (`{"id": "POL-7"}`)."""
    faults = import_faults(source.__module__)

    async def ask() -> None:
        opened = source(options, base_dir)
        try:
            for query, kind in ((known, Found), (unknown, NotFound)):
                need = Lookup(source=options, query=query)
                answer = await opened.lookup(need)
                if type(answer) is not kind:
                    faults.append(
                        f"{query}: expected {kind.__name__}, got {answer!r:.80}"
                    )
                if answer != await opened.lookup(need):
                    faults.append(f"{query}: two answers to one need")
        finally:
            await opened.aclose()
            await opened.aclose()

    return faults + _ran(ask)


def trace_reader_faults(
    reader: TraceReader, files: Iterable[Path], foreign: Iterable[Path]
) -> list[str]:
    """What a reader of traces does not keep: it reads `files` twice alike, and leaves `foreign` files alone."""
    faults = import_faults(type(reader).__module__)
    if not reader.name:
        faults.append("it has no name")
    for path in files:
        opened = TraceFile(path)
        if not reader.matches(opened.head):
            faults.append(f"{path}: not recognised")
        elif repr(list(reader.read(opened))) != repr(list(reader.read(opened))):
            faults.append(f"{path}: two readings differ")
    faults += [
        f"{path}: recognised, and it is of another format"
        for path in foreign
        if reader.matches(TraceFile(path).head)
    ]
    return faults


# --- one validator, one case ---


def _validator(given: object) -> Validator:
    if isinstance(given, Validator):
        return given
    return adapt(given, getattr(given, "__name__", "validator"))


def _declared(validator: Validator) -> list[str]:
    faults: list[str] = []
    if not validator.summary:
        faults.append(
            "it has no docstring: `judgemesh validators` shows its first line"
        )
    if not validator.version:
        faults.append("it has no version")
    covered = validator.codes_under(EvalContract(task_id="task"))
    if not covered <= validator.codes:
        extra = ", ".join(sorted(covered - validator.codes))
        faults.append(f"covers() names codes that it does not declare: {extra}")
    return faults


def _unanswered(_need: Need) -> Answer:
    return _UNANSWERED


def _of_case(
    validator: Validator, case: Case, reply: Callable[[Need], Answer]
) -> list[str]:
    before = repr(case.result.model_dump())
    try:
        first, needs = _run(validator, case, reply)
        second, _ = _run(validator, case, reply)
    except Exception as error:  # noqa: BLE001 (a fault of the validator, whatever it is)
        return [f"raised {type(error).__name__}: {error}"]
    faults: list[str] = []
    if first != second:
        faults.append(
            "two runs give two verdicts: a validator decides by its case alone"
        )
    if repr(case.result.model_dump()) != before:
        faults.append("it changed the result")
    if (
        needs
        and reply is _unanswered
        and all(verdict.kind in _GRADES for verdict in first)
    ):
        faults.append("graded although none of its needs was answered")
    for verdict in first:
        faults += _of_verdict(validator, verdict)
    return faults


def _run(
    validator: Validator, case: Case, reply: Callable[[Need], Answer]
) -> tuple[list[Verdict], tuple[Need, ...]]:
    if validator.form is Form.ASYNC:
        running: Any = validator(case)
        return verdicts_of(asyncio.run(running)), ()
    driven = drive(validator, case, reply) if validator.form is Form.GENERATOR else None
    if driven is None:
        return verdicts_of(validator(case)), ()
    return verdicts_of(driven.verdicts), driven.needs


def _of_verdict(validator: Validator, verdict: Verdict) -> list[str]:
    faults: list[str] = []
    reason = getattr(verdict, "reason", "")
    if reason == "no_verdict":
        faults.append(verdict.diagnostic)
    undeclared = set(codes_of(verdict)) - validator.codes
    if isinstance(verdict, Fail) and validator.codes and undeclared:
        faults.append(f"undeclared codes: {', '.join(sorted(undeclared))}")
    if isinstance(verdict, Fail) and validator.codes and not verdict.diagnostic:
        faults.append("a failure without a diagnostic: say what was expected and found")
    return faults


def _ran(work: Callable[[], Any]) -> list[str]:
    try:
        asyncio.run(work())
    except SourceInaccessible as error:
        return [f"inaccessible: {error}"]
    except Exception as error:  # noqa: BLE001 (a fault of the source, whatever it is)
        return [f"raised {type(error).__name__}: {error}"]
    return []
