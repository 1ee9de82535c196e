"""What differs by language, one folder per family.

`NAME/__init__.py` says in `LANGUAGES` which languages it is of, `NAME/traits.py` has `TRAITS`, the
`Traits` of each.
A language that no folder has gets `Traits` as they are by default.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from surveyor.graph.languages.traits import Traits

__all__ = ["described", "traits_of"]


@cache
def traits_of(language: str) -> Traits:
    """What is particular to a language.

    A family is loaded when its first file is met: a worker reads few languages, and the readers
    of a family are made of parts of `extract`, which asks here.
    """
    folder = described().get(language)
    if folder is None:
        return Traits(family=language)
    found: Traits = import_module(f"{__name__}.{folder}.traits").TRAITS[language]
    return found


@cache
def described() -> dict[str, str]:
    """The folder of each language that has one."""
    return {
        language: module.name
        for module in iter_modules(__path__)
        if module.ispkg
        for language in import_module(f"{__name__}.{module.name}").LANGUAGES
    }
