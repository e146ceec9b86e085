"""Starts an MCP server, and does something to it when the first call arrives: `kill` ends it, `freeze`
stops it, and `garble` breaks the line that answers. A file marks that it was done.

python meddle.py kill|freeze|garble MARK COMMAND…
"""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

way, mark, command = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
garbles = threading.Event()


def pass_on_answers():
    for line in server.stdout:
        if garbles.is_set():
            garbles.clear()
            line = line[: len(line) // 2] + b"\xff\xfe\0\n"
        os.write(1, line)
    os._exit(server.wait() & 0x7F or 9)


threading.Thread(target=pass_on_answers, daemon=True).start()
for line in sys.stdin.buffer:
    if b'"tools/call"' in line and not mark.exists():
        mark.write_text(way)
        if way == "kill":
            server.kill()
            continue
        if way == "freeze":
            server.send_signal(signal.SIGSTOP)
        else:
            garbles.set()
    server.stdin.write(line)
    server.stdin.flush()
server.stdin.close()
server.wait()
