"""Allocates blocks of sizes that nothing else has, from every kind of Python code, and writes down for each what
Python itself says the stack was: `size` and then, innermost first, qualified name, file and line, tabs between.

    python_truth.py OUT [ROUNDS]
"""
import asyncio
import contextlib
import functools
import itertools
import json
import os
import re
import signal
import sys
import threading

FIRST_SIZE = 1_000_001
told = []  # lists are safe between threads, files are not
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 100
sizes = itertools.count(FIRST_SIZE)
NO_QUALIFIED_NAMES = sys.version_info < (3, 11)


def frames_of(frame):
    while frame is not None:
        code = frame.f_code
        name = code.co_name if NO_QUALIFIED_NAMES else code.co_qualname
        yield f"{name}\t{code.co_filename}\t{frame.f_lineno or 0}"
        frame = frame.f_back


def tell(size):
    """A bytes object of n bytes asks calloc for n + 33, in every version."""
    frame = sys._getframe(1)
    told.append("\t".join([str(size + 33), *frames_of(frame)]) + "\n")


def plain():
    size = next(sizes); block = bytes(size); tell(size)
    return block


def many_lines():
    size = next(sizes)
    return (
        tell(size) or [
            bytes(size)
        ] if False else
        one_line(size, bytes(size), tell(size))
    )


def one_line(*arguments):
    return arguments


def nested(depth):
    if depth == 0:
        plain()
        return
    if depth % 2:
        nested(depth - 1)
    else:
        list(map(nested, [depth - 1]))


def generator(count):
    for _ in range(count):
        size = next(sizes); block = bytes(size); tell(size)
        yield block
    yield from generator_inside()


def generator_inside():
    size = next(sizes); block = bytes(size); tell(size)
    yield block


class Sorted:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        plain()
        return self.value < other.value

    def __del__(self):
        size = next(sizes); block = bytes(size); tell(size)

    @property
    def prop(self):
        return plain()

    def __getattr__(self, name):
        return plain()

    def __add__(self, other):
        return (lambda: plain())()

    @staticmethod
    def stat():
        return [plain() for _ in range(2)]

    @classmethod
    def cls(cls):
        return {k: plain() for k in range(2)}


def callbacks():
    sorted([Sorted(3), Sorted(1), Sorted(2)])
    functools.partial(plain)()
    functools.reduce(lambda a, b: plain(), [1, 2, 3])
    re.sub("[ab]", lambda match: str(len(plain())), "abc")
    json.loads('{"a": {"b": 1}}', object_hook=lambda found: plain() and found)
    json.dumps({"a": Sorted(1)}, default=lambda value: str(len(plain())))
    max([1, 2, 3], key=lambda value: len(plain()))
    Sorted(1).prop
    Sorted(1).missing
    Sorted(1) + 2
    Sorted.stat()
    Sorted.cls()
    list(filter(None, (len(plain()) for _ in range(3))))
    tuple(plain() for _ in range(2))


def dynamic(number):
    space = {"plain": plain, "tell": tell, "sizes": sizes}
    source = "\n" * (number % 7) + f"""
def function_{number % 3}(count):
    size = next(sizes); block = bytes(size); tell(size)
    return [plain() for i in range(count)]
function_{number % 3}(2)
size = next(sizes); block = bytes(size); tell(size)
"""
    exec(compile(source, f"made-{number % 5}.py", "exec"), space)
    eval("plain() and [plain() for i in range(1)]", space)
    # Code objects of equal shape, one after the other at one place in memory, with other names.
    name = "abcdefgh"[number % 8] * 6
    code = compile(f"def {name}():\n size = next(sizes); block = bytes(size); tell(size)\n{name}()", "same.py", "exec")
    exec(code, space)


def recurse(depth):
    size = next(sizes); block = bytes(size); tell(size)
    if depth > 0:
        recurse(depth - 1)


def on_signal(number, frame):
    plain()


def signals():
    signal.raise_signal(signal.SIGUSR1)
    os.kill(os.getpid(), signal.SIGUSR1)
    for _ in range(10):
        pass


async def coroutine(depth):
    plain()
    if depth > 0:
        await coroutine(depth - 1)
        await asyncio.sleep(0)
    plain()


async def both():
    await asyncio.gather(coroutine(2), coroutine(1))
    async for item in async_generator():
        plain()
    async with context():
        plain()


async def async_generator():
    for _ in range(2):
        size = next(sizes); block = bytes(size); tell(size)
        yield block


@contextlib.asynccontextmanager
async def context():
    plain()
    yield
    plain()


def exceptions():
    try:
        try:
            raise ValueError(len(plain()))
        except ValueError:
            plain()
            raise KeyError
        finally:
            plain()
    except KeyError:
        plain()
    with contextlib.suppress(TypeError):
        plain()
        raise TypeError


def decorated(function):
    @functools.wraps(function)
    def wrapper(*arguments, **keywords):
        plain()
        return function(*arguments, **keywords)
    return wrapper


@decorated
@functools.lru_cache(maxsize=1)
def cached(number):
    return plain()


def closures():
    cell = 1

    def inner(value=None):
        nonlocal cell
        cell += 1
        return plain()
    inner()
    inner(cell)

    class Local:
        field = plain()

        def method(self):
            return plain()
    Local().method()


def in_thread():
    for i in range(5):
        plain()
        nested(6)
        dynamic(i)


def threads():
    running = [threading.Thread(target=in_thread) for _ in range(3)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()


def unlocked():
    """Native code that allocates while other threads run Python."""
    try:
        import ctypes
    except ImportError:
        return
    library = ctypes.CDLL(None)
    library.malloc.restype = ctypes.c_void_p
    size = next(sizes); library.malloc(ctypes.c_size_t(size + 33)); tell(size)


def main():
    signal.signal(signal.SIGUSR1, on_signal)
    for i in range(rounds):
        plain()
        many_lines()
        nested(i % 40)
        list(generator(3))
        callbacks()
        dynamic(i)
        recurse(i % 60)
        signals()
        exceptions()
        cached(i)
        closures()
        unlocked()
        if i % 10 == 0:
            threads()
            asyncio.run(both())


main()
with open(sys.argv[1], "w", encoding="utf-8", errors="surrogateescape") as out:
    out.writelines(told)
