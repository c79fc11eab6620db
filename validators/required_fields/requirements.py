"""What a contract requires: outputs and fields, each compiled once into how it is found."""

from __future__ import annotations

from typing import Final, NamedTuple

from judgemesh.contracts.contract import EvalContract
from judgemesh.validators._shared.answer.field_query import FieldQuery, query
from judgemesh.validators._shared.answer.fields import NotPlaced
from judgemesh.validators._shared.memo import ByIdentity
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.values import as_mapping

ANSWER: Final = fold_name("final_answer")
CITATIONS: Final = fold_name("citations")
CLAIMS: Final = fold_name("claims")
EVIDENCE: Final = frozenset(
    map(
        fold_name,
        (
            "citations",
            "references",
            "sources",
            "bibliography",
            "evidence",
            "evidence_list",
            "evidences",
        ),
    )
)
"""Names of required outputs that citations in any form meet."""
_CITATION_SYNONYMS: Final = ("references", "sources", "bibliography")


class FieldRequirement(NamedTuple):
    """One output or field the contract asks for. `kind` is `output` or `field`."""

    query: FieldQuery
    kind: str

    @property
    def key(self) -> str:
        """Its name without case and separators."""
        return self.query.folded[0]

    @property
    def weight(self) -> float:
        """Its weight in completeness."""
        return self.query.spec.weight

    @property
    def check(self) -> str:
        """The name of its check."""
        return f"{self.kind}:{self.query.name}"


class MissingField(NamedTuple):
    """A requirement that was not found, and where it was looked for."""

    requirement: FieldRequirement
    not_placed: NotPlaced


def _compile(contract: EvalContract) -> tuple[FieldRequirement, ...]:
    criteria = contract.success_criteria
    specs = {fold_name(name): spec for name, spec in contract.fields.items()}
    requirements: dict[str, FieldRequirement] = {}
    for kind, names in (
        ("output", criteria.required_outputs),
        ("field", criteria.must_include),
    ):
        for name in names:
            key = fold_name(name)
            synonyms = _CITATION_SYNONYMS if key == CITATIONS else ()
            schema = _property_schema(contract, key)
            field = query(name, specs.get(key), synonyms, schema)
            requirements.setdefault(key, FieldRequirement(field, kind))
    return tuple(requirements.values())


def _property_schema(contract: EvalContract, key: str) -> object:
    """The schema that `output_schema` gives for a property of that name."""
    if not isinstance(contract.output_schema, dict):
        return None
    properties = as_mapping(contract.output_schema.get("properties")) or {}
    for name, schema in properties.items():
        if fold_name(name) == key:
            return schema
    return None


requirements_of: Final = ByIdentity(_compile)
"""The requirements of a contract. A name required as output and as field counts once, as an output."""
