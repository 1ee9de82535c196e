"""Documents as sections (title, headings, pages, text): one reader for each format."""

from surveyor.formats.document import DocumentSection, ExtractedDocument, ExtractionError
from surveyor.formats.formats import FORMATS, extract, format_of

__all__ = [
    "FORMATS",
    "DocumentSection",
    "ExtractedDocument",
    "ExtractionError",
    "extract",
    "format_of",
]
