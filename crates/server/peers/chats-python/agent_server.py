"""The example server, whose model and tools do what a check says."""

import json
import os
import subprocess

TOKEN = "5c" * 32


class AgentServer:
    """The example server, which is commanded by its standard input."""

    def __init__(self, folder):
        program = os.path.join(os.environ["SILCROW_PROGRAMS"], "examples/page_server")
        args = [program, os.path.join(folder, "store"), "0", TOKEN]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(args, text=True, bufsize=1, **pipes)
        self.port = int(self.process.stdout.readline())

    def command(self, line):
        self.process.stdin.write(f"{line}\n")

    def say(self, *texts):
        for text in texts:
            self.command(f"say {json.dumps(text)}")

    def answer(self, *texts):
        self.say(*texts)
        self.command("done")

    def stop(self):
        self.process.kill()
        self.process.wait()


def action(name, call, parameters, kind="tool"):
    """Returns a call as the model writes it."""
    body = json.dumps({"name": call, "parameters": parameters})
    return f'<action type="{kind}" mode="async" id="{name}">{body}</action>\n'
