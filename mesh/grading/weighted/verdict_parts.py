"""What single verdicts say about the rules and fields they cover, so that each can be a criterion of its own. Pure.

A procedure gives one verdict for all rules that were kept and one for those broken; required fields likewise. Their
details name the parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from judgemesh.contracts.verdicts import Fail, Pass, Verdict

_RULE: Final = "rule:"


def parts_of(verdict: Verdict) -> dict[str, bool | None]:
    """The parts that a verdict names: true where kept, false where broken, None where it could not be decided."""
    details = cast("Mapping[str, Any]", verdict.details)
    parts: dict[str, bool | None] = {}
    if isinstance(verdict, Pass):
        parts |= dict.fromkeys(_texts(details.get("kept")), True)
    elif isinstance(verdict, Fail):
        parts |= dict.fromkeys(_texts(details.get("missing")), False)
        for row in details.get("violations") or ():
            parts[str(row["rule"])] = False
    else:
        parts |= dict.fromkeys(_texts(details.get("missing")))
        if verdict.check.startswith(_RULE):
            parts[verdict.check.removeprefix(_RULE)] = None
    return parts


def _texts(value: object) -> Sequence[str]:
    return cast("Sequence[str]", value) if isinstance(value, list | tuple) else ()
