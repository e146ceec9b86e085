"""``python -m silcrow``: the command that came with the package."""

import subprocess
import sys

from ._agent import program


def main() -> int:
    command = program()
    if command is None:
        print("silcrow: the command is not installed beside this Python", file=sys.stderr)
        return 1
    try:
        return subprocess.call([command, *sys.argv[1:]])
    except KeyboardInterrupt:
        # The command had it, too, and has said what became of its run.
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
