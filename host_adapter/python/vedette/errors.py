"""What the library reports as an error, as exceptions.

The text is the library's sentence: it names what was wrong and what to do. ``code`` is the number of ``status.h``,
``status`` its name. The classes follow the ranges of the codes; where Python has a fitting exception, the class is one.
"""

from __future__ import annotations

from typing import Dict, Type


class Error(Exception):
    """Base of all errors of this package."""

    code: int = 0
    status: str = ""
    native_code: int = 0

    def __init__(self, text: str, code: int = 0, status: str = "", native_code: int = 0) -> None:
        super().__init__(text)
        self.code = code
        self.status = status
        self.native_code = native_code


class LibraryNotFound(Error, ImportError):
    """libvedette is nowhere, or cannot be loaded."""


class ArgumentError(Error, ValueError):
    """An argument that cannot be: the caller's fault."""


class FileError(Error, OSError):
    """A file is missing, unreadable or unwritable."""


class FormatError(Error, ValueError):
    """The content of a file or buffer is damaged or of no known format."""


class ConfigurationError(Error, ValueError):
    """The configuration, or an environment variable."""


class UnsupportedError(Error):
    """No backend can do this."""


class OutOfMemoryError(Error, MemoryError):
    """There was not enough memory."""


class TimeLimitError(Error, TimeoutError):
    """The time limit of the call was over."""


class Cancelled(Error):
    """Another thread cancelled the call."""


class DeviceError(Error):
    """No device can be used."""


class ForkedError(Error):
    """The context was made before the process forked; make a new one."""


class BackendError(Error):
    """A fault of a backend, or of the library."""


_BY_CODE: Dict[int, Type[Error]] = {
    -105: FileError,
    -106: FormatError,
    -107: ConfigurationError,
    -300: OutOfMemoryError,
    -302: TimeLimitError,
    -303: Cancelled,
    -404: ForkedError,
}
_BY_HUNDRED: Dict[int, Type[Error]] = {1: ArgumentError, 2: UnsupportedError, 3: BackendError, 4: DeviceError}


def error_of(code: int, status: str, text: str, native_code: int = 0) -> Error:
    """The exception for a negative code of the library."""
    kind = _BY_CODE.get(code) or _BY_HUNDRED.get(-code // 100, BackendError)
    return kind(text or f"The library failed with {status}.", code, status, native_code)
