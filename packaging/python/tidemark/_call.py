"""What runs in the recorded process of `tidemark.record`: `python _call.py QUESTION ANSWER NAME`.

QUESTION and ANSWER are descriptors of files in memory. The name is for those who read the command
line. It is run by its path, so that the package need not be installed where a new Python looks.
"""

from __future__ import annotations

import sys

# This folder is no place to import from.
del sys.path[0]

import os
import pickle
import runpy
import traceback
import types
from typing import Any, BinaryIO, Dict

_MAIN = "__tidemark_main__"


def _import_main(path: str) -> None:
    """The caller's script under another name, so that its `if __name__ == "__main__":` is not taken."""
    module = types.ModuleType(_MAIN)
    sys.modules["__main__"] = sys.modules[_MAIN] = module
    module.__dict__.update(runpy.run_path(path, run_name=_MAIN))


def _called(question: BinaryIO) -> Dict[str, Any]:
    try:
        surroundings = pickle.load(question)
        sys.path[:] = surroundings["path"]
        sys.argv[:] = surroundings["argv"]
        if surroundings["main"] is not None and _asks_for_main(question):
            _import_main(surroundings["main"])
        function, arguments, keywords = pickle.load(question)
        return {"value": function(*arguments, **keywords)}
    except Exception as error:
        return _failure(error)


def _asks_for_main(question: BinaryIO) -> bool:
    """Something of the rest is pickled as the script's own."""
    at = question.tell()
    rest = question.read()
    question.seek(at)
    return b"__main__" in rest


def _failure(error: BaseException) -> Dict[str, Any]:
    return {"error": error, "traceback": "".join(traceback.format_exception(type(error), error, error.__traceback__))}


def _sent(result: Dict[str, Any], answer: BinaryIO) -> None:
    """The mark in front comes last: a process that dies while it writes has written nothing."""
    answer.seek(1)
    pickle.dump(result, answer, pickle.HIGHEST_PROTOCOL)
    answer.flush()
    answer.seek(0)
    answer.write(b"!")
    answer.flush()


def _send(result: Dict[str, Any], answer: BinaryIO) -> None:
    try:
        if "error" in result:
            # One that cannot be read back is told by its words.
            pickle.loads(pickle.dumps(result["error"]))
        _sent(result, answer)
    except Exception as error:
        if "error" in result:
            result = dict(result, error=result["traceback"].rstrip().rpartition("\n")[2])
        else:
            result = _failure(error)
        answer.truncate(0)
        _sent(result, answer)


def main() -> None:
    question = os.fdopen(int(sys.argv[1]), "rb")
    answer = os.fdopen(int(sys.argv[2]), "r+b")
    with question:
        result = _called(question)
    with answer:
        _send(result, answer)


main()
