"""Documentation written in source code: docstrings, JSDoc, Rust's `///`, Go's doc comments."""

from __future__ import annotations

import ast
import inspect
import re
import warnings
from dataclasses import dataclass

ENTRY_MAX_CHARS = 6000


@dataclass(frozen=True, slots=True)
class DocumentedName:
    """What is said of one thing. `path` names it below its module; `line` is 1-based."""

    path: tuple[str, ...]
    text: str
    line: int


def docstrings(source: str, module: str) -> list[DocumentedName]:
    """Public modules, classes and functions of Python source, with signature and docstring."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of other people's escapes
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return []
    found: list[DocumentedName] = []
    if said := ast.get_docstring(tree):
        found.append(DocumentedName((), said[:ENTRY_MAX_CHARS], 1))

    def visit(body: list[ast.stmt], path: tuple[str, ...]) -> None:
        for node in body:
            if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if node.name.startswith("_"):
                continue
            here = (*path, node.name)
            said = ast.get_docstring(node)
            if said:
                text = f"{_signature(node)}\n\n{inspect.cleandoc(said)}"
                found.append(DocumentedName(here, text[:ENTRY_MAX_CHARS], node.lineno))
            if isinstance(node, ast.ClassDef):
                visit(node.body, here)

    visit(tree.body, ())
    return found


def _signature(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    if isinstance(node, ast.ClassDef):
        bases = ", ".join(ast.unparse(base) for base in node.bases)
        return f"class {node.name}({bases})" if bases else f"class {node.name}"
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    prefix = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    return f"{prefix} {node.name}({ast.unparse(node.args)}){result}"


_DECLARATION = re.compile(
    r"^(?P<indent>[ \t]*)(?:export\s+|declare\s+|default\s+|abstract\s+|async\s+|public\s+"
    r"|static\s+|readonly\s+)*(?:(?P<kind>function|class|interface|type|enum|const|let|var"
    r"|namespace|module)\s+)?(?P<name>[\w$]+|\"[^\"]+\"|'[^']+')",
)
_JSDOC = re.compile(r"/\*\*(.*?)\*/[ \t]*\n", re.DOTALL)


def declarations(source: str) -> list[DocumentedName]:
    """Exported declarations of a `.d.ts`, with their JSDoc."""
    lines = source.replace("\r\n", "\n").split("\n")
    found: list[DocumentedName] = []
    start = 0
    name = ""
    for number, line in enumerate([*lines, "export {}"]):
        opens = re.match(r"(?:export|declare)\b|/\*\*", line)
        if not opens or (start < number and _inside_comment(lines, start, number)):
            continue
        if _only_comment(lines[start:number]):
            continue
        block = "\n".join(lines[start:number]).strip("\n")
        name = _declared(lines[start:number])
        if name and block:
            text = _JSDOC.sub(lambda m: _uncommented(m[1]) + "\n", block)
            found.append(DocumentedName((name,), text[:ENTRY_MAX_CHARS], start + 1))
        start = number
    return found


def _inside_comment(lines: list[str], start: int, number: int) -> bool:
    before = "\n".join(lines[start:number])
    return before.rfind("/*") > before.rfind("*/")


def _only_comment(lines: list[str]) -> bool:
    """A comment waits for the declaration that it belongs to."""
    rest = re.sub(r"/\*.*?\*/", "", "\n".join(lines), flags=re.DOTALL)
    return bool(lines) and not re.sub(r"//.*", "", rest).strip()


def _declared(lines: list[str]) -> str:
    for line in lines:
        match = _DECLARATION.match(line)
        if match and match["kind"] and re.match(r"\s*(export|declare)\b", line):
            return match["name"].strip("\"'")
    return ""


def _uncommented(body: str) -> str:
    return "\n".join(re.sub(r"^\s*\* ?", "", line).rstrip() for line in body.split("\n")).strip()


_RUST_ITEM = re.compile(
    r"^\s*pub(?:\([^)]*\))?\s+(?:const\s+|async\s+|unsafe\s+|extern\s+(?:\"[^\"]*\"\s+)?)*"
    r"(?:fn|struct|enum|trait|type|mod|const|static|union|macro)\s+(\w+)|^\s*macro_rules!\s+(\w+)"
)
_GO_ITEM = re.compile(
    r"^(?:func\s+(?:\((?:\w+\s+)?\*?(?P<receiver>\w+)[^)]*\)\s*)?(?P<func>[A-Z]\w*)"
    r"|(?:type|var|const)\s+(?P<name>[A-Z]\w*)|package\s+(?P<package>\w+))"
)


def read(source: str, suffix: str) -> list[DocumentedName]:
    """Doc comments of Rust (`.rs`) or Go (`.go`) source with the item that each stands before."""
    lines = source.replace("\r\n", "\n").split("\n")
    return _rust(lines) if suffix == ".rs" else _go(lines)


def _rust(lines: list[str]) -> list[DocumentedName]:
    found: list[DocumentedName] = []
    inner = [line.strip()[3:].removeprefix(" ") for line in lines if line.startswith("//!")]
    if any(inner):
        found.append(DocumentedName((), "\n".join(inner).strip()[:ENTRY_MAX_CHARS], 1))
    said: list[str] = []
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if stripped.startswith("///") and not stripped.startswith("////"):
            said.append(stripped[3:].removeprefix(" "))
        elif stripped.startswith("#[") and said:
            continue
        else:
            match = _RUST_ITEM.match(line)
            if match and said:
                name = match[1] or match[2]
                text = f"{stripped.rstrip('{ ')}\n\n" + "\n".join(said)
                found.append(DocumentedName((name,), text[:ENTRY_MAX_CHARS], number))
            said = []
    return found


def _go(lines: list[str]) -> list[DocumentedName]:
    found: list[DocumentedName] = []
    said: list[str] = []
    for number, line in enumerate(lines, 1):
        if line.startswith("//"):
            if not line.startswith("//go:"):
                said.append(line[2:].removeprefix(" "))
            continue
        match = _GO_ITEM.match(line)
        if match and said:
            names = (match["receiver"], match["func"] or match["name"])
            path = tuple(name for name in names if name)
            text = "\n".join(said)
            if path:
                text = f"{line.rstrip('{ ')}\n\n{text}"
            found.append(DocumentedName(path, text[:ENTRY_MAX_CHARS], number))
        said = []
    return found
