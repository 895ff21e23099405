"""What ``%load_ext memory_magic`` adds to the CPU time of a bare ``ipython -c pass``.

Run from the repository, in an environment with the package installed: ``python benchmarks/load.py [PAIRS]``. Real
processes, user and system time, in pairs one after the other and in changing order; the figure is the median of the
ratios of the pairs. The aim is at most 1.05.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from statistics import median, quantiles

PAIRS = 40
BARE, LOADED = "pass", "%load_ext memory_magic"


def cpu_seconds(code: str, environment: dict[str, str]) -> float:
    """Run IPython once and give its user and system time."""
    command = [sys.executable, "-m", "IPython", "--no-banner", "-c", code]
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    errors = process.stderr.read()
    process.stderr.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode or errors:
        raise SystemExit(f"{' '.join(command)} failed:\n{errors.decode(errors='replace')}")
    return usage.ru_utime + usage.ru_stime


def import_times(environment: dict[str, str]) -> list[tuple[str, int, int]]:
    """Give our own modules as (name, own, cumulative) microseconds, in the order in which they were done."""
    command = [sys.executable, "-X", "importtime", "-m", "IPython", "--no-banner", "-c", LOADED]
    output = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    ).stderr
    lines = re.findall(r"^import time:\s+(\d+) \|\s+(\d+) \|\s+(memory_magic\S*)$", output, re.MULTILINE)
    return [(name, int(own), int(cumulative)) for own, cumulative, name in lines]


def main() -> None:
    """Print the ratio, how much it varies, and where the time goes."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "HOME": home, "IPYTHONDIR": os.path.join(home, "ipython")}
        environment["MEMORY_MAGIC_PATH"] = os.path.join(home, "MEMORY.md")
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled
        for code in (BARE, LOADED):  # the first run makes the profile and the compiled files
            cpu_seconds(code, environment)
        ratios, same = [], []
        for number in range(pairs):
            order = (BARE, LOADED, BARE) if number % 2 else (LOADED, BARE, BARE)
            times = [(code, cpu_seconds(code, environment)) for code in order]
            bare = [seconds for code, seconds in times if code == BARE]
            loaded = next(seconds for code, seconds in times if code == LOADED)
            ratios.append(loaded / bare[0])
            same.append(bare[1] / bare[0])
        low, _, high = quantiles(ratios, n=4)
        print(
            f"with %load_ext / bare: {median(ratios):.3f} (quartiles {low:.3f} to {high:.3f}, {pairs} pairs; aim 1.05)"
        )
        print(f"bare / bare, the noise: {median(same):.3f}")
        print("\nimports of our own modules, each with what it imports first, in microseconds of one run:")
        for name, own, cumulative in import_times(environment):
            print(f"{cumulative:>8} {own:>8} own  {name}")


if __name__ == "__main__":
    main()
