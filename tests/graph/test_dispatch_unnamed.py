"""Calls that may run a method as that of an interface which its own type does not name.

Of each language an interface or a base, what implements it, a call through it and one of the type.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.graph.dispatch_support import Asked, hold

FOUND: dict[str, tuple[dict[str, str], list[Asked]]] = {
    "Java: a class without a name": (
        {
            "Door.java": """
                interface Door { void unlatch(); }
                class Use {
                    void through(Door d) { d.unlatch(); }
                    void direct() {
                        through(new Door() { public void unlatch() {} });
                    }
                }
            """,
        },
        [
            Asked("Door.unlatch", "Use.through", "Use.direct.unlatch Use.through"),
            Asked(
                "Use.direct.unlatch",
                "",
                "Door.unlatch Use.through",
                "it may be called as Door.java::Door.unlatch, which it overrides",
            ),
        ],
    ),
    "TypeScript: fields": (
        {
            "door.ts": """
                export interface Door { readonly girth: number; onLatch: () => void }
                export class Near implements Door { girth = 1; onLatch = () => {} }
                export class Far { get girth() { return 2 }
                  onLatch() {} }
                export function through(d: Door) { d.onLatch(); return d.girth }
                export function direct() { const n = new Near(); n.onLatch(); return n.girth }
            """,
        },
        [
            Asked(
                "Door.girth",
                "",
                "Near.girth direct through",
                "reads of what implements it are not among these: door.ts::Near.girth",
            ),
            Asked(
                "Near.girth",
                "",
                "Door.girth direct through",
                "it may be read as door.ts::Door.girth, which it overrides",
            ),
            Asked(
                "Near.onLatch",
                "direct",
                "Door.onLatch direct through",
                "it may be called as door.ts::Door.onLatch, which it overrides",
            ),
            Asked(
                "Far.girth",
                "",
                "",
                "it may be called as door.ts::Door.girth, which its class satisfies by the"
                " names of its members",
            ),
            Asked(
                "Far.onLatch",
                "",
                "",
                "it may be called as door.ts::Door.onLatch, which its class satisfies by the"
                " names of its members",
            ),
        ],
    ),
    "Go": (
        {
            "go.mod": "module m\n\ngo 1.20\n",
            "door.go": """
                package m

                type Door interface{ Unlatch() error }
                type Near struct{}
                func (n *Near) Unlatch() error { return nil }
                type Far struct{}
                func (f Far) Unlatch() error { return nil }
                func through(d Door) { d.Unlatch() }
                func direct() { n := &Near{}; n.Unlatch() }
            """,
        },
        [
            Asked("Door.Unlatch", "through", "Far.Unlatch Near.Unlatch direct through"),
            Asked(
                "Near.Unlatch",
                "direct",
                "Door.Unlatch direct through",
                "it may be called as door.go::Door.Unlatch, which its type implements",
            ),
            Asked(
                "Far.Unlatch",
                "",
                "Door.Unlatch through",
                "it may be called as door.go::Door.Unlatch, which its type implements",
            ),
        ],
    ),
    "Go: an interface without a name": (
        {
            "go.mod": "module m\n\ngo 1.20\n",
            "door.go": """
                package m

                type Near struct{}
                func (n *Near) Values() []int { return nil }
                type Far struct{}
                func (f Far) Values() []int { return nil }
                func through(d interface{ Values() []int }) { d.Values() }
                func asserted(d any) {
                    if v, ok := d.(interface{ Values() []int }); ok {
                        v.Values()
                    }
                }
                func direct() { n := &Near{}; n.Values() }
            """,
        },
        [
            Asked(
                "Near.Values",
                "direct",
                "direct",
                "2 places share the name only, on receivers of unknown type",
            ),
            Asked(
                "Far.Values", "", "", "2 places share the name only, on receivers of unknown type"
            ),
        ],
    ),
    "Go: embedded": (
        {
            "go.mod": "module m\n\ngo 1.20\n",
            "door.go": """
                package m

                type Opener interface{ Unlatch() error }
                type Door interface{ Opener; Shut() }
                type Base struct{}
                func (b *Base) Unlatch() error { return nil }
                type Near struct{ Base }
                func (n *Near) Shut() {}
                type Far struct{}
                func (f Far) Unlatch() error { return nil }
                func (f Far) Shut() {}
                func through(d Door) { d.Unlatch(); d.Shut() }
                func direct() { n := &Near{}; n.Unlatch(); n.Shut(); Far{}.Shut() }
            """,
        },
        [
            Asked(
                "Door.Shut",
                "through",
                "Far.Shut Near.Shut through",
                "1 place shares the name only, on receivers of unknown type",
            ),
            Asked(
                "Near.Shut",
                "direct",
                "Door.Shut direct through",
                "1 place shares the name only, on receivers of unknown type; it may be called"
                " as door.go::Door.Shut, which its type implements",
            ),
            Asked(
                "Far.Unlatch",
                "",
                "Door.Shut Opener.Unlatch through",
                "it may be called as door.go::Opener.Unlatch, which its type implements",
            ),
            Asked(
                "Base.Unlatch",
                "direct",
                "Opener.Unlatch direct through",
                "it may be called as door.go::Opener.Unlatch, which its type implements",
            ),
        ],
    ),
    "Go: packages and type parameters": (
        {
            "go.mod": "module m\n\ngo 1.20\n",
            "api/door.go": """
                package api

                type Door interface{ Unlatch() error }
                type Store[T any] interface { Keep(t T) error; All() []T }
                func Through[D Door](d D) { d.Unlatch() }
                func Fill(s Store[int]) { s.Keep(1); s.All() }
                type Holder struct{ Door }
                func (h *Holder) Run() { h.Unlatch() }
            """,
            "near/near.go": """
                package near

                import "m/api"

                type Near struct{}
                func (n *Near) Unlatch() error { return nil }
                type Loud struct{}
                func (n *Loud) Unlatch(times int) error { return nil }
                type Mem struct{}
                func (m *Mem) Keep(t int) error { return nil }
                func (m *Mem) All() []int { return nil }
                func direct() {
                    n := &Near{}
                    n.Unlatch()
                    (&Loud{}).Unlatch(1)
                    m := &Mem{}
                    m.Keep(2)
                    api.Through(n)
                }
            """,
        },
        [
            Asked(
                "Door.Unlatch",
                "Holder.Run",
                "Holder.Run Near.Unlatch direct",
                "1 place shares the name only, on receivers of unknown type",
            ),
            Asked(
                "Near.Unlatch",
                "direct",
                "Door.Unlatch Holder.Run direct",
                "1 place shares the name only, on receivers of unknown type; it may be called"
                " as api/door.go::Door.Unlatch, which its type implements",
            ),
            Asked(
                "Loud.Unlatch",
                "direct",
                "direct",
                "1 place shares the name only, on receivers of unknown type",
            ),
            Asked(
                "Mem.Keep",
                "direct",
                "Fill Store.Keep direct",
                "it may be called as api/door.go::Store.Keep, which its type implements",
            ),
            Asked(
                "Mem.All",
                "",
                "Fill Store.All Store.Keep",
                "it may be called as api/door.go::Store.All, which its type implements",
            ),
        ],
    ),
    "TypeScript": (
        {
            "door.ts": """
                export interface Door { unlatch(): void }
                export class Near { unlatch() {} }
                export class Far { unlatch() {} }
                export function through(d: Door) { d.unlatch() }
                export function direct() { const n = new Near(); n.unlatch(); through(n) }
            """,
        },
        [
            Asked("Door.unlatch", "through", "direct through"),
            Asked(
                "Near.unlatch",
                "direct",
                "direct",
                "it may be called as door.ts::Door.unlatch, which its class satisfies by the"
                " names of its members",
            ),
            Asked(
                "Far.unlatch",
                "",
                "",
                "it may be called as door.ts::Door.unlatch, which its class satisfies by the"
                " names of its members",
            ),
        ],
    ),
    "TypeScript: a type without a name": (
        {
            "door.ts": """
                export class Near { unlatch() {} }
                export class Far { unlatch() {} }
                export function through(d: { unlatch(): void }) { d.unlatch() }
                export function direct() { const n = new Near(); n.unlatch(); through(n) }
            """,
        },
        [
            Asked(
                "Near.unlatch",
                "direct",
                "direct",
                "it may be called as door.ts::through.unlatch, which its class satisfies by"
                " the names of its members",
            ),
            Asked(
                "Far.unlatch",
                "",
                "",
                "it may be called as door.ts::through.unlatch, which its class satisfies by"
                " the names of its members",
            ),
        ],
    ),
    "TypeScript: another name for a type": (
        {
            "door.ts": """
                export type Door = { unlatch(): void; girth: number }
                export class Near implements Door { girth = 1; unlatch() {} }
                export class Far { girth = 1; unlatch() {} }
                export function through(d: Door) { d.unlatch() }
                export function direct() { const n = new Near(); n.unlatch(); through(n) }
            """,
        },
        [
            Asked("Door.unlatch", "through", "Near.unlatch direct through"),
            Asked(
                "Near.unlatch",
                "direct",
                "Door.unlatch direct through",
                "it may be called as door.ts::Door.unlatch, which it overrides",
            ),
            Asked(
                "Far.unlatch",
                "",
                "",
                "it may be called as door.ts::Door.unlatch, which its class satisfies by the"
                " names of its members",
            ),
        ],
    ),
    "Python: a Protocol": (
        {
            "door.py": """
                from typing import Protocol
                class Door(Protocol):
                    def unlatch(self) -> None: ...
                class Near:
                    def unlatch(self) -> None: pass
                class Far:
                    def unlatch(self) -> None: pass
                def through(d: Door):
                    d.unlatch()
                def direct():
                    n = Near()
                    n.unlatch()
                    through(n)
            """,
        },
        [
            Asked("Door.unlatch", "through", "direct through"),
            Asked(
                "Near.unlatch",
                "direct",
                "direct",
                "it may be called as door.py::Door.unlatch, which its class satisfies by the"
                " names of its members",
            ),
            Asked(
                "Far.unlatch",
                "",
                "",
                "it may be called as door.py::Door.unlatch, which its class satisfies by the"
                " names of its members",
            ),
        ],
    ),
    "Java: inherited": (
        {
            "Door.java": """
                interface Door { void unlatch(); }
                class Base { public void unlatch() {} }
                class Near extends Base implements Door { }
                class Far implements Door { public void unlatch() {} }
                class Use {
                    void through(Door d) { d.unlatch(); }
                    void direct() { Base n = new Base(); n.unlatch(); }
                }
            """,
        },
        [
            Asked("Door.unlatch", "Use.through", "Far.unlatch Use.through"),
            Asked(
                "Base.unlatch",
                "Use.direct",
                "Use.direct",
                "it may be called as Door.java::Door.unlatch, which a type that inherits it"
                " implements",
            ),
            Asked(
                "Far.unlatch",
                "",
                "Door.unlatch Use.through",
                "it may be called as Door.java::Door.unlatch, which it overrides",
            ),
        ],
    ),
    "Kotlin: inherited": (
        {
            "Door.kt": """
                interface Door { fun unlatch() }
                open class Base { open fun unlatch() {} }
                class Near : Door, Base()
                class Far : Door { override fun unlatch() {} }
                fun through(d: Door) { d.unlatch() }
                fun direct() { val n = Near(); n.unlatch() }
            """,
        },
        [
            Asked("Door.unlatch", "through", "Far.unlatch through"),
            Asked(
                "Base.unlatch",
                "direct",
                "direct",
                "it may be called as Door.kt::Door.unlatch, which a type that inherits it"
                " implements",
            ),
            Asked(
                "Far.unlatch",
                "",
                "Door.unlatch through",
                "it may be called as Door.kt::Door.unlatch, which it overrides",
            ),
        ],
    ),
    "Scala: inherited": (
        {
            "Door.scala": """
                trait Door { def unlatch(): Unit }
                class Base { def unlatch(): Unit = {} }
                class Near extends Base with Door
                class Far extends Door { override def unlatch(): Unit = {} }
                object Use {
                  def through(d: Door): Unit = { d.unlatch() }
                  def direct(): Unit = { val n = new Near(); n.unlatch() }
                }
            """,
        },
        [
            Asked("Door.unlatch", "Use.through", "Far.unlatch Use.through"),
            Asked(
                "Base.unlatch",
                "Use.direct",
                "Door.unlatch Use.direct Use.through",
                "it may be called as Door.scala::Door.unlatch, which a type that inherits it"
                " implements",
            ),
            Asked(
                "Far.unlatch",
                "",
                "Door.unlatch Use.through",
                "it may be called as Door.scala::Door.unlatch, which it overrides",
            ),
        ],
    ),
    "Swift: inherited": (
        {
            "Door.swift": """
                protocol Door { func unlatch() }
                class Base { func unlatch() {} }
                class Near: Base, Door {}
                func through(d: Door) { d.unlatch() }
                func direct() { let n = Near(); n.unlatch() }
            """,
        },
        [
            Asked("Door.unlatch", "through", "through"),
            Asked(
                "Base.unlatch",
                "direct",
                "direct",
                "it may be called as Door.swift::Door.unlatch, which a type that inherits it"
                " implements",
            ),
        ],
    ),
    "C#: inherited": (
        {
            "Door.cs": """
                interface IDoor { void Unlatch(); }
                class Base { public void Unlatch() {} }
                class Near : Base, IDoor { }
                class Use {
                    void Through(IDoor d) { d.Unlatch(); }
                    void Direct() { var n = new Near(); n.Unlatch(); }
                }
            """,
        },
        [
            Asked("IDoor.Unlatch", "Use.Through", "Use.Through"),
            Asked(
                "Base.Unlatch",
                "Use.Direct",
                "Use.Direct",
                "it may be called as Door.cs::IDoor.Unlatch, which a type that inherits it"
                " implements",
            ),
        ],
    ),
    "PHP: a trait": (
        {
            "Door.php": """
                <?php
                namespace M;
                interface Door { public function unlatch(); }
                trait Opens { public function unlatch() {} }
                class Near implements Door { use Opens; }
                class Far implements Door { public function unlatch() {} }
                function through(Door $d) { $d->unlatch(); }
                function direct() { $n = new Near(); $n->unlatch(); }
            """,
        },
        [
            Asked("Door.unlatch", "through", "Far.unlatch Opens.unlatch direct through"),
            Asked(
                "Opens.unlatch",
                "direct",
                "direct",
                "it may be called as Door.php::Door.unlatch, which a type that inherits it"
                " implements",
            ),
            Asked(
                "Far.unlatch",
                "",
                "Door.unlatch through",
                "it may be called as Door.php::Door.unlatch, which it overrides",
            ),
        ],
    ),
    "Python: a class mixed in": (
        {
            "door.py": """
                class Door:
                    def unlatch(self): ...
                    def twice(self):
                        self.unlatch()
                class Quiet:
                    def unlatch(self): pass
                class Near(Quiet, Door):
                    pass
                class Far(Door, Quiet):
                    pass
                def through(d: Door):
                    d.unlatch()
                def direct():
                    Quiet().unlatch()
                    Near().unlatch()
            """,
        },
        [
            Asked(
                "Door.unlatch",
                "Door.twice through",
                "Door.twice Quiet.unlatch direct through",
                "it may be called as door.py::Quiet.unlatch, which a type that inherits it"
                " implements",
            ),
            Asked(
                "Quiet.unlatch",
                "direct",
                "Door.twice Door.unlatch direct through",
                "it may be called as door.py::Door.unlatch, which a type that inherits it"
                " implements",
            ),
        ],
    ),
}


@pytest.mark.parametrize("case", FOUND)
async def test_what_may_run_a_method_is_told(case: str, tmp_path: Path) -> None:
    files, questions = FOUND[case]
    await hold(tmp_path, files, questions)
