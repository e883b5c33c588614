"""Times OGB's own featuriser, smiles2graph, on the SMILES of BenchmarkFeaturise in chem/rdkit:
100,000 molecules, a process a core. Needs rdkit, numpy and ogb.

    python bench/peer/chem.py DATA/molecules [rounds]
"""

import csv
import gzip
import multiprocessing
import os
import sys
import time

from ogb.utils import smiles2graph
from rdkit import RDLogger, rdBase

RDLogger.DisableLog("rdApp.*")


def smiles(folder):
    rows = []
    for name in ("zinc", "chembl", "gsk3"):
        with gzip.open(os.path.join(folder, name + ".csv.gz"), "rt") as f:
            rows += [row[0] for row in csv.reader(f)][1:]
    return rows[:100000]


def processor_time(pool):
    """Seconds that this process and its workers have used."""
    tick = os.sysconf("SC_CLK_TCK")
    total = time.process_time()
    for worker in pool._pool:
        with open(f"/proc/{worker.pid}/stat") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        total += (int(fields[11]) + int(fields[12])) / tick
    return total


def main():
    rows = smiles(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    cores = multiprocessing.cpu_count()
    with multiprocessing.Pool(cores) as pool:
        pool.map(smiles2graph, rows[:1000])
        for _ in range(rounds):
            start, used = time.perf_counter(), processor_time(pool)
            graphs = pool.map(smiles2graph, rows, chunksize=500)
            seconds = time.perf_counter() - start
            print(f"RDKit {rdBase.rdkitVersion}, {cores} processes: {len(graphs)} molecules in {seconds:.2f} s, "
                  f"{processor_time(pool) - used:.2f} s of processor time")


if __name__ == "__main__":
    main()
