#!/usr/bin/env python3
"""The record path, instruction by instruction: one row a function, compared with an approved table.

    fast_path.py OBJECT APPROVED [--update]

A change of the path is a change of the table, for a reviewer to see. Counted are the instructions of the
machine code as they stand, not as they are run: cold parts that the compiler has split off are left out.
"""
import re
import subprocess
import sys

# The entry points, and what of the functions behind them runs for each event.
ROWS = [
    "malloc", "calloc", "realloc", "free", "posix_memalign", "aligned_alloc",
    "operator new(unsigned long)", "operator delete(void*)", "operator delete(void*, unsigned long)",
    "mmap", "munmap", "read", "pread", "fread",
    "tidemark::preload::record_allocation", "tidemark::preload::record_realloc_end",
    "tidemark::preload::record_read", "tidemark::preload::capture_stack",
    "tidemark::unwind::Walker::capture", "tidemark::unwind::Walker::first_changed",
    "tidemark::unwind::Walker::finish<false>",
    # Of programs with Python.
    "tidemark::unwind::Walker::capture_with_python", "tidemark::unwind::Walker::finish<true>",
    "tidemark::unwind::PythonStack::begin", "tidemark::unwind::PythonStack::holds<false>",
    "tidemark::unwind::PythonStack::holds<true>", "tidemark_record_copy", "tidemark_record_fill",
    "memcpy", "memmove", "memset", "mempcpy", "__memcpy_chk",
]
JUMP = re.compile(r"j\w+$")
WRITES_MEMORY = re.compile(r"(.*,)?\S*\(%\w[^()]*\)$")


def functions_of(objects):
    """Name without arguments to its lines of assembly."""
    found = {}
    for path in objects:
        text = subprocess.run(["objdump", "--disassemble", "--no-show-raw-insn", "--demangle", path],
                              check=True, capture_output=True, text=True).stdout
        for part in re.split(r"\n\n", text):
            head = re.match(r"[0-9a-f]+ <(.*)>:\n", part)
            if head and ".cold" not in head[1] and "[clone" not in head[1]:
                name = head[1].replace("(anonymous namespace)::", "")
                if not name.startswith("operator"):
                    name = re.sub(r"\(.*", "", name).rpartition(" ")[2]  # templates come with their result
                found.setdefault(name, part.splitlines()[1:])
    return found


def count(lines):
    counts = {"instructions": 0, "loads": 0, "stores": 0, "branches": 0, "calls": 0}
    for line in lines:
        code = line.split("\t", 1)[-1].split("#")[0].split("<")[0].strip()
        name, _, operands = code.partition(" ")
        operands = operands.strip()
        if name in ("nop", "nopw", "nopl", "xchg", "data16", "cs", "endbr64", "int3"):
            continue  # padding
        counts["instructions"] += 1
        if name.startswith("call"):
            counts["calls"] += 1
        elif JUMP.match(name):
            counts["branches"] += 1
        has_memory = "(" in operands and not name.startswith("lea")
        stores = has_memory and WRITES_MEMORY.match(operands) and re.match(
            r"mov|xadd|add|sub|inc|dec|or|and|xor|set|cmpxchg|lock", name) and "," in operands
        if stores:
            counts["stores"] += 1
        elif has_memory:
            counts["loads"] += 1
    return counts


def table(objects):
    found = functions_of(objects)
    columns = ["instructions", "loads", "stores", "branches", "calls"]
    yield f"{'function':<42}" + "".join(f"{column:>13}" for column in columns)
    for name in ROWS:
        if name not in found:
            yield f"{name:<42}{'(not a function of its own)':>30}"
            continue
        counts = count(found[name])
        yield f"{name:<42}" + "".join(f"{counts[column]:>13}" for column in columns)


def main():
    *objects, approved = [word for word in sys.argv[1:] if word != "--update"]
    now = "\n".join(table(objects)) + "\n"
    if "--update" in sys.argv:
        with open(approved, "w", encoding="utf-8") as file:
            file.write(now)
        return 0
    with open(approved, encoding="utf-8") as file:
        before = file.read()
    if now == before:
        return 0
    print("The record path is another one. If that is meant, approve it with --update.\n")
    for old, new in zip(before.splitlines(), now.splitlines()):
        if old != new:
            print(f"- {old}\n+ {new}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
