"""Errors that reach a person or an agent: what went wrong, and what to do about it."""

import errno

NO_ROOM_ERRNOS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""A full disk, a quota that is used up, a limit on the sizes of files."""


class Quoting(str):
    """A hint that names what a project has in it: agents get it as data, not as our advice."""

    __slots__ = ()


class SurveyorError(Exception):
    """An error with a message for the user and a hint at what to do.

    `code` is stable and machine-readable (snake_case); `exit_code` is what the CLI exits with.
    """

    code = "error"
    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = str(hint)
        self.hint_quotes = isinstance(hint, Quoting)
        self.details: dict[str, object] = {}
        self.quotes = False
        """Whether the message may have words of a project in it: what the engine answers may."""

    @property
    def sentence(self) -> str:
        """Message and hint in one line, for faces that have no place of their own for a hint."""
        ended = self.message.endswith((".", "!", "?", ":")) or not self.hint
        return f"{self.message}{'' if ended else '.'} {self.hint}".strip()


def reason_of(error: Exception) -> str:
    """What the system says of an error, without its number and the file, which the caller names."""
    return str((isinstance(error, OSError) and error.strerror) or error)


class UsageError(SurveyorError):
    """The request itself cannot be served: a wrong path, a bad value, an unknown name."""

    code = "bad_request"
    exit_code = 2


class NotFoundError(SurveyorError):
    """What was asked for does not exist here."""

    code = "not_found"
    exit_code = 3


class FolderStalledError(SurveyorError):
    """A registered folder does not answer: the network drive that it is on, perhaps."""

    code = "folder_stalled"


class DiskFullError(SurveyorError):
    """Too little free disk to write anything more."""

    code = "disk_full"


class EngineUnavailableError(SurveyorError):
    """The engine cannot be reached or started."""

    code = "engine_unavailable"
    exit_code = 4
