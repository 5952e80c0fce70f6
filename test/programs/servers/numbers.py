# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numbers.py PORT: the same service as httplib.cpp, for a CPython that visits.py records. Each
thread polls its connection, so every thread makes calls during a recording."""
import http.server
import json
import re
import select
import sys

LOOK_MS = 100


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        self.input = select.poll()
        self.input.register(self.connection, select.POLLIN)

    def handle_one_request(self):
        while not self.input.poll(LOOK_MS):
            pass
        super().handle_one_request()

    def do_GET(self):
        word = re.fullmatch("/number/(.*)", self.path).group(1)
        try:
            number = int(word)
        except ValueError:
            number = -1
        words = json.loads(json.dumps({f"{i}{word}": i for i in range(50)}))
        text = f"{number} {len(words)}\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
