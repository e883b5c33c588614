"""The server behind nginx and Caddy, with the settings of examples/deploy."""
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import time
import unittest
import urllib.parse
import urllib.request
from pathlib import Path

import serving

EXAMPLES = Path(__file__).parents[2] / "examples" / "deploy"
NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
CADDY = shutil.which("caddy")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Proxy:
    """Tests of a proxy in front of a server, which start gives the command of."""

    def start(self, folder, address, port, change):
        """Writes the proxy's settings, and returns the command that starts it."""
        raise NotImplementedError

    def proxied(self, change=lambda text: text, flags=()):
        """Starts a server and the proxy in front of it, and returns the address of the proxy."""
        run = serving.graphs()
        server = serving.served(run, flags=flags)
        address = server.__enter__()
        self.addCleanup(server.__exit__, None, None, None)
        port = free_port()
        folder = Path(serving.FOLDER, f"proxy-{port}")
        folder.mkdir()
        environment = os.environ | {"XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        with open(folder / "output", "w") as output:
            p = subprocess.Popen(self.start(folder, address, port, change), env=environment, stdout=output, stderr=output)
        self.addCleanup(p.wait)
        self.addCleanup(p.terminate)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return f"http://127.0.0.1:{port}", run.name
            except OSError:
                time.sleep(0.05)
        self.fail("the proxy does not start: " + (folder / "output").read_text())

    def browse(self, base):
        """Follows all links of the page, and loads what it needs."""
        seen, todo = set(), [base + "/ehgnn/"]
        while todo and len(seen) < 40:
            address = todo.pop(0)
            if address in seen:
                continue
            seen.add(address)
            with urllib.request.urlopen(address) as reply:
                self.assertEqual(reply.status, 200, address)
                text = reply.read()
                if not reply.headers["Content-Type"].startswith("text/html") or "report.html" in address:
                    continue
            for link in re.findall(r'(?:href|src|data-[a-z]+)="([^"#]+)"', text.decode()):
                link = link.replace("&amp;", "&")
                to = urllib.parse.urljoin(address, link)
                if "/v1/" in to or to.endswith("/explained") or not re.match(r"[./]|https?:|\w+[./?]", link) or link[0].isdigit():
                    continue
                self.assertTrue(to.startswith(base + "/ehgnn/"), f"{link} of {address}")
                todo.append(to)
        for needed in "assets/app.js", "assets/page.css", "compare", "runs/graphs", "runs/graphs/items", "runs/graphs/try":
            self.assertIn(f"{base}/ehgnn/{needed}", seen)

    def test_prefix_taken_off(self):
        base, _ = self.proxied()
        self.browse(base)
        with urllib.request.urlopen(base + "/ehgnn/openapi.json") as reply:
            self.assertEqual(json.load(reply)["servers"], [{"url": "/ehgnn"}])

    def test_prefix_kept(self):
        base, _ = self.proxied(self.keep_prefix, ["--base-path", "/ehgnn"])
        self.browse(base)

    each_line = True  # whether the proxy sends answers while the request is under way

    def test_stream(self):
        """Each line is answered, before the next one is sent if the proxy does so."""
        base, name = self.proxied()
        connection = http.client.HTTPConnection(base.removeprefix("http://"), timeout=20)
        connection.connect()
        s = connection.sock
        s.sendall((f"POST /ehgnn/v1/models/{name}/predict HTTP/1.1\r\nHost: {base.removeprefix('http://')}\r\n"
                   "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n").encode())
        line = b'{"num_nodes":1,"edges":[],"node":{"kind":["a"],"w":[1]},"edge":{"order":[]}}\n'
        received = b""
        for number in 1, 2, 3:
            s.sendall(b"%x\r\n%s\r\n" % (len(line), line))
            while self.each_line and b'"line":%d,' % number not in received:
                part = s.recv(1 << 16)
                self.assertTrue(part, received)
                received += part
        s.sendall(b"0\r\n\r\n")
        while not received.endswith(b"0\r\n\r\n"):
            received += s.recv(1 << 16)
        self.assertTrue(received.startswith(b"HTTP/1.1 200"))
        self.assertEqual(received.count(b'"probabilities"'), 3)
        connection.close()


class Nginx(Proxy, unittest.TestCase):
    def start(self, folder, address, port, change):
        text = (EXAMPLES / "nginx.conf").read_text().replace("127.0.0.1:8080", address).replace("listen 8000", f"listen 127.0.0.1:{port}")
        text = f"pid {folder}/pid;\nerror_log stderr;\n" + change(text).replace("http {", f"http {{\n    access_log {folder}/access.log;", 1)
        for kind in "client_body", "proxy", "fastcgi", "uwsgi", "scgi":
            text = text.replace("http {", f"http {{\n    {kind}_temp_path {folder}/{kind};", 1)
        (folder / "nginx.conf").write_text(text)
        return [NGINX, "-c", str(folder / "nginx.conf"), "-g", "daemon off; master_process off;"]

    @staticmethod
    def keep_prefix(text):
        return re.sub(r"(proxy_pass http://[\d.:]+)/;", r"\1;", text)


@unittest.skipUnless(CADDY, "caddy is not installed")
class Caddy(Proxy, unittest.TestCase):
    each_line = False

    def start(self, folder, address, port, change):
        text = (EXAMPLES / "Caddyfile").read_text().replace("127.0.0.1:8080", address).replace("\n:8000 {", f"\nhttp://127.0.0.1:{port} {{")
        (folder / "Caddyfile").write_text("{\n\tadmin off\n}\n" + change(text))
        return [CADDY, "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]

    @staticmethod
    def keep_prefix(text):
        return text.replace("handle_path", "handle")


if __name__ == "__main__":
    unittest.main()
