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


class NoCommitError(GitError):
    """The branch that is checked out has no commit yet."""

    def __init__(self) -> None:
        super().__init__("there is no commit here yet", "What is committed has a history.")
