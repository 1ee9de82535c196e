"""Documents as sections (title, headings, pages, text): one reader for each format."""

from surveyor.formats.document import Document, ExtractionError, Section
from surveyor.formats.formats import FORMATS, extract, format_of

__all__ = ["FORMATS", "Document", "ExtractionError", "Section", "extract", "format_of"]
