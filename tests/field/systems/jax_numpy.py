"""JAX: arrays of an .npz put on the CPU device, all at once or one after the other."""

from described import Side, System, Venv, main

JAX = Venv("jax", "jax==0.10.2 orbax-checkpoint==0.12.8 numpy==2.4.6", ("3.11", "3.12", "3.13"))

SYSTEM = System(
    "jax", "each array goes to the device as it is read, instead of the whole archive first", JAX,
    Side("jax 0.10.2", "np.load all, then device_put", JAX, ("all_at_once", "{model}"), ("net.npz",)),
    Side("jax 0.10.2", "device_put one by one", JAX, ("one_by_one", "{model}"), ("net.npz",)),
    first="held", times=(2, 1))


def make(folder):
    import numpy as np

    rng = np.random.default_rng(1)
    np.savez(f"{folder}/net.npz", **{f"layer{i}": rng.random((1024, 1024), np.float32) for i in range(48)})


def put(array):
    """A copy: without it JAX takes arrays over that happen to begin at a multiple of 64 bytes."""
    import jax

    return jax.device_put(array, may_alias=False).block_until_ready()


def start():
    """The backend is there before the load begins."""
    import numpy as np

    put(np.ones(1))


def all_at_once(folder):
    import numpy as np

    start()
    with np.load(f"{folder}/net.npz") as file:
        state = {name: file[name] for name in file.files}
    params = {}
    for name, array in state.items():
        params[name] = put(array)
    print(sum(float(array[0, 0]) for array in params.values()))


def one_by_one(folder):
    import numpy as np

    start()
    params = {}
    with np.load(f"{folder}/net.npz") as file:
        for name in file.files:
            params[name] = put(file[name])
    print(sum(float(array[0, 0]) for array in params.values()))


if __name__ == "__main__":
    main(globals())
