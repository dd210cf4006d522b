"""Sets of real people's items: one row a person and item, at most so many rows each."""

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import hushtable as ht


def bounded(pairs, most):
    """The first `most` different items of each person."""
    kept = {}
    for person, item in pairs:
        mine = kept.setdefault(person, {})
        if len(mine) < most:
            mine[item] = None
    return [item for mine in kept.values() for item in mine]


def check(items, most, domain_name):
    domain = ht.Domain.from_dict(
        {"table": domain_name, "unit": {"rows": most}, "attributes": {"item": {"kind": "open"}}}
    )
    plan = ht.plan(domain, rows=len(items), workload="sparse(size=50)", budget=ht.Budget(epsilon=4, delta="1e-6"))
    synopsis = ht.Vault(pa.table({"item": items}), domain).release(plan, randomness=ht.Simulated(1))
    names, counts = np.unique(items, return_counts=True)
    table = dict(zip(names.tolist(), counts.tolist(), strict=True))
    source = np.random.default_rng(2)
    lists = {str(i): source.choice(names, 50, replace=False).tolist() for i in range(100)}
    answers = synopsis.ask(ht.Lists(lists), count=True)
    z = (answers.value - [sum(table[v] for v in one) for one in lists.values()]) / answers.stderr
    assert np.abs(z).max() < 6
    assert 0.6 < np.sqrt((z**2).mean()) < 1.4
    # Noise for one person with `most` rows: 2 most / epsilon_s for each of 50 values.
    assert answers.noise[0] == pytest.approx(np.sqrt(2 * 50) * 2 * most / (0.9 * 4), rel=0.01)


def test_word_pairs_of_users(real_table):
    table = pa.csv.read_csv(real_table("reddit_bigrams.csv.gz"))
    pairs = zip(table.column("user").to_pylist(), map(str, table.column("bigram").to_pylist()), strict=True)
    check(bounded(((u, b.strip()) for u, b in pairs if b.strip()), 20), 20, "words")


def test_items_of_baskets(real_table):
    baskets = pa.csv.read_csv(real_table("retail.csv.gz")).column("items").to_pylist()
    check(bounded(((i, item) for i, one in enumerate(baskets) for item in str(one).split()), 10), 10, "baskets")
