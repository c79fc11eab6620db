"""Everything the agent wrote in its output and its list of actions, as texts with references."""

from __future__ import annotations

from collections.abc import Iterator

from judgemesh.contracts.results import AgentResult
from judgemesh.validators._shared.answer.corpus import Corpus
from judgemesh.validators._shared.json_answers import without_json
from judgemesh.validators._shared.values import strings, walk


def texts_said(result: AgentResult, corpus: Corpus) -> Iterator[tuple[str, str]]:
    """Reference and text of the final answer, outputs, citations, claims and actions; keys are texts too.

    JSON in the final answer is read as data, so that a key without a value says nothing.
    """
    output = result.output
    if output.final_answer:
        yield "final_answer", without_json(output.final_answer)
    for ref, tree in corpus.trees:
        yield from strings(tree, ref)
    for name, items in (
        ("citations", output.citations),
        ("claims", output.claims),
        ("actions", result.actions),
    ):
        for index, item in enumerate(items):
            data = item.model_dump(mode="json", exclude_unset=True)
            yield from strings(
                data,
                f"{name}/{index}" if name == "actions" else f"output/{name}/{index}",
            )


def keys_said(corpus: Corpus) -> Iterator[tuple[str, str, object]]:
    """Reference, key and value of every key of the outputs."""
    for ref, tree in corpus.trees:
        yield from walk(tree, ref)
