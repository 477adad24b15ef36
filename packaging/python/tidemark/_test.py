"""What runs in the recorded process of a test: `python _test.py QUESTION WORDS...`, pytest with the session's own path."""

from __future__ import annotations

import json
import os
import sys

with open(sys.argv[1], encoding="utf-8") as _file:
    sys.path[:] = json.load(_file)["path"]
del sys.argv[1]

import pytest
from _pytest.config import create_terminal_writer


class _Silent:
    """pytest's own output goes nowhere: the session tells of the test. Without its terminal, which is asked for its
    colours, comparisons in assertions fail in pytest 8 and later."""

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            # Open as long as the process lives.
            reporter._tw = create_terminal_writer(config, open(os.devnull, "w", encoding="utf-8"))


sys.exit(pytest.main(sys.argv[1:], plugins=[_Silent()]))
