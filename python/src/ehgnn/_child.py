"""The child process: one running program that executes commands one after the other.

A worker reads commands from a pipe and writes replies to another one. It ends when its standard
input ends, which happens whenever the Python process ends, or after some time without a command.
A forked process starts its own worker.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Callable
from typing import IO, Any

from ehgnn._binary import find_binary

__all__ = ["ProgramError", "Worker"]

_IDLE = 300.0  # seconds without a command after which a worker ends
_GRACE = 60.0  # seconds that an interrupted command has to save its state


class ProgramError(RuntimeError):
    """The program failed, and its input is not the reason."""


class Worker:
    """Runs commands of the program in a child process, which is started when it is needed."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0  # the process that started the child
        self._printed: IO[bytes] | None = None  # standard error of the child
        self._used = 0.0
        self._watching = False
        _workers.add(self)

    def run(self, args: list[str], on_line: Callable[[str], None] | None = None) -> str:
        """Run a command and return its output. Each line on standard error goes to on_line.

        Raises
        ------
        ValueError
            If the input or a setting is wrong, with the message of the program.
        ProgramError
            If the program fails or is killed.
        KeyboardInterrupt
            After an interrupt, when the command has saved its state.
        """
        with self._lock:
            try:
                code, printed, errors = self._ask(args, on_line)
            except BaseException:
                self._stop(_GRACE)  # ending its input interrupts the command
                raise
            self._used = time.monotonic()
        _raise(code, errors)
        return printed

    def close(self) -> None:
        """End the child process."""
        with self._lock:
            self._stop(_GRACE)

    def _ask(self, args: list[str], on_line: Callable[[str], None] | None) -> tuple[int, str, list[str]]:
        old = self._process
        process = self._started()
        found = _converse(process, args, on_line)
        if found is None and process is old:  # it was killed before this command
            self._stop(0)
            process = self._started()
            found = _converse(process, args, on_line)
        if found is not None:
            return found
        code = process.wait()
        printed = self._tail()
        self._stop(0)
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        raise ProgramError(f"the program {how} during {args[0]!r}{': ' if printed else ''}{printed}")

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._owner == os.getpid() and self._process.poll() is None:
            return self._process
        self._stop(0)
        self._printed = tempfile.TemporaryFile()
        options: dict[str, Any] = {"creationflags": 0x200} if os.name == "nt" else {"start_new_session": True}
        self._process = subprocess.Popen(
            [find_binary(), "worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._printed, **options
        )
        self._owner, self._used = os.getpid(), time.monotonic()
        if not self._watching:
            self._watching = True
            _later(weakref.ref(self))
        return self._process

    def _tail(self) -> str:
        if self._printed is None:
            return ""
        self._printed.seek(0)
        return self._printed.read()[-2000:].decode(errors="replace").strip()

    def _stop(self, patience: float) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None and process.stdout is not None
        _close(process.stdin)
        if self._owner != os.getpid():  # it is the child of another process, which will wait for it
            _close(process.stdout)
            process.returncode = 0
        else:
            _end(process, patience)
        if self._printed is not None:
            self._printed.close()
            self._printed = None


def _converse(process: subprocess.Popen[bytes], args: list[str], on_line: Callable[[str], None] | None) -> tuple[int, str, list[str]] | None:
    """Send a command and return the last reply, or None if the process ends without it."""
    assert process.stdin is not None and process.stdout is not None
    errors: list[str] = []
    try:
        process.stdin.write(json.dumps({"args": args}).encode() + b"\n")
        process.stdin.flush()
        while line := process.stdout.readline():
            reply = json.loads(line)
            for text in reply.get("stderr", "").splitlines():
                errors.append(text)
                if on_line is not None:
                    on_line(text)
            if "code" in reply:
                return reply["code"], reply["stdout"], errors
    except (BrokenPipeError, ConnectionError, json.JSONDecodeError):
        pass
    return None


def _close(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except OSError:  # the process has ended before everything was written
        pass


def _end(process: subprocess.Popen[bytes], patience: float) -> None:
    """Wait for a process whose input has ended, and kill it if that takes too long."""
    assert process.stdout is not None
    process.stdin = None
    try:
        if not patience:
            process.kill()
        process.communicate(timeout=patience or None)
    except BaseException as error:
        process.kill()
        process.wait()
        if not isinstance(error, subprocess.TimeoutExpired):
            raise
    finally:
        process.stdout.close()


def _raise(code: int, errors: list[str]) -> None:
    if code == 0:
        return
    at = max((i for i, line in enumerate(errors) if line.startswith("ehgnn: ")), default=0)
    message = "\n".join(errors[at:]).removeprefix("ehgnn: ")
    if code == 130:
        raise KeyboardInterrupt
    if code == 2:
        raise ValueError(message)
    raise ProgramError(message or f"the program ended with exit code {code}")


_workers: weakref.WeakSet[Worker] = weakref.WeakSet()


def _later(worker: weakref.ref[Worker]) -> None:
    """Check after a while whether the worker is idle."""
    timer = threading.Timer(_IDLE / 4, _check, [worker])
    timer.daemon = True
    timer.start()


def _check(worker: weakref.ref[Worker]) -> None:
    it = worker()
    if it is None:
        return
    if it._lock.acquire(blocking=False):
        try:
            if time.monotonic() - it._used > _IDLE:
                it._stop(_GRACE)
            if it._process is None:
                it._watching = False
                return
        finally:
            it._lock.release()
    _later(worker)


def _forked() -> None:
    """Close the pipes of the parent's workers. Open pipes would keep the workers running."""
    for worker in list(_workers):
        worker._lock = threading.RLock()
        worker._watching = False
        worker._stop(0)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
