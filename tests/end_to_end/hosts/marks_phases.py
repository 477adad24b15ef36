"""Marks phases in every way that tidemark_marks has, and prints what tells a decorated function from a plain one."""
import asyncio
import functools
import inspect
import sys
import threading

import tidemark_marks
from tidemark_marks import phase


@phase("function")
def function(number, *, word="word"):
    """What it does."""
    return number, word


@phase("recursion")
def recursion(depth):
    return recursion(depth - 1) if depth else "deep"


@phase("generator")
def generator():
    got = yield 1
    try:
        yield got
    except KeyError:
        yield "caught"
    return "done"


def delegates():
    result = yield from generator()
    yield result


@phase("coroutine")
async def coroutine():
    await asyncio.sleep(0)
    return "awaited"


@phase("async generator")
async def async_generator():
    got = yield 1
    try:
        yield got
    except KeyError:
        yield "caught"


async def uses_async_generator():
    steps = async_generator()
    told = [await steps.__anext__(), await steps.asend("sent"), await steps.athrow(KeyError())]
    async for step in steps:
        told.append(step)
    closed = async_generator()
    await closed.__anext__()
    await closed.aclose()
    return told


class Loader:
    @phase("method")
    def method(self):
        return type(self).__name__

    @staticmethod
    @phase("static")
    def static():
        return "static"


@functools.lru_cache(maxsize=None)
@phase("cached")
def cached():
    return "cached"


@phase("raises")
def raises():
    raise ValueError("raised")


def in_thread():
    with phase("thread"):
        function(2)


def refused(claim):
    try:
        claim()
    except TypeError as error:
        return str(error)


with phase("whole"):
    with phase("outer"), phase("inner"):
        print(function(1, word="other"), function.__name__, function.__doc__)
    print(recursion(2))
    steps = delegates()
    print(next(steps), steps.send("sent"), steps.throw(KeyError()), next(steps))
    half = generator()
    next(half)
    half.close()
    print(asyncio.run(coroutine()), asyncio.run(uses_async_generator()))
    print(Loader().method(), Loader.static(), cached(), cached())
    for attempt in (raises, phase("lambda")(lambda: 1 / 0)):
        try:
            attempt()
        except (ValueError, ZeroDivisionError) as error:
            print(error)
    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
tidemark_marks.begin("begun")
tidemark_marks.end("begun")
twice = phase("twice")
with twice, twice:
    pass
with phase("Fran\xe7ais \ud800"):
    pass
print(inspect.isgeneratorfunction(generator), inspect.iscoroutinefunction(coroutine),
      inspect.isasyncgenfunction(async_generator))
print(refused(lambda: phase(function)), refused(lambda: phase("class")(Loader)), refused(lambda: phase("C")(len)),
      refused(lambda: tidemark_marks.begin(3)), sep="\n")
print(hasattr(function, "__wrapped__"), file=sys.stderr)
