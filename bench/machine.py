"""What the machine is, and how much of it others used while we measured."""

import os
import platform
import time


def facts(path):
    """For the result file; path is where the data is."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "cpus": os.cpu_count(),
        "memory_gb": round(memory / 2**30),
        "architecture": platform.machine(),
        "system": platform.system(),
        "filesystem": filesystem(path),
    }


def filesystem(path):
    """The kind of file system: a tmpfs would make fsync a word."""
    path = os.path.realpath(path)
    best = ("", "unknown")
    with open("/proc/mounts", encoding="utf-8") as f:
        for line in f:
            _, mount, kind = line.split()[:3]
            if (path + "/").startswith(mount.rstrip("/") + "/") and len(mount) > len(best[0]):
                best = (mount, kind)
    return best[1]


class OthersShare:
    """The part of the machine's CPU time that went to others since this object was made.

    A ratio from a repetition that had half of the machine is worth less than one that
    had all of it. What others do to the disk is not seen here.
    """

    def __init__(self):
        self.start = time.monotonic(), _busy(), _ours()

    def __call__(self):
        wall, busy, ours = (b - a for a, b in zip(self.start, (time.monotonic(), _busy(), _ours())))
        available = wall * os.sysconf("SC_CLK_TCK") * os.cpu_count()
        return max(0.0, (busy - ours) / available)


def _busy():
    """Ticks of all CPUs that were not idle, stolen ones among them."""
    with open("/proc/stat", encoding="utf-8") as f:
        user, nice, system, _, _, irq, softirq, steal = map(int, f.readline().split()[1:9])
    return user + nice + system + irq + softirq + steal


def _ours():
    """Ticks of this process and all below it, those that have ended included."""
    parent, ticks = {}, {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as f:
                    # the second field, the command, may have spaces in it
                    fields = f.read().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):  # it has just ended
                continue
            parent[int(name)] = int(fields[1])
            ticks[int(name)] = sum(map(int, fields[11:15]))

    def is_ours(pid):
        while pid and pid != os.getpid():
            pid = parent.get(pid)
        return bool(pid)

    return sum(count for pid, count in ticks.items() if is_ours(pid))
