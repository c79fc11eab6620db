"""What is looked for: a required name, compiled from the contract."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

from judgemesh.contracts.sections.expectations import FieldSpec, Rung
from judgemesh.validators._shared.answer.placeholders import allowed_values
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.values import Path, pointer_segments

_DEFAULT_SPEC: Final = FieldSpec.model_construct()
"""`FieldSpec()`; the model that validates one is not built for it."""
_RUNGS: Final[tuple[Rung, ...]] = ("path", "key", "label", "pattern", "judge")
_EMPTY: Final[tuple[tuple[str, object], ...]] = (("[]", []), ("{}", {}))


class FieldQuery(NamedTuple):
    """One field to find, compiled from the contract.

    names: its name and aliases as written; folded: the same without case and separators; called: `folded` as a set.
    """

    name: str
    names: tuple[str, ...]
    folded: tuple[str, ...]
    called: frozenset[str]
    spec: FieldSpec
    path: Path | None
    allow: frozenset[str]
    rungs: tuple[Rung, ...]

    @property
    def by_judge(self) -> bool:
        """Whether a judge may be asked."""
        return "judge" in self.rungs


def query(
    name: str,
    spec: FieldSpec | None,
    synonyms: tuple[str, ...] = (),
    schema: object = None,
) -> FieldQuery:
    """The compiled form of one required name.

    Args:
        name: the name in the contract.
        spec: how the contract says that it is found.
        synonyms: further names.
        schema: the JSON Schema of its value, if the contract has one: an empty array or object that fits is a value.
    """
    spec = spec or _DEFAULT_SPEC
    schemas = [spec.json_schema, schema]
    names = (name, *spec.aliases, *synonyms)
    folded = tuple(dict.fromkeys(map(fold_name, names)))
    return FieldQuery(
        name=name,
        names=names,
        folded=folded,
        called=frozenset(folded),
        spec=spec,
        path=None if spec.path is None else pointer_segments(spec.path),
        allow=allowed_values(spec.allow) | _fitting_empties(schemas),
        rungs=tuple(rung for rung in _RUNGS if _is_usable(rung, spec)),
    )


def _fitting_empties(schemas: Sequence[object]) -> frozenset[str]:
    """`[]` and `{}`, as far as a schema takes them."""
    fitting: set[str] = set()
    for schema in schemas:
        if not isinstance(schema, dict):
            continue
        from judgemesh.validators._shared.schemas import schema_of

        try:
            compiled = schema_of(cast("dict[str, Any]", schema))
        except ValueError:
            # A part of a schema may point to definitions outside itself.
            continue
        fitting.update(text for text, empty in _EMPTY if compiled.is_valid(empty))
    return frozenset(fitting)


def _is_usable(rung: Rung, spec: FieldSpec) -> bool:
    if spec.find_by is not None and rung not in spec.find_by:
        return False
    if rung == "path":
        return spec.path is not None
    if rung == "pattern":
        return spec.pattern is not None
    return True
