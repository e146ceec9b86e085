"""Actions that run while the model writes them, for a program that has a stream of text and no agent."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import json
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from typing import Any, Literal, Union

from . import _silcrow
from ._events import Event
from ._json import write_json
from ._pieces import PieceFilter
from ._tools import Output, output_of


@dataclasses.dataclass(frozen=True)
class Action:
    """An action that may run now: ``parameters`` have outputs in place of ``$name``."""

    name: str
    parameters: dict[str, Any]
    id: str
    #: ``tool``, ``agent``, ``relic``, ``workflow`` or ``llm``.
    type: str = "tool"
    #: ``sync``, ``async`` or ``fire_and_forget``.
    mode: str = "sync"
    timeout: float | None = None
    attempt: int = 1


@dataclasses.dataclass(frozen=True)
class ParsedToken:
    """A piece of what the model writes: of a ``thought`` or a ``response``, an ``action`` that starts, its
    ``result``, or an ``event`` of another kind, which ``metadata`` has."""

    token_type: Literal["thought", "action", "response", "result", "event"]
    content: str
    metadata: dict[str, Any]


Executor = Callable[[Action], Union[Any, Awaitable[Any]]]


class StreamingProtocolParser:
    """Parses a stream in the dialect ``action``, and runs each action as soon as it may run.

    An action starts when its tag is closed, after what it depends on, and after every ``sync`` action before
    it. The rules of dependencies, outputs, attempts and control blocks are those of an agent.

    >>> import asyncio
    >>> async def stream():
    ...     yield '<action type="tool" id="sum">{"name": "add", "parameters": {"a": 5}, "output_key": "sum"}</action>'
    ...     yield "<response>It is $sum.</response>"
    >>> async def main():
    ...     parser = StreamingProtocolParser(action_executor=lambda action: action.parameters["a"] + 3)
    ...     return [token.content async for token in parser.parse_stream(stream()) if token.token_type == "response"]
    >>> "".join(asyncio.run(main()))
    'It is 8.'

    :param action_executor: runs an :class:`Action`, and returns its output, or raises. It may be
        asynchronous.
    """

    def __init__(self, action_executor: Executor) -> None:
        self._execute = action_executor

    async def parse_stream(self, chunks: AsyncIterable[str]) -> AsyncIterator[ParsedToken]:
        """Reads chunks as they arrive, and iterates over what they mean."""
        turn = _Turn(self._execute)
        reading = asyncio.ensure_future(turn.read(chunks))
        try:
            while (token := await turn.tokens.get()) is not None:
                yield token
            await reading
        finally:
            reading.cancel()
            await asyncio.gather(reading, *turn.running.values(), return_exceptions=True)


class _Turn:
    def __init__(self, execute: Executor) -> None:
        self.core = _silcrow.ActionTurn()
        self.pieces = PieceFilter(True)
        # A slow reader slows the reading of the stream down; results of calls do not wait for it.
        self.tokens: asyncio.Queue[ParsedToken | None] = asyncio.Queue()
        self.running: dict[str, asyncio.Future[None]] = {}
        self.execute = execute

    async def read(self, chunks: AsyncIterable[str]) -> None:
        try:
            async for chunk in chunks:
                self.take(self.core.push(chunk))
                while self.tokens.qsize() > _AHEAD:
                    await asyncio.sleep(0.001)
            self.take(self.core.finish())
            while self.running and not self.core.is_settled:
                await asyncio.wait(list(self.running.values()), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in self.running.values():
                one.cancel()
            self.tokens.put_nowait(None)

    def take(self, lines: list[str]) -> None:
        for line in lines:
            for event in self.pieces.read(Event(json.loads(line))):
                self.tokens.put_nowait(_token(event))
        for line in self.core.decide():
            decision = json.loads(line)
            what, number = decision["do"], decision["id"]
            if what == "start":
                self.start(decision)
            elif what in ("retry", "time"):
                step = self.core.retry if what == "retry" else self.core.time_out
                self.begin(f"{what} {number}", self.after(decision["after"], step, number))
            elif what in ("stop", "await") and number in self.running:
                self.running[number].cancel()
                if what == "await":
                    self.begin(f"await {number}", self.stopped(self.running[number], number))

    def start(self, decision: dict[str, Any]) -> None:
        action = Action(
            decision["name"],
            json.loads(decision["args"]),
            decision["id"],
            decision["kind"],
            decision["mode"],
            decision["timeout"],
            decision["attempt"],
        )
        self.tokens.put_nowait(ParsedToken("action", action.name, {"action": action}))
        self.begin(action.id, self.run(action))

    def begin(self, name: str, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self.running[name] = task
        task.add_done_callback(lambda _: self.running.pop(name, None))

    async def run(self, action: Action) -> None:
        try:
            result = self.execute(action)
            if inspect.isawaitable(result):
                result = await asyncio.wait_for(result, action.timeout)
            output: Output = output_of(result)
            outcome = {"content": output.content, "summary": output.summary or "done", "value": output.value}
        except asyncio.TimeoutError:
            outcome = {"error": f"it took longer than {action.timeout} s"}
        except Exception as why:
            outcome = {"error": f"{type(why).__name__}: {why}"}
        # What waits for it must find it gone.
        self.running.pop(action.id, None)
        self.take(self.core.end(action.id, action.name, write_json(outcome)))

    async def after(self, seconds: float, step: Callable[[str], list[str]], number: str) -> None:
        await asyncio.sleep(seconds)
        self.take(step(number))

    async def stopped(self, task: asyncio.Future[None], number: str) -> None:
        await asyncio.wait([task])
        self.take(self.core.stopped(number))


def _token(event: Event) -> ParsedToken:
    if event.type == "think":
        return ParsedToken("thought", event["content"], {"event": event})
    if event.type == "respond" and not event.malformed:
        return ParsedToken("response", event["content"], {"event": event})
    if event.type == "result":
        error = event["content"] if event["payload"]["error"] else None
        return ParsedToken("result", event["content"] or "", {"event": event, "error": error})
    return ParsedToken("event", event.content or "", {"event": event})


_AHEAD = 64
