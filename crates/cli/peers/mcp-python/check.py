"""Has the official Python client of the Model Context Protocol run prompts on `silcrow mcp serve`.

It speaks the stateless revision 2026-07-28, in which a question is a result of the call.
"""

import os
import subprocess
import tempfile
from typing import Literal

import anyio
from mcp import Client, StdioServerParameters, types
from mcp.client import ClientExtension, ResultClaim

SILCROW = os.path.join(os.environ["SILCROW_PROGRAMS"], "silcrow")

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


class StartedTask(types.Result):
    result_type: Literal["task"] = "task"
    task_id: str
    status: str


class TaskState(types.Result):
    status: str
    result: dict | None = None


class GetTask(types.Request[dict, str]):
    name_param = "taskId"


class Tasks(ClientExtension):
    """The tasks extension: it asks for the state until there is a result."""

    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self):
        self.seen = []

    def claims(self):
        return [ResultClaim(result_type="task", model=StartedTask, resolve=self.wait)]

    async def wait(self, task, context):
        while True:
            request = GetTask(method="tasks/get", params={"taskId": task.task_id})
            state = await context.session.send_request(request, TaskState)
            self.seen.append(state.status)
            if state.status != "working":
                return types.CallToolResult.model_validate(state.result)
            await anyio.sleep(0.2)


async def a_task():
    tasks = Tasks()
    to = server("--model", "rehearsal", "--rate", "4")
    async with Client(to, extensions=[tasks]) as client:
        done = await client.call_tool("run", {"prompt": "What is in this directory?"})
    assert done.structured_content["outcome"] == "answered", done
    assert tasks.seen[0] == "working" and tasks.seen[-1] == "completed", tasks.seen


async def main():
    with anyio.fail_after(180):
        await a_prompt_with_progress_and_a_question()
        await a_call_that_is_cancelled()
        await a_task()


anyio.run(main)
