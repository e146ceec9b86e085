"""Agents in this process, whose models are generators here."""

import asyncio
import contextlib
import functools
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import silcrow
from silcrow import Agent, Error, LimitError, Output, ProviderError, ToolError, Waiting, tool

# How long something that must happen may take, in seconds.
PATIENCE = 120


def script(*answers, delay=0.0):
    """Returns a model that writes these answers, one for each request, four characters at once."""
    left = list(answers)

    async def model(messages):
        text = left.pop(0) if left else "§respond: nothing left\n§end"
        for at in range(0, len(text), 4):
            if delay:
                await asyncio.sleep(delay)
            yield text[at : at + 4]

    return model


def call(name, **args):
    return f"§call: {json.dumps({'name': name, 'args': args})}\n§execute\n"


def agent(model, tools=(), **options):
    return Agent(model, tools=list(tools), store=options.pop("store", "memory"), **options)


def print_name(name: str) -> None:
    print(name)


async def events_of(run):
    return [event async for event in run]


class Runs(unittest.IsolatedAsyncioTestCase):
    async def test_a_run_streams_the_events_of_the_protocol(self):
        def file_read(file: str) -> str:
            return "a Flask app"

        made = agent(script("§think: I need to read the file\n" + call("file_read", file="main.py"),
                            "§respond: The file contains a Flask app\n§end"), [file_read])
        found = await events_of(made("What's in main.py?"))
        kinds = [event["type"] for event in found if event["type"] not in ("metric", "started")]
        self.assertEqual(kinds, ["user", "think", "call", "execute", "result", "respond", "end"])
        result = next(event for event in found if event.type == "result")
        self.assertEqual((result.payload["content"], result.payload["error"]), ("a Flask app", False))
        metric = found[-1] if found[-1].type == "metric" else next(e for e in found if e.type == "metric")
        self.assertIn("input", metric["total"])

    async def test_texts_come_in_pieces_or_whole_and_never_twice(self):
        answer = "§think: I need to analyze\n§respond: It is so.\n§end"
        for options, is_in_pieces in (({"stream": "token"}, True), ({"chunks": True}, True), ({}, False),
                                      ({"stream": None}, False), ({"stream": "token", "chunks": False}, False)):
            found = await events_of(agent(script(answer))("Why?", **options))
            texts = [event["content"] for event in found if event.type == "respond"]
            self.assertEqual("".join(texts), "It is so.", options)
            self.assertEqual(len(texts) > 1, is_in_pieces, options)

    async def test_ask_returns_the_answer_in_one_conversation(self):
        made = agent(script("§respond: 4\n§end", "§respond: 5\n§end"))
        self.assertEqual(await made.ask("2 + 2?", conversation="sums"), "4")
        self.assertEqual(await made.ask("And one more?", conversation="sums"), "5")

    async def test_the_model_reads_the_conversation(self):
        seen = []

        async def model(messages):
            seen.append(messages)
            yield "§respond: ok\n§end"

        made = agent(model)
        await made.ask("First.", conversation="c")
        await made.ask("Second.", conversation="c")
        self.assertEqual(seen[1][0]["role"], "system")
        self.assertEqual([m["role"] for m in seen[1][1:]], ["user", "assistant", "user"])
        self.assertIn("First.", seen[1][1]["content"])

    async def test_tools_are_sync_or_async_and_run_at_once(self):
        threads = set()
        # Nobody passes before all are there.
        together, arrived, all_there = threading.Barrier(2), [], asyncio.Event()

        def slow(number: int) -> int:
            threads.add(threading.current_thread())
            together.wait(timeout=PATIENCE)
            return number

        async def later(number: int) -> int:
            arrived.append(number)
            if len(arrived) == 2:
                all_there.set()
            await asyncio.wait_for(all_there.wait(), PATIENCE)
            return number

        calls = "".join(f"§call: {json.dumps({'name': n, 'args': {'number': i}})}\n"
                        for i, n in enumerate(["slow", "later", "slow", "later"]))
        found = await events_of(agent(script(calls + "§execute\n", "§respond: done\n§end"), [slow, later])("Go."))
        self.assertNotIn(threading.main_thread(), threads)
        self.assertEqual(sorted(e.payload["content"] for e in found if e.type == "result"), [0, 1, 2, 3])

    async def test_a_tool_that_raises_tells_the_model(self):
        def wrong(a: int) -> str:
            raise ToolError("use a number above 0")

        def broken() -> str:
            return {}["x"]

        found = await events_of(agent(script(call("wrong", a=0), call("broken"), call("wrong"), "§respond: ok\n§end"),
                                      [wrong, broken])("Go."))
        results = [event for event in found if event.type == "result"]
        self.assertTrue(all(event.payload["error"] for event in results))
        self.assertIn("use a number above 0", str(results[0]))
        self.assertIn("KeyError", str(results[1]))
        self.assertIn("a", str(results[2]))

    async def test_a_tool_that_takes_too_long_is_cancelled(self):
        cancelled = asyncio.Event()

        @tool(timeout=0.2)
        async def endless() -> str:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                cancelled.set()
                raise
            return ""

        found = await events_of(agent(script(call("endless"), "§respond: late\n§end"), [endless])("Go."))
        self.assertTrue(next(e for e in found if e.type == "result").payload["error"])
        await asyncio.wait_for(cancelled.wait(), PATIENCE)

    async def test_a_function_approves_denies_and_says_why(self):
        ran = []

        @tool(approval=True)
        def pay(amount: int) -> str:
            ran.append(amount)
            return "paid"

        asked = []

        async def approve(question):
            asked.append((question.tool, question.args["amount"]))
            return question.args["amount"] < 100 or "too much"

        made = agent(script(call("pay", amount=5), call("pay", amount=500), "§respond: ok\n§end"), [pay], approve=approve)
        found = await events_of(made("Pay."))
        self.assertEqual(asked, [("pay", 5), ("pay", 500)])
        self.assertEqual(ran, [5])
        self.assertIn("too much", str([e for e in found if e.type == "result"][1]))

    async def test_a_function_is_asked_once_about_a_loop_and_allows_some_of_its_calls(self):
        ran, asked = [], []

        @tool(approval=True)
        def pay(amount: int) -> str:
            ran.append(amount)
            return "paid"

        def approve(question):
            asked.append([one.args["amount"] for one in question.calls])
            return [one.args["amount"] < 100 or "too much" for one in question.calls]

        def once(question):
            asked.append(question.args["amount"])
            return question.args["amount"] < 100

        loop = (
            '<foreach id="each" in="[5,500,7]" as="n" on_error="skip">'
            '<action id="p">{"name":"pay","parameters":{"amount":"$n"}}</action></foreach>'
        )
        for function, about in [(approve, [[5, 500, 7]]), (once, [5, 500, 7]), (lambda _: [True], [])]:
            ran.clear(), asked.clear()
            model = script(loop, "<response>ok</response>")
            found = await events_of(agent(model, [pay], approve=function, dialect="action")("Pay."))
            self.assertEqual(asked, about)
            self.assertEqual(sorted(ran), [5, 7] if about else [])
            if function is approve:
                self.assertIn("too much", str([e for e in found if e.type == "result"]))

    async def test_without_anybody_to_ask_a_call_is_denied(self):
        @tool(approval=True)
        def pay() -> str:
            raise AssertionError("it must not run")

        found = await events_of(agent(script(call("pay"), "§respond: ok\n§end"), [pay])("Pay."))
        self.assertTrue(next(e for e in found if e.type == "result").payload["error"])

    async def test_a_run_waits_for_an_answer_and_goes_on_in_another_agent(self):
        ran = []

        @tool(approval=True)
        def pay(amount: int) -> str:
            ran.append(amount)
            return "paid"

        with tempfile.TemporaryDirectory() as store:
            run = agent(script(call("pay", amount=5)), [pay], approve="later", store=store)("Pay.")
            await events_of(run)
            self.assertEqual((run.outcome, ran), ("waiting", []))
            [question] = run.questions
            self.assertEqual((question["tool"], question["args"]), ("pay", {"amount": 5}))
            with self.assertRaisesRegex(Error, "no open question"):
                await events_of(agent(script(), [pay], store=store).resume(run.conversation, {"9/x": True}))
            other = agent(script("§respond: It is paid.\n§end"), [pay], store=store)
            found = await events_of(other.resume(run.conversation, {question["id"]: True}))
            self.assertEqual(ran, [5])
            self.assertIn("It is paid.", [event.content for event in found])

    async def test_a_run_that_is_stopped_before_it_begins_does_nothing(self):
        asked = []

        async def model(messages):
            asked.append(messages)
            yield "§respond: no\n§end"

        run = agent(model)("Go.")
        run.stop()
        self.assertEqual((await events_of(run), run.outcome, asked), ([], "stopped", []))

    async def test_nothing_begins_after_a_run_was_closed(self):
        began = []

        def pay(n: int) -> str:
            began.append(n)
            return "paid"

        for _ in range(20):
            run = agent(script(call("pay", n=1)), [pay])("Go.")
            async for event in run:
                if event.type == "started":
                    break
            await run.aclose()
            number = len(began)
            # What had been handed to a thread would begin at its next turn.
            await asyncio.to_thread(lambda: None)
            self.assertEqual((run.outcome, len(began)), ("stopped", number))

    async def test_a_block_ends_its_run(self):
        began, ended = asyncio.Event(), []

        async def wait() -> str:
            try:
                began.set()
                await asyncio.sleep(PATIENCE)
            finally:
                ended.append("wait")
            return ""

        with self.assertRaises(KeyError):
            async with agent(script(call("wait")), [wait])("Go.") as run:
                async for event in run:
                    if event.type == "started":
                        await began.wait()
                        raise KeyError
        self.assertEqual((run.outcome, ended), ("stopped", ["wait"]))

    async def test_a_function_may_close_its_own_run(self):
        async def leave() -> str:
            await run.aclose()
            return ""

        run = agent(script(call("leave")), [leave])("Go.")
        await asyncio.wait_for(events_of(run), PATIENCE)
        self.assertEqual(run.outcome, "stopped")

    async def test_functions_that_are_not_asynchronous_run_at_once(self):
        together = threading.Barrier(8)

        @tool(timeout=PATIENCE)
        def meet(n: int) -> str:
            together.wait(PATIENCE)
            return "met"

        calls = "".join('§call: {"name": "meet", "args": {"n": %d}}\n' % n for n in range(8)) + "§execute\n"
        found = await events_of(agent(script(calls, "§respond: ok\n§end"), [meet])("Go."))
        self.assertEqual([e.content for e in found if e.type == "result"], ["met"] * 8)

    async def test_the_exceptions_of_ones_own_code_keep_their_lines(self):
        async def model(messages):
            yield "§respond: a"
            {}["missing"]

        with self.assertRaises(ProviderError) as caught:
            await agent(model).ask("Go.")
        self.assertIsInstance(caught.exception.__cause__, KeyError)

        def broken() -> str:
            raise KeyError("missing")

        with self.assertLogs("silcrow", "WARNING") as logs:
            await events_of(agent(script(call("broken")), [broken])("Go."))
        self.assertIn('raise KeyError("missing")', logs.output[0])

    def test_errors_can_be_sent_to_another_process(self):
        for error in (LimitError("no more", code="step_limit"), Waiting("it waits", [])):
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(again), str(again), again.__dict__), (type(error), str(error), error.__dict__))

    async def test_a_strange_answer_to_a_question_denies_and_is_logged(self):
        @tool(approval=True)
        def pay() -> str:
            return "paid"

        for answer in (1, {"allow": True}, [True]):
            with self.assertLogs("silcrow", "WARNING") as logs:
                found = await events_of(agent(script(call("pay")), [pay], approve=lambda _: answer)("Go."))
            self.assertNotIn("paid", [event.content for event in found])
            self.assertRegex(logs.output[0], "TypeError|ValueError")

    def test_what_cannot_be_an_option_is_named(self):
        for options, words in [
            ({"max_steps": 0}, "max_steps"),
            ({"window": -1}, "window"),
            ({"instructions": 3}, "instructions"),
            ({"stream": "tokens"}, "stream"),
            ({"approve": "latr"}, "approve"),
            ({"tools": "file_read"}, r"tools: use a list"),
            ({"tools": [None]}, "tools: use functions"),
            ({"tools": [functools.partial(print)]}, "wrap it in a function"),
            ({"tools": ["file_read", tool(print_name, name="file_read")]}, "the same name"),
        ]:
            with self.subTest(options), self.assertRaisesRegex((TypeError, ValueError), words):
                Agent("rehearsal", store="memory", **options)
        with self.assertRaisesRegex(ValueError, "timeout"):
            tool(print_name, timeout=0)
        with self.assertRaisesRegex(TypeError, "prompt"):
            Agent("rehearsal", store="memory")(3)

    @unittest.skipUnless(hasattr(os, "fork"), "the system cannot fork")
    def test_a_forked_child_is_told(self):
        program = (
            "import asyncio, os\n"
            "from silcrow import Agent, Error\n"
            "asyncio.run(Agent('rehearsal', store='memory').ask('list .'))\n"
            "child = os.fork()\n"
            "if child == 0:\n"
            "    try: asyncio.run(Agent('rehearsal', store='memory').ask('list .'))\n"
            "    except Error as why: os._exit(7 if why.code == 'forked' else 8)\n"
            "    os._exit(9)\n"
            "raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
        )
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], timeout=PATIENCE)
        self.assertEqual(done.returncode, 7)

    async def test_leaving_the_loop_stops_the_run(self):
        closed = asyncio.Event()

        async def model(messages):
            try:
                yield "§respond: "
                while True:
                    await asyncio.sleep(0.01)
                    yield "on and "
            finally:
                closed.set()

        made = agent(model)
        async with contextlib.aclosing(made("Go on.", stream="token")) as run:
            async for event in run:
                if event.type == "respond":
                    break
        await asyncio.wait_for(closed.wait(), PATIENCE)

    async def test_cancelling_the_task_stops_the_run_and_its_tools(self):
        begun, cancelled = asyncio.Event(), asyncio.Event()

        async def endless() -> str:
            begun.set()
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                cancelled.set()
                raise
            return ""

        task = asyncio.create_task(events_of(agent(script(call("endless")), [endless])("Go.")))
        await asyncio.wait_for(begun.wait(), PATIENCE)
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(cancelled.wait(), PATIENCE)

    async def test_a_run_is_steered_and_stopped(self):
        seen = []

        async def model(messages):
            seen.append(messages[-1]["content"])
            if len(seen) == 1:
                yield call("pause")
            else:
                yield "§respond: ok\n§end"

        release = asyncio.Event()

        async def pause() -> str:
            await release.wait()
            return "go on"

        run = agent(model, [pause])("Go.")
        async for event in run:
            if event.type == "execute":
                await run.steer("In German, please.")
                release.set()
        self.assertIn("In German, please.", seen[1])
        self.assertEqual(run.outcome, "answered")
        with self.assertRaises(Error):
            await asyncio.wait_for(run.steer("Too late."), PATIENCE)
        # Nobody serves the run any more.
        await asyncio.gather(*silcrow._agent._SERVING)
        with self.assertRaises(Error):
            await asyncio.wait_for(run.steer("Too late."), PATIENCE)

        run = agent(script("§respond: on and on and on\n§end", delay=0.05))("Go.", stream="token")
        async for event in run:
            if event.type == "respond":
                run.stop()
        self.assertEqual(run.outcome, "stopped")

    async def test_errors_are_exceptions_with_kinds(self):
        async def broken(messages):
            raise RuntimeError("no connection")
            yield ""

        with self.assertRaises(ProviderError) as caught:
            await agent(broken).ask("Hello?")
        self.assertIn("RuntimeError: no connection", str(caught.exception))

        def again(number: int) -> int:
            return number

        answers = [call("again", number=number) for number in range(5)]
        with self.assertRaises(LimitError) as caught:
            await agent(script(*answers), [again], max_steps=2).ask("Go.")
        self.assertEqual(caught.exception.code, "step_limit")
        for options, why in (({"permissions": "wild"}, "permissions"), ({"tools": ["file_raed"]}, "file_read"),
                             ({"mode": "never"}, "mode"), ({"model": "no-such-vendor:x"}, "no-such-vendor")):
            with self.assertRaisesRegex(ValueError, why):
                Agent(**{"store": "memory", "tools": [], **options})
        with self.assertRaises(Error):
            await agent(script()).ask("")

    async def test_built_in_tools_see_the_root_and_ask(self):
        with tempfile.TemporaryDirectory() as root:
            pathlib.Path(root, "main.py").write_text("print('hello')")
            answers = [call("file_read", file="main.py"), call("file_write", file="a.txt", content="x"), "§respond: ok\n§end"]
            asked = []

            def approve(question):
                asked.append(question.tool)
                return True

            made = Agent(script(*answers), store="memory", root=root, approve=approve, permissions="ask")
            found = await events_of(made("Look."))
            results = [event for event in found if event.type == "result"]
            self.assertIn("print('hello')", results[0].payload["content"])
            self.assertEqual(asked, ["file_write"])
            self.assertEqual(pathlib.Path(root, "a.txt").read_text(), "x")

    async def test_two_hundred_runs_work_at_once(self):
        working, all_work = 0, asyncio.Event()

        async def wait(number: int) -> int:
            nonlocal working
            working += 1
            if working == 200:
                all_work.set()
            await all_work.wait()
            return number

        async def model(messages):
            number = messages[1]["content"].strip()
            yield f"§respond: {number}\n§end" if len(messages) > 2 else call("wait", number=int(number))

        agents = [agent(model, [wait]) for _ in range(10)]
        before = threading.active_count()
        answers = await asyncio.gather(*(agents[number % 10].ask(str(number)) for number in range(200)))
        self.assertEqual(answers, [str(number) for number in range(200)])
        self.assertLessEqual(threading.active_count() - before, 4)


