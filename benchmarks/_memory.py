"""The most memory this process has had."""

import resource
from pathlib import Path

STATUS = Path("/proc/self/status")


def peak_bytes() -> int:
    """On Linux of the program alone: the other number begins with what the process had before it ran the program."""
    if STATUS.exists():
        line = next(line for line in STATUS.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
