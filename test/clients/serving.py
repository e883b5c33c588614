"""Runs of small made sets, and servers of them, for the tests of clients.

EHGNN names the program; make test-clients sets it.
"""
import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

EHGNN = os.environ.get("EHGNN", "bin/ehgnn")
FOLDER = Path(tempfile.mkdtemp(prefix="ehgnn-clients-"))


def ehgnn(*args, **more):
    """Calls the program, which must succeed, and returns its standard output."""
    return subprocess.run([EHGNN, *map(str, args)], check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def train(name, data, *flags):
    """Trains a run for two epochs, once, and returns its folder."""
    out = FOLDER / "runs" / name
    if not out.exists():
        ehgnn("train", data, "--epochs", 2, "--hidden", 8, "--quiet", "--out", out, *flags)
    return out


def graphs():
    """A run on node-link documents whose nodes and edges have labels and numbers."""
    path = FOLDER / "graphs.json"
    if not path.exists():
        draw = random.Random(1)
        documents = []
        for i in range(40):
            nodes = [f'{{"id": {v}, "kind": "{draw.choice("ab")}", "w": {draw.random():.3f}}}' for v in range(4)]
            edges = [f'{{"source": {v}, "target": {(v + 1) % 4}, "order": {draw.randint(1, 3)}}}' for v in range(4)]
            documents.append(f'{{"directed": false, "multigraph": false, "graph": {{"label": "{"xy"[i % 2]}", "id": "g{i}"}}, '
                             f'"nodes": [{", ".join(nodes)}], "edges": [{", ".join(edges)}]}}')
        path.write_text("[" + ",\n".join(documents) + "]")
    return train("graphs", path)


def payments():
    """A run on tables of nodes and edges, which predicts for edges."""
    folder = FOLDER / "payments"
    if not folder.exists():
        folder.mkdir()
        draw = random.Random(2)
        (folder / "nodes.csv").write_text("id,kind,days\n" + "".join(f"n{i},{draw.choice(['person', 'shop'])},{draw.randint(1, 900)}\n" for i in range(60)))
        rows = []
        for _ in range(300):
            amount = draw.randint(1, 900)
            rows.append(f"n{draw.randrange(60)},n{draw.randrange(60)},{amount},{draw.choice(['card', 'web'])},{['ok', 'fraud'][amount > 700]}\n")
        (folder / "edges.csv").write_text("source,target,amount,channel,label\n" + "".join(rows))
    return train("payments", folder)


@contextlib.contextmanager
def served(*runs, flags=()):
    """Serves runs on a free port, and gives the address without its scheme."""
    p = subprocess.Popen([EHGNN, "serve", "--addr", "127.0.0.1:0", "--log-level", "warn", *map(str, runs), *flags], stdout=subprocess.PIPE, text=True)
    try:
        line = p.stdout.readline()
        if not line.startswith("serving "):
            sys.exit(f"serve began with {line!r}")
        yield line.split("://")[1].strip()
    finally:
        p.send_signal(signal.SIGTERM)
        if p.wait(30) != 0:
            sys.exit(f"serve ended with {p.returncode}")
        p.stdout.close()
