"""Models, tools and readers that do what they should not: no run hangs, and each says what was wrong."""

import asyncio
import subprocess
import sys
import unittest

from silcrow import Agent, Error, Output, Parser, ProviderError, tool
from test_agent import PATIENCE, call, events_of, script


def made(model, *tools, **options):
    return Agent(model, tools=list(tools), store="memory", **options)


async def result_of(*tools, name=None, **options):
    """Returns the result of a call of the first tool."""
    model = script(call(name or getattr(tools[0], "name", None) or tools[0].__name__), "§respond: ok\n§end")
    found = await asyncio.wait_for(events_of(made(model, *tools, **options)("Go.")), PATIENCE)
    return next(event for event in found if event.type == "result")


class Hostile(unittest.IsolatedAsyncioTestCase):
    async def test_a_model_that_is_no_generator_says_so(self):
        class Listing:
            def stream(self, messages):
                return ["§respond: a"]

        class Coroutine:
            async def stream(self, messages):
                return "§respond: a"

        class Raising:
            def stream(self, messages):
                raise RuntimeError("no key")

        for model, why in ((Listing(), "asynchronous generator"), (Coroutine(), "asynchronous generator"),
                           (Raising(), "no key")):
            with self.assertRaisesRegex((ProviderError, TypeError), why):
                await asyncio.wait_for(made(model).ask("Hello?"), PATIENCE)

    async def test_a_coroutine_that_returns_a_stream_is_a_model(self):
        class Client:
            async def stream(self, messages):
                async def answer():
                    yield "§respond: It is 4.\n§end"

                return answer()

        self.assertEqual(await asyncio.wait_for(made(Client()).ask("2 + 2?"), PATIENCE), "It is 4.")

    async def test_what_is_cancelled_within_a_function_ends_its_call_and_no_other(self):
        async def waits() -> str:
            inner = asyncio.ensure_future(asyncio.sleep(60))
            inner.cancel()
            return await inner

        self.assertIn("CancelledError", str(await result_of(waits)))

        @tool(approval=True)
        def pay() -> str:
            raise AssertionError("it must not run")

        async def approve(question):
            raise asyncio.CancelledError

        self.assertTrue((await result_of(pay, approve=approve)).payload["error"])

        async def model(messages):
            raise asyncio.CancelledError
            yield ""

        with self.assertRaisesRegex(ProviderError, "CancelledError"):
            await asyncio.wait_for(made(model).ask("Hello?"), PATIENCE)

    async def test_outputs_that_json_does_not_have_are_read_all_the_same(self):
        def odd() -> dict:
            return {"ratio": float("nan"), "most": float("inf"), "name": "a\udcffb", 7: (1, {2})}

        result = await result_of(odd)
        self.assertFalse(result.payload["error"], result)
        self.assertIn("a\ufffdb", str(result))

        def named() -> Output:
            return Output("a\ud83db", summary="\udcff", value=object())

        result = await result_of(named)
        self.assertFalse(result.payload["error"], result)
        self.assertIn("a\ufffdb", str(result))

        def numbered() -> Output:
            return Output(7)

        self.assertIn("7", str(await result_of(numbered)))

        def fails() -> str:
            raise ValueError("a\udcffb")

        self.assertIn("a\ufffdb", str(await result_of(fails)))

    async def test_halves_of_characters_are_joined_or_replaced(self):
        async def model(messages):
            for piece in ("§respond: a\ud83d", "\ude00b\ud83d", "c\n§end"):
                yield piece

        self.assertEqual(await asyncio.wait_for(made(model).ask("a\udcffb"), PATIENCE), "a😀b\ufffdc")
        for chunks, text in ((["a\ud83d", "\ude00b"], "a😀b"), (["a\ud83d"], "a\ufffd"), (["\ud83d", "", "x"], "\ufffdx"),
                             (["\ude00"], "\ufffd"), (["\ud83d", b"x"], "\ufffdx"), (["\ud83d", "\ud83d", "\ude00"], "\ufffd😀")):
            events = list(Parser("phase").parse(chunks))
            self.assertEqual(events[0]["content"], text, chunks)

    async def test_what_is_no_piece_of_text_is_an_error(self):
        async def model(messages):
            yield b"bytes"

        with self.assertRaisesRegex(ProviderError, "bytes"):
            await asyncio.wait_for(made(model).ask("Hello?"), PATIENCE)

    async def test_one_run_is_read_by_one_loop(self):
        run = made(script("§respond: a\n§end"))("Go.")
        both = asyncio.gather(events_of(run), events_of(run), return_exceptions=True)
        found, refused = await asyncio.wait_for(both, PATIENCE)
        self.assertIn("respond", [event.type for event in found])
        self.assertIsInstance(refused, RuntimeError)
        self.assertEqual(await events_of(run), [])

    async def test_a_generator_that_does_not_close_does_not_hold_the_run(self):
        async def model(messages):
            try:
                yield "§respond: on"
                await asyncio.sleep(60)
            finally:
                raise RuntimeError("it does not close")

        run = made(model)("Go.", stream="token")
        async for event in run:
            if event.type == "respond":
                run.stop()
        self.assertEqual(run.outcome, "stopped")
        with self.assertRaises(Error):
            await asyncio.wait_for(run.steer("late"), PATIENCE)

    def test_a_program_ends_while_runs_work(self):
        """Threads of the other half find no interpreter then, and must not look for it."""
        program = """
import asyncio
from silcrow import Agent
async def main():
    agent = Agent("rehearsal", tools=["file_list"], store="memory")
    for run in [agent("What is in this directory?", stream="token") for _ in range(10)]:
        async for event in run:
            break
asyncio.run(main())
"""
        for _ in range(12):
            ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual((ended.returncode, ended.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
