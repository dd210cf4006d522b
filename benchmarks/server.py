"""The server on loopback: time of a warm question, questions a second by many clients, start, weight and memory."""

import http.client
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from benchmarks._figure import figure
from hushtable.demo.run import prepare, release

FIGURES = ("server-start", "server-question", "server-throughput", "server-errors", "server-page", "server-memory")
PATH = "/api/v1/releases/clinic/ask?q=" + quote("smoker AND diabetic AND age >= 65")
CLIENTS, REQUESTS, RELEASES = 16, 10_000, 10


def run() -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, rows=20_000, seed=1)
        release(folder, rows=20_000)
        for number in range(1, RELEASES):
            shutil.copy(folder / "clinic.hush", folder / f"clinic{number}.hush")
        began = time.perf_counter()
        with served(folder) as (port, pid):
            page = get(port, "/")[1]
            yield most("server-start", time.perf_counter() - began, "s", 2)
            took = [get(port, PATH)[2] for _ in range(300)][50:]
            yield most("server-question", 1000 * statistics.median(took), "ms", 5)
            failed, seconds = crowd(port)
            rate = REQUESTS / seconds
            yield figure("server-throughput", rate, "questions/s", baseline=300, ratio=rate / 300, bar="ratio >= 1")
            yield most("server-errors", failed, "of 10,000", 0)
            weight = len(page) + sum(len(get(port, f"/assets/{file}")[1]) for file in ("hush.css", "hush.js"))
            weight += len(get(port, "/releases/clinic")[1])
            yield most("server-page", weight / 1000, "kB", 250)
            for number in range(1, RELEASES):
                get(port, f"/releases/clinic{number}")
            yield most("server-memory", megabytes(pid), "MB", 400)


def most(name: str, value: float, unit: str, limit: float) -> dict[str, Any]:
    return figure(name, value, unit, baseline=limit, ratio=value / limit if limit else value, bar=f"value <= {limit}")


@contextmanager
def served(folder: Path) -> Iterator[tuple[int, int]]:
    command = [sys.executable, "-c", "from hushtable.cli import main; main()", "serve", str(folder), "--port", "0"]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert running.stderr is not None
    try:
        for line in running.stderr:
            if found := re.search(r"http://[^ ]*:(\d+)", line):
                yield int(found[1]), running.pid
                return
    finally:
        running.kill()
        running.wait()
        running.stderr.close()


def get(port: int, path: str, held: http.client.HTTPConnection | None = None) -> tuple[int, bytes, float]:
    connection = held or http.client.HTTPConnection("127.0.0.1", port)
    began = time.perf_counter()
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    took = time.perf_counter() - began
    if held is None:
        connection.close()
    return answer.status, body, took


def crowd(port: int) -> tuple[int, float]:
    """How many of the requests of all clients failed, and how long all took."""
    wrong: list[int] = []

    def one() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for _ in range(REQUESTS // CLIENTS):
            status, body, _ = get(port, PATH, connection)
            if status != 200 or "value" not in json.loads(body):
                wrong.append(status)
        connection.close()

    clients = [threading.Thread(target=one) for _ in range(CLIENTS)]
    began = time.perf_counter()
    for each in clients:
        each.start()
    for each in clients:
        each.join()
    return len(wrong), time.perf_counter() - began


def megabytes(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
