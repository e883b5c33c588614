"""The child process: interrupts, forks, threads, kills, full disks. Nothing is left behind."""

from __future__ import annotations

import json
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ehgnn
from conftest import payments
from ehgnn import _child

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="signals and forks of Unix")


def run(code: str, folder: pathlib.Path, **options: Any) -> subprocess.Popen[str]:
    """Start another Python process with its temporary files in a folder."""
    env = dict(os.environ, TMPDIR=str(folder), **options.pop("env", {}))
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], cwd=pathlib.Path(__file__).parent, env=env,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def wait_for(what: Any, seconds: float = 60) -> Any:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if found := what():
            return found
        time.sleep(0.02)
    raise AssertionError(f"not within {seconds} s")


LONG = """
    import ehgnn
    from conftest import payments
    model = ehgnn.EdgeClassifier(model="ehgnn-roles", epochs=100000, patience=0)
    try:
        model.fit(payments(2000))
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    """


def test_nothing_is_left(tmp_path: pathlib.Path) -> None:
    done = run("""
        import ehgnn
        from conftest import payments
        model = ehgnn.EdgeClassifier(quality="fast").fit(payments())
        model.predict(payments())
        print(model._run.worker._process.pid)
        """, tmp_path)
    out, err = done.communicate(timeout=120)
    assert done.returncode == 0, err
    assert not pathlib.Path(f"/proc/{out.strip()}").exists()
    assert list(tmp_path.iterdir()) == []


def test_estimator_that_goes(table: pd.DataFrame) -> None:
    model = ehgnn.EdgeClassifier(quality="fast").fit(table)
    folder, process = model._run.folder, model._run.worker._process
    assert folder.exists() and process.poll() is None
    del model
    assert not folder.exists() and process.poll() is not None


def test_interrupt(tmp_path: pathlib.Path) -> None:
    process = run(LONG + """
        try:
            model.predict(payments(4))
        except ehgnn.NotFittedError:
            print("not fitted", flush=True)
    """.replace("\n    ", "\n"), tmp_path)
    wait_for(lambda: list(tmp_path.glob("*/run/checkpoint.safetensors")))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=90)
    assert out.split() == ["interrupted", "not", "fitted"], (out, err)
    assert list(tmp_path.iterdir()) == []


