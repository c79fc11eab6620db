# ruff: noqa: RUF001 (Turkish has a dotless i)
"""Words that stand where a value should be, and the families of such wordings. Data of `placeholders`."""

from __future__ import annotations

from typing import Final

PLACEHOLDERS: Final = frozenset(
    {
        "n/a", "n/k", "na", "n.a", "n a", "none", "null", "nil", "nan", "undefined", "unknown", "unspecified",
        "undetermined",
        "tbd", "tba", "tbc", "todo", "to do", "fixme", "placeholder", "lorem ipsum", "no data", "no value", "empty",
        "blank", "missing", "pending", "outstanding", "unavailable", "undisclosed", "unclear", "unsure", "not sure",
        "to follow", "coming soon", "available soon", "available later", "available on request",
        "available upon request", "on request", "no answer", "no information", "no info", "no result", "no results",
        "none found", "none given", "none provided", "none available", "none listed", "none stated", "left blank",
        "left empty", "intentionally left blank", "i don't know", "i do not know", "don't know", "do not know", "idk",
        "no idea", "not yet", "as above", "as below", "as attached", "ask the user", "ask user",
        "redacted", "dummy", "string", "foo", "foobar", "asdf", "qwerty", "lorem", "object object",
        "ref", "div/0", "num", "insert here", "fill in", "fill me in",
        # German, French, Spanish, Italian, Portuguese, Dutch, Polish, Swedish, Turkish, Russian, Chinese, Japanese,
        # Korean, Arabic
        "unbekannt", "k.a", "k. a", "keine angabe", "keine angaben", "ausstehend", "nicht verfügbar",
        "nicht bekannt", "nicht angegeben", "nicht vorhanden", "noch offen", "wird nachgereicht", "entfällt",
        "fehlt", "siehe unten", "siehe oben", "folgt", "inconnu", "inconnue", "non disponible", "non précisé",
        "non spécifié", "non renseigné", "à confirmer", "à déterminer", "à définir", "à venir", "en attente",
        "indisponible", "voir ci-dessous", "manquant", "desconocido", "desconocida", "no disponible", "no especificado",
        "por confirmar", "por determinar", "por definir", "pendiente", "sin datos", "ver abajo", "falta",
        "sconosciuto", "sconosciuta", "non disponibile", "non specificato", "da confermare", "da definire",
        "da determinare", "in attesa", "mancante", "vedi sotto", "desconhecido", "desconhecida", "não disponível",
        "não informado", "a confirmar", "a definir", "pendente", "ver abaixo", "onbekend", "niet beschikbaar",
        "nog te bepalen", "n.v.t", "zie onder", "nieznany", "nieznana", "brak", "brak danych", "do ustalenia", "okänd",
        "okänt", "saknas", "bilinmiyor", "belirsiz", "yok", "неизвестно", "нет данных", "не указано", "уточняется",
        "н/д", "未知", "未定", "不明", "待定", "暂无", "无", "不详", "待确认", "未提供", "該当なし", "なし",
        "auf anfrage", "on application", "sur devis", "según presupuesto", "bajo presupuesto", "preis auf anfrage",
        "auf nachfrage", "sur demande", "nous consulter", "nous contacter",
        "a consultar",
        "consultar", "consúltenos", "bajo petición", "bajo consulta", "previa petición", "su richiesta", "sob consulta",
        "op aanvraag", "på forespørgsel", "på forespørsel", "på begäran", "på förfrågan", "na zapytanie",
        "talep üzerine",
        "미정", "알 수 없음", "없음", "غير معروف", "غير متوفر",
    }
)  # fmt: skip
_DONE: Final = (
    r"(?:determined|decided|defined|announced|confirmed|added|completed|provided|filled(?: in)?|advised|agreed|"
    r"assigned|updated|supplied|specified|scheduled|verified|established|issued|calculated|clarified|discussed|"
    r"available|applicable|known|given|stated|found|mentioned|disclosed|listed|recorded|set|reported|obtained|"
    r"identified|retrieved|located|received|shown|shared|sent|included|published|computed|resolved|extracted|"
    r"communicated|finali[sz]ed|entered|present|generated|accessed|inferred|made available|ascertained)"
)
_DO: Final = (
    r"(?:determine|find|provide|confirm|retrieve|locate|identify|access|obtain|give|calculate|compute|verify|extract|"
    r"tell|say|share|see|get|establish|infer|answer|resolve|look (?:it |this |that )?up)"
)
_TAIL: Final = (
    r"(?: (?:yet|currently|so far|here|for now|now|later|soon|shortly|anywhere|at (?:this|the|present).*|in the .*|"
    r"in this .*|by (?:the|us|me|you|them|our|\w+day|end).*|to (?:me|us|you)|from the .*|from (?:this|these|any).*|"
    r"until .*|pending .*|due to .*|because .*|as .*|separately.*|with (?:the )?(?:available|given|provided).*|"
    r"when .*|once .*|after .*|within .*|on (?:the )?(?:record|file|request).*|without .*|based on .*|tomorrow.*|"
    r"for (?:this|the) .*|if .*|unless .*))?"
)
_SUBJECT: Final = (
    r"(?:(?:it|this|that|i|we|value|data|information|details?|(?:the|this|that) (?:value|data|information|detail|"
    r"details|field|figure|number)|this (?:is|was)|it (?:is|was)|there (?:is|was)) )?"
)
_NOW: Final = r"(?:(?:still|currently|as yet|yet|at present|presently|sadly|sorry|unfortunately) )*"
_NOT: Final = r"(?:not|never)"
_CANNOT: Final = (
    r"(?:(?:could|can|would|was|were|is|are|am|has|have|had|does|do|did) not|cannot|"
    r"(?:could|ca|would|was|were|is|are|has|have|had|does|do|did)n't)"
)
WORDINGS: Final = (
    rf"{_NOW}(?:yet )?to be {_DONE}{_TAIL}",
    (
        rf"{_SUBJECT}{_NOW}(?:(?:is|are) still (?:open|undecided)|remains? (?:unknown|unclear|open|unspecified|"
        rf"undetermined|to be {_DONE})|(?:is |are )?(?:being|under) (?:{_DONE}|reviewed|checked|negotiated|"
        rf"prepared|investigated|review|clarification|discussion|investigation)){_TAIL}"
    ),
    (
        rf"{_SUBJECT}{_NOW}(?:(?:is|was|are|were|has been|have been) )?{_NOT} (?:yet |currently |been |publicly |"
        rf"explicitly |clearly )*{_DONE}{_TAIL}"
    ),
    (
        rf"{_SUBJECT}{_NOW}{_CANNOT} (?:yet |currently |be |been |reliably |able to |possible to )*(?:{_DONE}|"
        rf"{_DO})"
        r"(?: .*)?"
    ),
    (
        rf"{_SUBJECT}{_NOW}(?:(?:am|is|are|was|were) )?(?:unable to|failed to|impossible to) (?:be )?(?:{_DO}|"
        rf"{_DONE})"
        r"(?: .*)?"
    ),
    (
        rf"{_SUBJECT}(?:will|shall|is going to|are going to|to)(?: then| later)? "
        rf"(?:be {_DONE}(?: .*)?|{_DO}(?: (?:it|this|that|them|these|details?))?{_TAIL})"
    ),
    (
        rf"(?:{_NOW}|is |was )(?:unknown|undetermined|unspecified|unavailable|missing|unclear|undisclosed|"
        rf"outstanding|"
        rf"tb[adc]|n/a|none|pending){_TAIL}"
    ),
    (
        rf"{_SUBJECT}(?:will |shall |to )?follows?"
        r"(?: (?:by|in|via|with|on|from|separately|later|soon|shortly|tomorrow|next).*)?"
    ),
    (
        r"(?:ditto|(?:the )?same(?: as (?:above|before|below|last time|previous(?:ly)?|the (?:above|previous).*))|"
        r"(?:as|like) (?:discussed|agreed|mentioned|described|noted|stated|said|usual|before|previously)"
        r"(?: (?:above|below|earlier|before|previously|by .*|on .*|in .*|with .*))?)"
    ),
    (
        r"(?:pending|awaiting|waiting for|waiting on)(?: (?:\w+ )?(?:confirmation|review|approval|"
        r"verification|input|"
        r"information|info|response|reply|update|updates|data|details|clarification|decision|feedback|results?|"
        r"investigation|quote|assignment|allocation|completion))(?: .*)?"
    ),
    (
        r"(?:please )?(?:see|refer to|check|consult)(?: (?:the|our|your))? (?:notice(?: ?board)?|web ?(?:site|"
        r"page)|poster|"
        r"board|label|packaging|calendar|leaflet|reverse|programme|program|brochure|map|certificate|below|above|"
        r"attached|attachments?|enclosed|"
        r"next page|"
        r"previous page|(?:table|list|section|document|file|link|report|email|message|invoice|page|appendix) "
        r"(?:below|above|attached))(?: .*)?"
    ),
    r"(?:as )?(?:shown|listed|stated|described|mentioned|given|noted|discussed) (?:above|below|elsewhere)",
    r"(?:there (?:is|was|are) )?no (?:\w+ ){0,3}(?:is |was |were |are |has been |could be )?(?:available|found|"
    r"given|provided|specified|stated|known|listed|mentioned|recorded|on file|yet)"
    + _TAIL,
    r"(?:information|data|details?|value) (?:is |are )?(?:unavailable|missing|pending|unknown)"
    + _TAIL,
    r"(?:please|kindly) (?:provide|send|enter|share|supply|give|confirm|specify|tell|let|check|see|refer)(?: .*)?",
    rf"(?:sorry )?{_SUBJECT}(?:do|does|did)(?: not|n't) (?:currently |yet )?(?:have|know|see|appear|exist)(?: .*)?",
    (
        r"(?:please )?(?:ask(?: at| in| with)?|contact|call|phone|ring|e-?mail|consult|(?:en|in)quire (?:with|at))"
        r" (?:the|your|our|us|my)"
        r"(?: [^\W\d_]+){0,2}"
        r"(?: (?:office|reception|desk|team|support|service|insurer|manager|agent|staff|landlord|provider|supplier|bank"
        r"|department|broker|administrator|helpline|hotline|clinic|shop|accountant|accounts))?(?: (?:for|about|to) .*)?"
    ),
    r"lorem ipsum.*",
    r"(?:(?:insert|enter|add|put|fill in|type)(?: \w+)*|your(?: \w+){1,4}) here",
    r"(?:\w+ ){1,4}(?:goes|comes|belongs) here",
)
"""Patterns of whole texts; words of other languages are rows too."""
MARKS: Final = frozenset(
    {
        "be", "still", "remain", "remains", "being", "under", "not", "never", "t", "cannot", "unable", "failed",
        "impossible", "will", "shall", "to", "unknown", "undetermined", "unspecified", "unavailable", "missing",
        "unclear", "undisclosed", "outstanding", "tba", "tbd", "tbc", "n", "none", "pending", "follow", "follows",
        "ditto", "same", "as", "like", "awaiting", "waiting", "see", "refer", "check", "consult", "above", "below",
        "elsewhere", "no", "information", "data", "detail", "details", "value", "please", "kindly", "lorem", "here",
        "ask", "contact", "call", "phone", "ring", "mail", "email", "enquire", "inquire",
    }
)  # fmt: skip
"""Every wording has one of these words (`t` is that of `n't`, `n` that of `n/a`). To compile the wordings takes as long
as a hundred results, so it is left until a text has one."""
FOREIGN_MARKS: Final = frozenset(
    {
        "vor", "nicht", "keine", "kein", "aus", "ausstehend", "fest", "wird", "werden", "muss", "müssen",
        "soll", "sollen", "noch", "klärung", "prüfung", "bearbeitung", "abstimmung", "sera", "seront", "à",
        "pas", "non", "attente", "cours", "sans", "será", "serán", "comunicará", "comunicarán", "informará",
        "indicará", "confirmará", "determinará", "avisará", "facilitará", "definirá", "por", "pendiente", "sin",
        "a", "no", "sarà", "saranno", "verrà", "verranno", "da", "in", "não", "serão", "sem", "wordt", "worden",
        "niet", "geen", "nog", "volgt", "afwachting", "oplyses", "opplyses", "meddeles", "bekræftes",
        "bekreftes", "følger", "kommer", "ettersendes", "eftersendes", "avklares", "afklares", "fastsettes",
        "fastsættes", "meddelas", "bekräftas", "återkommer", "följer", "fastställs", "kompletteras", "ikke",
        "inte", "ej", "mangler", "ukendt", "ukjent", "afventer", "avventer", "inväntar", "saknas",
        "niedostępny", "niedostępna", "niedostępne", "zostanie", "zostaną", "będzie", "będą", "nie", "do",
        "trakcie", "oczekuje", "henüz", "sonra", "değil", "değildir", "yok", "bulunmuyor", "bulunmamaktadır",
        "bekleniyor", "beklemede", "siehe", "s", "vgl", "voir", "cf", "consulter", "véase", "ver", "consulte",
        "consultar",
        "vedi", "vedere", "zie", "se", "anunciará", "publicará", "especificará", "dará",
    }
)  # fmt: skip
"""Every wording of `absent_words` has one of these words, an ending of Turkish, or a sign of an unspaced script."""
TURKISH_ENDINGS: Final = (
    "ecek",
    "acak",
    "ecektir",
    "acaktır",
    "medi",
    "madı",
    "memiş",
    "mamış",
    "yor",
    "maktadır",
)
STATUS_FIELDS: Final = (
    "status", "state", "stage", "phase", "progress", "disposition", "availability", "outcome", "decision",
    "zustand", "sachstand", "bearbeitungsstand", "statut", "état", "etat", "estado", "stato", "stan", "durum",
    "durumu", "状態", "状況", "状态",
)  # fmt: skip
"""Ends of the names of fields that are a status."""
ERROR_MARKS: Final = (
    "error",
    "http",
    "failed",
    "timed out",
    "denied",
    "refused",
    "exception",
    "traceback",
    "fault",
    "fatal",
    "fehler",
    "unavailable",
    "unreachable",
    "timeout",
    "time-out",
    "gateway",
    "too many",
    "failed to",
    "server",
    "service",
    "connection",
    "invalid",
    "object",
    "#",
    "%",
    "\\n",
    "<function",
    "<bound",
    "system.",
    "@",
)
"""Every message of an error, and what a program prints, has one of these, or begins with a code of HTTP."""
PER: Final = "per"
"""Any word behind this one is a unit, too."""
SIGNS: Final = "$\u20ac\u00a3\u00a5%\u00b0"
UNITS: Final = frozenset(
    {
        "eur", "euro", "euros", "usd", "gbp", "chf", "jpy", "cad", "aud", "nzd", "sek", "nok", "dkk", "pln", "czk",
        "inr", "cny", "brl", "mxn", "dollar", "dollars", "pound", "pounds", "kg", "g", "mg", "lb", "lbs", "t", "ton",
        "tons", "km", "m", "cm", "mm", "mile", "miles", "l", "ml", "mmol", "hour", "hours", "hr", "hrs", "h", "minute",
        "minutes", "min", "mins", "day", "days", "week", "weeks", "month", "months", "year", "years", "night",
        "nights", "percent", "pcs", "pieces", "units", "am", "pm", "c", "f",
    }
)  # fmt: skip
ASKING: Final = (
    "ask ", "call ", "contact ", "phone ", "ring ", "email ", "e-mail ", "consult ", "enquire ", "inquire ",
    "please ask ", "please call ", "please contact ",
)  # fmt: skip
ACTION_FIELDS: Final = (
    "action", "actions", "step", "steps", "instruction", "instructions", "advice", "recommendation", "task", "tasks",
    "note", "notes", "resolution", "solution", "remedy", "plan", "contact", "message",
)  # fmt: skip
"""Fields of which it is a value whom to ask."""
TEMPLATE_WORDS: Final = frozenset(
    {
        "date", "name", "amount", "number", "no", "id", "address", "email", "phone", "title", "company", "city",
        "time", "price", "total", "link", "url", "value", "text", "reason", "description", "insert", "enter", "your",
        "placeholder", "here", "tbd", "tba", "tbc", "todo", "fill", "add", "put", "code", "reference", "ref",
        "customer", "client", "recipient", "sender", "signature", "day", "month", "year", "currency", "quantity",
        "location", "department", "position", "xxx", "xx", "x", "to", "n/a", "unknown", "blank", "redacted", "details",
        "surname", "firstname", "lastname", "country", "datum", "betrag", "nom", "fecha", "nombre", "importe",
    }
)  # fmt: skip
"""Words of which a template in brackets has one."""
TEXT_FIELDS: Final = (
    "reply", "message", "note", "notes", "comment", "summary", "description", "reason", "rationale", "explanation",
    "body", "draft", "instructions", "recommendation", "feedback", "advice", "nachricht", "begründung", "mensaje",
)  # fmt: skip
"""Ends of the names of fields whose value is what somebody is told: it may begin with any word."""
FIGURE_FIELDS: Final = (
    "date", "time", "price", "cost", "costs", "fee", "amount", "weight", "height", "width", "length", "distance",
    "duration", "count", "quantity", "phone", "telephone", "fax", "frequency", "datum", "uhrzeit", "preis", "betrag",
    "gewicht", "menge", "anzahl", "telefon", "prix", "montant", "poids", "horaire", "t\u00e9l\u00e9phone", "fecha",
    "hora", "precio", "importe", "peso", "cantidad", "tel\u00e9fono",
)  # fmt: skip
"""Ends of the names of fields whose name says that their value has a figure: a price, a day, a weight."""
INDEFINITE: Final = frozenset(
    {
        "nach", "see", "not", "varies", "changes", "we", "will", "going", "once", "whenever", "if", "until",
        "your", "our", "my", "slightly", "somewhat", "strong",
        "large", "big", "long", "high", "good", "warm", "old", "sobald", "wenn", "falls", "wird", "noch", "zu", "à",
        "quand", "lorsque", "dès", "sera", "por", "cuando", "será",
        "someone", "somebody", "anyone", "anybody", "whoever", "whomever", "whichever", "something", "anything",
        "whatever", "somewhere", "anywhere", "wherever", "sometime", "somehow", "some", "any", "one", "a", "an",
        "the", "suitable", "appropriate", "adequate", "fitting", "sufficient", "soon", "shortly", "later",
        "eventually", "reasonable", "acceptable", "proper", "pleasant", "early", "late", "depends", "it",
        "enough", "quite", "rather", "fairly", "to", "as", "when", "at", "jemand", "irgendjemand", "irgendwer",
        "irgendwo", "irgendwann", "irgendwie", "irgendein", "irgendeine", "irgendeiner", "irgendeines",
        "irgendetwas", "wer", "eine", "einer", "ein", "passend", "passende", "passender", "passendes", "geeignet",
        "geeignete", "geeigneter", "geeignetes", "angemessen", "bald", "demnächst", "je", "kommt", "genug",
        "quelqu'un", "quelque", "quelconque", "n'importe", "celui", "celle", "une", "un", "l'un", "l'une",
        "quiconque", "bientôt", "approprié", "appropriée", "convenable", "adéquat", "adéquate", "selon", "ça",
        "alguien", "alguno", "alguna", "algún", "algo", "cualquiera", "cualquier", "quien", "uno", "una",
        "pronto", "adecuado", "adecuada", "apropiado", "apropiada", "depende", "según", "el", "la",
    }
)  # fmt: skip
"""The first words of values that may name nothing in particular: `someone suitable`, `one of the team`."""
