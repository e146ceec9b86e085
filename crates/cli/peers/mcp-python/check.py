"""Has the official Python client of the Model Context Protocol run prompts on `silcrow mcp serve`.

It speaks the stateless revision 2026-07-28, in which a question is a result of the call.
"""

import os
import subprocess
import tempfile

import anyio
from mcp import Client, StdioServerParameters, types
from mcp.client import advertise

SILCROW = os.path.join(os.environ["SILCROW_PROGRAMS"], "silcrow")
TASKS = "io.modelcontextprotocol/tasks"

HOME = tempfile.TemporaryDirectory(prefix="silcrow-mcp-")
FOLDER = os.path.join(HOME.name, "project")
os.mkdir(FOLDER)
ENV = {"PATH": os.environ["PATH"], "HOME": HOME.name}

SCRIPT = os.path.join(HOME.name, "script.txt")
with open(SCRIPT, "w", encoding="utf-8") as script:
    script.write(
        '<action id="one" mode="async">{"name":"file_write","parameters":'
        '{"file":"a.txt","content":"one\\n"}}</action>\n'
        "<response>It is written.</response>\n"
    )


def server(*flags):
    args = ["mcp", "serve", "--permissions", "ask", *flags]
    return StdioServerParameters(command=SILCROW, args=args, cwd=FOLDER, env=ENV)


def silcrow(*args):
    run = subprocess.run([SILCROW, *args], cwd=FOLDER, env=ENV, check=True, capture_output=True, text=True)
    return run.stdout


async def a_prompt_with_progress_and_a_question():
    asked, told = [], []

    async def decide(_, params):
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"decision": "once"})

    async def progress(amount, total, message):
        told.append(message)

    to = server("--model", f"script:{SCRIPT}", "--dialect", "action")
    async with Client(to, elicitation_callback=decide) as client:
        assert client.protocol_version == "2026-07-28", client.protocol_version
        tools = await client.list_tools()
        assert [tool.name for tool in tools.tools] == ["run"]
        done = await client.call_tool("run", {"prompt": "Write."}, progress_callback=progress)
    assert done.structured_content["answer"] == "It is written.", done
    assert len(asked) == 1 and "file_write" in asked[0], asked
    assert "turn 1" in told and any(line.startswith("file_write a.txt") for line in told), told
    with open(os.path.join(FOLDER, "a.txt"), encoding="utf-8") as written:
        assert written.read() == "one\n"
    assert done.structured_content["conversation"] in silcrow("log", "list")


async def a_call_that_is_cancelled():
    async with Client(server("--model", "rehearsal", "--rate", "2")) as client:
        async with anyio.create_task_group() as group:

            async def progress(amount, total, message):
                group.cancel_scope.cancel()

            await client.call_tool("run", {"prompt": "Cancel me."}, progress_callback=progress)
            raise AssertionError("the call has not been cancelled")
        assert (await client.list_tools()).tools
        while "Cancel me." not in silcrow("log", "list"):
            await anyio.sleep(0.05)


async def a_task():
    to = server("--model", "rehearsal", "--rate", "4")
    async with Client(to, extensions=[advertise(TASKS)]) as client:
        session = client.session

        async def request(method, params, result):
            return await session.send_request(
                types.Request(method=method, params=params), result
            )

        begun = await session.call_tool("run", {"prompt": "What is in this directory?"}, allow_claimed=True)
        task = begun.model_dump(by_alias=True)
        assert task["resultType"] == "task", task
        while True:
            state = await request("tasks/get", {"taskId": task["taskId"]}, types.Result)
            state = state.model_dump(by_alias=True)
            if state["status"] != "working":
                break
            await anyio.sleep(0.2)
        assert state["status"] == "completed", state
        assert state["result"]["structuredContent"]["outcome"] == "answered", state


async def main():
    with anyio.fail_after(180):
        await a_prompt_with_progress_and_a_question()
        await a_call_that_is_cancelled()
        await a_task()


anyio.run(main)
