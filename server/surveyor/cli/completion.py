"""What a shell is offered for values that are one of a few, beside what the library knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Completer = Callable[[str], list[str]]


def among(names: Sequence[str]) -> Completer:
    """Those of some names that begin as what is typed does."""
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]


def listed(names: Sequence[str]) -> Completer:
    """The same for the last of several that commas part."""

    def offered(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        taken = before.split(",")
        free = [name for name in names if name not in taken]
        return [before + comma + name for name in among(free)(last)]

    return offered


def setting_names(incomplete: str) -> list[str]:
    """Settings by section and name."""
    from surveyor.config.settings import Settings

    return among(
        [
            f"{section}.{name}"
            for section, field in Settings.model_fields.items()
            for name in getattr(field.annotation, "model_fields", {})
        ]
    )(incomplete)


def language_names(incomplete: str) -> list[str]:
    """Languages, where an engine runs that can be asked."""
    from surveyor.client.blocking import call
    from surveyor.errors import SurveyorError
    from surveyor.protocol.languages import LanguagesRequest

    try:
        known = call(LanguagesRequest(), start=False).languages
    except SurveyorError:
        return []
    return among([each.name for each in known])(incomplete)


def project_names(incomplete: str) -> list[str]:
    """Folders of projects, where an engine runs that can be asked."""
    from surveyor.client.blocking import call
    from surveyor.errors import SurveyorError
    from surveyor.protocol.projects import ProjectsRequest

    try:
        known = call(ProjectsRequest(), start=False).projects
    except SurveyorError:
        return []
    return among([name for each in known for name in (each.name, each.root)])(incomplete)
