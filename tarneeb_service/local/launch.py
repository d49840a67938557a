"""Become another program, tied to the process that asked for it: run as a script, standard library only.

    python launch.py [--parent PID --signal N] [--user UID:GID [--reach]] -- PROGRAM [ARGUMENT …]

`--parent`: when that process dies, however it dies, this one gets the signal (Linux only; elsewhere the next start ends
what was left behind). `--user`: give up root. `--reach`: keep the one capability that lets the program in at
directories closed to its user, see `postgres.py`.
"""

import argparse
import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1
PR_SET_KEEPCAPS = 8
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_RAISE = 2
CAP_DAC_OVERRIDE = 1
LINUX_CAPABILITY_VERSION_3 = 0x20080522


class LaunchError(Exception):
    """The program cannot be started as asked."""


def main() -> None:
    """Do as the arguments say; comes back only to fail."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--parent", type=int)
    parser.add_argument("--signal", type=int)
    parser.add_argument("--user")
    parser.add_argument("--reach", action="store_true")
    parser.add_argument("program", nargs="+")
    options = parser.parse_args()
    if options.user:
        uid, gid = (int(part) for part in options.user.split(":"))
        give_up_root(uid, gid, reach=options.reach)
    # A change of user clears the parent's signal, so this comes after it.
    if options.parent and sys.platform == "linux":
        _prctl(PR_SET_PDEATHSIG, options.signal)
        if os.getppid() != options.parent:
            raise LaunchError("the parent died first")
    os.execvp(options.program[0], options.program)  # noqa: S606  no shell is the point


def give_up_root(uid: int, gid: int, *, reach: bool) -> None:
    """Become this user for good, with CAP_DAC_OVERRIDE kept across the next exec if `reach`."""
    if reach:
        _prctl(PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)
    if reach:
        _hold_only(CAP_DAC_OVERRIDE)
        _prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_OVERRIDE)


def _hold_only(capability: int) -> None:
    """Make this capability effective, permitted and inheritable, and no other."""
    header = (ctypes.c_uint32 * 2)(LINUX_CAPABILITY_VERSION_3, 0)
    bit = 1 << capability
    sets = (ctypes.c_uint32 * 6)(bit, bit, bit, 0, 0, 0)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.capset(header, sets) != 0:
        raise LaunchError(f"capset: {os.strerror(ctypes.get_errno())}")


def _prctl(option: int, *arguments: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    padded = [ctypes.c_ulong(argument) for argument in (*arguments, 0, 0, 0, 0)[:4]]
    if libc.prctl(option, *padded) != 0:
        raise LaunchError(f"prctl {option}: {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":
    main()