class Processes(unittest.TestCase):
    def test_a_run_that_was_killed_is_continued_by_another_process(self):
        """The process dies while its second tool works. The first is not run again."""
        program = """
import asyncio, os, sys
from silcrow import Agent, tool
store, log, dies = sys.argv[1], sys.argv[2], sys.argv[3] == "dies"
def note(line):
    with open(log, "a") as file: file.write(line + "\\n")
@tool
def first() -> str:
    note("first"); return "1"
@tool(idempotent=True)
def second() -> str:
    note("second")
    if dies: os._exit(9)
    return "2"
async def model(messages):
    text = str(messages)
    step = text.count("§execute") if not dies else text.count("'role': 'assistant'")
    if "second" in messages[-1]["content"] or step > 1: yield "§respond: done\\n§end"
    elif "first" in messages[-1]["content"] or step == 1: yield '§call: {"name": "second"}\\n§execute\\n'
    else: yield '§call: {"name": "first"}\\n§execute\\n'
async def main():
    agent = Agent(model, tools=[first, second], store=store)
    run = agent("Go.", conversation="killed") if dies else agent.resume("killed")
    async for event in run: print(event["type"], event.content, flush=True)
asyncio.run(main())
"""
        with tempfile.TemporaryDirectory() as folder:
            store, log = f"{folder}/store", f"{folder}/log"
            run = lambda how: subprocess.run([sys.executable, "-c", program, store, log, how], capture_output=True, text=True)
            killed = run("dies")
            self.assertEqual(killed.returncode, 9, killed.stderr)
            again = run("lives")
            self.assertEqual(again.returncode, 0, again.stderr)
            self.assertIn("respond done", again.stdout)
            self.assertEqual(pathlib.Path(log).read_text().split(), ["first", "second", "second"])

    def test_the_program_reads_the_conversation(self):
        silcrow_program = silcrow._agent.program()
        if silcrow_program is None:
            self.skipTest("the program is not installed")
        with tempfile.TemporaryDirectory() as store:
            made = agent(script("§respond: It is 4.\n§end"), store=store)
            asyncio.run(made.ask("What is 2 + 2?", conversation="sums"))
            said = subprocess.run([silcrow_program, "log", "show", "sums", "--store", store], capture_output=True, text=True)
            self.assertIn("It is 4.", said.stdout, said.stderr)


if __name__ == "__main__":
    unittest.main()
