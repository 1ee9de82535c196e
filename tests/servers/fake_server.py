"""A language server that does what a JSON script says, and notes what it was sent.

    python fake_server.py SCRIPT LOG

The script: `capabilities`; `answers`, by method: a list of actions, one per request in turn (the
last repeats), each `{"result": …}`, `{"error": …}`, `{"never": true}`, `{"exit": status}`, done
once the file `when` exists; `initialized` and `opened`: messages to send then; `initialize_when`: a
file that must exist before `initialize` is answered; `stderr_bytes`; `exit_first`: how many lives
end at `initialize`; `child`: start a process that outlives a polite end; `deaf_after`: stop reading
after so many messages.
`$URI` in a result is the request's document.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

script: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text())
log_path = Path(sys.argv[2])
lock = threading.Lock()
seen: dict[str, int] = {}
cancelled: set[Any] = set()


def note(entry: dict[str, Any]) -> None:
    with log_path.open("a") as file:
        file.write(json.dumps(entry) + "\n")


def send(message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    with lock:
        sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        sys.stdout.buffer.flush()


def read() -> dict[str, Any] | None:
    length = 0
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            return None
        if line in (b"\r\n", b"\n"):
            break
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    message: dict[str, Any] = json.loads(sys.stdin.buffer.read(length))
    return message


def lives() -> int:
    counter = log_path.with_suffix(".lives")
    number = int(counter.read_text()) + 1 if counter.exists() else 1
    counter.write_text(str(number))
    return number


def answer(message: dict[str, Any]) -> None:
    method, number = message["method"], message["id"]
    actions = script.get("answers", {}).get(method)
    if actions is None:
        if method == "shutdown":
            send({"id": number, "result": None})
        else:
            send({"id": number, "error": {"code": -32601, "message": f"no {method}"}})
        return
    turn = seen.get(method, 0)
    seen[method] = turn + 1
    action = actions[min(turn, len(actions) - 1)]

    def act() -> None:
        until = time.process_time() + action.get("compute_s", 0)
        while time.process_time() < until:
            pass
        for early in action.get("before", []):
            send(early)
        if "exit" in action:
            sys.stderr.write("the fake server was told to crash\n")
            sys.stderr.flush()
            os._exit(action["exit"])
        if "raw" in action:
            sys.stdout.buffer.write(action["raw"].encode("latin-1"))
            sys.stdout.buffer.flush()
            return
        if action.get("never"):
            return
        if "error" in action:
            send({"id": number, "error": action["error"]})
            return
        uri = message.get("params", {}).get("textDocument", {}).get("uri", "")
        result = action.get("result")
        if isinstance(result, dict) and "repeat" in result:
            result = [result["repeat"]] * result["times"]
        text = json.dumps(result).replace("$URI", uri)
        send({"id": number, "result": json.loads(text)})

    def act_when() -> None:
        while not Path(action["when"]).exists():
            time.sleep(0.01)
        act()

    if action.get("when"):
        threading.Thread(target=act_when, daemon=True).start()
    elif action.get("delay_s"):
        timer = threading.Timer(action["delay_s"], act)
        timer.daemon = True
        timer.start()
    else:
        act()


def main() -> None:
    life = lives()
    note({"life": life, "pid": os.getpid()})
    if script.get("child"):
        child = subprocess.Popen(
            [sys.executable, "-c", "import signal,time; signal.signal(15, 1); time.sleep(600)"],
            stdin=subprocess.DEVNULL,
        )
        note({"child": child.pid})
    if script.get("stderr_bytes"):
        sys.stderr.write("x" * script["stderr_bytes"] + "\nthe last line\n")
        sys.stderr.flush()
    received = 0
    while (message := read()) is not None:
        received += 1
        note({"received": message, "by": os.getpid()})
        method = message.get("method")
        if method == "initialize":
            if life <= script.get("exit_first", 0):
                os._exit(3)
            while (sign := script.get("initialize_when")) and not Path(sign).exists():
                time.sleep(0.01)  # a file's appearing is no event that Python can wait for
            if script.get("initialize_never"):
                continue
            result = {"capabilities": script.get("capabilities", {})}
            send({"id": message["id"], "result": result})
        elif method == "initialized":
            for early in script.get("initialized", []):
                send(early)
        elif method == "textDocument/didOpen":
            for early in script.get("opened", []):
                send(early)
        elif method == "exit":
            if script.get("child") or script.get("ignore_exit"):
                continue
            return
        elif method == "test/send":
            for early in message["params"]:
                send(early)
        elif method is not None and "id" in message:
            answer(message)
        if received == script.get("deaf_after"):
            time.sleep(600)  # deaf until it is killed
    if script.get("ignore_exit"):
        time.sleep(600)  # alive until it is killed


main()
