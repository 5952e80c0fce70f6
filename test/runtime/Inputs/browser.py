# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opens a page in Chromium without a network, executes steps, and prints the results.

    browser.py PAGE[#NAME] [--size=WIDTHxHEIGHT] [--dark] [--in=FOLDER] STEP...
    browser.py --start=FOLDER
    browser.py --stop=FOLDER

    key:KEY           presses a key (a name such as Enter, or a character)
    type:TEXT         types TEXT
    focus:SELECTOR    moves the focus to an element
    click:SELECTOR    clicks the middle of an element; SELECTOR@X,Y clicks that point of it
    point:SELECTOR@X,Y  moves the mouse there
    drag:SELECTOR@X,Y,BY  drags the mouse from there to the right
    wheel:SELECTOR@X,Y,DELTA  turns the mouse wheel there while Ctrl is pressed
    eval:EXPRESSION   prints the value of a JavaScript expression
    text:SELECTOR     prints the text of each matching element, one per line
    shot:FILE         writes a screenshot
Fails if the page's script raises an error, or if the page requests another resource.

Chromium needs one second of CPU time to start. To open many pages, start it once with --start
and pass its folder with --in. Each page has its own browser context and sees nothing of the
other pages. Chromium ends on --stop, or after some time without requests.
"""
import base64
import contextlib
import io
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.parse

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--hide-scrollbars", "--remote-debugging-pipe", "--disable-dev-shm-usage")
SECONDS = 600  # seconds that the browser waits for the next page
KEYS = {"Enter": 13, "Escape": 27, "Backspace": 8, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38,
        "ArrowRight": 39, "ArrowDown": 40, "Tab": 9, " ": 32}


class Browser:
    """The DevTools protocol: JSON messages, each terminated by a zero byte."""

    def __init__(self, folder):
        to_child, self.requests = os.pipe()
        self.answers, from_child = os.pipe()
        command = ["chromium", *FLAGS, "--user-data-dir=" + folder, "about:blank"]
        # The browser reads from descriptor 3 and writes to descriptor 4.
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{to_child} 4>&{from_child}', "sh", *command],
            pass_fds=(to_child, from_child), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.number, self.rest, self.session, self.context = 0, b"", None, None
        self.events, self.problems = [], []

    def receive(self):
        while b"\0" not in self.rest:
            data = os.read(self.answers, 1 << 20)
            if not data:
                sys.exit("browser.py: the browser has ended")
            self.rest += data
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def note(self, message):
        if message.get("sessionId") not in (None, self.session):
            return  # an event of a page that is closed
        what, params = message.get("method"), message.get("params", {})
        self.events.append(what)
        if what == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description") or details["text"])
        elif what == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.problems.append(params["entry"]["text"])
        elif what == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if not url.startswith(("file:", "data:", "blob:", "about:")):
                self.problems.append("a request to " + url)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.requests, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"browser.py: {method}: {answer['error']['message']}")
                return answer["result"]
            self.note(answer)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            sys.exit("browser.py: " + expression + ": " +
                     result["exceptionDetails"]["exception"].get("description", "?"))
        return result["result"].get("value")

    def open(self, url, size, dark):
        width, height = map(int, size.split("x"))
        self.context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=self.context,
                           width=width, height=height)["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Page.navigate", url=url)
        while "Page.loadEventFired" not in self.events:
            self.note(self.receive())
        self.settle()

    def close(self):
        """Closes the page and removes the page's data."""
        self.session = None
        if self.context:
            self.call("Target.disposeBrowserContext", browserContextId=self.context)
        self.context = None
        self.events.clear()
        self.problems.clear()

    def end(self):
        self.process.terminate()
        self.process.wait()

    def settle(self):
        """Waits until the page has loaded its figures and is drawn."""
        self.evaluate("""new Promise(done => {
          const wait = () => window.patchbayPage?.ready
            ? requestAnimationFrame(() => requestAnimationFrame(() => done())) : setTimeout(wait, 10);
          wait();
        })""")

    def place(self, where):
        selector, _, offset = where.partition("@")
        left, top, width, height = self.evaluate(f"""(() => {{
          const e = document.querySelector({json.dumps(selector)});
          e.scrollIntoView({{ block: "center" }});
          const r = e.getBoundingClientRect();
          return [r.left, r.top, r.width, r.height];
        }})()""")
        numbers = [float(n) for n in offset.split(",")] if offset else [width / 2, height / 2]
        return left + numbers[0], top + numbers[1], numbers[2:]

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def step(self, kind, value):
        if kind == "key":
            code = KEYS.get(value, ord(value.upper()[0]) if len(value) == 1 else 0)
            text = {"Enter": "\r"}.get(value, value if len(value) == 1 else "")
            self.call("Input.dispatchKeyEvent", type="keyDown", key=value, text=text,
                      windowsVirtualKeyCode=code)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=value, windowsVirtualKeyCode=code)
        elif kind == "type":
            self.call("Input.insertText", text=value)
        elif kind == "focus":
            self.evaluate(f"document.querySelector({json.dumps(value)}).focus()")
        elif kind in ("click", "point", "wheel", "drag"):
            x, y, more = self.place(value)
            self.settle()
            self.mouse("mouseMoved", x, y)
            if kind == "click":
                self.mouse("mousePressed", x, y, button="left", clickCount=1)
                self.mouse("mouseReleased", x, y, button="left", clickCount=1)
            elif kind == "drag":
                self.mouse("mousePressed", x, y, button="left", clickCount=1)
                to = x + more[0]
                self.mouse("mouseMoved", to, y, button="left", buttons=1)
                self.mouse("mouseReleased", to, y, button="left", clickCount=1)
            elif kind == "wheel":
                self.mouse("mouseWheel", x, y, deltaX=0, deltaY=more[0], modifiers=2)
        elif kind == "eval":
            result = self.evaluate(value)
            print(result if isinstance(result, str) else json.dumps(result))
        elif kind == "text":
            for text in self.evaluate(f"""[...document.querySelectorAll({json.dumps(value)})]
                .map(e => (e.innerText ?? e.textContent).replaceAll("\\n", " ").replaceAll("\\t", "|"))"""):
                print(text)
        elif kind == "shot":
            picture = self.call("Page.captureScreenshot", format="png")["data"]
            with open(value, "wb") as file:
                file.write(base64.b64decode(picture))
        else:
            sys.exit("browser.py: there is no step '" + kind + "'")
        self.settle()


