"""Signs that words without a full stop are a sentence: a label's value, a heading, what follows `I found`.

A sentence of running text is a claim without any of them: the table decides only between a value and a sentence.
"""

from __future__ import annotations

import re
from typing import Final

_PAST: Final = (
    r"ate|beat|became|began|bent|bit|blew|bought|broke|brought|built|burnt|came|caught|chose|crept|dealt|died|drank|drew"
    r"|drove|fed|fell|felt|fled|flew|forbade|forgot|forgave|fought|found|froze|gave|got|grew|hid|hung|held|kept|knew|laid|led"
    r"|left|lent|lied|lost|made|meant|met|mislaid|misled|overtook|overwrote|paid|quit|ran|rang|rose|said|sang|sank|saw|sent"
    r"|shook|shot|shrank|slept|slid|sold|spat|spent|spoke|spun|stank|stole|stood|struck|stuck|sued|swam|swore|swung|taught|threw"
    r"|told|took|tore|understood|went|withdrew|woke|won|wore|wrote"
)
FINITE: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|can|cannot|may|must|does|did|do|\w+n't)\b"
    rf"|\b[\w-]+\s+(?:{_PAST})\b"
    r"|(?!(?:an?|the)\s)\b\w+\s+[a-z]{2,}(?:ed|s)\s+\w",
    re.IGNORECASE,
)
"""A verb that says something of what stands before it."""
