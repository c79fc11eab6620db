"""Sections of a contract whose model is imported when a contract has them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, cast

from pydantic import BaseModel, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema


class Late:
    """Annotates a field with a model of another module. Values, faults and JSON Schema are those of the model."""

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self._name = name

    @property
    def model(self) -> type[BaseModel]:
        """The model."""
        found: type[BaseModel] = getattr(import_module(self._module), self._name)
        return found

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

    def _validated(self, value: Any) -> BaseModel:
        return self.model.model_validate(value)
