"""HTTP for evidence: nothing private is reached however it is spelled, nothing huge or slow is waited for."""

from __future__ import annotations

import gzip
import ipaddress
import socket
import zlib
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.sources.http.addresses import is_public, parse
from judgemesh.mesh.sources.http.fetcher import Fetcher
from judgemesh.mesh.sources.http.limits import FetchLimits
from judgemesh.mesh.sources.http.transport import Blocked
from judgemesh.mesh.sources.protocols import SourceInaccessible

from .servers import Asked, Server, answer, serving, table

pytestmark = pytest.mark.anyio

PRIVATE = (
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0/",
    "http://localhost/",
    "http://LOCALHOST/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[0:0:0:0:0:ffff:10.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
    "http://[ff02::1]/",
    "http://10.1.2.3/",
    "http://172.16.0.1/",
    "http://192.168.1.1/",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "https://127.0.0.1:6379/",
)
NO_ADDRESS = (
    "http://0177.0.0.1/",
    "http://localhost./",
    "file:///etc/passwd",
    "gopher://127.0.0.1/",
    "http+unix://%2Fvar%2Frun%2Fdocker.sock/",
    "//127.0.0.1/",
    "http://",
    "http:///path",
    "http://user:secret@example.org/",
    "http://127.0.0.1@example.org/",
)


@pytest.mark.parametrize("url", PRIVATE + NO_ADDRESS)
async def test_a_private_address_is_blocked_in_every_spelling(url: str) -> None:
    fetcher = Fetcher(FetchLimits(timeout_s=5))
    with pytest.raises(SourceInaccessible):
        await fetcher.get(url)
    if url in PRIVATE:
        with pytest.raises(Blocked, match=r"no public address"):
            await fetcher.get(url)
    await fetcher.aclose()


@pytest.mark.parametrize(
    "url",
    [
        "http://\uff11\uff12\uff17.0.0.1/",
        "http://ex ample.org/",
        "http://[::1/",
        "http://a:b:c/",
        "http://x" * 99,
    ],
)
async def test_an_address_that_is_none_is_a_line_and_no_crash(url: str) -> None:
    fetcher = Fetcher(FetchLimits(timeout_s=5))
    with pytest.raises(SourceInaccessible):
        await fetcher.get(url)
    await fetcher.aclose()


@given(
    st.sampled_from(
        [
            "10.0.0.0/8",
            "127.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "169.254.0.0/16",
            "100.64.0.0/10",
            "224.0.0.0/4",
        ]
    ),
    st.integers(0, 2**32 - 1),
)
def test_an_address_inside_another_is_as_private_as_it_is(
    network: str, offset: int
) -> None:
    block = ipaddress.IPv4Network(network)
    inner = block[offset % block.num_addresses]
    number = int(inner)
    for outer in (
        f"::ffff:{inner}",
        f"64:ff9b::{inner}",
        f"::{inner}",
        str(ipaddress.IPv6Address((0x2002 << 112) | (number << 80))),
    ):
        address = parse(outer)
        assert address is not None
        assert not is_public(address), outer
    assert not is_public(inner)


@pytest.mark.parametrize(
    "text",
    [
        "1.1.1.1",
        "93.184.216.34",
        "2606:4700::1111",
        "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8",
    ],
)
def test_public_addresses_are_public(text: str) -> None:
    address = parse(text)
    assert address is not None
    assert is_public(address)


async def test_a_redirect_into_the_private_network_is_blocked() -> None:
    async with serving(
        table({"/": answer("", status=302, Location="http://169.254.169.254/latest/")})
    ) as server:
        fetcher = Fetcher(FetchLimits(allow_hosts=frozenset({"127.0.0.1"})))
        with pytest.raises(Blocked, match=r"169\.254\.169\.254"):
            await fetcher.get(server.url)
        await fetcher.aclose()


async def test_redirects_are_followed_a_few_times_and_not_for_ever() -> None:
    async def handle(asked: Asked) -> bytes:
        return (
            answer("there")
            if asked.path == "/end"
            else answer(
                "",
                status=301,
                Location={"/": "/a", "/a": "/end"}.get(asked.path, "/loop"),
            )
        )

    async with serving(handle) as server:
        fetcher = Fetcher(FetchLimits(allow_private=True))
        page = await fetcher.get(f"{server.url}/")
        with pytest.raises(SourceInaccessible, match="redirects"):
            await fetcher.get(f"{server.url}/loop")
        await fetcher.aclose()
    assert page is not None
    assert (page.body, page.url) == (b"there", f"{server.url}/end")


