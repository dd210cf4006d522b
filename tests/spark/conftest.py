"""Tests of Spark: in an environment of their own (`make spark-test`), else they skip."""

import pytest
import sparked

collect_ignore_glob = ["test_*.py"] if sparked.missing() else []


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/spark" in str(item.path):
            item.add_marker(pytest.mark.filterwarnings("default"))  # Spark's own


@pytest.fixture(scope="session")
def spark():
    made = sparked.session()
    yield made
    made.stop()
