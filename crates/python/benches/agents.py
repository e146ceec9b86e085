"""Measures agents at once in one process: each asks twice, with a call of a tool between.

    PYTHONPATH=target/bindings/python python3 crates/python/benches/agents.py 200
"""

import asyncio
import os
import resource
import sys
import time

from silcrow import Agent


async def wait(number: int) -> int:
    await asyncio.sleep(1)
    return number


async def model(messages):
    if len(messages) > 2:
        yield "§respond: done\n§end"
    else:
        yield '§call: {"name": "wait", "args": {"number": 1}}\n§execute\n'


async def main(count: int) -> None:
    start, processor = time.monotonic(), time.process_time()
    agents = [Agent(model, tools=[wait], store="memory") for _ in range(count)]
    made = time.monotonic()
    runs = [asyncio.ensure_future(agent.ask("Go.")) for agent in agents]
    await asyncio.sleep(0.5)
    threads = len(os.listdir("/proc/self/task"))
    await asyncio.gather(*runs)
    seconds = time.monotonic() - made
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(
        f"{count} agents: made in {made - start:.2f} s, ran in {seconds:.2f} s (1 s of it is the tool), "
        f"{time.process_time() - processor:.2f} s of processors, {memory:.0f} MB, {threads} threads"
    )


asyncio.run(main(int(sys.argv[1])))
