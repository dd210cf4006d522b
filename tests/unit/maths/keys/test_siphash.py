"""SipHash: the published vectors, and the compiled version equal to the readable one."""

import numpy as np
import pyarrow as pa
import pytest

from hushtable.maths.keys import siphash
from hushtable.maths.keys.siphash import digests
from hushtable.maths.keys.sketches import Sketch

KEY = bytes(range(16))
# Of the messages 00, 00 01, ... of these lengths, from the authors' reference implementation and paper.
VECTORS = {
    0: "310e0edd47db6f72",
    1: "fd67dc93c539f874",
    2: "5a4fa9d909806c0d",
    8: "6224939a79f5f593",
    15: "e545be4961ca29a1",
}


@pytest.mark.parametrize(("length", "expected"), VECTORS.items())
def test_the_published_vectors(length, expected):
    assert siphash.siphash(KEY, bytes(range(length))).to_bytes(8, "little").hex() == expected


def test_a_key_has_sixteen_bytes():
    with pytest.raises(ValueError, match="16 bytes"):
        siphash.siphash(b"short", b"")


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()])
def test_the_compiled_version_is_the_readable_one(kind, monkeypatch):
    source = np.random.default_rng(1)
    values = [source.bytes(int(n)).hex()[: int(n)] for n in source.integers(0, 40, 500)]
    array = pa.array(values, pa.string()).cast(kind)
    readable = digests(KEY, array)
    monkeypatch.setattr(siphash, "FEW", 0)
    for part in (array, array[7:300], array[:0], array[499:]):
        start = 0 if len(part) == 500 else {293: 7, 0: 0, 1: 499}[len(part)]
        np.testing.assert_array_equal(digests(KEY, part), readable[start : start + len(part)])


def test_buckets_and_signs_are_even():
    """20,000 keys in 16 buckets: each within 7 standard deviations (false alarm below 1e-10)."""
    keys = pa.array([f"key {i}" for i in range(20_000)]).cast(pa.large_binary())
    places = Sketch(KEY, 16, signed=True).places(keys)
    counts = np.bincount(places.buckets, minlength=16)
    assert np.abs(counts - 1250).max() < 7 * np.sqrt(1250)
    assert abs(places.signs.sum()) < 7 * np.sqrt(20_000)
    assert set(places.signs.tolist()) == {-1, 1}
    assert set(Sketch(KEY, 16, signed=False).places(keys).signs.tolist()) == {1}


@pytest.mark.parametrize("width", [0, 3, 2**33])
def test_a_sketch_has_a_power_of_two_of_buckets(width):
    with pytest.raises(ValueError, match="power of two"):
        Sketch(KEY, width, signed=True)
