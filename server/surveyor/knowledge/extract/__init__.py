"""Documents as sections: title, headings, pages and text, whatever the format."""

from surveyor.knowledge.extract.document import Document, ExtractionError, Section
from surveyor.knowledge.extract.formats import FORMATS, extract, format_of

__all__ = ["FORMATS", "Document", "ExtractionError", "Section", "extract", "format_of"]
