"""A program whose types mypy checks against the package."""

import asyncio
from collections.abc import AsyncIterator

from silcrow import Agent, Client, Event, Parser, Question, Tool, tool


@tool(read_only=True)
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


async def model(messages: list[dict[str, str]]) -> AsyncIterator[str]:
    yield "§respond: ok\n§end"


def approve(question: Question) -> bool:
    return bool(question["tool"] == "add")


async def main() -> None:
    named: Tool = add
    agent = Agent(model, tools=[named, "file_read"], store="memory", approve=approve, stream="token")
    async for event in agent("Hello?", chunks=True):
        text: str = event["content"]
        print(text, event.type)
    answer: str = await agent.ask("Hello?")
    events: list[Event] = Parser("sigil").push(answer)
    async for event in Client("http://127.0.0.1:8080", token="t")("Hello?"):
        events.append(event)


if __name__ == "__main__":
    asyncio.run(main())
