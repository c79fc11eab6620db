"""Judges compared with people's labels, and what follows stored in the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.analysis.run_lookup import existing_ledger, find_run
from judgemesh.mesh.calibration.judges import JudgeComparison, compare, consensus
from judgemesh.mesh.calibration.pairs import (
    DrawnQuestion,
    PairComparison,
    compare_pairs,
    drawn_question,
)
from judgemesh.mesh.calibration.panels import (
    PanelComparison,
    PanelNote,
    compare_panels,
    panel_note_of,
)
from judgemesh.mesh.judging.confidence.active import (
    CALIBRATION,
    NO_PAIR_CERTIFICATE,
    PAIR_CERTIFICATE,
    PANEL_CALIBRATION,
)
from judgemesh.mesh.judging.confidence.pairs import Pair
from judgemesh.mesh.ledger.labels import CalibrationRow, HumanLabel

if TYPE_CHECKING:
    from judgemesh.contracts.opinions import Opinion
    from judgemesh.mesh.calibration.judges import ResultOpinion

Key = tuple[str, str]
"""Result id and question id."""
Models = tuple[str, str]
"""The first judge and the one it escalates to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationQuery:
    """Which verdicts are compared with labels.

    runs: names of runs; none for all runs.
    alpha: the share of wrong verdicts that a threshold may let pass.
    delta: the probability that a certified threshold does not hold.
    store: whether the result is written to the ledger.
    """

    ledger: str
    runs: tuple[str, ...] = ()
    alpha: float = 0.05
    delta: float = 0.05
    store: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationResult:
    """What the labels say about each judge, panel and pair of judges."""

    judges: list[JudgeComparison]
    panels: list[PanelComparison]
    pairs: list[PairComparison]

    def to_json(self) -> dict[str, object]:
        """`{judges, panels, pairs}`."""
        return {
            "judges": [judge.to_json() for judge in self.judges],
            "panels": [panel.to_json() for panel in self.panels],
            "pairs": [pair.to_json() for pair in self.pairs],
        }


async def calibrate_judges(query: CalibrationQuery) -> CalibrationResult:
    """Compare judges with people's labels, and store what follows.

    Raises:
        ConfigError: no such run, or nothing to compare.
        LedgerError: there is no ledger, or it cannot be written.
    """
    async with await existing_ledger(query.ledger, writes=query.store) as ledger:
        labels = [label for label in await ledger.labels() if _is_answer(label)]
        if not labels:
            raise ConfigError(
                "holds no labels of questions yet",
                where=ledger.url,
                hint="`judgemesh label export` writes questions for people, "
                "`judgemesh label import` reads their answers",
            )
        evidence = _Evidence(consensus(map(_answer, labels)))
        runs = await ledger.runs()
        if query.runs:
            runs = [find_run(runs, name) for name in query.runs]
        for run in runs:
            models = _escalation(run.config)
            async for result_id, opinion in ledger.opinions(run.run_id):
                evidence.add(result_id, opinion, models)
        result = evidence.compared(alpha=query.alpha, delta=query.delta)
        if not result.judges and not result.panels:
            raise ConfigError(
                f"none of its {len(labels)} labels is about a judged question of these runs",
                where=ledger.url,
            )
        if query.store:
            for row in _rows(result, datetime.now(UTC)):
                await ledger.write_calibration(row)
    return result


def _is_answer(label: HumanLabel) -> bool:
    return bool(label.label and label.question_id)


def _answer(label: HumanLabel) -> tuple[str, str, str, bool]:
    question_id, labeler = label.question_id or "", label.labeler or ""
    return label.result_id, question_id, labeler, label.label == "yes"


def _escalation(config: Mapping[str, Any]) -> Models | None:
    """The two models of a run with an escalation."""
    judge = _mapping(config.get("judge"))
    second = _mapping(judge.get("escalate"))
    if not second:
        return None
    return str(judge.get("model")), str(second.get("model"))


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


@dataclass(slots=True)
class _Evidence:
    """Opinions of judges on labelled questions. `truth`: what people say."""

    truth: Mapping[Key, bool]
    opinions: list[ResultOpinion] = field(default_factory=list["ResultOpinion"])
    notes: list[PanelNote] = field(default_factory=list[PanelNote])
    drawn: list[DrawnQuestion] = field(default_factory=list[DrawnQuestion])
    escalated: dict[Models, set[Key]] = field(default_factory=dict[Models, set[Key]])

    def add(self, result_id: str, opinion: Opinion, models: Models | None) -> None:
        """Add one final opinion, of a run with these models if it has an escalation."""
        key = (result_id, opinion.question_id)
        if key in self.truth:
            self.opinions += [(result_id, member) for member in opinion.all()]
            if models is not None:
                self.escalated.setdefault(models, set()).add(key)
        note = panel_note_of(result_id, opinion)
        if note is not None:
            self.notes.append(note)
        drawn = drawn_question(result_id, opinion)
        if drawn is not None:
            self.drawn.append(drawn)

    def compared(self, *, alpha: float, delta: float) -> CalibrationResult:
        """What the labels say."""
        counts = {models: len(keys) for models, keys in self.escalated.items()}
        return CalibrationResult(
            judges=compare(self.opinions, self.truth, alpha=alpha, delta=delta),
            panels=compare_panels(self.notes, self.truth, alpha=alpha, delta=delta),
            pairs=compare_pairs(
                self.drawn, self.truth, labels=counts, alpha=alpha, delta=delta
            ),
        )


# --- rows of `judge_calibration` ---


def _rows(result: CalibrationResult, now: datetime) -> Iterator[CalibrationRow]:
    for judge in result.judges:
        if judge.calibration is not None:
            yield CalibrationRow(
                model=judge.model,
                method=CALIBRATION,
                created_at=now,
                prompt_digest=judge.prompts,
                label_count=judge.labels,
                true_positive_rate=judge.true_positive_rate,
                true_negative_rate=judge.true_negative_rate,
                parameters=judge.calibration.to_json(),
            )
    for panel in result.panels:
        if panel.calibration is not None:
            yield CalibrationRow(
                model=panel.name,
                method=PANEL_CALIBRATION,
                created_at=now,
                label_count=panel.labels,
                parameters=panel.calibration.to_json(),
            )
    for pair in result.pairs:
        if pair.stages is not None:
            yield _pair_row(pair, pair.stages, now)


def _pair_row(
    pair: PairComparison, stages: Sequence[Iterable[object]], now: datetime
) -> CalibrationRow:
    method = NO_PAIR_CERTIFICATE
    parameters: Mapping[str, object] = {"stages": [list(stage) for stage in stages]}
    if isinstance(pair.certified, Pair):
        method, parameters = PAIR_CERTIFICATE, pair.certified.to_json()
    return CalibrationRow(
        model=" -> ".join(pair.models),
        method=method,
        created_at=now,
        label_count=pair.audited,
        parameters=parameters,
    )
