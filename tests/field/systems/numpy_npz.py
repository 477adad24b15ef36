"""numpy: every array of an .npz read, against .npy files that are mapped."""

from described import Debian, Side, System, main

DEBIAN = Debian("python3-numpy")

SYSTEM = System(
    "numpy", "np.load(mmap_mode='r') of .npy files instead of an .npz", DEBIAN,
    Side("numpy 1.24.2", "load .npz, astype", DEBIAN, ("widen_npz", "{model}"), ("net.npz",)),
    Side("numpy 1.24.2", "map .npy", DEBIAN, ("map_npy", "{model}"), tuple(f"layer{i}.npy" for i in range(12))),
    first="widened", times=(3, 0), foretells=False)


def make(folder):
    import numpy as np

    rng = np.random.default_rng(1)
    arrays = {f"layer{i}": rng.random((2048, 1024), np.float32) for i in range(12)}
    np.savez(f"{folder}/net.npz", **arrays)
    for name, array in arrays.items():
        np.save(f"{folder}/{name}.npy", array)


def widen_npz(folder):
    import time

    import numpy as np

    with np.load(f"{folder}/net.npz") as file:
        state = {name: file[name] for name in file.files}
    wide = {}
    for name, array in state.items():
        wide[name] = array.astype(np.float64)
    time.sleep(0.1)  # the witness samples
    print(sum(float(array[0, 0]) for array in wide.values()))


def map_npy(folder):
    import numpy as np

    state = [np.load(f"{folder}/layer{i}.npy", mmap_mode="r") for i in range(12)]
    print(sum(float(array.sum()) for array in state))


if __name__ == "__main__":
    main(globals())
