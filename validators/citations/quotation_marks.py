"""What stands in quotation marks: the marks of all scripts, in each direction in which a language uses them. Pure.

An apostrophe is none. Brackets of Chinese titles and mark-up for emphasis or code quote nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_DOUBLE: Final = (
    '"\u201c\u201d\u201e\u201f\u00ab\u00bb\u275d\u275e\u301d\u301e\u301f\uff02'
)
_WITHIN: Final = r"|\n(?!\s*\n)"
_FORMS: Final = (
    # An opening mark, and a closing one of any kind: people mix them.
    (
        rf'["\u201c\u201e\u201f\u00ab\u275d\u301d\uff02](?P<double>(?:[^{_DOUBLE}\n]{_WITHIN}){{1,2000}})'
        r'["\u201d\u201c\u00bb\u275e\u301e\u301f\uff02]'
    ),
    # The marks of the languages that turn them, or use the closing one twice.
    rf"(?<![^\W_])\u00bb(?=\S)(?P<turned>(?:[^\u00ab\u00bb\n]{_WITHIN}){{1,2000}})(?<!\s)[\u00ab\u00bb]",
    rf"(?<![^\W_])\u201d(?=\S)(?P<twice>(?:[^\u201c\u201d\u201e\n]{_WITHIN}){{1,2000}})(?<!\s)\u201d(?![^\W_])",
    rf"``(?P<typed>(?:[^`'\n]|'(?!'){_WITHIN}){{1,2000}})''",
    rf"\u2019\u2019(?P<curled>(?:[^\u2019\n]|\u2019(?!\u2019){_WITHIN}){{1,2000}})\u2019\u2019",
    rf"\u300c(?P<corner>(?:[^\u300c\u300d\n]{_WITHIN}){{1,2000}})\u300d",
    rf"\u300e(?P<white>(?:[^\u300e\u300f\n]{_WITHIN}){{1,2000}})\u300f",
    rf"\uff62(?P<half>(?:[^\uff62\uff63\n]{_WITHIN}){{1,2000}})\uff63",
    r"\u2039(?P<angle>[^\u2039\u203a\n]{1,1000})\u203a",
    r"(?<![^\W_])\u203a(?=\S)(?P<back>[^\u2039\u203a\n]{1,1000})(?<!\s)[\u2039\u203a](?![^\W_])",
    r"\u201a(?=\S)(?P<low>(?:[^\u201a\u2018\u2019'\n]|(?<=\w)['\u2019](?=\w)){1,1000})[\u2018\u2019'](?!\w)",
    r"(?<!\w)[\u2018\u2019\u201b'](?P<single>(?:[^\u2018\u2019'\n]|(?<=\w)['\u2019](?=\w)){12,1000})[\u2019'](?!\w)",
)


_MARKED = re.compile("|".join(_FORMS))


def quoted_in(text: str) -> Iterator[tuple[int, int, str]]:
    """Each text in quotation marks: where it begins and ends with its marks, and what it is."""
    for match in _MARKED.finditer(text):
        yield match.start(), match.end(), match[match.lastgroup or 0]
