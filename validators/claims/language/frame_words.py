"""Words of frames: helpers, verbs and properties that say the same, agents that mean everybody."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

HELPERS: Final = frozenset(
    {"be", "was", "been", "have", "had", "do", "did", "can", "could", "will", "would", "may", "might", "must", "should"}
)  # fmt: skip
PAST_HELPERS: Final = frozenset({"was", "had", "did"})
MODALS: Final = frozenset(
    {"can", "could", "will", "would", "may", "might", "must", "should"}
)
SAME_MODAL: Final = MappingProxyType({"may": "can"})
NO_WORDS: Final = frozenset({"not", "never", "no"})
SAME_VERB: Final = MappingProxyType(
    {"leave": "depart", "offer": "have", "need": "require", "lie": "be", "finish": "complete",
     "comprise": "contain", "cease": "end", "get": "receive"}
)  # fmt: skip
GENERIC_AGENTS: Final = frozenset(
    {"you", "customer", "user", "people", "one", "we", "anyone", "everyone", "shopper", "buyer", "client", "passenger",
     "guest", "traveler", "visitor", "employee", "tenant", "patient", "policyholder", "cardholder", "consumer",
     "applicant", "reader", "driver", "staff", "worker", "rider"}
)  # fmt: skip
"""Whom `you` may mean in the terms of a service: all that they are written for, with no group set apart."""
MEASURES: Final = MappingProxyType(
    {
        "cost": "price",
        "weigh": "weight",
        "cover": "area",
        "measure": "size",
        "last": "duration",
        "employ": "employee",
    }
)
"""Verbs that give a measure, and what it is called."""
SAME_PROPERTY: Final = MappingProxyType(
    {"cost": "price", "charge": "price", "capacity": "capacity", "worker": "employee", "people": "employee",
     "staff": "employee"}
)  # fmt: skip
DIMENSION_NAMES: Final = MappingProxyType(
    {"long": "length", "wide": "width", "high": "height", "tall": "height", "deep": "depth", "thick": "thickness",
     "old": "age", "heavy": "weight"}
)  # fmt: skip
FREQUENCIES: Final = frozenset(
    {"daily", "weekly", "monthly", "annually", "hourly", "every"}
)
INDEFINITE: Final = frozenset(
    {"some", "another", "many", "most", "few", "several", "someone", "any", "certain", "other", "one"}
)  # fmt: skip
ROLES: Final = frozenset(
    {"founder", "author", "director", "manager", "designer", "owner", "capital", "leader", "head", "chair", "mayor",
     "president", "captain", "coach", "editor", "publisher", "architect", "creator", "principal", "chief"}
)  # fmt: skip
AGENT_NOUNS: Final = MappingProxyType(
    {"founder": "found", "author": "write", "designer": "design", "publisher": "publish", "creator": "create",
     "inventor": "invent", "builder": "build", "composer": "compose"}
)  # fmt: skip
"""What somebody is who once did something."""
ERGATIVES: Final = frozenset({"open", "close", "start", "end", "launch", "reopen"})
"""Verbs with which `it opened` and `it was opened` say the same."""
MOVABLE: Final = frozenset(
    {"near", "in", "at", "on", "during", "outside", "inside", "within"}
)
"""Prepositions whose phrase may stand behind the subject as well as behind the verb."""
CHANGES: Final = frozenset(
    {
        "rise",
        "fall",
        "increase",
        "decrease",
        "grow",
        "drop",
        "climb",
        "decline",
        "shrink",
    }
)
IDLE_OWNERS: Final = frozenset({"its", "their", "your", "our", "his", "her", "my"})
NUMBERED_PLACES: Final = frozenset(
    {"gate", "room", "platform", "terminal", "hall", "counter"}
)
WORKS: Final = frozenset(
    {
        "album",
        "song",
        "single",
        "movie",
        "book",
        "novel",
        "poem",
        "painting",
        "symphony",
        "opera",
    }
)
SPARE_KINDS: Final = frozenset(
    {"studio", "live", "debut", "music", "electronic", "rock", "pop", "jazz", "first", "second", "third", "fourth",
     "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth",
     "latest", "large", "small", "famous", "popular", "new"}
)  # fmt: skip
"""What says more of a thing, and nothing else: a studio album is an album."""
MADE: Final = frozenset(
    {"found", "build", "establish", "design", "invent", "create", "write", "compose", "paint", "inaugurate",
     "incorporate", "discover", "construct"}
)  # fmt: skip
"""What is done to a thing only once: without when and where it is still right."""
