"""Required evidence: given in any form in which a source can be cited, and by nothing that stands for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from judgemesh.contracts.validator import Case
from judgemesh.validators._shared.answer.corpus import Corpus
from judgemesh.validators._shared.answer.fields import NotPlaced, Placed, find
from judgemesh.validators._shared.answer.labels import labels_of
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.values import strings
from judgemesh.validators.citations.cited import Standing
from judgemesh.validators.citations.hollow import is_hollow
from judgemesh.validators.citations.reading import citations_of
from judgemesh.validators.required_fields.requirements import FieldRequirement

_PASSAGES: Final = frozenset(map(fold_name, ("evidence", "evidence_list", "evidences")))


def find_evidence(
    requirement: FieldRequirement, corpus: Corpus, case: Case
) -> Placed | NotPlaced:
    """Where the evidence is: a citation, or an output of that name that does not only say `see above`."""
    place = _first_citation(case, passages=requirement.key in _PASSAGES)
    if place:
        return Placed(place)
    placed = find(requirement.query, corpus)
    if isinstance(placed, NotPlaced):
        return placed._replace(empty=placed.empty or _is_left_empty(requirement, case))
    texts = list(_texts_of(requirement, corpus))
    if texts and all(map(is_hollow, texts)):
        return NotPlaced(f"{placed.ref} cites nothing", empty=True)
    return placed


def _is_left_empty(requirement: FieldRequirement, case: Case) -> bool:
    """Whether the output has the list of citations, and nothing in it."""
    output = case.result.output
    is_list = requirement.key == fold_name("citations")
    return is_list and "citations" in output.model_fields_set and not output.citations


def _first_citation(case: Case, *, passages: bool) -> str:
    """The place of the first citation. What may be one counts where it is looked up: evidence is required there too.

    passages: whether a plain string among the evidence counts, which need not say what it is from.
    """
    accepted = {Standing.CITED}
    evidence = case.contract.evidence
    if evidence is not None:
        accepted.add(Standing.LIKELY)
        if evidence.required and evidence.sources and "exists" in evidence.levels:
            accepted.add(Standing.NAMED)
    for cited in citations_of(case.result.output).checked:
        if all(map(is_hollow, cited.names)) and cited.standing is Standing.NAMED:
            continue
        names_nothing = cited.strict and set(cited.remarks) & set(cited.names)
        if names_nothing and not passages:
            continue
        if cited.standing in accepted:
            return cited.ref
    return ""


def _texts_of(requirement: FieldRequirement, corpus: Corpus) -> Iterator[str]:
    for name in requirement.query.folded:
        for ref, value in corpus.keys.get(name, ()):
            yield from (text for _, text in strings(value, ref))
        for _, text in corpus.texts(requirement.query.spec):
            yield from (str(value) for _, value in labels_of(text).values(name))