async def test_a_name_is_resolved_once_and_the_checked_address_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    real = socket.getaddrinfo

    def resolve(host: Any, port: Any, *args: Any, **options: Any) -> Any:
        if host in ("rebinding.test", b"rebinding.test"):
            asked.append("rebinding.test")
            return real(
                "127.0.0.1" if len(asked) == 1 else "10.9.9.9", port, *args, **options
            )
        return real(host, port, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    async with serving(table({"/": answer("here")})) as server:
        fetcher = Fetcher(
            FetchLimits(allow_hosts=frozenset({"rebinding.test"}), timeout_s=5)
        )
        page = await fetcher.get(f"http://rebinding.test:{server.port}/")
        await fetcher.aclose()
    assert page is not None
    assert page.body == b"here"
    assert asked == ["rebinding.test"]
    assert server.asked[0].headers["host"] == f"rebinding.test:{server.port}"


async def test_one_private_address_among_public_ones_blocks_the_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def resolve(*_args: Any, **_options: Any) -> Any:
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80))
            for address in ("1.1.1.1", "10.0.0.1")
        ]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    fetcher = Fetcher(FetchLimits())
    with pytest.raises(Blocked, match=r"10\.0\.0\.1"):
        await fetcher.get("http://both.test/")
    await fetcher.aclose()


@pytest.mark.parametrize("status", [401, 403, 429, 500, 502, 503, 400, 418, 204])
async def test_a_status_that_is_no_answer_is_out_of_reach(status: int) -> None:
    async with serving(table({"/": answer("", status=status)})) as server:
        fetcher = Fetcher(FetchLimits(allow_private=True))
        with pytest.raises(SourceInaccessible, match=str(status)):
            await fetcher.get(server.url)
        await fetcher.aclose()


@pytest.mark.parametrize("status", [404, 410])
async def test_gone_is_an_answer(status: int) -> None:
    async with serving(table({"/": answer("", status=status)})) as server:
        fetcher = Fetcher(FetchLimits(allow_private=True))
        assert await fetcher.get(server.url) is None
        await fetcher.aclose()


def _bomb(size: int) -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    zeros = b"0" * 65536
    return (
        b"".join(packer.compress(zeros) for _ in range(size // 65536)) + packer.flush()
    )


@pytest.mark.parametrize(
    "response",
    [
        answer(b"x" * 300_000),
        answer(_bomb(64 * 2**20), Content_Encoding="gzip"),
        answer(gzip.compress(_bomb(64 * 2**20)), Content_Encoding="gzip, gzip"),
        answer(b"no gzip at all", Content_Encoding="gzip"),
        answer(gzip.compress(b"a" * 9_000)[:-12], Content_Encoding="gzip"),
        answer(b"x", Content_Encoding="br"),
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 400_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        b"\x00\x01\x02 this is no HTTP\r\n\r\n",
        b"",
    ],
    ids=[
        "large",
        "bomb",
        "nested bomb",
        "false gzip",
        "cut gzip",
        "unasked coding",
        "endless header",
        "cut",
        "binary",
        "silent",
    ],
)
async def test_a_hostile_answer_is_out_of_reach_and_fills_no_memory(
    response: bytes,
) -> None:
    async with serving(table({"/": response})) as server:
        fetcher = Fetcher(
            FetchLimits(allow_private=True, max_bytes=200_000, timeout_s=5)
        )
        with pytest.raises(SourceInaccessible):
            await fetcher.get(f"{server.url}/")
        await fetcher.aclose()


async def test_gzip_is_unpacked() -> None:
    async with serving(
        table({"/": answer(gzip.compress(b"packed"), Content_Encoding="gzip")})
    ) as server:
        fetcher = Fetcher(FetchLimits(allow_private=True))
        page = await fetcher.get(f"{server.url}/")
        await fetcher.aclose()
    assert page is not None
    assert page.body == b"packed"


async def test_a_server_that_dribbles_is_left_at_the_deadline() -> None:
    async def handle(asked: Asked) -> bytes:
        await anyio.sleep(30)
        return answer("late")

    with anyio.fail_after(5):
        async with serving(handle) as server:
            fetcher = Fetcher(FetchLimits(allow_private=True, timeout_s=0.2))
            with pytest.raises(SourceInaccessible, match=r"0\.2 s"):
                await fetcher.get(server.url)
            await fetcher.aclose()


async def test_a_host_is_asked_two_things_at_a_time() -> None:
    async def handle(asked: Asked) -> bytes:
        await anyio.sleep(0.05)
        return answer("done")

    async with serving(handle) as server:
        fetcher = Fetcher(FetchLimits(allow_private=True))
        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(fetcher.get, f"{server.url}/")
        await fetcher.aclose()
    assert len(server.asked) == 8
    assert server.most_at_once == 2


async def test_proxies_of_the_environment_are_not_used_and_we_say_who_we_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")

    async def ask(server: Server) -> bytes:
        fetcher = Fetcher(FetchLimits(allow_private=True))
        page = await fetcher.get(f"{server.url}/")
        await fetcher.aclose()
        assert page is not None
        return page.body

    async with serving(table({"/": answer("direct")})) as server:
        assert await ask(server) == b"direct"
    assert server.asked[0].headers["user-agent"].startswith("judgemesh/")


@pytest.mark.parametrize(
    "options",
    [
        {"allow_hosts": "localhost"},
        {"allow_private": "yes"},
        {"timeout_s": 0},
        {"max_bytes": -1},
        {"timeout_s": True},
    ],
)
def test_options_of_the_wrong_kind_are_named(options: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=next(iter(options))):
        FetchLimits.from_options(options)
