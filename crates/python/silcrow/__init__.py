"""Streaming agents that say on the wire what they are doing.

An agent is a model, tools and a store::

    import asyncio
    from silcrow import Agent

    def weather(city: str) -> str:
        "Returns the weather of a city."
        return f"Sun in {city}."

    async def main():
        agent = Agent("anthropic:claude-sonnet-4-5", tools=[weather])
        async for event in agent("What is the weather in Paris?"):
            print(event)

    asyncio.run(main())

Events are dictionaries such as ``{"type": "respond", "content": "…"}``; :class:`Event` lists them. The
prompt ``agent("…", stream="token")`` streams texts in pieces. Without a key, ``Agent("rehearsal")`` is a
model that follows simple rules.

:class:`Client` is the same for an agent that ``silcrow serve`` runs elsewhere. :class:`Parser` and
:class:`NativeParser` read what a model has written, chunk by chunk, without an agent.
"""

from ._actions import Action, ParsedToken, StreamingProtocolParser
from ._agent import Agent, Question, Run
from ._client import Client, ServedRun
from ._errors import ActiveError, Error, LimitError, ProviderError, Waiting
from ._events import Event
from ._silcrow import __version__
from ._parsing import NativeParser, Parser, families, grammar, write
from ._tools import Call, Output, Tool, ToolError, schema_of, tool

__all__ = [
    "Action",
    "ActiveError",
    "Agent",
    "Call",
    "Client",
    "Error",
    "Event",
    "LimitError",
    "NativeParser",
    "Output",
    "ParsedToken",
    "Parser",
    "ProviderError",
    "Question",
    "Run",
    "ServedRun",
    "StreamingProtocolParser",
    "Tool",
    "ToolError",
    "Waiting",
    "__version__",
    "families",
    "grammar",
    "schema_of",
    "tool",
    "write",
]
