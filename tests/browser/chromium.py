"""A headless Chromium, driven through its debugging pipe: nothing but the standard library."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-default-apps", "--hide-scrollbars", "--remote-debugging-pipe",
]  # fmt: skip
TIMEOUT = 60


def find():
    """The browser's program, or None."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


class Browser:
    """A browser with one page, which collects what the page does."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(prefix="sdc-browser-", ignore_cleanup_errors=True)
        to_browser, self.writing = os.pipe()
        self.reading, from_browser = os.pipe()
        self.process = subprocess.Popen(
            ["sh", "-c", 'exec "$@" 3<&%d 4>&%d' % (to_browser, from_browser), "sh", program]
            + FLAGS + [f"--user-data-dir={self.profile.name}"],
            pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.pending, self.events, self.session = 0, b"", [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.profile.cleanup()

    def call(self, method, **parameters):
        """Sends a command and waits for its answer; events that come first are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def receive(self):
        deadline = time.monotonic() + TIMEOUT
        while b"\0" not in self.pending:
            ready, _, _ = select.select([self.reading], [], [], max(0, deadline - time.monotonic()))
            chunk = os.read(self.reading, 1 << 16) if ready else b""
            if not chunk:
                raise RuntimeError("the browser does not answer")
            self.pending += chunk
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def open(self, url, width, dark):
        """Opens a page in a window of this width; returns what it logged and whom it asked."""
        self.events.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=1, mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=url)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.receive())
        # what a page does after it has loaded comes before the answer to this
        self.evaluate("new Promise(done => setTimeout(done, 100))")
        return self.complaints(), self.requests(url)

    def complaints(self):
        """Console messages, errors, blocked loads and dialogs."""
        loud = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening")
        return [json.dumps(event) for event in self.events if event.get("method") in loud]

    def requests(self, page):
        sent = [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [url for url in sent if url != page and url != "data:,"]

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return answer["result"].get("value")

    def screenshot(self, path, full=True):
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=full)
        path.write_bytes(base64.b64decode(shot["data"]))

    def pdf(self):
        """The printed page."""
        return base64.b64decode(self.call("Page.printToPDF")["data"])
