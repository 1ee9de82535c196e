"""Documentation of a project's dependencies, from what is installed on this machine already."""

from surveyor.knowledge.dependencies.detect import PackageFolders, detect, not_installed
from surveyor.knowledge.dependencies.documents import documents
from surveyor.knowledge.dependencies.packages import Package

__all__ = ["Package", "PackageFolders", "detect", "documents", "not_installed"]
