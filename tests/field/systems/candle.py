"""candle: safetensors from a buffer of the whole file, or mapped and copied tensor by tensor."""

from described import Crate, Side, System, main
from safetensors_numpy import PYPI

CRATE = Crate("candle", 'candle-core = "=0.11.1"\nsafetensors = "=0.7.0"', "candle.rs")

SYSTEM = System(
    "candle", "MmapedSafetensors instead of a buffer", PYPI,
    Side("candle-core 0.11.1", "load_buffer(std::fs::read)", CRATE, ("buffer", "{model}/net.safetensors"), ("net.safetensors",)),
    Side("candle-core 0.11.1", "MmapedSafetensors", CRATE, ("mmap", "{model}/net.safetensors"), ("net.safetensors",)),
    first="twice", times=(2, 1))


def make(folder):
    import safetensors_numpy

    safetensors_numpy.make(folder)


if __name__ == "__main__":
    main(globals())
