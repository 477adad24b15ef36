"""What no machine has."""

from described import Debian, Side, System

NOWHERE = Debian("tidemark-no-such-package")
SYSTEM = System("missing", "", NOWHERE, Side("0", "nothing", NOWHERE, ("load", "{model}"), ("net.bin",)))
