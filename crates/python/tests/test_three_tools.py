"""An agent with three tools: one is slow, one raises, and one needs an approval. Its process is killed, and
another one continues it."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = """
import asyncio, json, os, sys
from silcrow import Agent, tool

store, log, how = sys.argv[1:]

def note(line):
    with open(log, "a") as file:
        file.write(line + "\\n")

@tool(idempotent=True)
async def crawl(page: str) -> str:
    "Reads a page, slowly."
    note(f"crawl {page}")
    if how == "dies":
        # The other calls of the step are done, or wait, when the process dies.
        await asyncio.sleep(1)
        os._exit(9)
    await asyncio.sleep(0.2)
    return f"{page} is long"

def divide(a: int, b: int) -> float:
    "Divides."
    note("divide")
    return a / b

@tool(approval=True)
def order(item: str) -> str:
    "Orders something."
    note(f"order {item}")
    return f"{item} is on the way"

def call(name, **args):
    return "§call: " + json.dumps({"name": name, "args": args}) + "\\n"

async def model(messages):
    text = str(messages)
    if "is on the way" in text:
        yield "§respond: All of it is done.\\n§end"
    elif "is long" in text:
        assert "ZeroDivisionError" in text, text
        yield call("order", item="bread") + "§execute\\n"
    else:
        yield call("divide", a=1, b=0) + call("crawl", page="home") + "§execute\\n"

async def main():
    agent = Agent(model, tools=[crawl, divide, order], store=store, approve="later")
    if how == "dies":
        run = agent("Go.", conversation="three")
    elif how == "answers":
        [question] = json.loads(pathlib.Path(log + ".questions").read_text())
        run = agent.resume("three", {question: True})
    else:
        run = agent.resume("three")
    async for event in run:
        print(json.dumps(event), flush=True)
    if run.outcome == "waiting":
        pathlib.Path(log + ".questions").write_text(json.dumps([one["id"] for one in run.questions]))
    print(json.dumps({"type": run.outcome}))

import pathlib
asyncio.run(main())
"""


class ThreeTools(unittest.TestCase):
    def test_a_slow_a_raising_and_an_asking_tool_survive_the_end_of_a_process(self):
        with tempfile.TemporaryDirectory() as folder:
            store, log = f"{folder}/store", f"{folder}/log"

            def run(how):
                command = [sys.executable, "-c", PROGRAM, store, log, how]
                done = subprocess.run(command, capture_output=True, text=True)
                return done, [json.loads(line) for line in done.stdout.splitlines()]

            killed, _ = run("dies")
            self.assertEqual(killed.returncode, 9, killed.stderr)

            resumed, events = run("resumes")
            self.assertEqual(resumed.returncode, 0, resumed.stderr)
            self.assertEqual(events[-1]["type"], "waiting")
            self.assertNotIn("order bread", pathlib.Path(log).read_text())

            answered, events = run("answers")
            self.assertEqual(answered.returncode, 0, answered.stderr)
            self.assertEqual(events[-1]["type"], "answered")
            self.assertIn("All of it is done.", [event.get("content") for event in events])
            # What was done before is not done again; what says that it may be is.
            ran = pathlib.Path(log).read_text().splitlines()
            self.assertEqual(sorted(ran), ["crawl home", "crawl home", "divide", "order bread"])


if __name__ == "__main__":
    unittest.main()
