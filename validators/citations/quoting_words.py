# ruff: noqa: RUF001 (Turkish has a dotless i)
"""Words by which a text says whose words it quotes, in several languages: parts of patterns."""

from __future__ import annotations

from typing import Final

VERBS: Final = (
    r"says|states|stated|reads|specifies|provides|notes|noted|requires|explains|writes|wrote|defines|puts it"
    r"|confirms|reports|said|warns|adds|that|quotes?|quoted|sagt|schreibt|lautet|steht|heißt es|besagt"
    r"|vermerkt|dit|indique|précise|stipule|écrit|dice|indica|reza|señala|establece|afferma|recita|scrive|diz"
    r"|afirma|refere|estabelece|zegt|luidt|schrijft|vermeldt|staat|siger|lyder|skriver|står|säger|lyser|sier"
    r"|mówi|brzmi|stwierdza|podaje|diyor|der ki|yazıyor|belirtiyor|que|dass|che|dat|att|że"
)
"""Words by which a source is said to speak, before its words or after them."""
SPOKEN: Final = (
    r"it (?:says|states|reads|notes)|(?:so )?(?:heißt|steht) es|(?:so )?steht (?:es )?(?:dort|da|in|im)|so"
    r"|laut|gemäß|lit-on(?: dans)?|selon|d'après|se lee(?: en)?|según|dice|si legge(?: in)?|secondo"
    r"|lê-se(?: em)?|segundo|staat(?: er)?(?: in)?|volgens|ifølge|enligt|według|deniyor|diyor|denmektedir"
    r"|yazıyor|yazmaktadır|belirtiliyor|ifadesi yer alıyor"
)
"""What may stand between the words of a source and its name."""
REFERRING: Final = (
    r"see|sources?|ref|from|in|per|cf\.?|siehe|vgl\.?|quelle|aus|nach|voir|dans|ver|véase|fuente|en|vedi|fonte|em|zie|bron"
    r"|se|kilde|källa|zob\.?|źródło|bkz\.?|kaynak"
)
"""What introduces the name of a source behind its words."""
