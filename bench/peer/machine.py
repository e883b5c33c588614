"""What the operating system tells about this process and its neighbours."""

import os
import resource
import sys
import time


class ForeignCPU:
    """The part of the machine's CPU time that other processes took since creation.

    Waiting OpenMP threads spin, so one busy neighbour on a two-core machine can slow a run
    thirtyfold. A time with a high foreign share is a measurement of the neighbour.
    """

    def __init__(self):
        self.start, self.begun = self.seconds(), time.perf_counter()

    @staticmethod
    def seconds():
        """CPU seconds since boot outside this process, or None where the kernel does not tell."""
        try:
            with open("/proc/stat") as stat:
                fields = list(map(int, stat.readline().split()[1:9]))
        except (OSError, ValueError):
            return None
        user, nice, system, _, _, irq, softirq, steal = fields
        busy = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
        return busy - time.process_time()

    def share(self):
        if self.start is None:
            return None
        available = (time.perf_counter() - self.begun) * os.cpu_count()
        return max(0.0, self.seconds() - self.start) / available


def rss_bytes(field):
    """VmRSS or VmHWM of this process where the kernel tells, else the peak so far."""
    try:
        with open("/proc/self/status") as status:
            for line in status:
                if line.startswith(field + ":"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def reset_peak_rss():
    """Restarts the kernel's peak count, so that loading is left out. False if it cannot."""
    try:
        with open("/proc/self/clear_refs", "w") as refs:
            refs.write("5")
        return True
    except OSError:
        return False
