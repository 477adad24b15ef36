"""What runs in the recorded process of a test: `python _test.py QUESTION WORDS...`, pytest with the session's own path."""

from __future__ import annotations

import json
import sys

with open(sys.argv[1], encoding="utf-8") as _file:
    sys.path[:] = json.load(_file)["path"]
del sys.argv[1]

import pytest

sys.exit(pytest.main(sys.argv[1:]))
