"""Tests of Spark: in an environment of their own (`make spark-test`), else they skip."""

import pytest
import sparked


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/spark" in str(item.path):
            item.add_marker(pytest.mark.filterwarnings("default"))  # Spark's own
            if why := sparked.missing():
                item.add_marker(pytest.mark.skip(reason=why))


@pytest.fixture(scope="module")
def spark():
    made = sparked.session()
    yield made
    made.stop()
