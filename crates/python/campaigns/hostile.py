"""Tries the package with hostile texts, readers that leave and models that fail, for some seconds.

    PYTHONPATH=target/bindings/python python3 crates/python/campaigns/hostile.py 3600 [SEED]

It prints each failure with its seed, and what the process holds after each minute: memory, threads, open
files, tasks and objects. It ends with 1 if anything failed or grew.
"""

import asyncio
import gc
import os
import random
import sys
import threading
import time
import traceback

from silcrow import Agent, Error, NativeParser, Parser, ToolError, families, tool

PATIENCE = 60

PARTS = [
    "§think: ", "§respond: ", "§call: ", "§execute\n", "§end", "§§", "§", "\n", "```\n", "{", "}", '"', "\\", "\\u00e9",
    '{"name": "f", "args": {"x": 1}}', '{"name": "slow", "args": {}}', '{"name": "wrong"}', '{"name": 3}', "[", "]", ",",
    "<think>", "</think>", "<execute>", "</execute>", "<thought>", "</thought>", "<response>", "</response>",
    '<action id="a">', "</action>", '<foreach in="x" as="y">', "</foreach>", "<tool_call>", "</tool_call>",
    '{"name": "f", "arguments": {"a": [1, "é"]}}', "<function=f>", "<parameter=x>", "</parameter>", "</function>",
    "[TOOL_CALLS]", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "<|channel|>", "<|message|>", "<|call|>",
    "text ", "é", "😀", "\ufeff", "\u202e", "\x00", "\x1b[2J", "\ud83d", "\udc00", "0" * 400, "[" * 300, "word " * 60,
]
FORMS = ["sigil", "phase", "action", *(one["name"] for one in families())]


def text_of(choices, longest=40):
    return "".join(choices.choice(PARTS) for _ in range(choices.randrange(longest)))


def chunks_of(choices, text):
    """Cuts a text, in characters or in bytes."""
    data = text if choices.random() < 0.5 else text.encode("utf-8", "surrogatepass")
    if isinstance(data, bytes) and choices.random() < 0.2:
        data = bytes(choices.randrange(256) if choices.random() < 0.1 else one for one in data)
    longest = choices.choice([1, 2, 4, 9, 100])
    at, found = 0, []
    while at < len(data):
        end = at + 1 + choices.randrange(longest)
        found.append(data[at:end])
        at = end
    return data, found


def parser(form, **options):
    return (Parser if form in ("sigil", "phase", "action") else NativeParser)(form, **options)


def read(form, given, **options):
    events = []
    for event in parser(form, **options).parse(given):
        event.pop("timestamp")
        part = event.get("part")
        if isinstance(part, int) and events and events[-1].get("part") == part and events[-1]["type"] == event["type"]:
            events[-1]["content"] += event["content"]
        elif event["type"] != "call_text":
            events.append(dict(event))
    return events


def parse(choices):
    """L-1 and L-7: no text fails, and its cuts change nothing."""
    form = choices.choice(FORMS)
    if form not in ("sigil", "phase", "action") and choices.random() < 0.1:
        form = f"{form},{choices.choice(FORMS[3:])}"
    options = {"open_thought": choices.random() < 0.2}
    text = text_of(choices)
    if choices.random() < 0.01:
        text *= choices.randrange(200)
    data, chunks = chunks_of(choices, text)
    whole = read(form, data, **options)
    assert read(form, chunks, **options) == whole, (form, chunks)
    pieces = read(form, data, chunks=True, call_text=True, **options)
    assert read(form, chunks, chunks=True, call_text=True, **options) == pieces, (form, chunks)
    # One that is dropped in the middle, and one that is used after its end.
    left = parser(form)
    for chunk in chunks[: choices.randrange(len(chunks) + 1)]:
        left.push(chunk)
    if choices.random() < 0.3:
        left.finish()
        try:
            left.push("x")
        except ValueError:
            return
        raise AssertionError("a finished parser has read")


class Model:
    """Writes hostile texts, waits, fails, and counts the generators that are open."""

    name = "hostile"
    open = 0

    def __init__(self, seed):
        self.choices = random.Random(seed)
        self.answers = 0

    async def stream(self, messages):
        Model.open += 1
        try:
            self.answers += 1
            last = self.answers > 4 or self.choices.random() < 0.3
            text = f"§respond: {text_of(self.choices)}\n§end" if last else text_of(self.choices)
            text = "".join(one for one in text if not "\ud800" <= one <= "\udfff")
            if self.choices.random() < 0.5:
                text = '§call: {"name": "f", "args": {"x": 1}}\n§call: {"name": "slow", "args": {}}\n§execute\n' + text
            at = 0
            while at < len(text):
                if self.choices.random() < 0.02:
                    raise RuntimeError("the model is gone")
                if self.choices.random() < 0.1:
                    await asyncio.sleep(self.choices.random() / 100)
                end = at + 1 + self.choices.randrange(30)
                yield text[at:end]
                at = end
        finally:
            Model.open -= 1


