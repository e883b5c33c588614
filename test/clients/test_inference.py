"""The public clients of the Open Inference Protocol, with their defaults."""
import asyncio
import json
import unittest
import urllib.request

import kserve
import numpy as np
import tritonclient.http as triton
from tritonclient.utils import InferenceServerException

import serving

# Two graphs: a triangle and an edge. The columns of x are kind and w, that of e is order.
TENSORS = {
    "num_nodes": np.array([3, 2], np.int64),
    "num_edges": np.array([3, 1], np.int64),
    "edge_index": np.array([[0, 1, 2, 3], [1, 2, 0, 4]], np.int64),
    "x": np.array([[0, 0.5], [1, 0.25], [0, 0.75], [1, 0.5], [1, 1]], np.float32),
    "e": np.array([[1], [2], [3], [1]], np.float32),
}
TEXTS = np.array([["a", "0.5"], ["b", "0.25"], ["a", "0.75"], ["b", "0.5"], ["b", "1"]], np.object_)
PREDICT = {"graphs": [
    {"num_nodes": 3, "edges": [[0, 1], [1, 2], [2, 0]], "node": {"kind": ["a", "b", "a"], "w": [0.5, 0.25, 0.75]}, "edge": {"order": [1, 2, 3]}},
    {"num_nodes": 2, "edges": [[0, 1]], "node": {"kind": ["b", "b"], "w": [0.5, 1]}, "edge": {"order": [1]}}]}


def triton_inputs(tensors, binary):
    out = []
    for name, value in tensors.items():
        one = triton.InferInput(name, value.shape, DATATYPES[value.dtype.kind])
        one.set_data_from_numpy(value, binary_data=binary)
        out.append(one)
    return out


DATATYPES = {"i": "INT64", "f": "FP32", "O": "BYTES"}


class Inference(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        run = serving.graphs()
        cls.server = serving.served(run)
        cls.address = cls.server.__enter__()
        cls.name = run.name
        request = urllib.request.Request(f"http://{cls.address}/v1/models/{cls.name}/predict", json.dumps(PREDICT).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as reply:
            predictions = json.load(reply)["predictions"]
        cls.classes = [p["class"] for p in predictions]
        cls.probabilities = np.array([list(p["probabilities"].values()) for p in predictions], np.float32)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__(None, None, None)

    def equal(self, probabilities, classes=None):
        np.testing.assert_array_equal(np.asarray(probabilities, np.float32).reshape(2, -1), self.probabilities)
        if classes is not None:
            self.assertEqual([c.decode() if isinstance(c, bytes) else c for c in classes], self.classes)

    def test_triton_state(self):
        with triton.InferenceServerClient(self.address) as client:
            self.assertTrue(client.is_server_live() and client.is_server_ready() and client.is_model_ready(self.name))
            metadata = client.get_model_metadata(self.name)
            for version in metadata["versions"]:
                self.assertTrue(client.is_model_ready(self.name, version))
                self.assertEqual(client.get_model_metadata(self.name, version), metadata)
            self.assertIn("binary_tensor_data", client.get_server_metadata()["extensions"])
            self.assertFalse(client.is_model_ready(self.name, "7"))

    def test_triton(self):
        with triton.InferenceServerClient(self.address) as client:
            version = client.get_model_metadata(self.name)["versions"][0]
            for tensors in TENSORS, TENSORS | {"x": TEXTS}:
                for binary in True, False:
                    inputs = triton_inputs(tensors, binary)
                    result = client.infer(self.name, inputs)
                    self.equal(result.as_numpy("probabilities"), result.as_numpy("class"))
                    for packed in True, False:
                        outputs = [triton.InferRequestedOutput(n, binary_data=packed) for n in ("class", "probabilities")]
                        result = client.infer(self.name, inputs, model_version=version, outputs=outputs, request_id="7", timeout=1000, parameters={"custom": 1})
                        self.equal(result.as_numpy("probabilities"), result.as_numpy("class"))
                        self.assertEqual(result.get_response()["id"], "7")
            inputs = triton_inputs(TENSORS, True)
            result = client.infer(self.name, inputs, request_compression_algorithm="gzip", response_compression_algorithm="gzip")
            self.equal(result.as_numpy("probabilities"))
            only = client.infer(self.name, inputs, outputs=[triton.InferRequestedOutput("class")])
            self.assertIsNone(only.as_numpy("probabilities"))

    def test_triton_errors(self):
        with triton.InferenceServerClient(self.address) as client:
            inputs = triton_inputs(TENSORS, True)
            for say, call in {
                "no model": lambda: client.infer("none", inputs),
                "one of": lambda: client.infer(self.name, inputs, outputs=[triton.InferRequestedOutput("none")]),
                "no version": lambda: client.infer(self.name, inputs, model_version="7"),
                "no input edge_index": lambda: client.infer(self.name, inputs[:2]),
            }.items():
                with self.assertRaises(InferenceServerException) as raised:
                    call()
                self.assertIn(say, raised.exception.message())

    def test_kserve(self):
        async def ask():
            client = kserve.InferenceRESTClient(kserve.RESTConfig(protocol="v2"))
            base = f"http://{self.address}"
            self.assertTrue(await client.is_server_ready(base))
            self.assertTrue(await client.is_server_live(base))
            self.assertTrue(await client.is_model_ready(base, self.name))
            for binary in True, False:
                inputs = []
                for name, value in TENSORS.items():
                    one = kserve.InferInput(name, list(value.shape), DATATYPES[value.dtype.kind])
                    one.set_data_from_numpy(value, binary_data=binary)
                    inputs.append(one)
                for parameters in None, {"binary_data_output": True}:
                    reply = await client.infer(base, kserve.InferRequest(self.name, inputs, parameters=parameters), model_name=self.name)
                    outputs = {o.name: o.as_numpy() for o in reply.outputs}
                    self.equal(outputs["probabilities"], list(outputs["class"]))
            plain = {"inputs": [{"name": n, "shape": list(v.shape), "datatype": DATATYPES[v.dtype.kind], "data": v.tolist()} for n, v in TENSORS.items()]}
            reply = await client.infer(base, plain, model_name=self.name)
            self.equal(reply.outputs[0].data)
            with self.assertRaisesRegex(Exception, "no model"):
                await client.infer(base, plain, model_name="none")
        asyncio.run(ask())


if __name__ == "__main__":
    unittest.main()
