"""Files that the program writes, read by the programs that people open them with."""
import csv
import json
import unittest
from pathlib import Path

import duckdb
import numpy as np
import pandas
import polars
import pyarrow.parquet
import safetensors.numpy
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import serving


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.run_folder = serving.payments()
        cls.data = serving.FOLDER / "payments"
        cls.folder = serving.FOLDER / "files"
        cls.folder.mkdir(exist_ok=True)

    def write(self, verb, suffix, *flags):
        path = self.folder / f"{verb}.{suffix}"
        serving.ehgnn(verb, self.run_folder, self.data, "--out", path, "--quiet", *flags)
        return path

    def readers(self, path):
        """The rows of a table as each of the readers has them."""
        if path.suffix == ".parquet":
            yield pandas.read_parquet(path)
            yield polars.read_parquet(path).to_pandas()
            yield pyarrow.parquet.read_table(path).to_pandas()
        elif path.suffix == ".csv":
            yield pandas.read_csv(path, dtype={"source": str, "target": str})
            yield polars.read_csv(path, schema_overrides={"source": polars.String, "target": polars.String}).to_pandas()
        else:
            yield pandas.read_json(path, lines=True, dtype={"source": str, "target": str}, precise_float=True)
            yield polars.read_ndjson(path).to_pandas()
        yield duckdb.sql(f"SELECT * FROM '{path}'").df()

    def test_predictions(self):
        with open(self.write("predict", "csv")) as f:
            want = list(csv.DictReader(f))
        self.assertGreater(len(want), 20)
        for suffix in "csv", "parquet", "jsonl":
            path = self.write("predict", suffix)
            for table in self.readers(path):
                self.assertEqual(list(table.columns), list(want[0]), path)
                self.assertEqual(len(table), len(want))
                for column in "source", "target", "prediction":
                    self.assertEqual(list(table[column]), [row[column] for row in want])
                for column in "probability_ok", "probability_fraud":
                    np.testing.assert_array_equal(np.asarray(table[column], np.float32), np.array([row[column] for row in want], np.float32))

    def test_embeddings(self):
        table = pyarrow.parquet.read_table(self.write("embed", "parquet"))
        vectors = np.stack(table["vector"].to_pylist()).astype(np.float32)
        self.assertEqual(polars.read_parquet(self.folder / "embed.parquet")["vector"].to_list(), table["vector"].to_pylist())
        with open(self.write("embed", "csv")) as f:
            rows = list(csv.DictReader(f))
        names = [n for n in rows[0] if n.startswith("vector_")]
        np.testing.assert_array_equal(vectors, np.array([[row[n] for n in names] for row in rows], np.float32))

    def test_missing_label(self):
        """A label that is missing is null and not an empty text."""
        text = (self.data / "edges.csv").read_text().splitlines()
        data = serving.FOLDER / "unlabelled"
        data.mkdir(exist_ok=True)
        (data / "nodes.csv").write_text((self.data / "nodes.csv").read_text())
        (data / "edges.csv").write_text("\n".join([text[0], text[1].rsplit(",", 1)[0] + ",", *text[2:]]) + "\n")
        for suffix in "parquet", "jsonl":
            path = self.folder / f"missing.{suffix}"
            serving.ehgnn("predict", self.run_folder, data, "--out", path, "--quiet")
            for table in self.readers(path):
                self.assertTrue(table["label"].isna()[0] if "label" in table else True, path)
                self.assertFalse(table["label"].isna()[1:].any(), path)

    def test_tensorboard(self):
        events = EventAccumulator(str(self.run_folder))
        events.Reload()
        scalars = events.Tags()["scalars"]
        metrics = [json.loads(line) for line in (self.run_folder / "metrics.jsonl").read_text().splitlines()]
        self.assertTrue(scalars)
        for tag in scalars:
            self.assertEqual(len(events.Scalars(tag)), len(metrics), tag)

    def test_safetensors(self):
        path = self.run_folder / "model.safetensors"
        tensors = safetensors.numpy.load_file(path)
        self.assertTrue(tensors)
        self.assertTrue(all(np.isfinite(t).all() for t in tensors.values()))
        with safetensors.safe_open(path, "np") as f:
            self.assertNotIn(str(Path(serving.FOLDER).parent) + "/", json.dumps(f.metadata()))


if __name__ == "__main__":
    unittest.main()
