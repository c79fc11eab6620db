"""Finding citations: in the structured output, and in the text of the answer with its reference list. Pure.

Only identifiers and references that say what they are count: a DOI, an arXiv id, a PMID, an NCT number, an ISBN, an
address; an entry of a reference list; `[12]` and `(Smith et al., 2020)`, which must lead to such an entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from judgemesh.contracts.identifiers import fold, identify, normal, person, trim
from judgemesh.contracts.references import read_fields
from judgemesh.contracts.results import AgentOutput
from judgemesh.validators.citations.bibliography import Cited

MAX_CITATIONS: Final = 1_000
MAX_TEXT: Final = 500_000
_MAX_VALUE: Final = 4_000


@dataclass(frozen=True, slots=True)
class Citations:
    """What an answer cites. `dangling` are references in the text that lead to no citation; `beyond` counts citations
    over the limit, which nobody checks. `discussed`: nothing is cited, and yet the text speaks of evidence."""

    found: tuple[Cited, ...] = ()
    dangling: tuple[str, ...] = ()
    beyond: int = 0
    discussed: bool = False


def citations_of(output: AgentOutput, *, text: bool = True) -> Citations:
    """Everything the answer cites, each item once, in its own order: structured citations first."""
    data = list(_structured(output))
    answer = (output.final_answer or "")[:MAX_TEXT] if text else ""
    body, entries = _reference_list(answer)
    loose = _identifiers(body)
    found = _distinct([*data, *entries.values(), *loose])
    dangling, quotes = _references(body, data, entries)
    found = [
        replace(one, quote=quotes[one.place])
        if not one.quote and one.place in quotes
        else one
        for one in found
    ]
    return Citations(
        tuple(found[:MAX_CITATIONS]),
        tuple(dict.fromkeys(dangling)),
        max(0, len(found) - MAX_CITATIONS),
        not found and bool(_DISCUSSED.search(answer)),
    )


# --- structured output -------------------------------------------------------------------------------------------

_LISTS: Final = frozenset(
    {"citations", "references", "sources", "bibliography", "evidence", "evidencelist"}
)


def _structured(output: AgentOutput) -> Iterator[Cited]:
    for index, citation in enumerate(output.citations):
        if found := from_data(
            f"citations/{index}", citation.model_dump(exclude_none=True)
        ):
            yield found
    for key, value in output.outputs.items():
        if fold(key).replace(" ", "") in _LISTS and isinstance(value, list | tuple):
            for index, item in enumerate(cast("Sequence[object]", value)):
                data: object = {"text": item} if isinstance(item, str) else item
                if isinstance(data, Mapping) and (
                    found := from_data(
                        f"outputs/{key}/{index}", cast("Mapping[str, object]", data)
                    )
                ):
                    yield found


def from_data(place: str, data: Mapping[str, object]) -> Cited | None:
    """A citation given as an object; a bare text is read like an entry of a reference list. None for an empty one."""
    read = read_fields(data)
    if read.text and not read.title and not read.ids and not read.malformed:
        return _entry(place, read.text, quote=read.quote)
    if not (read.title or read.ids or read.malformed):
        return None
    return Cited(
        place=place,
        ids=read.ids,
        malformed=read.malformed,
        title=read.title,
        authors=read.authors,
        et_al=read.et_al,
        year=read.year,
        venue=read.venue,
        quote=read.quote,
    )


# --- text ---------------------------------------------------------------------------------------------------------

_YEAR = re.compile(r"(?<![0-9])(1[5-9][0-9]{2}|2[01][0-9]{2})(?![0-9])")
_DOI = re.compile(
    r"(?<![\w./])(?:doi\s*:\s*)?10\.[0-9]{4,9}/[^\s\"<>{}|\\^`]{1,300}", re.IGNORECASE
)
_URL = re.compile(r"https?://[^\s\"<>{}|\\^`\u201c\u201d]{1,2000}", re.IGNORECASE)
_ARXIV = re.compile(
    r"\barxiv\s?:\s?([a-z-]{2,16}(?:\.[a-z]{2})?/[0-9]{7}(?:v[0-9]{1,2})?|[0-9]{4}\.[0-9]{3,6}(?:v[0-9]{1,2})?)",
    re.IGNORECASE,
)
_PMID = re.compile(r"\bPMID\s?:?\s?([0-9]{1,12})\b", re.IGNORECASE)
_NCT = re.compile(r"\b(NCT\s?[0-9]{4,12})\b", re.IGNORECASE)
_ISBN = re.compile(
    r"\bISBN(?:-1[03])?\s?:?\s?([0-9][0-9Xx \u2010-\u2013-]{8,20}[0-9Xx])",
    re.IGNORECASE,
)
_CODE = re.compile(r"```.{0,20000}?```|`[^`\n]{1,500}`", re.DOTALL)
_HEADING = re.compile(
    r"^[ \t>]{0,3}(?:#{1,6}[ \t]{0,4}|\*\*|__|[0-9]{1,2}\.[ \t])?"
    r"(?:list of )?(?:references|bibliography|works cited|sources|literature(?: cited)?|citations|reference list)"
    r"(?: and notes)?[ \t]{0,4}:?(?:\*\*|__)?[ \t]{0,4}:?[ \t]{0,4}$",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING_WORDS: Final = (
    "reference",
    "bibliography",
    "works cited",
    "sources",
    "literature",
    "citations",
)
_LABELLED = re.compile(
    r"^[ \t]{0,8}(?:[-*+][ \t]{1,4})?(?:\[\^?([0-9]{1,4})\]:?|\(?([0-9]{1,4})[.)])[ \t]{1,8}(?=\S)"
)
_FOOTNOTE = re.compile(
    r"^[ \t]{0,3}\[\^?([0-9]{1,4})\]:?[ \t]{1,8}(\S.{9,})$", re.MULTILINE
)
_BULLET = re.compile(r"^[ \t]{0,8}[-*+\u2022][ \t]{1,4}(?=\S)")
_NEXT_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]{1,4}\S", re.MULTILINE)
_DISCUSSED = re.compile(
    r"\b(?:stud(?:y|ies)|research(?:ers)?|trials?|papers?|surveys?|literature|meta-analys[ei]s|experts|evidence|reports?"
    r"|authors)\s(?:\w{1,20}\s){0,3}?(?:show|found|find|suggest|indicate|demonstrate|report|confirm|conclude|prove)"
    r"(?:n|s|d|ed)?\b|\baccording to\b",
    re.IGNORECASE,
)


_WRITTEN: Final = (
    ("url", _URL, "http"),
    ("doi", _DOI, "10."),
    ("arxiv", _ARXIV, "arxiv"),
    ("pmid", _PMID, "pmid"),
    ("nct", _NCT, "nct"),
    ("isbn", _ISBN, "isbn"),
)
"""Scheme, pattern, and letters without which the pattern need not be tried."""


def _identifiers(text: str) -> Iterator[Cited]:
    """Identifiers in running text, in order; one inside another (a DOI in an address) counts once."""
    taken: list[tuple[int, int, Cited]] = []
    free, folded = text, text.casefold()
    for scheme, pattern, sign in _WRITTEN:
        if sign not in folded:
            continue
        ends = [0]
        pieces: list[str] = []
        for found in pattern.finditer(free):
            if len(taken) > MAX_CITATIONS:
                break
            taken.append((found.start(), found.end(), _loose(scheme, found, text)))
            pieces += (
                free[ends[-1] : found.start()],
                " " * (found.end() - found.start()),
            )
            ends.append(found.end())
        free = "".join([*pieces, free[ends[-1] :]])
    return (cited for _, _, cited in sorted(taken, key=lambda one: one[0]))


def _loose(scheme: str, found: re.Match[str], text: str) -> Cited:
    place = f"final_answer:L{text.count(chr(10), 0, found.start()) + 1}"
    written = trim(found[found.lastindex or 0])
    known = identify(written) if scheme in ("url", "doi") else None
    if known is None:
        value = normal(scheme, written.replace(" ", "") if scheme == "nct" else written)
        if value is None:
            return Cited(place=place, malformed=((scheme, written),))
        known = (scheme, value)
    return Cited(place=place, ids=dict((known,)))


def _reference_list(answer: str) -> tuple[str, dict[str, Cited]]:
    """The text before (and after) the reference list, and its entries by label; unlabelled ones by their number."""
    if "`" in answer:
        answer = _CODE.sub(lambda found: " " * len(found[0]), answer)
    folded = answer.casefold()
    headings = (
        list(_HEADING.finditer(answer))
        if any(word in folded for word in _HEADING_WORDS)
        else []
    )
    if not headings:
        entries: dict[str, Cited] = {}
        for note in _FOOTNOTE.finditer(answer) if "[" in answer else ():
            line = answer.count("\n", 0, note.start()) + 1
            entries.setdefault(
                note[1], _entry(f"final_answer:L{line}", note[2].strip())
            )
        return _FOOTNOTE.sub(
            lambda found: " " * len(found[0]), answer
        ) if entries else answer, entries
    start = headings[-1].end()
    following = _NEXT_HEADING.search(answer, start)
    end = following.start() if following else len(answer)
    first_line = answer.count("\n", 0, start) + 1
    blank = "".join(
        char if char == "\n" else " " for char in answer[headings[-1].start() : end]
    )
    body = answer[: headings[-1].start()] + blank + answer[end:]
    return body, _entries(answer[start:end], first_line)


def _entries(block: str, first_line: int) -> dict[str, Cited]:
    """A new entry starts at a label, a bullet or after an empty line; other lines continue the entry before."""
    gathered: list[tuple[str, int, list[str]]] = []
    after_blank = True
    lines = block.split("\n")
    marked = any(_LABELLED.match(line) or _BULLET.match(line) for line in lines)
    for number, line in enumerate(lines):
        if not line.strip():
            after_blank = True
            continue
        label, bullet = _LABELLED.match(line), _BULLET.match(line)
        if (
            label
            or bullet
            or not gathered
            or after_blank
            or (not marked and not line.startswith((" ", "\t")))
        ):
            name = (label[1] or label[2]) if label else str(len(gathered) + 1)
            mark = label or bullet
            gathered.append(
                (name, first_line + number, [line[mark.end() :] if mark else line])
            )
        else:
            gathered[-1][2].append(line)
        after_blank = False
        if len(gathered) > MAX_CITATIONS:
            break
    found: dict[str, Cited] = {}
    for name, line_number, parts in gathered:
        cited = _entry(
            f"final_answer:L{line_number}", " ".join(part.strip() for part in parts)
        )
        found.setdefault(name if name not in found else f"{name}@{line_number}", cited)
    return found


_QUOTED_TITLE = re.compile(
    '["\u201c\u201f\u00ab]([^"\u201c\u201d\u00ab\u00bb]{8,400}?)[,.]?["\u201d\u00bb]'
)
_EMPHASISED = re.compile(
    r"(?<!\*)\*{1,2}([^*\n]{8,400})\*{1,2}(?!\*)|(?<!\w)_([^_\n]{8,400})_(?!\w)"
)
_DATED = re.compile(
    r"^(.{2,600}?)[\s,.]*\((?:[^()]{0,20}\s)?((?:1[5-9]|2[01])[0-9]{2})[a-z]?(?:,[^()]{0,20})?\)[.,:]?\s*"
)
_SENTENCE_END = re.compile(r"[.?!](?=\s|$)")
_LINK = re.compile(r"\[([^\[\]]{1,400})\]\((https?://[^()\s]{1,2000})\)")


def _entry(place: str, text: str, quote: str = "") -> Cited:
    """One reference in running text: its identifiers, and where title, authors and year can be told, those too."""
    text = text[:_MAX_VALUE]
    links = _LINK.findall(text)
    spread = _LINK.sub(r"\1 \2", text)
    ids: dict[str, str] = {}
    malformed: list[tuple[str, str]] = []
    for one in _identifiers(spread):
        for scheme, value in one.ids.items():
            ids.setdefault(scheme, value)
        malformed.extend(one.malformed)
    words = spread
    for pattern in (_URL, _DOI, _ARXIV, _PMID, _NCT, _ISBN):
        words = pattern.sub(" ", words)
    by, title, year = _parts(" ".join(words.split()))
    if not title and len(links) == 1 and len(fold(links[0][0]).split()) > 1:
        title = links[0][0]
    bare = title or by or fold(words) not in ("", "doi", "url", "available at", "link")
    return Cited(
        place=place, ids=ids, malformed=tuple(malformed), title=title, year=year, by=by, quote=quote,
        text=text if bare else "",
    )  # fmt: skip


def _parts(words: str) -> tuple[str, str, int | None]:
    """(authors' part, title, year) as far as the common styles tell them."""
    dated = _DATED.match(words)
    quoted = _QUOTED_TITLE.search(words)
    if quoted:
        years = _YEAR.findall(words[: quoted.start()] + " " + words[quoted.end() :])
        return (
            words[: quoted.start()].strip(" ,."),
            quoted[1].strip(),
            int(years[-1]) if years else None,
        )
    if dated:
        rest = words[dated.end() :]
        emphasised = _EMPHASISED.match(rest)
        end = _SENTENCE_END.search(rest)
        title = (
            (emphasised[1] or emphasised[2])
            if emphasised
            else rest[: end.start() if end else len(rest)]
        )
        return dated[1].strip(), title.strip(" .*_"), int(dated[2])
    years = _YEAR.findall(words)
    year = int(years[-1]) if years else None
    sentences = [
        one.strip()
        for one in re.split(r"(?<=[a-z)\]]{2})\.\s+|(?<=\bal)\.\s+", words)
        if one.strip()
    ]
    if len(sentences) > 1 and (
        "," in sentences[0] or " and " in sentences[0] or "et al" in sentences[0]
    ):
        return sentences[0], sentences[1].strip(" ."), year
    return (
        "",
        sentences[0].strip(" .")
        if sentences and len(fold(sentences[0]).split()) > 2
        else "",
        year,
    )


# --- references in the text --------------------------------------------------------------------------------------

_BRACKETED = re.compile(
    r"\[\^?([0-9]{1,3}(?:\s?[,;\u2013-]\s?\^?[0-9]{1,3}){0,20})\](?![(:\w])"
)
_QUOTE_BEFORE = re.compile('["\u201c]([^"\u201c\u201d\n]{20,1000})["\u201d][.,;]?\\s?$')
_NAME: Final = r"[A-Z\u00c0-\u00de][\w'\u2019-]{1,30}"
_AUTHOR_YEAR = re.compile(
    rf"({_NAME})(?:,?\s(?:et\sal\.?|(?:and|&)\s{_NAME}))?,?\s((?:19|20)[0-9]{{2}})[a-z]?(?=[);,])"
)
_NARRATIVE = re.compile(
    rf"({_NAME})\s(?:et\sal\.?|(?:and|&)\s{_NAME})\s\(((?:19|20)[0-9]{{2}})[a-z]?\)"
)
_GROUP = re.compile(r"\(([^()\n]{4,200})\)")
_NO_AUTHOR: Final = frozenset(
    {
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "spring",
        "summer", "autumn", "fall", "winter", "early", "late", "since", "until", "version", "table", "figure", "q1",
        "q2", "q3", "q4", "week", "copyright", "in", "by", "from", "updated", "accessed", "published", "the",
    }
)  # fmt: skip


def _references(
    body: str, data: Sequence[Cited], entries: Mapping[str, Cited]
) -> tuple[list[str], dict[str, str]]:
    """References of the text that lead nowhere; and the quotes that stand before one that leads somewhere."""
    dangling: list[str] = []
    quotes: dict[str, str] = {}
    for found in _BRACKETED.finditer(body):
        for number in _numbers(found[1]):
            target = entries.get(str(number))
            if target is None and not entries and 0 < number <= len(data):
                target = data[number - 1]
            if target is None:
                dangling.append(f"[{number}]")
            elif quote := _QUOTE_BEFORE.search(
                body, max(0, found.start() - 1_100), found.start()
            ):
                quotes.setdefault(target.place, quote[1])
    listed = [*entries.values(), *data]
    for name, year in _author_years(body):
        if not any(_is_by(one, name, year) for one in listed):
            dangling.append(f"({name}, {year})")
    return dangling, quotes


def _numbers(inside: str) -> Iterable[int]:
    for part in re.split(r"[,;]", inside.replace("^", "").replace("\u2013", "-")):
        first, dash, last = part.partition("-")
        start, end = int(first), int(last) if dash and last.strip() else int(first)
        yield from range(start, end + 1) if start <= end <= start + 50 else (start,)


def _author_years(body: str) -> Iterator[tuple[str, int]]:
    for group in _GROUP.finditer(body):
        for found in _AUTHOR_YEAR.finditer(group[1] + ")"):
            if found[1].casefold() not in _NO_AUTHOR:
                yield found[1], int(found[2])
    for found in _NARRATIVE.finditer(body):
        if found[1].casefold() not in _NO_AUTHOR:
            yield found[1], int(found[2])


def _is_by(cited: Cited, name: str, year: int) -> bool:
    wanted = fold(name)
    if cited.authors:
        named = any(wanted in person(author)[0].split() for author in cited.authors)
    else:
        named = f" {wanted} " in f" {fold(cited.text or cited.title)} "
    return named and (
        cited.year is None or cited.year == year or str(year) in cited.text
    )


def _distinct(citations: Iterable[Cited]) -> list[Cited]:
    """Each item once: an identifier or title that already stands is not cited again."""
    kept: list[Cited] = []
    seen: set[tuple[str, str]] = set()
    for one in citations:
        marks = {(scheme, value) for scheme, value in one.ids.items()} | set(
            one.malformed
        )
        if one.title:
            marks.add(
                (
                    "title",
                    f"{fold(one.title)}|{one.year}|{fold(' '.join(one.authors))}|{sorted(one.ids.items())}",
                )
            )
        elif one.text:
            marks.add(("text", fold(one.text)))
        only_ids = not one.title and not one.text
        if (only_ids and marks and marks <= seen) or (
            not only_ids and ("title" in dict(marks)) and _whole(marks, seen)
        ):
            continue
        seen |= marks
        kept.append(one)
    return kept


def _whole(marks: set[tuple[str, str]], seen: set[tuple[str, str]]) -> bool:
    return marks <= seen
