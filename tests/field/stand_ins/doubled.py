"""Python's own: a file read and copied, against one read into place."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "systems"))
from described import Debian, Side, System, main  # noqa: E402

PYTHON = Debian("python3-minimal")


def described(name, first, times):
    return System(
        name, "readinto", PYTHON,
        Side("python3", "bytearray(file.read())", PYTHON, ("copied", "{model}"), ("net.bin",), "doubled.py"),
        Side("python3", "readinto", PYTHON, ("into_place", "{model}"), ("net.bin",), "doubled.py"),
        first=first, times=times, is_model_told=True)


SYSTEM = described("doubled", "twice", (2, 1))


def make(folder):
    import random

    with open(f"{folder}/net.bin", "wb") as file:
        file.write(random.Random(1).randbytes(64 << 20))


def copied(folder):
    import time

    with open(f"{folder}/net.bin", "rb") as file:
        content = file.read()
    weights = bytearray(content)
    time.sleep(0.2)  # the witness samples
    print(len(weights), len(content))


def into_place(folder):
    import time

    with open(f"{folder}/net.bin", "rb") as file:
        weights = bytearray(os.fstat(file.fileno()).st_size)
        file.readinto(weights)
    time.sleep(0.2)
    print(len(weights))


if __name__ == "__main__":
    main(globals())
