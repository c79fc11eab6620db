# ruff: noqa: RUF001 (Turkish has a dotless i)
"""Words by which a text says whose words it quotes, in several languages: parts of patterns."""

from __future__ import annotations

from typing import Final

VERBS: Final = (
    r"says|states|stated|reads|specifies|provides|notes|noted|requires|explains|writes|wrote|defines|puts it"
    r"|say|state|specify|stipulate|explain|warn|sagen|besagen|disent|dicen|dicono|dizem|zeggen"
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
ATTRIBUTING: Final = (
    r"according to|as (?:stated|described|set out|defined|noted|explained|specified|required) (?:in|by)|as per"
    r"|cited in|stated in|quoted from|cited from|based on|laut|gemäß|entsprechend|wie in|selon|d['’]après"
    r"|conformément à|según|de acuerdo con|conforme(?: a)?|secondo|in base a|segundo|de acordo com|volgens"
    r"|overeenkomstig|ifølge|i henhold til|enligt|i enlighet med"
    r"|według|zgodnie z"
)
"""What says that the name behind it is where a statement is from."""
ATTRIBUTING_UNSPACED: Final = r"根据|據|据|依据"
"""The same, right before the name, in Chinese."""
ATTRIBUTED: Final = (
    r"['’]?\w{0,4} göre(?!\w)| zufolge(?!\w)|\s?(?:によると|によれば|に基づ)"
)
"""What says the same behind the name."""
SOURCE_LABELS: Final = (
    r"quellen?|belege?|références?|fuentes?|referencias?|fonti|fontes?|riferiment[oi]|bron(?:nen)?|kilder?|källa|källor"
    r"|źródł[oa]|kaynak(?:lar)?|出典|出所|引用元|参照|来源"
)
"""Labels of a line that names a source, beside the English ones."""
PAGES: Final = (
    r"seiten?|abs(?:atz|chnitt)?|kap(?:itel)?|ziff(?:er)?|zeilen?|chap(?:itre)?|alinéa|págs?|páginas?|cap(?:ítulo|itolo)?|pág|párr|artigo"
    r"|artikel|artículo|articolo|hoofdstuk|hfst|blz|str|strona|rozdz|sayfa|madde|side|sida|kapittel|s"
)
"""Words before the page or the part of a source, beside the English ones."""
