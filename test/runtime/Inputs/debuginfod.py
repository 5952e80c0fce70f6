# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Serves one debug file like debuginfod on loopback while a command runs.

    debuginfod.py FILE|FOLDER CACHE COMMAND...

With FOLDER, the server serves all debug files below it by build ID, in the layout of Debian's
packages. Requests are logged to stderr.
"""
import glob
import http.server
import os
import re
import subprocess
import sys
import threading

FILE, CACHE, *COMMAND = sys.argv[1:]


def build_id(file):
    notes = subprocess.run(("readelf", "-n", file), text=True, stdout=subprocess.PIPE,
                           check=True).stdout
    return re.search("Build ID: ([0-9a-f]+)", notes)[1]


FILES = [FILE] if os.path.isfile(FILE) else glob.glob(
    f"{glob.escape(FILE)}/**/.build-id/*/*.debug", recursive=True, include_hidden=True)
PATHS = {f"/buildid/{build_id(file)}/debuginfo": file for file in FILES}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        known = self.path in PATHS
        print("asked for", "it" if known else self.path, file=sys.stderr, flush=True)
        self.send_response(200 if known else 404)
        data = open(PATHS[self.path], "rb").read() if known else b""
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
environment = dict(os.environ, DEBUGINFOD_CACHE_PATH=CACHE,
                   DEBUGINFOD_URLS=f"http://127.0.0.1:{server.server_port}")
sys.exit(subprocess.run(COMMAND, env=environment, timeout=600).returncode)
