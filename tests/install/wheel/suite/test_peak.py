"""Tests whose verdicts plugin_test in wheel.py knows."""

import os
import pathlib

import pytest


def load(path, twice):
    with open(path, "rb") as file:
        whole = file.read()
    return bytearray(whole) if twice else whole


def test_unmarked(model):
    assert "libtidemark_preload" not in pathlib.Path("/proc/self/maps").read_text()


@pytest.mark.peak(max_ratio=1.9)
def test_fits(model, tmp_path):
    assert "libtidemark_preload" in pathlib.Path("/proc/self/maps").read_text()
    assert load(model, False)


@pytest.mark.peak(max_ratio=1.9)
@pytest.mark.parametrize("how", ["once", "twice/over"])
def test_parameter(model, how):
    print("the test runs")
    assert load(model, how != "once")


@pytest.mark.peak(baseline="fits.json")
@pytest.mark.parametrize("how", ["as then", "more"])
def test_baseline(model, how):
    assert load(model, how == "more")


# Numbers are bytes, also below 1 MiB.
@pytest.mark.peak(max_lane={"device": 500_000}, baseline="fits.json", slack=64_000)
def test_small_sizes(model):
    assert load(model, False)


@pytest.mark.peak(max_ratio=1000, model=512_000)
def test_small_model(model):
    assert load(model, False)


@pytest.mark.peak(max_peak=512_000)
def test_small_limit(model):
    assert load(model, False)


@pytest.mark.peak(max_peak="1GiB")
class TestOthers:
    def test_asserts(self):
        assert 1 == 2

    @pytest.mark.skip(reason="for a reason")
    def test_skipped(self):
        pass

    @pytest.mark.xfail
    def test_xfails(self):
        assert False

    def test_dies(self):
        os.kill(os.getpid(), 9)

    def test_has_no_fixture(self, no_such_fixture):
        pass


@pytest.mark.peak(max_peek=3)
def test_mistaken_argument():
    pass


@pytest.mark.peak(max_phase={"upload": "3MiB"})
def test_no_such_phase(model):
    load(model, False)


@pytest.mark.peak()
def test_no_limit():
    pass
