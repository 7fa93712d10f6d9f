# SPDX-License-Identifier: Apache-2.0
"""Shut a process in before it runs a stranger's module: no network, no writes outside one folder, no other processes.

Landlock guards files and a seccomp filter guards the rest. Both need no privileges, no helper program and microseconds,
hold for everything that the process starts, and cannot be undone. Linux alone has them; `missing` says what is not
here.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterable
from pathlib import Path

_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446  # the same on every architecture
_NO_NEW_PRIVS, _SET_SECCOMP, _SECCOMP_FILTER, _PARENT_DEATH = 38, 22, 2, 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_IOCTL_DEV = 1 << 15
#: Rights on files that each Landlock ABI knows, as the highest bit (include/uapi/linux/landlock.h).
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_ALL_RIGHTS = 16

#: Audit architecture, and numbers of system calls: some with a name, those that are refused, and those that do nothing.
#: What they reach lies beyond Landlock: sockets, other processes, memory and keys that outlive a process; attributes of
#: files, which linkers set on files of their own too, and go on only where that seems to work.
_ARCHITECTURES = {
    "x86_64": (
        0xC000003E,
        {"capset": 126, "kill": 62, "tgkill": 234},
        (
            *(41, 425),  # socket, io_uring_setup
            *(101, 310, 311, 438, 424, 200, 129, 297),  # ptrace, process_vm_*, pidfd_*, tkill, rt_sigqueueinfo
            *(188, 189, 190, 197, 198, 199),  # setxattr, removexattr
            *(29, 64, 68, 248, 249, 250),  # shmget, semget, msgget, add_key, request_key, keyctl
        ),
        (90, 91, 268, 452, 92, 93, 94, 260, 132, 235, 261, 280),  # chmod, chown and utime in their forms
    ),
    "aarch64": (
        0xC00000B7,
        {"capset": 91, "kill": 129, "tgkill": 131},
        (
            *(198, 425),
            *(117, 270, 271, 438, 424, 130, 138, 240),
            *(5, 6, 7, 14, 15, 16),
            *(194, 190, 186, 217, 218, 219),
        ),
        (52, 53, 452, 54, 55, 88),
    ),
}
_X32 = 0x40000000  # x86-64 calls of the x32 form are numbered from here
#: SECCOMP_RET_ALLOW, and SECCOMP_RET_ERRNO with EPERM and with none.
_ALLOW, _REFUSE, _IGNORE = 0x7FFF0000, 0x00050001, 0x00050000
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


def missing() -> tuple[str, ...]:
    """What of the confinement this system does not have, in words; empty where `confine` does all that it says."""
    if sys.platform != "linux" or platform.machine() not in _ARCHITECTURES:
        return (f"no confinement on {platform.system()} {platform.machine()}",)
    absent = []
    if _landlock_abi() < 1:
        absent.append("the kernel has no Landlock: files outside the scratch folder are not guarded")
    if not Path("/proc/sys/kernel/seccomp/actions_avail").exists():
        absent.append("the kernel has no seccomp filters: the network is not guarded")
    return tuple(absent)


def confine(writable: Path, readable: Iterable[Path]) -> None:
    """Confine this process and what it starts for good, as far as the system can.

    writable: the one folder it may write below; readable: folders and files it may also read and execute. Raises
    OSError where the system has a guard and does not set it.
    """
    if sys.platform != "linux" or platform.machine() not in _ARCHITECTURES:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    _ok(libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0))
    if _landlock_abi() >= 1:
        _guard_files(libc, writable, readable)
    _drop_capabilities(libc)
    _guard_calls(libc)


def die_with_parent() -> None:
    """Be killed when the parent dies, where the system can do that."""
    if sys.platform == "linux":
        import signal

        ctypes.CDLL(None).prctl(_PARENT_DEATH, int(signal.SIGKILL), 0, 0, 0)


def _landlock_abi() -> int:
    return int(ctypes.CDLL(None, use_errno=True).syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), 1))


def _guard_files(libc: ctypes.CDLL, writable: Path, readable: Iterable[Path]) -> None:
    abi = _landlock_abi()
    rights = (1 << _RIGHTS.get(abi, _ALL_RIGHTS)) - 1
    # Files, TCP ports, and from ABI 6 on what is shared with processes outside: abstract sockets and signals.
    attributes = struct.pack("=QQQ", rights, 3 if abi >= 4 else 0, 3 if abi >= 6 else 0)
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    ruleset = _ok(libc.syscall(_LANDLOCK_CREATE, ctypes.c_char_p(attributes), ctypes.c_size_t(size), 0))
    read = _EXECUTE | _READ_FILE | _READ_DIR
    allowed = [(Path(path), read) for path in readable] + [(writable, rights & ~_IOCTL_DEV)]
    allowed += [(Path(path), _READ_FILE | _WRITE_FILE) for path in _DEVICES]
    for path, access in allowed:
        try:
            handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        # Rights of folders are refused for a file.
        own = access if path.is_dir() else access & (_EXECUTE | _READ_FILE | _WRITE_FILE)
        rule = struct.pack("=Qi", own, handle)
        _ok(libc.syscall(_LANDLOCK_ADD, ruleset, 1, ctypes.c_char_p(rule), 0))
        os.close(handle)
    _ok(libc.syscall(_LANDLOCK_RESTRICT, ruleset, 0))
    os.close(ruleset)


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """Of root: mounts, modules, clocks, other users' files. With no_new_privs no program gets them back."""
    _, calls, _, _ = _ARCHITECTURES[platform.machine()]
    header = ctypes.create_string_buffer(struct.pack("=Ii", 0x20080522, 0))  # _LINUX_CAPABILITY_VERSION_3
    _ok(libc.syscall(calls["capset"], header, ctypes.create_string_buffer(bytes(24))))


def _guard_calls(libc: ctypes.CDLL) -> None:
    architecture, calls, refused, ignored = _ARCHITECTURES[platform.machine()]
    load, equal, at_least, give = 0x20, 0x15, 0x35, 0x06

    def end(answer: int) -> tuple[int, int, int, int]:
        return (give, 0, 0, answer)

    program = [(load, 0, 0, 4), (equal, 1, 0, architecture), end(_REFUSE), (load, 0, 0, 0)]
    program += [(at_least, 0, 1, _X32), end(_REFUSE)]
    for answer, numbers in ((_REFUSE, refused), (_IGNORE, ignored)):
        for call in numbers:
            program += [(equal, 0, 1, call), end(answer)]
    # abort() signals the process itself; the first argument of both is a process.
    for name in ("kill", "tgkill"):
        program += [(equal, 0, 4, calls[name]), (load, 0, 0, 16), (equal, 0, 1, os.getpid()), end(_ALLOW), end(_REFUSE)]
    code = b"".join(struct.pack("=HBBI", *line) for line in [*program, end(_ALLOW)])
    lines = ctypes.create_string_buffer(code, len(code))
    filter_program = struct.pack("@HP", len(code) // 8, ctypes.addressof(lines))
    _ok(libc.prctl(_SET_SECCOMP, _SECCOMP_FILTER, ctypes.c_char_p(filter_program), 0, 0))


def _ok(result: int) -> int:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"cannot confine the process: {os.strerror(error)}")
    return result
