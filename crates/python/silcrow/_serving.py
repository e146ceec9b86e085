"""What a run wants of this process: calls of functions, answers to questions, answers of a model."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any

from . import _silcrow
from ._errors import Error
from ._json import REPLACEMENT, split_half, write_json
from ._tools import Call, Output, Tool, ToolError
from ._waiting import wait

if TYPE_CHECKING:
    from ._agent import Question

_LOGGER = logging.getLogger("silcrow")

Generator = Callable[[list[dict[str, str]]], Any]
Work = Callable[..., Coroutine[Any, Any, dict[str, Any]]]


async def serve(
    run: _silcrow.Run,
    functions: Mapping[str, Tool],
    approve: Callable[..., Any] | None,
    model: Generator | None,
    steered: dict[int, asyncio.Future[None]],
    raised: list[BaseException],
) -> None:
    """Serves the requests of a run until its end. The exceptions of its model are added to ``raised``."""
    tasks: dict[int, asyncio.Task[None]] = {}
    answers: dict[int, AsyncIterator[str]] = {}
    dropped: set[asyncio.Future[None]] = set()

    def start(number: int, work: Work, *args: Any) -> None:
        task = asyncio.ensure_future(_answer(run, number, work, *args))
        tasks[number] = task
        task.add_done_callback(lambda _: tasks.pop(number, None))

    async def drop(number: int) -> None:
        asking = tasks.get(number)
        if asking is not None:
            # Its last piece is still awaited, and nobody else may run the generator meanwhile.
            asking.cancel()
            await asyncio.wait([asking])
        await _drop(answers, number)

    try:
        while (requests := run.requests()) is not None:
            if not requests:
                await wait(run.wait_for_requests)
            for number, kind, about in requests:
                given = json.loads(about)
                if kind == "call":
                    start(number, _call, functions[given["name"]], given)
                elif kind == "approval":
                    start(number, _approval, approve, given)
                elif kind == "answer":
                    assert model is not None
                    answers[number] = _texts(model, given["messages"])
                    start(number, _piece, answers, number, raised)
                elif kind == "piece":
                    start(number, _piece, answers, given["number"], raised)
                elif kind == "withdrawn" and given in tasks:
                    tasks[given].cancel()
                elif kind == "dropped":
                    task = asyncio.ensure_future(drop(given))
                    dropped.add(task)
                    task.add_done_callback(dropped.discard)
                elif kind == "steered":
                    _steered(steered.pop(given[0], None), given[1])
    finally:
        # Nobody else would serve a run that is not over.
        run.cancel()
        for one in list(tasks.values()):
            one.cancel()
        await asyncio.gather(*tasks.values(), *dropped, return_exceptions=True)
        for number in list(answers):
            await _drop(answers, number)
        for future in steered.values():
            _steered(future, "the run is over")


async def _answer(run: _silcrow.Run, number: int, work: Work, *args: Any) -> None:
    answer = await work(*args)
    run.answer(number, write_json(answer))


async def _call(function: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    call = Call(given["name"], given["conversation"], given["turn"], given["id"], given["repeated"])
    try:
        output: Output = await function._run(json.loads(given["args"]), call)
    except ToolError as why:
        return {"error": str(why)}
    except asyncio.CancelledError as why:
        # If the run has cancelled the call, it takes no answer.
        return {"error": f"{type(why).__name__}: {why}"}
    except Exception as why:
        # The model reads it, and can do something else. The traceback is for the author.
        _LOGGER.warning("the tool %s has failed", given["name"], exc_info=why)
        return {"error": f"{type(why).__name__}: {why}"}
    summary = None if output.summary is None else str(output.summary)
    return {"content": str(output.content), "summary": summary, "value": output.value}


async def _approval(approve: Callable[..., Any] | None, given: dict[str, Any]) -> dict[str, Any]:
    from ._agent import decision_about

    assert approve is not None
    question = _question(given)
    try:
        answer = approve(question)
        if inspect.isawaitable(answer):
            answer = await answer
        return decision_about(question, answer)
    except (Exception, asyncio.CancelledError) as why:
        if isinstance(why, Exception):
            _LOGGER.warning("`approve` has failed, so the call is denied", exc_info=why)
        return {"answer": "no", "reason": f"nobody could be asked: {type(why).__name__}: {why}"}


def _question(given: dict[str, Any]) -> Question:
    from ._agent import Question

    others = given.pop("items")
    question = Question({**given, "args": json.loads(given["args"]), "calls": []})
    if others:
        first = Question({key: question[key] for key in ("id", "args", "target", "effect", "risk")})
        rest = (Question({**other, "args": json.loads(other["args"])}) for other in others)
        question["calls"] = [first, *rest]
    return question


async def _piece(
    answers: dict[int, AsyncIterator[str]], number: int, raised: list[BaseException]
) -> dict[str, Any]:
    try:
        async for text in answers[number]:
            return {"number": number, "text": text}
    except (Exception, asyncio.CancelledError) as why:
        answers.pop(number, None)
        raised.append(why)
        return {"error": f"{type(why).__name__}: {why}"}
    answers.pop(number, None)
    return {}


async def _texts(model: Generator, messages: list[dict[str, str]]) -> AsyncIterator[str]:
    """Iterates over the pieces of an answer, whose characters are whole."""
    answer = model(messages)
    if inspect.isawaitable(answer):
        answer = await answer
    if not hasattr(answer, "__aiter__"):
        kind = type(answer).__name__
        raise TypeError(f"`stream(messages)` has to be an asynchronous generator of text, and has returned a {kind}")
    half = ""
    try:
        async for piece in answer:
            if not isinstance(piece, str):
                raise TypeError(f"a piece of an answer is a str, and `stream(messages)` has made {piece!r}")
            text, half = split_half(half + piece)
            if text:
                yield text
        if half:
            yield REPLACEMENT
    finally:
        close = getattr(answer, "aclose", None)
        if close is not None:
            await close()


async def _drop(answers: dict[int, AsyncIterator[str]], number: int) -> None:
    generator: Any = answers.pop(number, None)
    if generator is None:
        return
    try:
        await generator.aclose()
    except Exception as why:
        # The run has all that it wants, and goes on.
        about = {"message": "the generator of an answer has failed at its end", "exception": why}
        asyncio.get_running_loop().call_exception_handler(about)


def _steered(future: asyncio.Future[None] | None, why: str | None) -> None:
    if future is None or future.done():
        return
    if why is None:
        future.set_result(None)
    else:
        future.set_exception(Error(why, code="refused"))
