"""What is given instead of lines of JSON is named in one line, with the way to mend it."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.errors import ResultError
from judgemesh.mesh.inputs.files.not_lines import why_not_lines
from judgemesh.mesh.inputs.results import (
    Rejected,
    line_groups,
    read_lines,
    read_results,
)

ROWS = [{"result_id": f"r{number}", "task_id": "t"} for number in range(2)]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)


def zipped() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("results.jsonl", LINES)
    return packed.getvalue()


STREAMS: dict[str, tuple[bytes, str]] = {
    "gzip": (gzip.compress(LINES.encode()), "gzip -dc"),
    "xz": (lzma.compress(LINES.encode()), "xz -dc"),
    "bzip2": (bz2.compress(LINES.encode()), "bzip2 -dc"),
    "zip": (zipped(), "unzip -p"),
    "UTF-16 with mark": (LINES.encode("utf-16"), "iconv -f UTF-16"),
    "UTF-16LE": (LINES.encode("utf-16-le"), "iconv -f UTF-16LE"),
    "UTF-16BE": (LINES.encode("utf-16-be"), "iconv -f UTF-16BE"),
    "UTF-32": (LINES.encode("utf-32"), "iconv -f UTF-32"),
    "array": (json.dumps(ROWS, indent=2).encode(), "jq -c '.[]'"),
    "object": (json.dumps(ROWS[0], indent=2).encode(), "jq -c ."),
    "array of lines": (b'[\r\n{"result_id": "r"},\r\n{}\r\n]', "jq -c '.[]'"),
    "CSV": (b"result_id,task_id,output\r\nr1,t,hello\r\n", "mlr --icsv --ojsonl"),
    "CSV in quotes with mark": (
        b'\xef\xbb\xbf"task_id";"result_id"\n"t";"r"\n',
        "mlr --icsv --ojsonl",
    ),
    "table with tabs": (b"result_id\ttask_id\nr\tt\n", "mlr --icsv --ojsonl"),
    "array indented by tabs": (b'[\n\t{"result_id": "r"}\n]', "jq -c '.[]'"),
}


class Stdin:
    """Standard input that holds these bytes."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


@pytest.mark.anyio
@pytest.mark.parametrize("name", STREAMS)
async def test_standard_input_of_another_kind_is_named(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, way = STREAMS[name]
    monkeypatch.setattr(sys, "stdin", Stdin(data))
    with pytest.raises(ResultError, match="<stdin>: is ") as caught:
        list(read_lines(None))
    assert way in str(caught.value)
    monkeypatch.setattr(sys, "stdin", Stdin(data))
    with pytest.raises(ResultError, match="<stdin>: is "):
        async for _ in line_groups(None):
            pass


def test_a_file_of_another_kind_is_named_and_gzip_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(STREAMS["array"][0])
    with pytest.raises(ResultError, match="is a JSON array over several lines"):
        list(read_lines(path))
    path.write_bytes(STREAMS["gzip"][0])
    assert len(list(read_lines(path))) == len(ROWS)


OTHER_LINES = [
    *(b"", b"[]", b"{}", b'["a"]', b'"BZh"', b"# results", b"\xef\xbb\xbf{}"),
    *(b"result_id", b"result_id: r1", b'["result_id", "task_id"]'),
]


@pytest.mark.parametrize("line", OTHER_LINES)
def test_a_line_that_may_be_one_of_many_is_left_to_the_parser(line: bytes) -> None:
    assert why_not_lines(line) == ""


CUT_OFF = [
    b"{\n",
    b"[\n",
    b"{\n\t",
    b"{\n  ",
    b"BZhang exported this\n",
    b"PAR1 of 2\n",
    b'"result_id": "r0", "task_id": "t"}\n',
    b"cut, off before the result_id, and after\n",
]


@pytest.mark.parametrize("before", CUT_OFF)
def test_a_line_that_was_cut_off_takes_no_other_with_it(
    tmp_path: Path, before: bytes
) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(before + LINES.encode())
    assert [line.number for line in read_lines(path)] == [1, 2, 3]


MENDED_LINES = {
    b'[{"result_id": "r", "task_id": "t"}]': "jq -c '.[]'",
    b'{"result_id": "caf\xe9", "task_id": "t"}': "iconv -f WINDOWS-1252 -t UTF-8",
}


@pytest.mark.parametrize("line", MENDED_LINES)
def test_a_rejected_line_says_how_to_mend_the_file(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(line + b"\n" + LINES.encode())
    rejected, *read = read_results(path)
    assert isinstance(rejected, Rejected)
    assert MENDED_LINES[line] in rejected.problem
    assert len(read) == len(ROWS)


@given(
    st.dictionaries(
        st.text(max_size=5), st.one_of(st.none(), st.integers(), st.text(max_size=5))
    )
)
def test_no_line_of_json_is_taken_for_something_else(row: dict[str, object]) -> None:
    for ascii_only in (True, False):
        text = json.dumps(row, ensure_ascii=ascii_only)
        assert why_not_lines(text.encode("utf-8", "surrogatepass")) == ""