def test_resume(table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupted and resumed fit ends with the scores of an uninterrupted one."""
    settings: dict[str, Any] = {"model": "ehgnn-roles", "epochs": 300, "patience": 0, "hidden": 8, "threads": 1}
    whole = ehgnn.EdgeClassifier(**settings).fit(table)
    model = ehgnn.EdgeClassifier(**settings)

    def interrupted(process: subprocess.Popen[bytes], args: list[str], on_line: Any) -> None:
        assert process.stdin is not None
        process.stdin.write(json.dumps({"args": args}).encode() + b"\n")
        process.stdin.flush()
        wait_for(lambda: (model._run.path / "checkpoint.safetensors").exists())
        raise KeyboardInterrupt  # before the reply is read

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(_child, "_converse", interrupted)
        model.fit(table)
    with pytest.raises(ehgnn.NotFittedError):
        model.predict(table)
    model.fit(table, resume=True)
    assert model.scores_ == whole.scores_
    np.testing.assert_array_equal(model.predict_proba(table), whole.predict_proba(table))
    with pytest.raises(ValueError, match="resume=True"):
        ehgnn.EdgeClassifier().fit(table, resume=True)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_killed_python(how: signal.Signals, tmp_path: pathlib.Path) -> None:
    """The program ends when the Python process that started it ends, also if that is killed."""
    process = run(LONG, tmp_path)
    wait_for(lambda: list(tmp_path.glob("*/run/config.yaml")))
    child = wait_for(lambda: pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split())[0]
    process.send_signal(how)
    process.communicate(timeout=30)
    wait_for(lambda: not pathlib.Path(f"/proc/{child}").exists())


def test_killed_child(table: pd.DataFrame) -> None:
    model = ehgnn.EdgeClassifier(quality="fast").fit(table)
    want = model.predict_proba(table)
    os.kill(model._run.worker._process.pid, signal.SIGKILL)
    np.testing.assert_array_equal(model.predict_proba(table), want)  # a new worker is started
    slow = ehgnn.EdgeClassifier(model="ehgnn-roles", epochs=100000, patience=0)

    def kill() -> None:
        wait_for(lambda: getattr(slow, "_run", None) and (slow._run.path / "checkpoint.safetensors").exists())
        os.kill(slow._run.worker._process.pid, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    with pytest.raises(ehgnn.ProgramError, match="signal 9 during 'train'"):
        slow.fit(table)
    thread.join()


def test_threads(fitted: ehgnn.EdgeClassifier, table: pd.DataFrame) -> None:
    other = ehgnn.EdgeClassifier(quality="fast", seed=8).fit(table)
    want = {m: m.predict_proba(table) for m in (fitted, other)}
    wrong = []

    def use(model: ehgnn.EdgeClassifier) -> None:
        for _ in range(3):
            if not np.array_equal(model.predict_proba(table), want[model]):
                wrong.append(model)

    threads = [threading.Thread(target=use, args=[m]) for m in (fitted, other, fitted, other)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def _predict(model: ehgnn.EdgeClassifier, to: Any) -> None:
    to.put(model.predict_proba(payments()))


def test_fork(fitted: ehgnn.EdgeClassifier, table: pd.DataFrame) -> None:
    want = fitted.predict_proba(table)
    context = multiprocessing.get_context("fork")
    to = context.Queue()
    processes = [context.Process(target=_predict, args=[fitted, to]) for _ in range(2)]
    for p in processes:
        p.start()
    for _ in processes:
        np.testing.assert_array_equal(to.get(timeout=60), want)
    for p in processes:
        p.join(30)
        assert p.exitcode == 0
    assert fitted._run.folder.exists()
    np.testing.assert_array_equal(fitted.predict_proba(table), want)


def test_full_disk(fitted: ehgnn.EdgeClassifier, table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ehgnn._ipc.write", full)
    with pytest.raises(OSError, match="cannot be written, No space left"):
        fitted.predict({k: v.to_numpy() for k, v in table.items()})
    assert list(fitted._run.folder.glob("call-*/*")) == []


def test_disk_that_fills(tmp_path: pathlib.Path) -> None:
    """On a disk of 1 MB fit fails with the message of the program, and no file is left on it."""
    disk = tmp_path / "disk"
    disk.mkdir()
    script = textwrap.dedent("""
        import ehgnn, pathlib, sys, tempfile
        from conftest import payments
        tempfile.tempdir = sys.argv[1]
        for rows in (200, 200_000):
            try:
                ehgnn.EdgeClassifier(quality="fast").fit(payments(rows)).predict(payments(rows))
                print("done")
            except (OSError, ehgnn.ProgramError) as error:
                print(type(error).__name__, error)
        print(sorted(pathlib.Path(sys.argv[1]).iterdir()))
        """)
    mount = ["unshare", "--map-root-user", "--mount", "sh", "-c", 'mount -t tmpfs -o size=1m none "$1" && exec "$2" -c "$3" "$1"', "sh", str(disk)]
    if subprocess.run([*mount, "true", ""], capture_output=True).returncode != 0:
        pytest.skip("no file system can be mounted here")
    done = subprocess.run([*mount, sys.executable, script], cwd=pathlib.Path(__file__).parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 3 and lines[0].startswith("ProgramError") and lines[1].startswith("OSError"), done.stdout
    assert all("no space left" in line.lower() for line in lines[:2]) and lines[2] == "[]", done.stdout


def test_read_only_home(tmp_path: pathlib.Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o555)
    done = run("""
        import ehgnn
        from conftest import payments
        ehgnn.EdgeClassifier(quality="fast").fit(payments()).predict(payments())
        """, tmp_path, env={"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")})
    _, err = done.communicate(timeout=120)
    assert done.returncode == 0, err


def test_no_folder_for_files(tmp_path: pathlib.Path) -> None:
    done = run("""
        import ehgnn, tempfile
        from conftest import payments
        tempfile.tempdir = "/nowhere"
        ehgnn.EdgeClassifier().fit(payments())
        """, tmp_path)
    _, err = done.communicate(timeout=60)
    assert "FileNotFoundError" in err and "/nowhere" in err


def test_idle_worker(table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ehgnn._child._IDLE", 0.4)
    model = ehgnn.EdgeClassifier(quality="fast").fit(table)
    wait_for(lambda: model._run.worker._process is None)
    assert len(model.predict(table)) == len(table)


def test_many_rows(tmp_path: pathlib.Path) -> None:
    """For 10^6 rows Python takes at most a tenth of the program's time, and less memory than a second frame."""
    done = run("""
        import threading, time
        import numpy as np, pandas as pd, pyarrow, ehgnn

        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * 4096

        rows, rng = 1_000_000, np.random.default_rng(0)
        frame = pd.DataFrame({"source": rng.integers(100_000, size=rows), "target": rng.integers(100_000, size=rows)} | {f"x{i}": rng.random(rows) for i in range(8)})
        y = pd.Series(np.where(frame["x0"] > 0.5, "a label that is long", "another label"))
        size = int(frame.memory_usage(deep=True).sum())
        small = slice(0, 3000)  # so that libraries are loaded
        settings = dict(model="ehgnn-roles", epochs=1, hidden=4, layers=1, structure="none", label_context="off")
        ehgnn.EdgeClassifier(**settings).fit(frame[small], y[small])
        base = most = resident()
        ended = threading.Event()

        def watch():
            global most
            while not ended.is_set():
                most = max(most, resident())
                time.sleep(0.01)

        watcher = threading.Thread(target=watch)
        watcher.start()
        began = time.process_time()
        model = ehgnn.EdgeClassifier(**settings).fit(frame, y)
        own = time.process_time() - began
        ended.set()
        watcher.join()
        with open(f"/proc/{model._run.worker._process.pid}/stat") as file:
            program = sum(int(n) for n in file.read().rsplit(")", 1)[1].split()[11:13]) / 100
        print(own / program, (most - base) / size)
        """, tmp_path)
    out, err = done.communicate(timeout=900)
    assert done.returncode == 0, err
    time_share, memory_share = map(float, out.split())
    assert time_share < 0.1, f"Python takes {time_share:.0%} of what the program takes"
    assert memory_share < 1, f"{memory_share:.2f} times the frame"
