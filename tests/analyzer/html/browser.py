#!/usr/bin/env python3
"""Shows a page in headless Chromium, acts on it, and says what came of it.

    browser.py CHROMIUM PAGE.html STEPS.json

Each step is one of {"evaluate": JS}, {"click": JS}, {"double_click": JS}, {"wheel": [JS, DELTA]},
{"drag": [JS, JS]}, {"key": NAME} and {"width": PIXELS}; where a place is meant, JS gives [x, y]. Prints {"values": the results of the
evaluations, "errors": what the console heard, "requests": every address but the page's own}. Where the first step is
{"without": NAME}, the browser has no such global; without "JavaScript" it runs none of the page's.

Talks the DevTools protocol over a pipe: nothing but Python is needed, and no port is opened.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile


KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}


class Browser:
    def __init__(self, chromium, profile):
        to_browser, self.commands = os.pipe()
        self.answers, from_browser = os.pipe()
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "sh", chromium,
             "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--no-first-run", "--window-size=1280,1000", f"--user-data-dir={profile}"],
            pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.unread = b""
        self.last_id = 0
        self.session = None
        self.events = []
        self.runs_scripts = True

    def receive(self):
        while b"\0" not in self.unread:
            more = os.read(self.answers, 1 << 16)
            if not more:
                raise SystemExit("browser.py: the browser has ended")
            self.unread += more
        message, self.unread = self.unread.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.last_id:
                if "error" in answer:
                    raise SystemExit(f"browser.py: {method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        while not any(event["method"] == method for event in self.events):
            self.events.append(self.receive())

    def open(self, page, missing=None):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        if missing == "JavaScript":
            self.runs_scripts = False
            self.call("Emulation.setScriptExecutionDisabled", value=True)
        elif missing:
            self.call("Page.addScriptToEvaluateOnNewDocument", source=f"delete window.{missing}")
        self.call("Page.navigate", url=page)
        self.wait_for("Page.loadEventFired")
        self.evaluate("typeof built === 'undefined' ? null : built.then(() => null)")
        self.settle()

    def evaluate(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise SystemExit(f"browser.py: {script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def settle(self):
        """What is drawn once a frame has been drawn."""
        if self.runs_scripts:
            self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def mouse(self, kind, place, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], **more)

    def press(self, place, count=1):
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, place, button="left", clickCount=count)

    def act(self, step):
        (verb, argument), = step.items()
        if verb == "evaluate":
            return [self.evaluate(argument)]
        if verb == "click":
            self.press(self.evaluate(argument))
        elif verb == "double_click":
            place = self.evaluate(argument)
            self.press(place)
            self.press(place, count=2)
        elif verb == "wheel":
            self.mouse("mouseWheel", self.evaluate(argument[0]), deltaX=0, deltaY=argument[1])
        elif verb == "key":
            key = {"key": argument, "code": argument, "windowsVirtualKeyCode": KEYS[argument]}
            self.call("Input.dispatchKeyEvent", type="keyDown", text="\r" if argument == "Enter" else "", **key)
            self.call("Input.dispatchKeyEvent", type="keyUp", **key)
        elif verb == "width":
            self.call("Emulation.setDeviceMetricsOverride", width=argument, height=844, deviceScaleFactor=1, mobile=False)
        elif verb == "drag":
            begin, end = (self.evaluate(place) for place in argument)
            self.mouse("mousePressed", begin, button="left", clickCount=1)
            self.mouse("mouseMoved", end, button="left", buttons=1)
            self.mouse("mouseReleased", end, button="left", clickCount=1)
        self.settle()
        return []

    def errors(self):
        for event in self.events:
            parameters = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                yield parameters["exceptionDetails"].get("exception", {}).get("description", "exception")
            elif event["method"] == "Log.entryAdded" and parameters["entry"]["level"] == "error":
                yield parameters["entry"]["text"]
            elif event["method"] == "Runtime.consoleAPICalled" and parameters["type"] == "error":
                yield str(parameters["args"])

    def requests(self, page):
        for event in self.events:
            if event["method"] == "Network.requestWillBeSent":
                address = event["params"]["request"]["url"]
                if address != page and not address.startswith("data:"):
                    yield address


def main():
    chromium, page, steps = sys.argv[1:]
    address = pathlib.Path(page).resolve().as_uri()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(chromium, profile)
        try:
            left = json.loads(pathlib.Path(steps).read_text())
            browser.open(address, left.pop(0)["without"] if "without" in left[0] else None)
            values = []
            for step in left:
                values += browser.act(step)
            print(json.dumps({"values": values, "errors": list(browser.errors()),
                              "requests": list(browser.requests(address))}))
        finally:
            browser.process.kill()
            browser.process.wait()


main()
