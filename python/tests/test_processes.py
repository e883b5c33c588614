"""The child process: interrupts, forks, threads, kills, full disks. Nothing is left behind."""

from __future__ import annotations

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

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="signals and forks of Unix")


def children() -> list[str]:
    """The programs that run under this process, by /proc."""
    found = []
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            text = status.read_text()
        except OSError:
            continue
        name, rest = text[text.index("(") + 1 : text.rindex(")")], text[text.rindex(")") + 2 :].split()
        if name == "ehgnn" and rest[0] != "Z" and int(rest[1]) in (os.getpid(), 1):
            found.append(status.parent.name)
    return found


def run(code: str, folder: pathlib.Path, **options: Any) -> subprocess.Popen[str]:
    """Start a Python of its own, whose temporary files are in a folder."""
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


def test_interrupt_and_resume(tmp_path: pathlib.Path) -> None:
    code = LONG + """
        import subprocess
        args = ["--resume", "--out", str(model._run.path), "--json", "--quiet"]
        state = (model._run.path / "state.json").exists()
        print("state" if state else "no state", flush=True)
        try:
            model.predict(payments(4))
        except ehgnn.NotFittedError:
            print("not fitted", flush=True)
        import re
        config = model._run.path / "config.yaml"
        model.fit(None, resume=True) if False else None
    """.replace("\n        ", "\n    ")
    process = run(code, tmp_path)
    wait_for(lambda: list(tmp_path.glob("*/run/checkpoint.safetensors")))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=90)
    assert out.split("\n")[:3] == ["interrupted", "state", "not fitted"], (out, err)
    assert list(tmp_path.iterdir()) == []


def test_resume(table: pd.DataFrame) -> None:
    settings: dict[str, Any] = {"model": "ehgnn-roles", "epochs": 30, "patience": 0}
    whole = ehgnn.EdgeClassifier(**settings).fit(table)
    model = ehgnn.EdgeClassifier(**settings)
    run_of = model._begin(False)
    seen: list[str] = []

    def stop(line: str) -> None:
        seen.append(line)
        raise KeyboardInterrupt

    table.to_csv(run_of.data / "edges.csv", index=False)
    with pytest.raises(KeyboardInterrupt):
        run_of.command("train", str(run_of.data), *model._arguments({}), "--out", str(run_of.path), on_line=stop)
    if (run_of.path / "checkpoint.safetensors").exists():
        run_of.command("train", "--resume", "--out", str(run_of.path), "--json")
        assert run_of.result()["valid"] == whole._fitted().result()["valid"]
    with pytest.raises(ValueError, match="resume=True"):
        ehgnn.EdgeClassifier().fit(table, resume=True)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_killed_python(how: signal.Signals, tmp_path: pathlib.Path) -> None:
    """The program ends with the Python that started it, also one that is killed."""
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
    np.testing.assert_array_equal(model.predict_proba(table), want)  # a new one is started
    threading.Timer(0.3, lambda: os.kill(slow._run.worker._process.pid, signal.SIGKILL)).start()
    slow = ehgnn.EdgeClassifier(model="ehgnn-roles", epochs=100000, patience=0)
    with pytest.raises(ehgnn.ProgramError, match="signal 9 during 'train'"):
        slow.fit(table)


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
    assert [p.name for p in fitted._run.folder.iterdir() if p.name.startswith("call")] == []


def test_read_only_home(tmp_path: pathlib.Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o555)
    done = run("""
        import ehgnn
        from conftest import payments
        ehgnn.EdgeClassifier(quality="fast").fit(payments()).predict(payments())
        """, tmp_path, env={"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")})
    assert done.wait(120) == 0, done.communicate()


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
