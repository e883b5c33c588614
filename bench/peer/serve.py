"""Predictions over HTTP, one graph a request and 32, over kept connections: `ehgnn serve`, and the same model
in PyTorch Geometric behind FastAPI and uvicorn, both on one core and called in turn, so that what else
the machine does slows both; vegeta sends on the other cores. Processor times of a request are printed, too, which do
not depend much on what else the machine does.

    python serve.py --ehgnn ../../bin/ehgnn --data DATA          # DATA/tu/MUTAG.zip

Both have HyperDrop of the sizes of MUTAG; what it has learned does not matter. First as many requests as go
through, the best of some rounds, then 70 % of that. Needs fastapi, uvicorn and Go (vegeta is fetched by `go run`).
"""

import argparse
import base64
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

VEGETA = "github.com/tsenart/vegeta/v12@v12.13.0"
ATOMS, BONDS, HIDDEN = 7, 4, 128


def app():
    """The server of the peer, imported by uvicorn."""
    import fastapi
    import pydantic
    import torch
    from torch.nn.functional import one_hot
    from torch_geometric.data import Batch, Data

    from models import HyperDrop, HyperDropConfig

    torch.set_num_threads(1)
    model = HyperDrop(HyperDropConfig(num_node_features=ATOMS, num_edge_features=BONDS, num_classes=2,
                                      edge_ratio=0.9, num_hidden=HIDDEN, edge_hidden=HIDDEN)).eval()

    class Labels(pydantic.BaseModel):
        label: list[int]

    class Graph(pydantic.BaseModel):
        num_nodes: int
        edges: list[tuple[int, int]]
        node: Labels
        edge: Labels

    class Body(pydantic.BaseModel):
        graphs: list[Graph]

    server = fastapi.FastAPI()

    @server.post("/predict")
    async def predict(body: Body):
        graphs = []
        for g in body.graphs:
            ends, label = torch.tensor(g.edges).T, one_hot(torch.tensor(g.edge.label), BONDS).float()
            graphs.append(Data(x=one_hot(torch.tensor(g.node.label), ATOMS).float(), num_nodes=g.num_nodes,
                               edge_index=torch.cat([ends, ends.flip(0)], 1), edge_attr=torch.cat([label, label])))
        with torch.inference_mode():
            p = model(Batch.from_data_list(graphs)).exp()
        return {"predictions": [{"class": int(r.argmax()), "probabilities": r.tolist()} for r in p]}

    return server


@contextlib.contextmanager
def running(command, ready, **more):
    """A server on core 0 that answers."""
    process = subprocess.Popen(command, preexec_fn=lambda: os.sched_setaffinity(0, {0}), stdout=subprocess.DEVNULL, **more)
    try:
        for _ in range(3000):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(ready).close()
                break
            if process.poll() is not None:
                sys.exit(f"{command[0]} ended with {process.returncode}")
            time.sleep(0.1)
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def processor(pid):
    """Seconds of the processor that a process has taken."""
    return sum(int(n) for n in pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]) / os.sysconf("SC_CLK_TCK")


def attack(vegeta, url, body, rate, seconds, connections):
    """What vegeta reports; rate 0 sends as fast as answers come."""
    target = json.dumps({"method": "POST", "url": url, "header": {"Content-Type": ["application/json"]},
                         "body": base64.b64encode(body).decode()})
    others = set(range(1, os.cpu_count())) or {0}
    out = subprocess.run([vegeta, "attack", "-format=json", f"-rate={rate}", f"-duration={seconds}s", f"-workers={connections}",
                          f"-max-workers={connections}", f"-connections={connections}"], input=target.encode() + b"\n", check=True,
                         stdout=subprocess.PIPE, preexec_fn=lambda: os.sched_setaffinity(0, others)).stdout
    report = json.loads(subprocess.run([vegeta, "report", "-type=json"], input=out, check=True, stdout=subprocess.PIPE).stdout)
    if report["success"] != 1:
        sys.exit(f"{url}: {report['status_codes']} {report['errors'][:1]}")
    return report["throughput"], report["latencies"]["50th"] / 1e6, report["latencies"]["99th"] / 1e6, report["requests"]


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--ehgnn", default="../../bin/ehgnn")
    p.add_argument("--data", type=pathlib.Path, required=True)
    p.add_argument("--seconds", type=int, default=20)
    p.add_argument("--connections", type=int, default=16)
    p.add_argument("--rounds", type=int, default=3)
    a = p.parse_args()
    ehgnn, here = pathlib.Path(a.ehgnn).resolve(), pathlib.Path(__file__).parent
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(["go", "install", VEGETA], check=True, env={**os.environ, "GOBIN": work})
        run = os.path.join(work, "mutag")
        subprocess.run([ehgnn, "train", a.data / "tu" / "MUTAG.zip", "--model", "hyperdrop", "--epochs", "2", "--hidden", str(HIDDEN), "--out", run,
                        "--quiet"], check=True, stdout=subprocess.DEVNULL)
        example = json.loads(pathlib.Path(run, "input_example.json").read_text())
        graph = {"num_nodes": len(example["nodes"]), "edges": [[e["source"], e["target"]] for e in example["edges"]],
                 "node": {"label": [v["label"] for v in example["nodes"]]}, "edge": {"label": [e["label"] for e in example["edges"]]}}
        ours = [ehgnn, "serve", run, "--threads", "1", "--addr", "127.0.0.1:18080", "--log-level", "error"]
        theirs = [sys.executable, "-m", "uvicorn", "serve:app", "--factory", "--port", "18081", "--log-level", "error", "--no-access-log"]
        urls = {"ehgnn serve": "http://127.0.0.1:18080/v1/models/mutag/predict", "FastAPI": "http://127.0.0.1:18081/predict"}
        environment = {**os.environ, "GOMAXPROCS": "1"}
        with (running(ours, "http://127.0.0.1:18080/readyz", cwd=here, env=environment) as a_pid,
              running(theirs, "http://127.0.0.1:18081/docs", cwd=here, env=environment) as b_pid):
            pids = dict(zip(urls, (a_pid, b_pid)))
            for graphs in 1, 32:
                body = json.dumps({"graphs": [graph] * graphs}).encode()
                best, spent = {}, {}
                for _ in range(a.rounds):
                    for name, url in urls.items():
                        attack(os.path.join(work, "vegeta"), url, body, 0, 1, a.connections)
                        began = processor(pids[name])
                        found = attack(os.path.join(work, "vegeta"), url, body, 0, a.seconds, a.connections)
                        best[name] = max(best.get(name, (0,)), found)
                        spent[name] = min(spent.get(name, 1e9), (processor(pids[name]) - began) / found[3] * 1e3)
                for name, url in urls.items():
                    most, p50, p99, _ = best[name]
                    print(f"{name}, {graphs} a request: {most:.0f} requests a second over {a.connections} connections, half within {p50:.2f} ms, 99 % within {p99:.2f} ms, "
                          f"{spent[name]:.3f} ms of the processor each")
                    rate, p50, p99, _ = attack(os.path.join(work, "vegeta"), url, body, max(1, int(0.7 * most)), a.seconds, a.connections)
                    print(f"{name}, {graphs} a request: at {rate:.0f} requests a second half within {p50:.2f} ms, 99 % within {p99:.2f} ms", flush=True)
                print(f"ratio with {graphs} a request {best['ehgnn serve'][0] / best['FastAPI'][0]:.1f}, of processor time {spent['FastAPI'] / spent['ehgnn serve']:.1f}", flush=True)


if __name__ == "__main__":
    main()
