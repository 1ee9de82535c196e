"""Impact: what depends on a file, a symbol or the change in the working tree, as a tree."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, TypeAlias

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal
from textual.events import Click
from textual.widgets import Input, Static, Tree
from textual.widgets.tree import TreeNode

from surveyor.errors import SurveyorError
from surveyor.protocol.graph import ImpactRequest, ImpactResponse
from surveyor.terminal_text import written_out
from surveyor.tui.code_target import CodeTarget
from surveyor.tui.engine_calls import ANSWER_S, EngineCalls
from surveyor.tui.finder import freshness
from surveyor.tui.impact_tree import ImpactBranch, count, impact_branches
from surveyor.tui.question_view import QuestionLine, QuestionView

OPENED_UP_TO = 300
"""Lines of a tree that is shown unfolded."""

ImpactNode: TypeAlias = TreeNode[CodeTarget | None]


class ImpactLine(QuestionLine):
    """A question that is sent when it is whole: it may take seconds."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", "Ask")]


class BranchTree(Tree[CodeTarget | None]):
    """A tree in which a click only highlights; Enter and a double click open, Space unfolds."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "app.open_target", "Open"),
        Binding("space", "toggle_node", "Unfold"),
    ]

    def __init__(self) -> None:
        super().__init__("")
        self.show_root = False
        self.guide_depth = 2
        self.auto_expand = False

    async def on_click(self, event: Click) -> None:
        """The first click of two has highlighted already; the arrow only unfolds."""
        if event.chain == 2 and "toggle" not in event.style.meta:
            await self.run_action("app.open_target")


class ImpactView(QuestionView):
    """A question that Enter sends, and the answer as a tree."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("down", "into_tree", show=False)]

    def __init__(self, engine: EngineCalls, folder: str) -> None:
        line = ImpactLine("", "a file, Class.method, path:func; nothing: your uncommitted change")
        super().__init__(engine, folder, line, "Enter asks.")
        self._tree = BranchTree()

    def compose(self) -> ComposeResult:
        """The line, what is said of the answer, the tree and the text."""
        with Horizontal(classes="question"):
            yield Static("❯ ", classes="prompt")
            yield self._line
        yield self._said
        with Container(classes="panes"):
            yield self._tree
            yield self._preview

    @property
    def target(self) -> CodeTarget | None:
        """What is highlighted."""
        node: ImpactNode | None = self._tree.cursor_node
        return node.data if node is not None else None

    def enter_view(self) -> None:
        """The view is shown."""
        tree = self._tree
        (tree if tree.root.children else self._line).focus()

    def ask_about(self, question: str) -> None:
        """Ask what depends on something; on nothing named, what the working tree changes."""
        line = self._line
        line.value = question
        self._said.update("asking …", layout=False)
        self.run_worker(self._ask(question.strip()), group="question", exclusive=True)

    async def _ask(self, question: str) -> None:
        request = ImpactRequest(
            name=question, diff=None if question else "working", cwd=self._folder
        )
        try:
            answer = await self._engine.call(request, timeout_s=ANSWER_S)
        except SurveyorError as error:
            self._show(error.sentence, [])
        except TimeoutError:
            self._show(f"no answer within {ANSWER_S:g} s", [])
        else:
            self._show(_summary(answer), impact_branches(answer) if answer.subjects else [])

    def _show(self, said: str, branches: list[ImpactBranch]) -> None:
        self._said.update(written_out(said), layout=False)
        tree = self._tree
        tree.clear()
        _grow(tree.root, branches, count(branches) <= OPENED_UP_TO)
        tree.root.expand()
        if branches:
            tree.cursor_line = 0
            if self.display:
                tree.focus()
        self._preview.show_target(self.target)

    @on(Tree.NodeHighlighted)
    def _highlighted(self) -> None:
        self._preview.show_target(self.target)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        self.ask_about(event.value)

    def action_into_tree(self) -> None:
        """From the line to the answer."""
        self._tree.focus()


def _grow(node: ImpactNode, branches: Iterable[ImpactBranch], unfolded: bool) -> None:
    for branch in branches:
        label = Text(branch.label, "bold" if branch.target is None else "", no_wrap=True)
        label.append(f"  {branch.note}" if branch.note else "", "italic")
        if branch.below:
            child = node.add(label, branch.target, expand=unfolded or branch.target is None)
            _grow(child, branch.below, unfolded)
        else:
            node.add_leaf(label, branch.target)


def _summary(answer: ImpactResponse) -> str:
    if not answer.subjects:
        return answer.notice or "Nothing is changed."
    more = f"{answer.omitted} more" if answer.omitted else ""
    is_all = answer.complete or answer.limited
    sure = f"[{answer.precision}{'' if is_all else ', not complete'}]"
    found = f"{len(answer.inbound)} depend on it"
    return "  ".join(filter(None, [found, more, sure, freshness(answer), answer.notice or ""]))
