"""What the runner of real systems and the gallery both read of a report, and of the descriptions."""

import importlib
import os
import sys


def all_systems(folder):
    """name -> (description, module), of every file of the folder that describes one."""
    sys.path.insert(0, folder)
    names = sorted(name[:-3] for name in os.listdir(folder) if name.endswith(".py"))
    modules = {name: importlib.import_module(name) for name in names if name != "described"}
    return {module.SYSTEM.name: (module.SYSTEM, module) for module in modules.values()}


def stood_of(facts):
    """Of the peak, what the load is not to blame for: all of it, where the peak was before the model was opened."""
    if facts["before_load"]:
        return facts["before_load"]["at_peak_bytes"]
    first = facts["phases"][0] if facts["phases"] else None
    if not first or first["marked"] or first["name"] != "before read":
        return 0
    # The report is silent about less than a twentieth of the peak.
    return min(first["peak_bytes"], facts["peak"]["footprint_bytes"])


def first_of(expected, row):
    """The first finding about the load: what stood before it is no reason for how it loads, unless it is expected."""
    return next((finding for finding in row["findings"]
                 if expected == "before_load" or finding["kind"] != "before_load"), None)
