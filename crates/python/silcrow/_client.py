"""A client of an agent that ``silcrow serve`` runs, with the interface of an agent in this process."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Literal
from urllib.parse import quote

from ._agent import Decision, Question, Stream, decision
from ._errors import Error, Waiting, error_of
from ._events import Event
from ._http import messages, send
from ._pieces import PieceFilter

_MOST_FAILURES = 8


class Client:
    """An agent at an address, which answers prompts as :class:`Agent` does.

    A run belongs to its server: a connection that is lost is opened again where it was, and ending the
    iteration early leaves the run at work.

    ``stop``, ``steer`` and ``questions`` of a run are awaited, because they are requests.

    :param address: such as ``http://127.0.0.1:8080``, or the link with the token that ``silcrow serve`` prints.
    :param token: the token of the server.
    :param headers: headers of every request.
    """

    def __init__(
        self,
        address: str,
        *,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
        stream: Stream = "event",
    ) -> None:
        place, _, given = address.partition("#token=")
        if not place.startswith(("http://", "https://")):
            raise ValueError(f"address: begin it with http:// or https://, as in http://{place}")
        token = token or given or None
        self._address = place.rstrip("/")
        self._headers = dict(headers or {})
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        self._stream = stream

    def __call__(
        self,
        prompt: str,
        *,
        conversation: str | None = None,
        stream: Stream | Literal["as the agent"] = "as the agent",
        chunks: bool | None = None,
    ) -> ServedRun:
        """Answers a prompt, in a conversation or in a new one."""
        name = conversation or f"c{secrets.token_hex(12)}"

        async def begin() -> tuple[str | None, str]:
            begun = await self._json("POST", f"{_path(name)}/runs", {"prompt": prompt})
            return begun["run"], begun["after"]

        return ServedRun(self, name, begin, self._chunks(stream, chunks))

    def follow(
        self,
        conversation: str,
        *,
        after: str = "0",
        stream: Stream | Literal["as the agent"] = "as the agent",
        chunks: bool | None = None,
    ) -> ServedRun:
        """Follows a conversation from a position: the run at work, or the last one."""

        async def begin() -> tuple[str | None, str]:
            return None, after

        return ServedRun(self, conversation, begin, self._chunks(stream, chunks))

    def resume(
        self,
        conversation: str,
        answers: Mapping[str, Decision],
        *,
        stream: Stream | Literal["as the agent"] = "as the agent",
        chunks: bool | None = None,
    ) -> ServedRun:
        """Answers the questions of a conversation that waits, and continues it."""

        async def begin() -> tuple[str | None, str]:
            before = (await self._json("GET", f"{_path(conversation)}?limit=0"))["conversation"]
            given = [_decided(question, answer) for question, answer in answers.items()]
            taken = await self._json("POST", f"{_path(conversation)}/answers", {"answers": given})
            if taken["open"]:
                raise Waiting(f"{taken['open']} questions are still open", await self.questions(conversation))
            return taken["run"], str(before["events"])

        return ServedRun(self, conversation, begin, self._chunks(stream, chunks))

    async def ask(self, prompt: str, *, conversation: str | None = None) -> str:
        """Answers a prompt, and returns the text of the answer."""
        run = self(prompt, conversation=conversation, stream="event")
        texts: list[str] = []
        async for event in run:
            if event.type == "call":
                texts.clear()
            elif event.type == "respond" and not event.malformed and event.agent_path is None:
                texts.append(event["content"])
        if run.outcome == "waiting":
            raise Waiting("the run waits for answers about its calls", await run.questions())
        if run.outcome == "stopped":
            raise Error("the run was stopped before its answer", code="interrupted")
        return "\n\n".join(texts)

    async def questions(self, conversation: str) -> list[Question]:
        """Returns the questions for whose answers a conversation waits."""
        found = (await self._json("GET", f"{_path(conversation)}/questions"))["questions"]
        return [_question(one) for one in found]

    async def stop(self, conversation: str, run: str | None = None) -> None:
        """Stops the run at work."""
        await self._json("POST", f"{_path(conversation)}/stop", {"run": run})

    async def steer(self, conversation: str, message: str) -> None:
        """Sends a message to the run at work."""
        await self._json("POST", f"{_path(conversation)}/steer", {"message": message})

    async def aclose(self) -> None:
        """Does nothing: a client holds nothing open."""

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _chunks(self, stream: Stream | str, chunks: bool | None) -> bool:
        mode = self._stream if stream == "as the agent" else stream
        return mode == "token" if chunks is None else chunks

    async def _json(self, method: str, path: str, body: Any = None) -> Any:
        answer = await send(self._address, method, path, self._headers, body)
        try:
            return await answer.json()
        finally:
            answer.close()


class ServedRun(AsyncIterator[Event]):
    """A run of a server, which is iterated over once. It begins with the first event."""

    def __init__(
        self,
        client: Client,
        conversation: str,
        begin: Callable[[], Awaitable[tuple[str | None, str]]],
        chunks: bool,
    ) -> None:
        self.conversation = conversation
        #: The id of the run, once it has begun.
        self.id: str | None = None
        #: The position of the last event that was read, from which ``follow`` continues.
        self.position: str | None = None
        #: How the run has ended.
        self.outcome: Literal["answered", "stopped", "waiting", "failed"] | None = None
        self._client = client
        self._begin = begin
        self._chunks = chunks
        self._events = self._read()

    def __aiter__(self) -> ServedRun:
        return self

    async def __anext__(self) -> Event:
        return await self._events.__anext__()

    async def questions(self) -> list[Question]:
        """Returns the questions for whose answers the run waits."""
        return await self._client.questions(self.conversation)

    async def stop(self) -> None:
        """Stops the run. The iteration goes on to its end."""
        await self._client.stop(self.conversation, self.id)

    async def steer(self, message: str) -> None:
        """Sends a message to the run at work."""
        await self._client.steer(self.conversation, message)

    async def aclose(self) -> None:
        """Ends the reading. The run goes on."""
        await self._events.aclose()  # type: ignore[attr-defined]

    async def _read(self) -> AsyncIterator[Event]:
        self.id, self.position = await self._begin()
        pieces = PieceFilter(self._chunks)
        failures = 0
        while True:
            try:
                async for event in self._messages():
                    failures = 0
                    if event["type"] == "idle":
                        self.outcome = event["outcome"]
                        if self.outcome == "failed":
                            why = event.content or "the run has failed"
                            raise error_of(event.code or "failed", why, False, False)
                        return
                    for one in pieces.read(event):
                        yield one
            except Error as why:
                if self.outcome is not None or not why.retry or failures >= _MOST_FAILURES:
                    raise
            except (OSError, asyncio.IncompleteReadError):
                if failures >= _MOST_FAILURES:
                    raise
            await asyncio.sleep(min(2**failures / 4, 10))
            failures += 1

    async def _messages(self) -> AsyncIterator[Event]:
        chunks = "" if self._chunks else "&chunks=false"
        path = f"{_path(self.conversation)}/events?after={quote(self.position or '0')}{chunks}"
        answer = await send(self._client._address, "GET", path, {**self._client._headers, "Accept": "text/event-stream"})
        try:
            async for found, data in messages(answer.body()):
                if found:
                    self.position = found
                yield Event(json.loads(data))
        finally:
            answer.close()


def _path(conversation: str) -> str:
    return f"/conversations/{quote(conversation, safe='')}"


def _question(found: dict[str, Any]) -> Question:
    """Returns a question of a server in the form of one of this process."""
    call = found["call"]
    args = json.loads(call["args"]) if isinstance(call.get("args"), str) else call.get("args")
    return Question({**call, **found, "args": args})


def _decided(question: str, answer: Decision) -> dict[str, Any]:
    given = decision(answer)
    if given["answer"] == "no":
        return {"question": question, "decision": "deny", "reason": given.get("reason")}
    return {"question": question, "decision": "allow", "scope": given["answer"]}
