"""Validators and sources of a plug-in that raise, end the process, or return rubbish."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from reliability.campaign.case import Case
from reliability.misbehaving.plugins import ENDING, write_plugins

_FORMS: Final = ("plain", "pure", "generator", "closing", "async")
_RUBBISH: Final = {
    "none": "None",
    "number": "7",
    "nan": "float('nan')",
    "text": "'pass'",
    "empty": "''",
    "mapping": "{'pass': True}",
    "object": "object()",
    "class": "Pass",
    "list": "[True, None, 'x']",
    "nested": "[[True]]",
    "coroutine": "nothing()",
    "generator": "(n for n in range(3))",
    "pass_of_nothing": "[]",
    "lambda": "lambda: True",
}
_HEAD: Final = """
from judgemesh.contracts.validator import validator
from judgemesh.contracts.verdicts import Pass

async def nothing():
    return True
"""
_VALIDATORS: Final = {
    "plain": """
@validator(name="{name}", version="1")
def {name}(case):
    return {value}
""",
    "generator": """
@validator(name="{name}", version="1")
def {name}(case):
    yield {{}}
    return {value}
""",
    "needs": """
@validator(name="{name}", version="1")
def {name}(case):
    yield {value}
    return True
""",
}


def plugin_cases() -> Iterator[Case]:
    """All cases of plug-ins."""
    for form in _FORMS:
        for act in ENDING:
            yield _validator("plug-in validator", f"{form} {act}", f"{form}_{act}")
    for form in _VALIDATORS:
        for kind in _RUBBISH:
            if (form, kind) not in _MEANINGFUL:
                name = f"{form}_{kind}"
                yield _validator("plug-in validator returns", f"{form} {kind}", name)
    for act, code in ENDING.items():
        for place in ("opening", "answer"):
            options = json.dumps({"type": "bad", "place": place, "act": code})
            execution = f"execution: {{source: {options}, expected: [{{kind: pay}}]}}"
            yield _case("plug-in record source", f"{place} {act}", execution)


_MEANINGFUL: Final = {
    ("plain", "generator"),
    ("needs", "none"),
    ("needs", "empty"),
    ("needs", "coroutine"),
}
"""Combinations that are no rubbish; of the last, Python itself warns that the plug-in does not await it."""


def _validator(seam: str, kind: str, name: str) -> Case:
    return _case(seam, kind, f"validators: [{{name: {name}, gate: true}}]")


def _case(seam: str, kind: str, contract: str) -> Case:
    return Case(
        seam=seam,
        kind=kind,
        contracts=f"---\ntask_id: plugged\n{contract}\n",
        tasks=("plain",),
        arguments=("--timeout", "1"),
        strikes=False,
    )


def write_plugin_folder(folder: Path) -> None:
    """The package of plug-ins of the campaign, with its entry points."""
    write_plugins(folder)
    names: list[str] = []
    text = _HEAD
    for form, template in _VALIDATORS.items():
        for kind, value in _RUBBISH.items():
            names.append(f"{form}_{kind}")
            text += template.format(name=f"{form}_{kind}", value=value)
    (folder / "rubbish_plugin.py").write_text(text)
    info = folder / "rubbish_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: rubbish-plugin\nVersion: 1.0\n"
    )
    points = "".join(f"{name} = rubbish_plugin:{name}\n" for name in names)
    (info / "entry_points.txt").write_text(f"[judgemesh.validators]\n{points}")
