"""Parsers of what models write, chunk by chunk."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, Union

from . import _silcrow
from ._events import Event
from ._json import REPLACEMENT, split_half, write_json
from ._tools import Tool, tool

Dialect = Literal["sigil", "phase", "action"]
Chunk = Union[str, bytes, bytearray, memoryview]


class _EventParser:
    def __init__(self, options: Mapping[str, Any]) -> None:
        self._source = _silcrow.EventSource(write_json(options))
        # The first half of a character that a chunk has cut.
        self._half = ""

    def push(self, chunk: Chunk) -> list[Event]:
        """Reads a chunk, which may be cut anywhere, and returns the events that are certain."""
        if self._half:
            return self._complete(chunk)
        try:
            return self._source.push(chunk)
        except UnicodeEncodeError:
            text, self._half = split_half(str(chunk))
            return self._source.push(text)

    def finish(self) -> list[Event]:
        """Ends the answer, and returns the events that are left. The next answer needs a new parser."""
        rest = self._source.push(REPLACEMENT) if self._half else []
        self._half = ""
        return rest + self._source.finish()

    def _complete(self, chunk: Chunk) -> list[Event]:
        half, self._half = self._half, ""
        if isinstance(chunk, str):
            return self.push(half + chunk)
        return self._source.push(REPLACEMENT) + self.push(chunk)

    def parse(self, chunks: Chunk | Iterable[Chunk]) -> Iterator[Event]:
        """Reads a whole text, or chunks, and iterates over the events."""
        if isinstance(chunks, (str, bytes, bytearray, memoryview)):
            chunks = (chunks,)
        for chunk in chunks:
            yield from self.push(chunk)
        yield from self.finish()

    async def aparse(self, chunks: AsyncIterable[Chunk]) -> AsyncIterator[Event]:
        """Reads chunks as they arrive, and iterates over the events."""
        async for chunk in chunks:
            for event in self.push(chunk):
                yield event
        for event in self.finish():
            yield event


class Parser(_EventParser):
    """A parser of one answer in a dialect.

    >>> parser = Parser("sigil")
    >>> [event["type"] for event in parser.parse(["§thi", "nk: easy\\n§respond: It is", " 4.\\n§end"])]
    ['think', 'respond', 'end']

    With ``chunks`` texts come in pieces, as soon as each is certain. With ``call_text`` calls do, too.
    With ``open_thought`` the text begins within a thought that the prompt has opened.
    """

    def __init__(
        self,
        dialect: Dialect = "sigil",
        *,
        chunks: bool = False,
        call_text: bool = False,
        open_thought: bool = False,
        inline: bool = False,
    ) -> None:
        super().__init__(
            {
                "form": dialect,
                "chunks": chunks,
                "call_text": call_text,
                "open_thought": open_thought,
                "inline": inline,
            }
        )


class NativeParser(_EventParser):
    """A parser of one answer in the native form of a model: of a family, or of several with commas
    between them, or of a ``model`` by its name.

    >>> parser = NativeParser("hermes")
    >>> text = '<tool_call>{"name": "ls", "arguments": {"path": "src"}}</tool_call>'
    >>> next(parser.parse(text))["content"]
    '{"name":"ls","args":{"path": "src"}}'

    ``tools`` are functions, or declarations as in a request of Chat Completions. Their schemas give types to
    arguments that have none in the text.
    """

    def __init__(
        self,
        family: str | None = None,
        *,
        model: str | None = None,
        tools: Iterable[Mapping[str, Any] | Tool | Callable[..., Any]] = (),
        chunks: bool = False,
        call_text: bool = False,
        open_thought: bool = False,
    ) -> None:
        if (family is None) == (model is None):
            raise ValueError("name either the family or the model")
        super().__init__(
            {
                "form": family,
                "model": model,
                "tools": [_declared(one) for one in tools],
                "chunks": chunks,
                "call_text": call_text,
                "open_thought": open_thought,
            }
        )


def _declared(one: Mapping[str, Any] | Tool | Callable[..., Any]) -> Mapping[str, Any]:
    if isinstance(one, Mapping):
        return one
    made = one if isinstance(one, Tool) else tool(one)
    return {"name": made.name, "description": made.description, "parameters": made.schema}


def write(events: Iterable[Mapping[str, Any]], dialect: Dialect = "sigil", *, inline: bool = False) -> str:
    """Writes whole events as the text of a dialect, which is parsed as the same events. Events that no model
    writes, such as results, have no text.

    >>> write([{"type": "think", "content": "easy"}])
    '§think: easy'
    """
    lines = "\n".join(write_json(event) for event in events)
    return _silcrow.write(write_json({"form": dialect, "inline": inline}), lines)


def grammar(
    dialect: Dialect = "sigil",
    *,
    format: Literal["gbnf", "lark"] = "gbnf",
    tools: Iterable[str] | None = None,
) -> str:
    """Writes a grammar for constrained decoding, for these names of tools, or for any."""
    named = None if tools is None else list(tools)
    return _silcrow.grammar(write_json({"form": dialect, "format": format, "tools": named}))


def families() -> list[dict[str, Any]]:
    """Lists the families of native forms: ``name``, and ``special_tokens`` if a server has to keep them."""
    found: list[dict[str, Any]] = json.loads(_silcrow.families())
    return found
