"""Reading a table of edges as CSV and as Parquet: ehgnn, polars and pyarrow in turn.

    tables.py --ehgnn ../../bin/ehgnn --rows 1000000
    tables.py --ehgnn ../../bin/ehgnn --before OLDER/ehgnn     # data info of both programs, too

The table has ten columns: two ends, a time, three categories and four numbers. The least time of
each counts; processor time is that of all threads. polars and pyarrow keep columns in memory;
`cells` of ehgnn are rows with types that nobody keeps, `set` is the data set that it trains on.
"""

import argparse
import json
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy
import polars
import pyarrow.csv
import pyarrow.parquet

from machine import ForeignCPU

PEERS = {
    "polars": {"csv": polars.read_csv, "parquet": polars.read_parquet},
    "pyarrow": {"csv": pyarrow.csv.read_csv, "parquet": pyarrow.parquet.read_table},
}


def write(folder, rows):
    """The table as edges.csv and edges.parquet."""
    draw = numpy.random.default_rng(1)

    def ids():
        return numpy.char.add("account", draw.integers(0, 50000, rows).astype(str))

    seconds = draw.integers(0, 31536000, rows) * 1000
    table = polars.DataFrame(
        {
            "source": ids(),
            "target": ids(),
            "time": numpy.datetime64("2024-01-01T00:00:00") + seconds.astype("timedelta64[ms]"),
            "channel": draw.choice(["web", "branch", "phone", "partner"], rows),
            "country": draw.choice(["DE", "AT", "CH", "FR", "IT", "ES", "PL", "NL"], rows),
            "label": draw.choice(["regular", "fraud"], rows, p=[0.95, 0.05]),
            "amount": draw.lognormal(3, 1.5, rows).round(2),
            "balance": draw.normal(1000, 500, rows).round(2),
            "age": draw.integers(18, 95, rows),
            "score": draw.random(rows),
        }
    )
    table.write_csv(folder / "edges.csv", datetime_format="%Y-%m-%d %H:%M:%S")
    table.write_parquet(folder / "edges.parquet", compression="snappy")


def timed(call):
    """Seconds of a call, and processor seconds of this process and its children."""

    def used():
        return sum(
            getattr(resource.getrusage(who), field)
            for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
            for field in ("ru_utime", "ru_stime")
        )

    begin, cpu = time.perf_counter(), used()
    result = call()
    return result, time.perf_counter() - begin, used() - cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ehgnn", default="../../bin/ehgnn")
    parser.add_argument("--before", help="an older program, whose data info is compared")
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    least, foreign = {}, ForeignCPU()

    def note(name, wall, cpu):
        a = least.get(name, (wall, cpu))
        least[name] = min(a[0], wall), min(a[1], cpu)

    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        write(folder, args.rows)
        for _ in range(args.rounds):
            for kind in ("csv", "parquet"):
                path = folder / f"edges.{kind}"
                for peer, read in PEERS.items():
                    _, wall, cpu = timed(lambda: read[kind](path))
                    note(f"{kind} {peer}", wall, cpu)
                out = subprocess.check_output([args.ehgnn, "bench", "--table", path, "--json"])
                table = json.loads(out)["tables"][0]
                for part in ("cells", "set"):
                    note(f"{kind} ehgnn {part}", table[part]["seconds_min"], table[part]["cpu_seconds_min"])
                for name, program in (("ehgnn", args.ehgnn), ("ehgnn before", args.before)):
                    if args.before:
                        command = [program, "data", "info", path]
                        _, wall, cpu = timed(lambda: subprocess.check_output(command))
                        note(f"{kind} {name} data info", wall, cpu)
        print(f"{args.rows} rows, {os.cpu_count()} processors, {100 * foreign.share():.0f} % taken by others")
        for name, (wall, cpu) in sorted(least.items()):
            print(f"{name:32} {wall:7.3f} s {cpu:7.3f} s of processor time")


if __name__ == "__main__":
    main()