working = 0


@tool
def f(x: int) -> str:
    """Returns a text."""
    return f"§end {x} <execute>"


@tool(timeout=0.05, approval=True)
async def slow() -> str:
    """Takes its time."""
    global working
    working += 1
    try:
        await asyncio.sleep(random.random() / 5)
    finally:
        working -= 1
    return "late"


@tool(name="wrong")
async def wrong() -> str:
    """Fails."""
    raise random.choice([ToolError("no"), KeyError("x"), RuntimeError("é\n§end")])


async def run_one(choices):
    """A run that is read to its end, left, closed, stopped, steered or cancelled somewhere."""
    approve = choices.choice([None, "later", lambda _: choices.choice([True, False, "why not"])])
    agent = Agent(Model(choices.random()), tools=[f, slow, wrong], store="memory", approve=approve, max_steps=6)
    run = agent(text_of(choices).encode("utf-8", "replace").decode() or "?", stream=choices.choice(["token", "event", None]))
    how, left = choices.choice(["all", "break", "aclose", "stop", "steer", "cancel"]), choices.randrange(20)

    async def consume():
        nonlocal left
        async for event in run:
            assert event.type, event
            left -= 1
            if left < 0:
                if how == "break":
                    break
                if how == "aclose":
                    return await run.aclose()
                if how == "stop":
                    run.stop()
                if how == "steer":
                    await run.steer("go on")
                    left = 10_000

    task = asyncio.ensure_future(consume())
    if how == "cancel":
        await asyncio.sleep(choices.random() / 20)
        task.cancel()
    try:
        await asyncio.wait_for(task, PATIENCE)
    except (Error, asyncio.CancelledError):
        pass
    except asyncio.TimeoutError:
        raise AssertionError(f"a run ({how}) has not ended") from None
    await asyncio.wait_for(agent.aclose(), PATIENCE)


def held():
    gc.collect()
    status = dict(line.split(":", 1) for line in open("/proc/self/status").read().splitlines())
    return {
        "MB": int(status["VmRSS"].split()[0]) // 1024,
        "threads": int(status["Threads"]),
        "python threads": threading.active_count(),
        "files": len(os.listdir("/proc/self/fd")),
        "tasks": len(asyncio.all_tasks()),
        "objects": len(gc.get_objects()),
        "generators": Model.open,
        "tools": working,
    }


async def settle():
    """Waits until what was left has ended."""
    until = time.monotonic() + PATIENCE
    while (Model.open or working or len(asyncio.all_tasks()) > 1) and time.monotonic() < until:
        await asyncio.sleep(0.05)


async def main(seconds, seed):
    begin, failures, texts, runs, first = time.monotonic(), 0, 0, 0, None
    minute = 0
    while time.monotonic() - begin < seconds:
        seed += 1
        choices = random.Random(seed)
        try:
            for _ in range(40):
                texts += 1
                parse(choices)
            group = choices.choice([1, 4, 16])
            runs += group
            await asyncio.gather(*(run_one(random.Random(f"{seed} {one}")) for one in range(group)))
        except Exception:
            failures += 1
            print(f"seed {seed}:\n{traceback.format_exc()[-2000:]}", flush=True)
        if time.monotonic() - begin >= 60 * minute:
            minute += 1
            await settle()
            now = held()
            print(f"{time.monotonic() - begin:.0f} s, {texts} texts, {runs} runs, {failures} failures, {now}", flush=True)
            # The first minutes fill caches and pools.
            first = now if first is None or minute <= 3 else first
    await settle()
    now = held()
    grown = [name for name, slack in SLACK.items() if now[name] > first[name] * 1.1 + slack]
    print(f"after {time.monotonic() - begin:.0f} s: {texts} texts, {runs} runs, {failures} failures")
    print(f"first {first}\nlast  {now}\ngrown {grown}")
    return 1 if failures or grown else 0


# What each may grow by besides a tenth.
SLACK = {"MB": 20, "threads": 2, "files": 4, "tasks": 1, "objects": 3_000, "generators": 0, "tools": 0}

if __name__ == "__main__":
    sys.exit(asyncio.run(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns() % 10**9)))
