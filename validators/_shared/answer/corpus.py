"""Where it is looked for: the outputs of a result, its final answer and its transcript."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final

from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.sections.expectations import FieldSpec
from judgemesh.validators._shared.json_answers import (
    json_answer,
    json_values,
    without_json,
)
from judgemesh.validators._shared.text import fold_name, seamless
from judgemesh.validators._shared.trace.transcript import transcript_hidden, utterances
from judgemesh.validators._shared.values import is_container, strings, walk

FINAL_ANSWER: Final = "final_answer"
"""The reference of the final answer."""


class Corpus:
    """One result, indexed for looking up fields. Each index is built when first needed."""

    def __init__(self, result: AgentResult) -> None:
        self._result = result

    @cached_property
    def trees(self) -> list[tuple[str, object]]:
        """The structured outputs with the reference prefix of each; JSON in the final answer or in an output is one."""
        output = self._result.output
        trees: list[tuple[str, object]] = []
        if output.outputs:
            trees.append(("outputs", output.outputs))
        if output.model_extra:
            trees.append(("output", output.model_extra))
        for ref, text in list(_short_strings(output.outputs)):
            inner = json_answer(text)
            if inner is not None:
                trees.append((ref, inner))
        for number, value in enumerate(json_values(output.final_answer), start=1):
            if is_container(value):
                trees.append(
                    (FINAL_ANSWER if number == 1 else f"{FINAL_ANSWER}#{number}", value)
                )
        return trees

    @cached_property
    def keys(self) -> Mapping[str, list[tuple[str, object]]]:
        """Reference and value of every key of the structured outputs, by folded key."""
        keys: dict[str, list[tuple[str, object]]] = {}
        for tree_ref, tree in self.trees:
            for ref, key, value in walk(tree, tree_ref):
                keys.setdefault(fold_name(key), []).append((ref, value))
        return keys

    @cached_property
    def answer(self) -> list[tuple[str, str]]:
        """The final answer as a list of one text, or of none."""
        text = self._result.output.final_answer
        return [(FINAL_ANSWER, text)] if text else []

    @cached_property
    def transcript(self) -> list[tuple[str, str]]:
        """Everything the agent said, the final answer first."""
        return [*self.answer, *utterances(self._result)]

    @cached_property
    def written(self) -> list[tuple[str, str]]:
        """The final answer and the texts among the named outputs: what may hold labelled lines."""
        outputs = self._result.output.outputs
        written = [*self.answer, *strings(outputs, "outputs")]
        return [
            (ref, prose)
            for ref, text in written
            if (prose := seamless(without_json(text)))
        ]

    def texts(self, spec: FieldSpec) -> list[tuple[str, str]]:
        """The texts that may hold the field."""
        return self.transcript if spec.search == "transcript" else self.answer

    def labelled(self, spec: FieldSpec) -> list[tuple[str, str]]:
        """The texts whose lines and sentences may give the field."""
        return self.transcript if spec.search == "transcript" else self.written

    def hidden(self, spec: FieldSpec) -> bool:
        """Whether the field may be in a part of the run that the result does not hold."""
        return spec.search == "transcript" and transcript_hidden(self._result)


def _short_strings(outputs: object) -> Iterator[tuple[str, str]]:
    """Texts of the outputs that may be JSON."""
    for ref, text in strings(outputs, "outputs"):
        if text.lstrip()[:1] in ("{", "[", "`"):
            yield ref, text
