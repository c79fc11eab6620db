"""The results that a person labels: which are left, how they are shown, their labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from judgemesh.contracts.errors import InputError
from judgemesh.mesh.grading.case.trace_files import read_trace
from judgemesh.mesh.labelling.item import ReviewItem, item_of
from judgemesh.mesh.labelling.log import Label, LabelLog, last_words
from judgemesh.mesh.state.evidence import changes_of

if TYPE_CHECKING:
    from judgemesh.contracts.results import AgentResult
    from judgemesh.mesh.inputs.contracts import ContractSet
    from judgemesh.mesh.labelling.choose import Chosen
    from judgemesh.mesh.labelling.reference import CanonicalLabel
    from judgemesh.mesh.labelling.session import LabelDecision


class LabelledSet:
    """The chosen results, their canonical labels, and the labels of this person.

    labels: all labels of the person, by result id. decisions: those of this session.
    """

    def __init__(
        self,
        chosen: Sequence[Chosen],
        contracts: ContractSet | None,
        reference: Mapping[str, CanonicalLabel],
        labeler: str,
        log: LabelLog,
        *,
        drawn: str,
    ) -> None:
        self.chosen = {choice.result.result_id: choice for choice in chosen}
        self.reference = reference
        self.labeler = labeler
        self.log = log
        self.labels: dict[str, Label] = {}
        for result_id, label in last_words(log.labels, labeler).items():
            if result_id in self.chosen:
                self.labels[result_id] = label
        self.decisions: dict[str, LabelDecision] = {}
        self._contracts = contracts
        self._drawn = drawn
        self._shown: tuple[str, ReviewItem] | None = None

    def queue(self, *, again: bool) -> tuple[str, ...]:
        """The results to label; `again` appends labelled ones, the oldest label first."""
        unlabelled = [name for name in self.chosen if name not in self.labels]
        return (*unlabelled, *self.labels) if again else tuple(unlabelled)

    def item(self, result_id: str) -> ReviewItem:
        """A result as it is shown. A trace in a file of its own is read now."""
        if self._shown is None or self._shown[0] != result_id:
            self._shown = (result_id, self._item(self.chosen[result_id]))
        return self._shown[1]

    def _item(self, choice: Chosen) -> ReviewItem:
        result, changes, problems = choice.result, None, list[str]()
        try:
            result = _with_trace(choice)
        except InputError as error:
            problems.append(f"trace: {error}")
        try:
            changes = changes_of(result, choice.base_dir)
        except InputError as error:
            problems.append(f"state: {error}")
        loaded = None
        if self._contracts is not None:
            loaded = self._contracts.find(contract_name(choice))
        contract = loaded.contract if loaded else None
        return item_of(result, contract, changes=changes, problem="; ".join(problems))

    def add(self, decision: LabelDecision) -> Label:
        """Write a decision to the file of labels."""
        label = Label(
            result_id=decision.result_id,
            task_id=self.chosen[decision.result_id].result.task_id,
            outcome=decision.outcome,
            labeler=self.labeler,
            answers=decision.answers,
            note=decision.note,
            drawn=self._drawn,
            labelled_at=datetime.now(UTC),
            seconds=decision.seconds,
        )
        self.log.append(label)
        self.labels[label.result_id] = label
        self.decisions[label.result_id] = decision
        return label


def contract_name(choice: Chosen) -> str:
    """The name that the contract of a result is found by."""
    return choice.result.contract or choice.result.task_id


def _with_trace(choice: Chosen) -> AgentResult:
    result = choice.result
    if result.trace is None or result.trace.ref is None or result.trace.steps:
        return result
    trace = read_trace(choice.base_dir, result.trace.ref)
    return result.model_copy(update={"trace": trace})
