"""`python -m tidemark` is `tidemark`."""

from tidemark._command import main

main()
