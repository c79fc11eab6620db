"""Fields whose model is found when its schema is built, or only when a contract has a value there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from typing import Any, Final, cast

from pydantic import BaseModel, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema


class AsGiven:
    """Annotates a field with a value that is not validated.

    Unlike `SkipValidation` no schema of its type is built, and that of a contract or of money takes long.
    """

    def __get_pydantic_core_schema__(
        self, _source: Any, _handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.any_schema()


AS_GIVEN: Final = AsGiven()


class Forward:
    """Annotates a field with a model that does not exist yet.

    As a name in quotes it would leave the class, and all that derive from it, unfinished until their schemas are built.
    """

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self._name = name

    @property
    def model(self) -> type[BaseModel]:
        """The model."""
        found: type[BaseModel] = getattr(import_module(self._module), self._name)
        return found

    def __get_pydantic_core_schema__(
        self, _source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return handler.generate_schema(self.model)


class Late(Forward):
    """Annotates a field with a model that is imported and built when a value is there.

    Values, faults and JSON Schema are those of the model.
    """

    def __get_pydantic_core_schema__(
        self, _source: Any, _handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._validated)

    def __get_pydantic_json_schema__(
        self, _schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        # The core schema of a model that is built late is a mapping that builds it when it is read.
        schema = dict(cast("Mapping[str, Any]", self.model.__pydantic_core_schema__))
        # Inside another schema the model becomes a definition of its own.
        return handler(core_schema.definitions_schema(cast("CoreSchema", schema), []))

    @cached_property
    def _validate(self) -> Callable[[Any], BaseModel]:
        return self.model.model_validate

    def _validated(self, value: Any) -> BaseModel:
        return self._validate(value)
