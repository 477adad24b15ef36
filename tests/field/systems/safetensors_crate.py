"""safetensors (the crate alone): tensors copied out of a buffer of the whole file, or out of the mapped file."""

from described import Crate, Side, System, main
from safetensors_numpy import SMALL

CRATE = Crate("safetensors-crate", 'safetensors = "=0.7.0"\nmemmap2 = "=0.9.5"', "safetensors_crate.rs")

SYSTEM = System(
    "safetensors crate", "the file mapped, no longer read into a buffer", SMALL,
    Side("safetensors 0.7.0", "SafeTensors::deserialize(std::fs::read)", CRATE, ("read", "{model}/net.safetensors"),
         ("net.safetensors",)),
    Side("safetensors 0.7.0", "SafeTensors::deserialize(Mmap)", CRATE, ("map", "{model}/net.safetensors"),
         ("net.safetensors",)),
    first="twice", times=(2, 1))


def make(folder):
    import safetensors_numpy

    safetensors_numpy.make(folder)


if __name__ == "__main__":
    main(globals())
