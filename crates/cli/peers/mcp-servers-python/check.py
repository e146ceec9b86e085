"""Has `silcrow` start published MCP servers, and call their tools: as they are, and killed, frozen and
garbled in the middle of a call. No run is lost, and no process is left."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SILCROW = Path(os.environ["SILCROW_PROGRAMS"]) / "silcrow"
BIN = Path.cwd() / "venv/bin"
HERE = Path.cwd()


def settings(home, name, command, more=""):
    """Returns the environment of a process of silcrow with this server."""
    place = Path(tempfile.mkdtemp(dir=home))
    (place / "silcrow").mkdir()
    words = ", ".join(json.dumps(str(word)) for word in command)
    table = f"[mcp.{name}]\ncommand = [{words}]\n{more}"
    (place / "silcrow/config.toml").write_text(table)
    path = os.environ["PATH"]
    return place, {
        "PATH": path,
        "HOME": str(place),
        "XDG_CONFIG_HOME": str(place),
    }


def ended(args, env, folder):
    """Runs silcrow to its end, which comes, and returns what it printed."""
    done = subprocess.run(
        [SILCROW, *args], env=env, cwd=folder, input="", capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, f"{args}\n{done.stdout}\n{done.stderr}"
    return [json.loads(line) for line in done.stdout.splitlines()]


def called(place, env, folder, name, tool, args, times):
    """Returns the results of a run whose model makes a call so many times."""
    call = json.dumps({"name": f"{name}.{tool}", "args": args})
    script = place / "script"
    turns = f"§call: {call}\n§execute\n%%\n" * times
    script.write_text(f"{turns}§respond: It is done.\n§end")
    flags = ["--json", "--permissions", "full", "--model", f"script:{script}"]
    events = ended(["run", "go", *flags], env, folder)
    assert "It is done." in json.dumps(events)
    return [str(event["content"]) for event in events if event["type"] == "result"]


def left():
    """Returns the processes of servers that were not ended. One that was killed may take a moment."""
    limit = time.monotonic() + 5
    while (found := running()) and time.monotonic() < limit:
        time.sleep(0.1)
    return found


def running():
    """Returns the processes of servers."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().decode(errors="replace")
            state = (process / "stat").read_text().rsplit(")", 1)[1].strip()[0]
        except OSError:
            continue
        if "mcp-server-" in words and str(BIN) in words and state != "Z":
            found.append(words)
    return found


def check(home):
    folder = Path(home) / "project"
    folder.mkdir()
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    (folder / "a.txt").write_text("a\n")
    servers = [
        ("time", [BIN / "mcp-server-time"], "get_current_time", {"timezone": "UTC"}, "UTC"),
        ("git", [BIN / "mcp-server-git"], "git_status", {"repo_path": str(folder)}, r"a\.txt"),
    ]
    for name, command, tool, args, says in servers:
        place, env = settings(home, name, command)
        report = ended(["mcp", "test", name, "--json"], env, folder)[0]
        assert f"{name}.{tool}" in report["tools"], report
        assert report["revision"] in ("2025-11-25", "2026-07-28"), report
        (plain,) = called(place, env, folder, name, tool, args, 1)
        assert re.search(says, plain), plain
        assert left() == [], name
        print(f"  {name}: revision {report['revision']}, {len(report['tools'])} tools")
        for way in ("kill", "freeze", "garble"):
            begun = time.monotonic()
            mark = Path(tempfile.mkdtemp(dir=home)) / "mark"
            meddled = [sys.executable, HERE / "meddle.py", way, mark, *command]
            place, env = settings(home, name, meddled, "timeout = 8\n")
            first, second = called(place, env, folder, name, tool, args, 2)
            assert "the outcome of this call is unknown" in first, (name, way, first)
            # A server that is frozen stays so; one that is dead is started again.
            if way != "freeze":
                assert re.search(says, second), (name, way, second)
            assert left() == [], (name, way)
            print(f"  {name}, {way}: {time.monotonic() - begun:.1f} s")


with tempfile.TemporaryDirectory(prefix="silcrow-mcp-") as home:
    check(home)
