"""Names the phases of a load, for tidemark to show: "read file", "deserialize", "upload" ...

    from tidemark_marks import phase

    with phase("deserialize"):
        model.load_state_dict(torch.load(path))

    @phase("read file")
    def read(path):
        ...

One file without dependencies, for Python 3.8 and newer: copy it beside your program. Where tidemark
does not record the program, or there is no ctypes, every mark does nothing, and a decorated
function is the function itself. Phases nest within a thread and end on the thread that began them.
"""

from __future__ import annotations

import functools
import types

TYPE_CHECKING = False  # as typing's, without the time that importing it takes
if TYPE_CHECKING:
    from typing import Any, Callable, Optional, Tuple, TypeVar

    Mark = Callable[[bytes], None]
    Function = TypeVar("Function", bound=Callable[..., Any])

__all__ = ["begin", "end", "phase"]

# inspect's: importing it takes longer than all the rest.
_GENERATOR = 0x20
_COROUTINE = 0x80
_ITERABLE_COROUTINE = 0x100
_ASYNC_GENERATOR = 0x200


def _find_marks() -> Tuple[Optional[Mark], Optional[Mark]]:
    """The mark functions of tidemark's preloaded object, which is there from the start or never."""
    try:
        import ctypes

        # Not CDLL, which lets another thread run at each mark.
        process = ctypes.PyDLL(None)
        marks = process.tidemark_mark_phase_begin, process.tidemark_mark_phase_end
        for mark in marks:
            mark.argtypes = [ctypes.c_char_p]
            mark.restype = None
        return marks
    except Exception:  # no such function, no ctypes, a system whose CDLL wants a name
        return None, None


_begin, _end = _find_marks()


def _encoded(name: str) -> bytes:
    if not isinstance(name, str):
        raise TypeError(f"the name of a phase is a str, not {type(name).__name__}")
    return name.encode("utf-8", "replace")


def begin(name: str) -> None:
    """Begins a phase of this thread. tidemark keeps 255 bytes of its name."""
    encoded = _encoded(name)
    if _begin is not None:
        _begin(encoded)


def end(name: str) -> None:
    """Ends the innermost phase of that name that this thread has begun."""
    encoded = _encoded(name)
    if _end is not None:
        _end(encoded)


class phase:
    """A phase for a `with` block, or for each call of the function that it decorates.

    One object may be used any number of times, by several threads, and within itself. The phase of
    an async function lasts from its first step to its end, with what other tasks do while it waits;
    that of a generator with what its consumer does between its steps. Only what `def` and `lambda`
    make can be decorated: no classes, and other decorators (staticmethod, lru_cache) go above.
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = _encoded(name)

    def __enter__(self) -> phase:
        if _begin is not None:
            _begin(self._name)
        return self

    def __exit__(self, *exception: object) -> None:
        if _end is not None:
            _end(self._name)

    def __call__(self, function: Function) -> Function:
        if not isinstance(function, types.FunctionType):
            raise TypeError(f"phase() decorates a function, not {type(function).__name__}")
        if _begin is None:
            return function
        return functools.wraps(function)(self._wrapper(function))

    def _wrapper(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Of the same kind as `function`, as who calls it may ask."""
        kind = function.__code__.co_flags
        if kind & _COROUTINE:

            async def wrapper(*arguments, **keywords):
                with self:
                    return await function(*arguments, **keywords)

        elif kind & _ASYNC_GENERATOR:

            async def wrapper(*arguments, **keywords):
                with self:
                    generator = function(*arguments, **keywords)
                    step = generator.__anext__()
                    while True:
                        try:
                            item = await step
                        except StopAsyncIteration:
                            return
                        try:
                            sent = yield item
                        except GeneratorExit:
                            await generator.aclose()
                            raise
                        except BaseException as error:
                            step = generator.athrow(error)
                        else:
                            step = generator.asend(sent)

        elif kind & (_GENERATOR | _ITERABLE_COROUTINE):

            def wrapper(*arguments, **keywords):
                with self:
                    return (yield from function(*arguments, **keywords))

            if kind & _ITERABLE_COROUTINE:
                wrapper = types.coroutine(wrapper)

        else:

            def wrapper(*arguments, **keywords):
                with self:
                    return function(*arguments, **keywords)

        return wrapper
