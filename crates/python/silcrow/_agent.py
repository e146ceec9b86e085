"""Agents in this process: a model, tools and a store, and runs as asynchronous iterators."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import pathlib
import shutil
import sys
import sysconfig
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from typing import Any, Literal, Union

from . import _silcrow
from ._errors import Error, Waiting, error_of
from ._events import Event
from ._json import whole, write_json
from ._serving import serve
from ._tools import Tool, tool
from ._waiting import wait

Stream = Union[Literal["token", "event"], None]
Decision = Union[bool, Literal["once", "conversation", "later"], str]
Decisions = Union[Decision, "list[Union[bool, str]]"]
Approve = Callable[["Question"], Union[Decisions, Awaitable[Decisions]]]
AnyTool = Union[str, Tool, Callable[..., Any]]


class Question(Event):
    """A question whether a call may run: ``id``, ``tool``, ``args``, and what its tool says: ``target``,
    ``effect``, ``risk`` and ``why``. ``scope`` is what the answer ``"conversation"`` covers: of a function,
    calls with the same arguments.

    If a loop asks for several items, ``calls`` has a question for each of them, with ``id``, ``args``,
    ``target``, ``effect`` and ``risk``. The first one is the question itself. The answer may be a list with
    a ``True``, a ``False`` or a text for each; any other answer is about the first alone, and the function
    is asked about the others next. Outside of loops ``calls`` is empty."""

    __slots__ = ()


class Agent:
    """A model with tools and a store, which answers prompts.

    An agent holds no conversation: each run reads its own from the store. Any number of runs may work at
    once.

    >>> import asyncio
    >>> async def main():
    ...     agent = Agent("rehearsal", tools=[], store="memory")
    ...     return [event["type"] async for event in agent("Hello?")]
    >>> asyncio.run(main())[0]
    'user'

    :param model: the name of a model, such as ``anthropic:claude-sonnet-4-5``, ``openai:gpt-5`` or
        ``compatible:http://127.0.0.1:8000/v1#MODEL``; keys are in the variables that vendors use. Without
        it the variable ``SILCROW_MODEL`` names one, or it is the rehearsal model, which needs no key.
        An object with ``stream(messages)``, or a function of messages, that is an asynchronous generator of
        text is a model, too.
    :param tools: functions, and names of built-in tools such as ``"file_read"``. ``None`` is all built-in
        ones, which see ``root``.
    :param store: a folder, ``"memory"`` or the address of a PostgreSQL database. Without it conversations
        are where the command ``silcrow`` keeps them, and ``silcrow log`` shows them.
    :param profile: learns facts about the person from conversations, and lets the model read them.
    :param stream: ``"token"`` for texts in pieces, as soon as each is certain; ``"event"`` for whole events;
        ``None`` for whole events of a model that is not asked to stream.
    :param approve: a function that is asked about calls that need a yes. It returns ``True`` (or ``"once"``)
        or ``False``, ``"conversation"`` for the ``scope`` of the question in this conversation, ``"later"``
        for a run that waits, or another text, which says why not; for the items of a loop a list of such
        answers (:class:`Question`). ``"later"`` instead of a function lets every such run wait.
        Without it such calls are denied.
    :param root: the folder that the built-in tools see.
    :param user: whose conversations these are; others do not see them.
    :param dialect: how the model writes: ``sigil``, ``phase`` or ``action``.
    :param mode: how results reach the model: ``resume`` over an open connection, ``replay`` in a new request
        each time, or ``auto``.
    :param permissions: the mode of the built-in tools: ``read-only``, ``ask``, ``workspace`` or
        ``full``.
    :param allow: built-in tools that run without a question.
    :param instructions: a text for the system prompt.
    :param agents_md: reads the files ``AGENTS.md`` of the person and the project.
    :param manifest: a file that declares agents, workflows and services.
    :param max_steps: how often a run may ask the model.
    :param window: how many tokens the model reads at once, if its name does not say it.
    :param titles: a model that names conversations.
    :param rate: how many tokens the rehearsal model writes in a second.
    :param notice: is called with lines for the person, such as that a store could be read by others.
    """

    def __init__(
        self,
        model: Any = None,
        *,
        tools: Iterable[AnyTool] | None = None,
        store: str | os.PathLike[str] | None = None,
        profile: bool = False,
        stream: Stream = "event",
        approve: Approve | Literal["later"] | None = None,
        root: str | os.PathLike[str] = ".",
        user: str | None = None,
        dialect: str | None = None,
        mode: Literal["auto", "resume", "replay"] | None = None,
        permissions: str | None = None,
        allow: Iterable[str] = (),
        instructions: str | None = None,
        agents_md: bool = False,
        manifest: str | os.PathLike[str] | None = None,
        max_steps: int | None = None,
        window: int | None = None,
        titles: str | None = None,
        rate: int | None = None,
        notice: Callable[[str], object] | None = None,
    ) -> None:
        named = model if model is None or isinstance(model, str) else None
        self._model = None if named is model else _generator(model)
        if not callable(approve) and approve not in (None, "later"):
            raise ValueError(f"approve: use a function or 'later', and not {approve!r}")
        _check_stream(stream)
        for name, number in (("max_steps", max_steps), ("window", window), ("rate", rate)):
            if number is not None and (not isinstance(number, int) or number < 1):
                raise ValueError(f"{name}: use a whole number from 1, and not {number!r}")
        for name, text in (("instructions", instructions), ("titles", titles), ("user", user)):
            if text is not None and not isinstance(text, str):
                raise TypeError(f"{name}: use a text, and not {text!r}")
        built_in, functions = _split(tools)
        self._functions = {one.name: one for one in functions}
        if len(self._functions) < len(functions) or any(name in self._functions for name in built_in or ()):
            raise ValueError("tools: two of them have the same name; tool(name=…) gives another")
        self._approve = approve if callable(approve) else None
        self._stream = stream
        options = {
            "model": named,
            "generator": None if self._model is None else getattr(model, "name", None) or "python",
            "functions": [one._facts() for one in functions],
            "tools": built_in,
            "allow": list(allow),
            "permissions": permissions,
            "store": None if store is None else os.fspath(store),
            "root": os.path.abspath(root),
            "user": user,
            "dialect": dialect,
            "instructions": instructions,
            "agents_md": agents_md,
            "profile": profile,
            "mode": mode,
            "max_steps": max_steps,
            "rate": rate,
            "manifest": None if manifest is None else os.fspath(manifest),
            "window": window,
            "title_model": titles,
            "helper": program(),
            "decides": "later" if approve == "later" else "function" if self._approve else "nobody",
        }
        self._core = _silcrow.AgentCore(write_json(options), notice or _warn)

    def __call__(
        self,
        prompt: str,
        *,
        conversation: str | None = None,
        stream: Stream | Literal["as the agent"] = "as the agent",
        chunks: bool | None = None,
    ) -> Run:
        """Answers a prompt, in a conversation or in a new one. The result is iterated over once:
        ``async for event in agent("…")``. To leave the loop early stops such a run. One that a variable
        holds works on until :meth:`Run.stop`, :meth:`Run.aclose` or the end of ``async with agent("…") as
        run:``."""
        return Run(self, {"prompt": prompt, "conversation": conversation, "answers": {}}, stream, chunks)

    def resume(
        self,
        conversation: str,
        answers: Mapping[str, Decision] | None = None,
        *,
        stream: Stream | Literal["as the agent"] = "as the agent",
        chunks: bool | None = None,
    ) -> Run:
        """Continues a run that waits, with answers by the ids of its questions, or one that was stopped or
        whose process was killed. Calls that ran before are not run again."""
        given = {question: decision(answer) for question, answer in (answers or {}).items()}
        order = {"prompt": None, "conversation": conversation, "answers": given}
        return Run(self, order, stream, chunks)

    async def ask(self, prompt: str, *, conversation: str | None = None) -> str:
        """Answers a prompt, and returns the text of the answer.

        :raises Waiting: if the run waits for answers about calls.
        """
        run = self(prompt, conversation=conversation, stream="event")
        texts: list[str] = []
        async for event in run:
            if event.type == "respond" and not event.malformed and event.agent_path is None:
                texts.append(event["content"])
            elif event.type == "call":
                texts.clear()
        if run.outcome == "waiting":
            raise Waiting("the run waits for answers about its calls", run.questions)
        if run.outcome == "stopped":
            raise Error("the run was stopped before its answer", code="interrupted")
        return "\n\n".join(texts)

    async def aclose(self) -> None:
        """Waits for titles and facts that are noted after runs, and ends servers of tools."""
        loop = asyncio.get_running_loop()
        closed = loop.create_future()
        self._core.close(lambda: loop.call_soon_threadsafe(closed.set_result, None))
        await closed

    async def __aenter__(self) -> Agent:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class Run(AsyncIterator[Event]):
    """A run, which is iterated over once. It begins with the first event.

    As a context manager it ends with its block, however that is left::

        async with agent("Order two breads.") as run:
            async for event in run:
                ...
    """

    def __init__(
        self, agent: Agent, order: dict[str, Any], stream: Stream | str, chunks: bool | None
    ) -> None:
        mode = agent._stream if stream == "as the agent" else stream
        _check_stream(mode)
        if not isinstance(order["prompt"], (str, type(None))):
            raise TypeError(f"prompt: use a text, and not {order['prompt']!r}")
        order["chunks"] = mode == "token" if chunks is None else chunks
        order["streams"] = mode is not None or order["chunks"]
        self._agent = agent
        self._order = order
        self._core: _silcrow.Run | None = None
        self._ready: list[Event] = []
        self._is_read = False
        self._steered: dict[int, asyncio.Future[None]] = {}
        self._serving: asyncio.Future[None] | None = None
        self._raised: list[BaseException] = []
        self._end: dict[str, Any] | None = None
        self._questions: list[Question] = []

    @property
    def conversation(self) -> str | None:
        """The id of the conversation, once the run has begun."""
        return self._core.conversation if self._core else self._order["conversation"]

    @property
    def outcome(self) -> Literal["answered", "stopped", "waiting", "failed"] | None:
        """How the run has ended, or ``None`` before its end."""
        return self._end["outcome"] if self._end else None

    @property
    def questions(self) -> list[Question]:
        """The questions for whose answers the run waits. Each has an ``id`` for :meth:`Agent.resume`."""
        return self._questions

    def stop(self) -> None:
        """Stops the run. The iteration goes on to its end. A run that has not begun never does."""
        if self._core:
            self._core.cancel()
        else:
            self._end = self._end or {"outcome": "stopped"}

    async def steer(self, message: str) -> None:
        """Sends a message to the run at work, and waits until it is stored."""
        if self._core is None:
            raise Error("the run has not begun", code="refused")
        if self._serving is None or self._serving.done():
            # Nobody would say what became of the message.
            raise Error("the run is over", code="refused")
        sent = asyncio.get_running_loop().create_future()
        number = max(self._steered, default=0) + 1
        self._steered[number] = sent
        self._core.steer(number, whole(message))
        await sent

    async def aclose(self) -> None:
        """Ends the run, if it works. Afterwards no function begins, and those that are asynchronous have
        ended; a thread of another function cannot be stopped."""
        if self._core:
            self._core.close()
        self._ready.clear()
        self._end = self._end or {"outcome": "stopped"}
        if self._serving is not None:
            # It cancels the functions, also the one that may have called this.
            self._serving.cancel()
            await asyncio.wait([self._serving])

    async def __aenter__(self) -> Run:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __aiter__(self) -> Run:
        return self

    async def __anext__(self) -> Event:
        if self._is_read:
            raise RuntimeError("the run is read by another loop already")
        if self._core is None and self._end is not None:
            raise StopAsyncIteration
        core = self._begun()
        self._is_read = True
        try:
            while not self._ready:
                if self._end is not None:
                    raise StopAsyncIteration
                lines = core.take()
                if lines is None:
                    self._finish(json.loads(core.end or "{}"))
                elif lines:
                    self._ready = [Event(json.loads(line)) for line in reversed(lines)]
                else:
                    await wait(core.wait)
        except asyncio.CancelledError:
            await self.aclose()
            raise
        finally:
            self._is_read = False
        return self._ready.pop()

    def _begun(self) -> _silcrow.Run:
        if self._core is None:
            _refuse_after_fork()
            self._core = self._agent._core.run(write_json(self._order))
            agent = self._agent
            # The task holds neither this object nor its events, so a loop that ends early ends the run.
            task = asyncio.ensure_future(
                serve(self._core, agent._functions, agent._approve, agent._model, self._steered, self._raised)
            )
            self._serving = task
            _SERVING.add(task)
            task.add_done_callback(_SERVING.discard)
        return self._core

    def _finish(self, end: dict[str, Any]) -> None:
        self._end = end
        questions = end.get("questions", [])
        self._questions = [Question({**one, "args": json.loads(one["args"])}) for one in questions]
        if end["outcome"] == "failed":
            error = error_of(end["code"], end["content"], end["retry"], end["provider"])
            # The run fails with its model, whose exception knows the line.
            raise error from (self._raised[-1] if self._raised and end["provider"] else None)

    def __del__(self) -> None:
        if getattr(self, "_core", None) is not None and self._end is None:
            self._core.close()  # type: ignore[union-attr]


_SERVING: set[asyncio.Future[None]] = set()

_has_begun = False
_is_forked = False


def _refuse_after_fork() -> None:
    global _has_begun
    _has_begun = True
    if _is_forked:
        words = "this process was forked from one with agents at work, whose threads it does not have; start it with `spawn`"
        raise Error(words, code="forked")


def _note_fork() -> None:
    global _is_forked
    _is_forked = _has_begun


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)


def decision_about(question: Question, answer: Decisions) -> dict[str, Any]:
    """Returns an answer to a question, which may be about the items of a loop."""
    if not isinstance(answer, list):
        return decision(answer)
    if not question["calls"]:
        raise ValueError("a list answers a question about the items of a loop, and this one is about one call")
    if len(answer) != len(question["calls"]):
        raise ValueError(f"the question is about {len(question['calls'])} calls, and the list has {len(answer)} answers")
    allowed = [place for place, one in enumerate(answer) if one is True]
    reasons = [one for one in answer if isinstance(one, str)]
    return {"answer": "items", "allowed": allowed, **({"reason": reasons[0]} if reasons else {})}


def decision(answer: Decision) -> dict[str, Any]:
    """Returns an answer to a question as the crates read it."""
    if answer is True:
        return {"answer": "once"}
    if answer is False or answer is None:
        return {"answer": "no"}
    if not isinstance(answer, str):
        raise TypeError(f"an answer to a question is True, False or a text, and not {answer!r}")
    if answer in ("once", "conversation", "later"):
        return {"answer": answer}
    return {"answer": "no", "reason": answer}


def program() -> str | None:
    """Returns the path of the program ``silcrow`` that came with this package."""
    name = "silcrow.exe" if sys.platform == "win32" else "silcrow"
    for folder in (sysconfig.get_path("scripts"), pathlib.Path(sys.executable).parent):
        if (pathlib.Path(folder) / name).is_file():
            return str(pathlib.Path(folder) / name)
    return shutil.which("silcrow")


def _check_stream(stream: object) -> None:
    if stream not in ("token", "event", None):
        raise ValueError(f"stream: use 'token', 'event' or None, and not {stream!r}")


def _split(tools: Iterable[AnyTool] | None) -> tuple[list[str] | None, list[Tool]]:
    if tools is None:
        return None, []
    if isinstance(tools, str):
        raise TypeError(f"tools: use a list, such as [{tools!r}]")
    built_in: list[str] = []
    functions: list[Tool] = []
    for one in tools:
        if isinstance(one, str):
            built_in.append(one)
        elif not callable(one):
            raise TypeError(f"tools: use functions and names of built-in tools, and not {one!r}")
        else:
            functions.append(one if isinstance(one, Tool) else tool(one))
    return built_in, functions


def _generator(model: Any) -> Callable[[list[dict[str, str]]], Any]:
    stream = getattr(model, "stream", model)
    if not callable(stream):
        raise TypeError("model: use a name, an object with `stream(messages)`, or such a function")
    if not inspect.isasyncgenfunction(inspect.unwrap(stream)) and inspect.isfunction(stream):
        raise TypeError("model: `stream(messages)` has to be an asynchronous generator of text")
    generator: Callable[[list[dict[str, str]]], Any] = stream
    return generator


def _warn(line: str) -> None:
    warnings.warn(line, stacklevel=1)
