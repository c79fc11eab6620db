"""judgemesh: grade finished agent runs.

from judgemesh.mesh import Mesh

async with Mesh.from_config(contracts="contracts.yaml") as mesh:
    report = await mesh.grade(result)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from judgemesh.contracts.version import VERSION

if TYPE_CHECKING:
    from judgemesh.contracts.contract import EvalContract
    from judgemesh.contracts.report import (
        Gate,
        OutcomeClass,
        Report,
        report_from_json,
        report_to_json,
    )
    from judgemesh.contracts.results import AgentResult
    from judgemesh.contracts.validator import Case, Judgement, Validator, validator
    from judgemesh.mesh.config import MeshConfig
    from judgemesh.mesh.runs.mesh import Mesh
    from judgemesh.mesh.runs.sync import grade_sync
    from judgemesh.mesh.tracing.conversations.api import (
        from_anthropic,
        from_autogen,
        from_google,
        from_langchain,
        from_llamaindex,
        from_openai,
        from_pydantic_ai,
        from_transcript,
        from_vercel,
        results_from,
    )

__version__ = VERSION

__all__ = [
    "AgentResult",
    "Case",
    "EvalContract",
    "Gate",
    "Judgement",
    "Mesh",
    "MeshConfig",
    "OutcomeClass",
    "Report",
    "Validator",
    "__version__",
    "from_anthropic",
    "from_autogen",
    "from_google",
    "from_langchain",
    "from_llamaindex",
    "from_openai",
    "from_pydantic_ai",
    "from_transcript",
    "from_vercel",
    "grade_sync",
    "report_from_json",
    "report_to_json",
    "results_from",
    "validator",
]

# Each name is imported when it is first used: the command's help must not pay for the engine.
_HOMES = {
    "judgemesh.contracts.contract": ("EvalContract",),
    "judgemesh.contracts.report": (
        "Gate",
        "OutcomeClass",
        "Report",
        "report_from_json",
        "report_to_json",
    ),
    "judgemesh.contracts.results": ("AgentResult",),
    "judgemesh.contracts.validator": ("Case", "Judgement", "Validator", "validator"),
    "judgemesh.mesh.runs.mesh": ("Mesh",),
    "judgemesh.mesh.runs.sync": ("grade_sync",),
    "judgemesh.mesh.config": ("MeshConfig",),
    "judgemesh.mesh.tracing.conversations.api": (
        "from_anthropic",
        "from_autogen",
        "from_google",
        "from_langchain",
        "from_llamaindex",
        "from_openai",
        "from_pydantic_ai",
        "from_transcript",
        "from_vercel",
        "results_from",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    """Import a public name on first use (PEP 562)."""
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, imported or not."""
    return sorted({*globals(), *__all__})
