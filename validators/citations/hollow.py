"""Words in the place of a citation that cite nothing: placeholders, `see above`, `various sources`."""

from __future__ import annotations

import re
from typing import Final

from judgemesh.validators._shared.answer.placeholders import is_placeholder

_MAX_CHARS: Final = 80
_HOLLOW = re.compile(
    r"[\W_]*(?:(?:as |please )?(?:see|refer to|cf\.?|as in|per|same as)?\s?(?:the )?(?:above|below|attached"
    r"|attachments?|link|here"
    r"|text|context|previous(?: answer| message)?|ibid\.?|idem|chat|conversation|documents?|sources?"
    r"|references?|files?)"
    r"|(?:mentioned|provided|given|listed|cited|stated|described)? ?(?:above|below|elsewhere)"
    r"|(?:various|several|multiple|many|different|internal|external|reliable|trusted|public|official|available|own|my|our"
    r"|common|general|personal|world|prior|background|expert|domain|training|model|online|the|all|other|some)"
    r"(?: (?:public|internal|online|web|official|available|provided|relevant))?"
    r" (?:sources?|documents?|documentation|references?|websites?|materials?|files?|links?|knowledge|data"
    r"|experience|records?"
    r"|memory|reports?|research|evidence|expertise|citations?|web|internet|context)(?: (?:above|below"
    r"|available|provided))?"
    r"|(?:citation|source|reference|evidence|link|url|quote|title|id|name|doc|document)s?(?: \d{1,2}| [a-z]"
    r"| here| needed"
    r"| missing| pending| to follow| unavailable| required)?"
    r"|(?:insert|add|put|your)\b.{0,60}|(?:to follow|to come|coming soon|pending|missing|unknown|unsure|self"
    r"|me|myself|ai"
    r"|assistant|llm|model|web|internet|google|online|database|knowledge base|web search|search results?"
    r"|could not be found"
    r"|not found|no sources?|no citations?|no references?|no evidence|none (?:found|available|given|needed|required)|x+"
    r"|\?+|yes|no|true|false|todo.{0,40}|tbd.{0,40}|lorem ipsum.{0,60}))[\W_]*",
    re.IGNORECASE,
)


def is_hollow(text: str) -> bool:
    """Whether a text in the place of a citation cites nothing."""
    if is_placeholder(text):
        return True
    return len(text) <= _MAX_CHARS and _HOLLOW.fullmatch(text.strip()) is not None
