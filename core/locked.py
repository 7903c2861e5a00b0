"""Locks of open files, which end with the process: `flock` where there is one, else those of Windows.

Libraries that do the same ask for a temporary folder when they are imported, or empty the file that they lock:
a full disk would stop all reading, and nobody could be told who holds a database.
"""

import errno
import os
import sys
from typing import IO, Any

if sys.platform == "win32":
    import msvcrt

    _AT = 1 << 30
    """The place of the one byte that is locked, behind all others: what is locked nobody else can read there."""

    def lock(file: IO[Any], *, shared: bool = False) -> None:
        """Lock a file at once, for this process alone even if others might share it.

        Raises
        ------
        BlockingIOError
            If another process has locked it.
        """
        before = os.lseek(file.fileno(), 0, os.SEEK_CUR)
        try:
            os.lseek(file.fileno(), _AT, os.SEEK_SET)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError(errno.EAGAIN, error.strerror) from None
        finally:
            os.lseek(file.fileno(), before, os.SEEK_SET)

else:
    import fcntl

    def lock(file: IO[Any], *, shared: bool = False) -> None:
        """Lock a file at once, for this process alone or with others that only share it.

        Raises
        ------
        BlockingIOError
            If another process has locked it.
        OSError
            If files cannot be locked there.
        """
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
