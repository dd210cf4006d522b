"""Speculation: Spark starts a second copy of a slow task elsewhere, and whichever comes first is counted, once.

A copy runs on another host only, so this is a cluster of two: addresses of this machine that count as hosts.
"""

import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import sparked
from spark_totals import Raced
from test_faults import DOMAIN, WANTED, frame_of

import hushtable as ht
from hushtable.vault.sources import open_source

pytestmark = [
    pytest.mark.skipif(sparked.CONNECT, reason="a cluster of processes is classic"),
    pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 and 127.0.0.3 are this machine on Linux alone"),
]
HOSTS = ("127.0.0.2", "127.0.0.3")


def started(kind: str, *given: str) -> subprocess.Popen:
    """A master or a worker, until it is killed."""
    import pyspark

    run = Path(pyspark.__file__).parent / "bin" / "spark-class"
    line = [str(run), f"org.apache.spark.deploy.{kind.lower()}.{kind}", "--webui-port", "0", *given]
    return subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def answers(port: int, seconds: float = 120) -> None:
    """Waits until somebody listens there."""
    end = time.monotonic() + seconds
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


@pytest.fixture(scope="module")
def two_hosts(tmp_path_factory):
    """One executor on each of two hosts."""
    from pyspark.sql import SparkSession

    if active := SparkSession.getActiveSession():
        active.stop()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url, folder = f"spark://127.0.0.1:{port}", str(tmp_path_factory.mktemp("work"))
    running = [started("Master", "--host", "127.0.0.1", "--port", str(port))]
    try:
        answers(port)
        small = ("--cores", "1", "--memory", "1g", "--work-dir", folder)
        running += [started("Worker", "--host", host, *small, url) for host in HOSTS]
        made = sparked.session(
            url,
            **{
                "spark.executor.memory": "512m",
                "spark.scheduler.minRegisteredResourcesRatio": "1.0",
                "spark.scheduler.maxRegisteredResourcesWaitingTime": "120s",
                "spark.cores.max": "2",
                "spark.speculation": "true",
                "spark.speculation.interval": "200ms",
                "spark.speculation.multiplier": "1.5",
                "spark.speculation.quantile": "0.3",
                "spark.speculation.efficiency.enabled": "false",
                "spark.executorEnv.PYTHONPATH": f"{sparked.SUPPORT}:{Path(ht.__file__).parents[1]}",
            },
        )
        yield made
        made.stop()
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait(timeout=60)


@pytest.mark.parametrize("first", ["the copy", "the first attempt"])
def test_two_copies_of_one_task_are_counted_once(two_hosts, first, tmp_path):
    """The first attempt waits until there is a copy; then one of the two waits until the other has its sums."""
    frame, expected = frame_of(two_hosts, tmp_path)
    source = open_source(frame, DOMAIN)
    # A task is slow beside others, and theirs would take long too if their workers had still to start.
    np.testing.assert_array_equal(source.total(WANTED, DOMAIN), expected)
    found = source.total(Raced(WANTED, first, tmp_path), DOMAIN)
    assert {path.name for path in tmp_path.glob("attempt *")} >= {"attempt 0", "attempt 1"}
    np.testing.assert_array_equal(found, expected)
