"""What goes wrong when git is asked."""

from __future__ import annotations

from surveyor.errors import SurveyorError


class GitError(SurveyorError):
    """Git is not there, the folder is no repository, or git refused or took too long.

    `output` is what git had answered before.
    """

    code = "git_failed"

    def __init__(self, message: str, hint: str = "", output: bytes = b"") -> None:
        super().__init__(message, hint)
        self.output = output
