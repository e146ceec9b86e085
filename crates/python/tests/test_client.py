"""The client of a served agent, against a server of its own."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import silcrow._agent
from silcrow import Client, Error


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
        self.assertEqual(question["call"]["tool"], "file_write")
        again = client.resume("asked", {question["id"]: True})
        self.assertIn("result", [event.type async for event in again])
        self.assertEqual(pathlib.Path(self.place.name, "hello.txt").read_text().strip(), "hello")

    async def test_a_run_is_stopped(self):
        run = self.client()("read story.md", stream="token")
        async for event in run:
            if event.type in ("think", "respond"):
                await run.stop()
        self.assertEqual(run.outcome, "stopped")

    async def test_what_is_wrong_has_a_code(self):
        with self.assertRaises(Error) as caught:
            await Client(self.address, token="wrong").ask("Hello?")
        self.assertEqual(caught.exception.code, "unauthorized")
        with self.assertRaises(Error) as caught:
            await Client("http://127.0.0.1:1").questions("x")
        self.assertEqual(caught.exception.code, "unreachable")


if __name__ == "__main__":
    unittest.main()
