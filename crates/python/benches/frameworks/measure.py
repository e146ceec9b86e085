"""Measures agents at once in one process: each calls a tool that takes a second, and streams 200 words.

    python3 measure.py silcrow 200

The frameworks are ``silcrow``, ``pydantic-ai`` and ``openai-agents``; ``requirements.txt`` pins the others.
Each works with the same server in another process.
"""

import asyncio
import os
import resource
import subprocess
import sys
import time


async def wait(number: int) -> int:
    """Waits."""
    await asyncio.sleep(1)
    return number


def silcrow(url):
    from silcrow import Agent

    os.environ.setdefault("COMPATIBLE_API_KEY", "none")

    async def run(agent):
        texts = []
        async for event in agent("Go.", stream="token"):
            if event["type"] == "respond":
                texts.append(event["content"])
        return "".join(texts)

    return lambda: Agent(f"compatible:{url}#mock", tools=[wait], store="memory"), run


def pydantic_ai(url):
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model = OpenAIChatModel("mock", provider=OpenAIProvider(base_url=url, api_key="none"))

    async def run(agent):
        async with agent.run_stream("Go.") as result:
            return "".join([text async for text in result.stream_text(delta=True, debounce_by=None)])

    return lambda: Agent(model, tools=[wait]), run


def openai_agents(url):
    from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
    from openai import AsyncOpenAI

    set_tracing_disabled(True)
    model = OpenAIChatCompletionsModel("mock", AsyncOpenAI(base_url=url, api_key="none"))
    tool = function_tool(wait)

    async def run(agent):
        result, texts = Runner.run_streamed(agent, "Go."), []
        async for event in result.stream_events():
            if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                texts.append(event.data.delta)
        return "".join(texts)

    return lambda: Agent(name="agent", model=model, tools=[tool]), run


async def main(name, count, url):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    start = time.monotonic()
    make, run = globals()[name.replace("-", "_")](url)
    # The first run also imports what is imported late.
    await run(make())
    imported, worked = time.monotonic(), time.process_time()
    agents = [make() for _ in range(count)]
    made = time.monotonic()
    threads = []
    runs = [asyncio.ensure_future(run(agent)) for agent in agents]
    looking = asyncio.ensure_future(watch(threads))
    answers = await asyncio.gather(*runs)
    seconds = time.monotonic() - made
    looking.cancel()
    assert all("word0 " in answer and "word199" in answer for answer in answers), answers[0]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(
        f"{name}: {count} agents, ready in {imported - start:.2f} s, made in {made - imported:.2f} s, "
        f"ran in {seconds:.2f} s (1 s of it is the tool), {time.process_time() - worked:.2f} s of processors, "
        f"{memory:.0f} MB (of which Python {before:.0f}), at most {max(threads)} threads"
    )


async def watch(threads):
    while True:
        threads.append(len(os.listdir("/proc/self/task")))
        await asyncio.sleep(0.1)


if __name__ == "__main__":
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "server.py")
    server = subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True)
    try:
        port = int(server.stdout.readline())
        asyncio.run(main(sys.argv[1], int(sys.argv[2]), f"http://127.0.0.1:{port}/v1"))
    finally:
        server.kill()
