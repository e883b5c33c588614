"""The program ehgnn within this package."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

__all__ = ["find_binary", "main"]


def find_binary() -> str:
    """Return the path of the program ehgnn in this package.

    The environment variable EHGNN_BINARY can name another path.

    Raises
    ------
    FileNotFoundError
        If the program is not there.

    Examples
    --------
    >>> import subprocess, ehgnn
    >>> subprocess.run([ehgnn.find_binary(), "version"], check=True, capture_output=True).stdout[:5]
    b'ehgnn'
    """
    named = os.environ.get("EHGNN_BINARY")
    name = "ehgnn.exe" if os.name == "nt" else "ehgnn"
    path = pathlib.Path(named) if named else pathlib.Path(__file__).parent / "bin" / name
    if not path.is_file():
        where = "EHGNN_BINARY" if named else "the package ehgnn"
        raise FileNotFoundError(f"{where} has no program at {path}; install the wheel of this platform: pip install --force-reinstall ehgnn")
    return str(path)


def main() -> None:
    """Replace this process by the program, with the same arguments."""
    program = find_binary()
    args = [program, *sys.argv[1:]]
    if os.name == "nt":  # execv would return to the shell before the program has ended
        try:
            sys.exit(subprocess.run(args, check=False).returncode)
        except KeyboardInterrupt:
            sys.exit(130)
    os.execv(program, args)