def visit(browser, page, *steps):
    """Executes the steps. Returns True if the page had no error."""
    options = [s for s in steps if s.startswith("--")]
    size = next((o.split("=")[1] for o in options if o.startswith("--size=")), "1280x900")
    path, _, name = page.partition("#")
    if not os.path.isfile(path):
        sys.exit("browser.py: there is no page " + path)
    url = "file://" + urllib.parse.quote(os.path.abspath(path)) + ("#" + name if name else "")
    browser.open(url, size, "--dark" in options)
    for step in steps:
        if not step.startswith("--"):
            browser.step(*step.split(":", 1))
    for problem in browser.problems:
        print("browser.py: " + problem, file=sys.stderr)
    return not browser.problems


@contextlib.contextmanager
def started():
    folder = tempfile.mkdtemp()
    browser = Browser(folder)
    try:
        yield browser
    finally:
        browser.end()
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def within(folder):
    """Changes to the folder, because a socket's path must be short and the folders of
    tests are long."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def serve(folder):
    """Starts a background process that opens pages. Returns when this process is ready."""
    os.makedirs(folder, exist_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.settimeout(SECONDS)
    with within(folder), contextlib.suppress(FileNotFoundError):
        os.unlink("socket")
    with within(folder):
        listener.bind("socket")
    listener.listen()
    if os.fork():
        return
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    with contextlib.suppress(TimeoutError), started() as browser:
        while answer(browser, listener.accept()[0]):
            pass


def answer(browser, connection):
    """Opens a page for one request. Returns False to stop the browser."""
    with connection, connection.makefile("rw", encoding="utf-8") as file:
        request = json.loads(file.readline())
        if not request:
            return False
        os.chdir(request["where"])
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            try:
                good = visit(browser, *request["words"])
            except SystemExit as error:
                good = False
                print(error, file=errors)
            finally:
                browser.close()
        json.dump([out.getvalue(), errors.getvalue(), good], file)
        return True


def ask(folder, words):
    with socket.socket(socket.AF_UNIX) as connection:
        with within(folder):
            connection.connect("socket")
        with connection.makefile("rw", encoding="utf-8") as file:
            json.dump({"where": os.getcwd(), "words": words} if words else None, file)
            file.write("\n")
            file.flush()
            said = file.read()
    if not words:
        return True
    if not said:
        sys.exit("browser.py: the browser has ended")
    out, errors, good = json.loads(said)
    print(out, end="")
    print(errors, end="", file=sys.stderr)
    return good


def main(*words):
    options = dict(word.split("=", 1) for word in words if word.startswith(("--start=", "--stop=", "--in=")))
    if "--start" in options:
        serve(options["--start"])
        return
    if "--stop" in options:
        ask(options["--stop"], None)
        return
    words = [word for word in words if not word.startswith("--in=")]
    if "--in" in options:
        sys.exit(not ask(options["--in"], words))
    with started() as browser:
        good = visit(browser, *words)
    sys.exit(not good)


main(*sys.argv[1:])
