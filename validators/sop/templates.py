"""The table of rule templates, named as in declarative process mining (DECLARE).

A template gets the rule and the trace and returns the counterexample: the steps that break the rule, and why. To add
one, write the function and give it a row here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.sections.procedure import Rule
from judgemesh.validators.sop import binary_templates, unary_templates
from judgemesh.validators.sop.trace import Steps
from judgemesh.validators.sop.violations import Violation

Template = Callable[[Rule, Steps], Violation | None]

TEMPLATES: Final[Mapping[str, Template]] = MappingProxyType(
    {
        "existence": unary_templates.existence,
        "absence": unary_templates.absence,
        "exactly": unary_templates.exactly,
        "init": unary_templates.init,
        "end": unary_templates.end,
        "forbidden": unary_templates.forbidden,
        "responded_existence": binary_templates.responded_existence,
        "response": binary_templates.response,
        "alternate_response": binary_templates.alternate_response,
        "chain_response": binary_templates.chain_response,
        "precedence": binary_templates.precedence,
        "alternate_precedence": binary_templates.alternate_precedence,
        "chain_precedence": binary_templates.chain_precedence,
        "succession": binary_templates.succession,
        "not_coexistence": binary_templates.not_coexistence,
        "not_succession": binary_templates.not_succession,
        "choice": binary_templates.choice,
    }
)
