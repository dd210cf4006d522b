"""A real Spark for tests: classic or Connect, as HUSHTABLE_SPARK says, or a small cluster of processes."""

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

SUPPORT = str(Path(__file__).parent)
CONNECT = os.environ.get("HUSHTABLE_SPARK") == "connect"
CALM = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "3",
    "spark.sql.session.timeZone": "Asia/Tokyo",  # ours is UTC, always
    "spark.driver.host": "localhost",
}


def missing() -> str:
    """Why there is no Spark here; empty where there is one."""
    if find_spec("pyspark") is None:
        return "pyspark is not installed (pip install 'hushtable[spark]'; `make spark-test` does)"
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        return "Java is not installed (apt-get install openjdk-17-jre-headless)"
    return ""


def session(master: str = "local[2]", **settings: str):
    """A session; workers run this Python and see the modules of tests."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join([SUPPORT, os.environ.get("PYTHONPATH", "")])
    builder = SparkSession.builder
    builder = builder.remote(master) if CONNECT else builder.master(master)
    for name, value in (CALM | settings).items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
