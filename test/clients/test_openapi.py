"""schemathesis with all its checks: the server answers as /openapi.json says."""
import os
import subprocess
import sys
import unittest
from pathlib import Path

import serving

HERE = Path(__file__).parent


class OpenAPI(unittest.TestCase):
    def test_schemathesis(self):
        with serving.served(serving.graphs(), serving.payments()) as address:
            p = subprocess.run(
                [Path(sys.executable).with_name("schemathesis"), "--config-file", HERE / "schemathesis.toml", "run", f"http://{address}/openapi.json",
                 "--checks", "all", "--max-examples", "50", "--seed", "1", "--no-color"],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=serving.FOLDER,
                env=os.environ | {"SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(HERE)})
        self.assertEqual(p.returncode, 0, p.stdout)
        self.assertNotIn("Missing test data", p.stdout)


if __name__ == "__main__":
    unittest.main()
