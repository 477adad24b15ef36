"""What the kernel says of a family of processes, sampled while it runs.

One process: RssAnon + RssShmem. Several: Pss_Anon + Pss_Shmem, so that a page which forked processes
have in common counts once. A child of vfork or posix_spawn has its parent's whole memory until it execs,
and the kernel says the same of both: it does not count.
"""

import ctypes
import os
import subprocess
import time

INTERVAL_S = 0.003


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def kib_of(text, key):
    at = text.find(key)
    if at < 0:
        return None
    return int(text[at + len(key):].split(None, 1)[0])


def has_memory_of(pid, parent):
    """Whether both are one address space (kcmp with KCMP_VM, of x86-64)."""
    kcmp, memory = 312, 1
    return ctypes.CDLL(None).syscall(kcmp, pid, parent, memory, 0, 0) == 0


def family_of(root):
    """The process and all that descend from it, by the kernel's own lists of children."""
    pids, to_visit = [], [(root, None)]
    while to_visit:
        pid, parent = to_visit.pop()
        if parent is None or not has_memory_of(pid, parent):
            pids.append(pid)
        try:
            tasks = os.listdir(f"/proc/{pid}/task")
        except OSError:
            continue
        for task in tasks:
            to_visit += [(int(child), pid) for child in read(f"/proc/{pid}/task/{task}/children").split()]
    return pids


def program_of(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return None


def recorded_by(root):
    """The family without the recorder, which has children of its own: it looks names up in one."""
    recorder = program_of(root)
    return [pid for pid in family_of(root) if pid != root and program_of(pid) != recorder]


def private_kib(pid, is_alone):
    """Private and shared memory of one process; 0 where it has ended."""
    if is_alone:
        text = read(f"/proc/{pid}/status")
        return (kib_of(text, b"\nRssAnon:") or 0) + (kib_of(text, b"\nRssShmem:") or 0)
    text = read(f"/proc/{pid}/smaps_rollup")
    return (kib_of(text, b"\nPss_Anon:") or 0) + (kib_of(text, b"\nPss_Shmem:") or 0)


class Witness:
    """Runs a command to its end and keeps the highest sum that was seen."""

    def __init__(self):
        self.peak_kib = 0
        self.samples = 0
        self.most_processes = 0
        self.seconds = 0.0
        self.status = 0

    def watch(self, command, cwd, environment, timeout_s, is_recorder=False):
        """With `is_recorder` the command's own process, which records the others, does not count."""
        began = time.monotonic()
        with open(os.devnull) as nothing, open(os.path.join(cwd, "witness.out"), "wb") as out:
            process = subprocess.Popen(command, cwd=cwd, env=environment, stdin=nothing, stdout=out,
                                       stderr=subprocess.STDOUT, start_new_session=True)
        due = began
        while process.poll() is None:
            pids = recorded_by(process.pid) if is_recorder else family_of(process.pid)
            total = sum(private_kib(pid, len(pids) == 1) for pid in pids)
            self.peak_kib = max(self.peak_kib, total)
            self.most_processes = max(self.most_processes, len(pids))
            self.samples += 1
            now = time.monotonic()
            if now - began > timeout_s:
                os.killpg(process.pid, 9)
                process.wait()
                break
            due = max(due + INTERVAL_S, now)
            time.sleep(due - now)
        self.seconds = time.monotonic() - began
        self.status = process.returncode
        return self
