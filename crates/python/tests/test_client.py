"""The client of a served agent, against a server of its own."""

import asyncio
import contextlib
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import silcrow._agent
from silcrow import Client, Error


async def collect(run):
    return [event async for event in run]


class Served(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        program = silcrow._agent.program()
        if program is None:
            raise unittest.SkipTest("the program is not installed")
        cls.place = tempfile.TemporaryDirectory()
        pathlib.Path(cls.place.name, "notes.md").write_text("Buy bread.")
        # To read from it takes long enough to stop it on a busy machine, too.
        pathlib.Path(cls.place.name, "story.md").write_text(("It goes on and on. " * 450 + "\n") * 20)
        cls.server = subprocess.Popen(
            [program, "serve", "--model", "rehearsal", "--listen", "127.0.0.1:0", "--permissions", "ask",
             "--root", cls.place.name, "--store", f"{cls.place.name}/store"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={"PATH": os.environ["PATH"], "HOME": cls.place.name},
        )
        for line in cls.server.stdout:
            if found := re.search(r"(http://[\d.]+:\d+)/#token=(\S+)", line):
                cls.address, cls.token = found.groups()
                return
        raise AssertionError("the server says no address")

    @classmethod
    def tearDownClass(cls):
        cls.server.terminate()
        cls.server.wait()
        cls.server.stdout.close()
        cls.place.cleanup()

    def client(self, **options):
        return Client(self.address, token=self.token, **options)

    async def test_texts_come_in_pieces_or_whole(self):
        pieces = [e["content"] async for e in self.client()("What is in this directory?", chunks=True) if e.type == "respond"]
        whole = [e["content"] async for e in self.client()("What is in this directory?") if e.type == "respond"]
        self.assertGreater(len(pieces), len(whole))
        self.assertEqual("".join(pieces).strip(), "".join(whole))

    async def test_a_conversation_goes_on_and_is_followed(self):
        answer = await self.client().ask("What is in this directory?", conversation="talk")
        self.assertIn("notes.md", answer)
        await self.client().ask("read notes.md", conversation="talk")
        events = [event async for event in self.client().follow("talk")]
        self.assertEqual(len([event for event in events if event.type == "user"]), 2)

    async def test_a_question_is_answered(self):
        client = self.client()
        run = client("write hello to hello.txt", conversation="asked")
        self.assertTrue([event async for event in run])
        self.assertEqual(run.outcome, "waiting")
        [question] = await run.questions()
        self.assertEqual((question["tool"], question["args"]["file"]), ("file_write", "hello.txt"))
        again = client.resume("asked", {question["id"]: True})
        self.assertIn("result", [event.type async for event in again])
        self.assertEqual(pathlib.Path(self.place.name, "hello.txt").read_text().strip(), "hello")

    async def test_a_run_is_stopped(self):
        run = self.client()("read story.md", stream="token")
        is_stopped = False
        async for event in run:
            if event.type in ("think", "respond") and not is_stopped:
                # A second time the run may be over.
                is_stopped = True
                await run.stop()
        self.assertEqual(run.outcome, "stopped")

    async def test_an_answer_is_whole_after_a_cut_that_outlasts_the_run(self):
        cut, back = asyncio.Event(), asyncio.Event()
        host, port = self.address.removeprefix("http://").split(":")

        async def pass_on(reader, writer):
            if cut.is_set() and not back.is_set():
                return writer.transport.abort()
            server, to_server = await asyncio.open_connection(host, port)
            asking = asyncio.ensure_future(self.copy(reader, to_server))
            answer = b""
            try:
                while data := await server.read(300):
                    answer += data
                    writer.write(data)
                    await writer.drain()
                    if not cut.is_set() and b'"respond"' in answer:
                        cut.set()
                        return writer.transport.abort()
            except OSError:
                pass  # The client has left.
            finally:
                asking.cancel()
                to_server.close()
                writer.close()

        between = await asyncio.start_server(pass_on, "127.0.0.1", 0)
        address = f"http://127.0.0.1:{between.sockets[0].getsockname()[1]}"
        run = Client(address, token=self.token)("read story.md", conversation="cut", stream="token")
        reading = asyncio.ensure_future(collect(run))
        await cut.wait()
        whole = [event async for event in self.client().follow("cut")]
        back.set()
        read = "".join(event.content for event in await reading if event.type == "respond")
        answer = "".join(event.content for event in whole if event.type == "respond")
        self.assertEqual(read.strip(), answer.strip())
        self.assertEqual(run.outcome, "answered")
        between.close()

    @staticmethod
    async def copy(reader, writer):
        with contextlib.suppress(OSError):
            while data := await reader.read(4096):
                writer.write(data)

    async def test_the_link_of_the_server_is_an_address(self):
        self.assertIn("notes.md", await Client(f"{self.address}/#token={self.token}").ask("What is in this directory?"))
        with self.assertRaisesRegex(ValueError, "http://"):
            Client("127.0.0.1:4180")

    async def test_what_is_wrong_has_a_code(self):
        with self.assertRaises(Error) as caught:
            await Client(self.address, token="wrong").ask("Hello?")
        self.assertEqual(caught.exception.code, "unauthorized")
        with self.assertRaises(Error) as caught:
            await Client("http://127.0.0.1:1").questions("x")
        self.assertEqual(caught.exception.code, "unreachable")


if __name__ == "__main__":
    unittest.main()
