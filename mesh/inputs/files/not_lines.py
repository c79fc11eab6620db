"""What a stream is instead of lines of JSON in UTF-8, told from its first lines."""

from __future__ import annotations

from typing import Final

_UNPACK: Final = "unpack it and pipe the result into the command"
_CONVERT: Final = "convert it to UTF-8 (`iconv -f {0} -t UTF-8`)"
_BEGINNINGS: Final[tuple[tuple[bytes, str], ...]] = (
    (b"\x1f\x8b", f"packed with gzip: {_UNPACK} (`gzip -dc`)"),
    (b"\x28\xb5\x2f\xfd", f"packed with zstd: {_UNPACK} (`zstd -dc`)"),
    (b"\xfd7zXZ\x00", f"packed with xz: {_UNPACK} (`xz -dc`)"),
    *(
        (b"BZh%d1AY&SY" % level, f"packed with bzip2: {_UNPACK} (`bzip2 -dc`)")
        for level in range(1, 10)
    ),
    (b"PK\x03\x04", f"a ZIP archive: {_UNPACK} (`unzip -p`)"),
    (b"PAR1\x15", "a Parquet file: write its rows as JSON, one a line"),
    (b"SQLite format 3\x00", "an SQLite database: write its rows as JSON, one a line"),
    # Before UTF-16, whose mark begins with the same bytes.
    (b"\xff\xfe\x00\x00", f"text in UTF-32: {_CONVERT.format('UTF-32')}"),
    (b"\x00\x00\xfe\xff", f"text in UTF-32: {_CONVERT.format('UTF-32')}"),
    (b"\xff\xfe", f"text in UTF-16: {_CONVERT.format('UTF-16')}"),
    (b"\xfe\xff", f"text in UTF-16: {_CONVERT.format('UTF-16')}"),
    (b"{\x00", f"text in UTF-16: {_CONVERT.format('UTF-16LE')}"),
    (b"\x00{", f"text in UTF-16: {_CONVERT.format('UTF-16BE')}"),
)
_BOM: Final = b"\xef\xbb\xbf"
_TABLE: Final = (
    "a table: write each row as a JSON object in one line (`mlr --icsv --ojsonl cat`)"
)
_SEPARATORS: Final = (b",", b";", b"\t")
_ARRAY: Final = (
    "a JSON array over several lines: write one object a line (`jq -c '.[]'`)"
)
_OBJECT: Final = "a JSON object over several lines: write it in one line (`jq -c .`)"


def why_not_lines(first: bytes, second: bytes = b"") -> str:
    """What the stream is that begins with these lines, and how to mend it; empty where it may be lines of JSON.

    A bracket alone is a line that was cut off, unless the line below belongs to the same document.
    """
    for beginning, reason in _BEGINNINGS:
        if first.startswith(beginning):
            return reason
    if _is_header(first):
        return _TABLE
    below = second.strip()
    if first.strip() == b"{" and below.startswith(b'"'):
        return _OBJECT
    is_element = second[:1] in (b" ", b"\t") or below.endswith(b",")
    if first.strip() == b"[" and below and is_element:
        return _ARRAY
    return ""


def _is_header(line: bytes) -> bool:
    """Whether the line names columns, `result_id` among them; a line with other characters of JSON does not."""
    cells = line.removeprefix(_BOM).strip()
    if b"{" in cells or b":" in cells:
        return False
    return any(
        b"result_id" in [cell.strip(b' "') for cell in cells.split(separator)]
        for separator in _SEPARATORS
        if separator in cells
    )
