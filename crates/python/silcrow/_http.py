"""Requests over HTTP/1.1 on asyncio, as a client of an agent needs them: JSON, and streams of events."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from ._errors import Error
from ._json import write_json

_MOST_HEAD = 64 << 10


class Answer:
    """An answer whose body is read as it arrives."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, status: int, headers: Mapping[str, str]
    ) -> None:
        self._reader = reader
        self._writer = writer
        self.status = status
        self.headers = headers

    async def body(self) -> AsyncIterator[bytes]:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            while (size := int((await self._reader.readuntil(b"\r\n")).split(b";")[0], 16)) > 0:
                yield await self._reader.readexactly(size)
                await self._reader.readexactly(2)
            return
        length = self.headers.get("content-length")
        if length is not None:
            if int(length) > 0:
                yield await self._reader.readexactly(int(length))
            return
        while data := await self._reader.read(64 << 10):
            yield data

    async def json(self) -> Any:
        data = b"".join([part async for part in self.body()])
        return json.loads(data) if data else None

    def close(self) -> None:
        self._writer.close()


async def send(
    address: str, method: str, path: str, headers: Mapping[str, str], body: Any = None
) -> Answer:
    """Sends a request. An answer that is no success is an error with the code of the server."""
    parts = urlsplit(address)
    secure = parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    data = b"" if body is None else write_json(body).encode()
    head = {
        "Host": parts.netloc.rpartition("@")[2],
        "Connection": "close",
        "Content-Length": str(len(data)),
        **({} if body is None else {"Content-Type": "application/json"}),
        **headers,
    }
    lines = [f"{method} {parts.path.rstrip('/')}{path} HTTP/1.1", *(f"{name}: {value}" for name, value in head.items())]
    if any("\r" in line or "\n" in line for line in lines):
        raise ValueError("an address or a header has a line break")
    try:
        context = ssl.create_default_context() if secure else None
        reader, writer = await asyncio.open_connection(parts.hostname, port, ssl=context, limit=_MOST_HEAD)
    except OSError as why:
        raise Error(f"{address} cannot be reached: {why}", code="unreachable", retry=True) from why
    try:
        writer.write("\r\n".join([*lines, "", ""]).encode() + data)
        await writer.drain()
        status, found = _head(await reader.readuntil(b"\r\n\r\n"))
        answer = Answer(reader, writer, status, found)
        if 200 <= status < 300:
            return answer
        try:
            said = (await answer.json())["error"]
        except (ValueError, KeyError, TypeError):
            said = {}
        raise Error(
            said.get("message") or f"{address}{path} answers {status}",
            code=said.get("code") or f"http_{status}",
            retry=status in (429, 502, 503, 504),
        )
    except BaseException as why:
        writer.close()
        if isinstance(why, (OSError, asyncio.IncompleteReadError)):
            raise Error(f"{address} closed the connection", code="unreachable", retry=True) from why
        raise


def _head(head: bytes) -> tuple[int, dict[str, str]]:
    first, *rest = head.decode("latin-1").split("\r\n")
    pairs = (line.split(":", 1) for line in rest if ":" in line)
    return int(first.split(" ", 2)[1]), {name.strip().lower(): value.strip() for name, value in pairs}


async def messages(body: AsyncIterator[bytes]) -> AsyncIterator[tuple[str, str]]:
    """Decodes server-sent events, as pairs of an id and data."""
    rest = b""
    async for part in body:
        *whole, rest = (rest + part).split(b"\n\n")
        for message in whole:
            found, data = "", []
            for line in message.decode().split("\n"):
                if line.startswith("data:"):
                    data.append(line[5:].removeprefix(" "))
                elif line.startswith("id:"):
                    found = line[3:].strip()
            if data:
                yield found, "\n".join(data)
