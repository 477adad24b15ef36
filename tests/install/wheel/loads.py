"""Loads of a file, as they are recorded by the wheel's test."""

import os
import sys

import tidemark


class Refused(Exception):
    """One that pickle can build again."""


class Odd(Exception):
    """One that it cannot."""

    def __init__(self, one, two):
        super().__init__(one)


@tidemark.phase("read file")
def read(path):
    with open(path, "rb") as file:
        return file.read()


def load(path, twice=False):
    whole = read(path)
    with tidemark.phase("deserialize"):
        tensors = bytearray(whole) if twice else whole
    return len(tensors)


def unmarked(path):
    with open(path, "rb") as file:
        return len(file.read())


def refuse(what):
    raise Refused(what)


def raise_odd():
    raise Odd(1, 2)


def leave():
    sys.exit(3)


def die():
    os.kill(os.getpid(), 9)


def give_back_a_lock():
    import threading

    return threading.Lock()


def words():
    return sys.argv, os.getcwd()


if __name__ == "__main__":
    print(load(sys.argv[1], len(sys.argv) > 2))
