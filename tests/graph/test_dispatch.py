"""Calls that may run a method by the name of a base or an interface that its type names.

Of each language an interface or a base, what implements it, a call through it and one of the type.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.graph.dispatch_support import Asked, hold

FOUND: dict[str, tuple[dict[str, str], list[Asked]]] = {
    "Java": (
        {
            "Door.java": """
                interface Door { void unlatch(); }
                class Near implements Door { public void unlatch() {} }
                class Far implements Door { public void unlatch() {} }
                class Use {
                    void through(Door d) { d.unlatch(); }
                    void direct() { Near n = new Near(); n.unlatch(); }
                }
            """,
        },
        [
            Asked("Door.unlatch", "Use.through", "Far.unlatch Near.unlatch Use.direct Use.through"),
            Asked(
                "Near.unlatch",
                "Use.direct",
                "Door.unlatch Use.direct Use.through",
                "it may be called as Door.java::Door.unlatch, which it overrides",
            ),
            Asked(
                "Far.unlatch",
                "",
                "Door.unlatch Use.through",
                "it may be called as Door.java::Door.unlatch, which it overrides",
            ),
        ],
    ),
    "Java: levels": (
        {
            "Door.java": """
                interface Door { void unlatch(); }
                abstract class Base implements Door { public void unlatch() {} }
                class Near extends Base { public void unlatch() {} }
                class Far extends Near { public void unlatch() {} }
                class Use {
                    void through(Door d) { d.unlatch(); }
                    void direct() { Near n = new Near(); n.unlatch(); }
                }
            """,
        },
        [
            Asked(
                "Door.unlatch",
                "Use.through",
                "Base.unlatch Far.unlatch Near.unlatch Use.direct Use.through",
            ),
            Asked(
                "Near.unlatch",
                "Use.direct",
                "Base.unlatch Door.unlatch Far.unlatch Use.direct Use.through",
                "it may be called as Door.java::Door.unlatch, which it overrides",
            ),
            Asked(
                "Far.unlatch",
                "",
                "Base.unlatch Door.unlatch Near.unlatch Use.direct Use.through",
                "it may be called as Door.java::Near.unlatch, Door.java::Door.unlatch, which"
                " it overrides",
            ),
        ],
    ),
    "Kotlin": (
        {
            "Door.kt": """
                interface Door { fun unlatch(); val girth: Int }
                class Near : Door { override fun unlatch() {}
                    override val girth: Int = 1 }
                class Far(override val girth: Int) : Door { override fun unlatch() {} }
                class Use {
                    fun through(d: Door) { d.unlatch(); println(d.girth) }
                    fun direct() { val n = Near(); n.unlatch(); println(n.girth) }
                }
            """,
        },
        [
            Asked("Door.unlatch", "Use.through", "Far.unlatch Near.unlatch Use.direct Use.through"),
            Asked(
                "Near.unlatch",
                "Use.direct",
                "Door.unlatch Use.direct Use.through",
                "it may be called as Door.kt::Door.unlatch, which it overrides",
            ),
            Asked(
                "Far.unlatch",
                "",
                "Door.unlatch Use.through",
                "it may be called as Door.kt::Door.unlatch, which it overrides",
            ),
            Asked(
                "Near.girth",
                "",
                "Door.girth Use.direct Use.through",
                "it may be read as Door.kt::Door.girth, which it overrides",
            ),
            Asked(
                "Far.girth",
                "",
                "Door.girth Use.through",
                "it may be read as Door.kt::Door.girth, which it overrides",
            ),
        ],
    ),
    "C#": (
        {
            "Door.cs": """
                interface IDoor { void Unlatch(); int Girth { get; } }
                class Near : IDoor { public void Unlatch() {} public int Girth => 1; }
                class Far : IDoor { void IDoor.Unlatch() {} public int Girth { get { return 2; } } }
                class Use {
                    void Through(IDoor d) { d.Unlatch(); var x = d.Girth; }
                    void Direct() { var n = new Near(); n.Unlatch(); var x = n.Girth; }
                }
            """,
        },
        [
            Asked(
                "IDoor.Unlatch", "Use.Through", "Far.Unlatch Near.Unlatch Use.Direct Use.Through"
            ),
            Asked(
                "Near.Unlatch",
                "Use.Direct",
                "IDoor.Unlatch Use.Direct Use.Through",
                "it may be called as Door.cs::IDoor.Unlatch, which it overrides",
            ),
            Asked(
                "Far.Unlatch",
                "",
                "IDoor.Unlatch Use.Through",
                "it may be called as Door.cs::IDoor.Unlatch, which it overrides",
            ),
            Asked(
                "Near.Girth",
                "",
                "IDoor.Girth Use.Direct Use.Through",
                "it may be read as Door.cs::IDoor.Girth, which it overrides",
            ),
            Asked(
                "Far.Girth",
                "",
                "IDoor.Girth Use.Through",
                "it may be read as Door.cs::IDoor.Girth, which it overrides",
            ),
        ],
    ),
    "C#: virtual": (
        {
            "Door.cs": """
                abstract class DoorBase {
                    public abstract void Unlatch();
                    public virtual void Shut() {}
                }
                class Near : DoorBase {
                    public override void Unlatch() {}
                    public override void Shut() {}
                }
                class Far : DoorBase { public override void Unlatch() {} }
                class Use {
                    void Through(DoorBase d) { d.Unlatch(); d.Shut(); }
                    void Direct() { var n = new Near(); n.Unlatch(); n.Shut(); }
                }
            """,
        },
        [
            Asked(
                "DoorBase.Unlatch", "Use.Through", "Far.Unlatch Near.Unlatch Use.Direct Use.Through"
            ),
            Asked(
                "Near.Unlatch",
                "Use.Direct",
                "DoorBase.Unlatch Use.Direct Use.Through",
                "it may be called as Door.cs::DoorBase.Unlatch, which it overrides",
            ),
            Asked(
                "Far.Unlatch",
                "",
                "DoorBase.Unlatch Use.Through",
                "it may be called as Door.cs::DoorBase.Unlatch, which it overrides",
            ),
            Asked(
                "Near.Shut",
                "Use.Direct",
                "DoorBase.Shut Use.Direct Use.Through",
                "it may be called as Door.cs::DoorBase.Shut, which it overrides",
            ),
        ],
    ),
    "TypeScript": (
        {
            "door.ts": """
                export interface Door { unlatch(): void }
                export class Near implements Door { unlatch() {} }
                export class Far implements Door { unlatch() {} }
                export function through(d: Door) { d.unlatch() }
                export function direct() { const n = new Near(); n.unlatch() }
            """,
        },
        [
            Asked("Door.unlatch", "through", "Far.unlatch Near.unlatch direct through"),
            Asked(
                "Near.unlatch",
                "direct",
                "Door.unlatch direct through",
                "it may be called as door.ts::Door.unlatch, which it overrides",
            ),
            Asked(
                "Far.unlatch",
                "",
                "Door.unlatch through",
                "it may be called as door.ts::Door.unlatch, which it overrides",
            ),
        ],
    ),
    "Rust": (
        {
            "Cargo.toml": '[package]\nname = "m"\n',
            "src/lib.rs": """
                pub trait Door { fn unlatch(&self); fn shut(&self) {} }
                pub struct Near;
                impl Door for Near { fn unlatch(&self) {} fn shut(&self) {} }
                pub struct Far;
                impl Door for Far { fn unlatch(&self) {} }
                pub fn through(d: &dyn Door) { d.unlatch(); d.shut(); }
                pub fn by_impl(d: impl Door) { d.unlatch(); }
                pub fn generic<T: Door>(d: T) { d.unlatch(); }
                pub fn clause<T>(d: T) where T: Door { d.unlatch(); }
                pub fn direct() { let n = Near; n.unlatch(); }
            """,
        },
        [
            Asked(
                "Door.unlatch",
                "by_impl clause generic through",
                "Far.unlatch Near.unlatch by_impl clause direct generic through",
                "calls of what implements it are not among these: src/lib.rs::Near.unlatch",
            ),
            Asked(
                "Near.unlatch",
                "direct",
                "Door.unlatch by_impl clause direct generic through",
                "it may be called as src/lib.rs::Door.unlatch, which it overrides",
            ),
            Asked(
                "Far.unlatch",
                "",
                "Door.unlatch by_impl clause generic through",
                "it may be called as src/lib.rs::Door.unlatch, which it overrides",
            ),
            Asked(
                "Near.shut",
                "",
                "Door.shut direct through",
                "it may be called as src/lib.rs::Door.shut, which it overrides",
            ),
        ],
    ),
    "Swift": (
        {
            "Door.swift": """
                protocol Door { func unlatch(); var girth: Int { get } }
                class Near: Door { func unlatch() {}
                  var girth: Int { return 1 } }
                struct Far: Door { func unlatch() {}
                  var girth = 2 }
                func through(d: Door) { d.unlatch(); print(d.girth) }
                func anyDoor(d: any Door) { d.unlatch() }
                func someDoor(d: some Door) { d.unlatch() }
                func generic<T: Door>(d: T) { d.unlatch() }
                func direct() { let n = Near(); n.unlatch(); print(n.girth) }
            """,
        },
        [
            Asked(
                "Door.unlatch",
                "anyDoor generic someDoor through",
                "Far.unlatch Near.unlatch anyDoor direct generic someDoor through",
            ),
            Asked(
                "Near.unlatch",
                "direct",
                "Door.unlatch anyDoor direct generic someDoor through",
                "it may be called as Door.swift::Door.unlatch, which it overrides",
            ),
            Asked(
                "Far.unlatch",
                "",
                "Door.unlatch anyDoor generic someDoor through",
                "it may be called as Door.swift::Door.unlatch, which it overrides",
            ),
            Asked(
                "Near.girth",
                "",
                "Door.girth direct through",
                "it may be read as Door.swift::Door.girth, which it overrides",
            ),
            Asked(
                "Far.girth",
                "",
                "Door.girth through",
                "it may be read as Door.swift::Door.girth, which it overrides",
            ),
        ],
    ),
    "Swift: extensions": (
        {
            "Door.swift": """
                protocol Door { func unlatch() }
                class Near { func unlatch() {} }
                extension Near: Door {}
                struct Far {}
                extension Far: Door { func unlatch() {} }
                func through(d: Door) { d.unlatch() }
                func direct() { let n = Near(); n.unlatch() }
            """,
        },
        [
            Asked("Door.unlatch", "through", "Far.unlatch Near.unlatch direct through"),
            Asked(
                "Near.unlatch",
                "direct",
                "Door.unlatch direct through",
                "it may be called as Door.swift::Door.unlatch, which it overrides",
            ),
            Asked(
                "Far.unlatch",
                "",
                "Door.unlatch through",
                "it may be called as Door.swift::Door.unlatch, which it overrides",
            ),
        ],
    ),
    "C++": (
        {
            "door.h": """
                #pragma once
                class Door { public: virtual void unlatch() = 0; virtual ~Door() {} };
                class Near : public Door { public: void unlatch() override; };
                class Far : public Door { public: void unlatch() override; };
            """,
            "door.cpp": """
                #include "door.h"
                void Near::unlatch() {}
                void Far::unlatch() {}
                void through(Door* d) { d->unlatch(); }
                void direct() { Near n; n.unlatch(); }
            """,
        },
        [
            Asked("Door.unlatch", "through", "Far.unlatch Near.unlatch direct through"),
            Asked(
                "Near.unlatch",
                "direct",
                "Door.unlatch direct through",
                "it may be called as door.h::Door.unlatch, which it overrides",
            ),
            Asked(
                "Far.unlatch",
                "",
                "Door.unlatch through",
                "it may be called as door.h::Door.unlatch, which it overrides",
            ),
        ],
    ),
    "PHP": (
        {
            "Door.php": """
                <?php
                namespace M;
                interface Door { public function unlatch(); }
                class Near implements Door { public function unlatch() {} }
                class Far implements Door { public function unlatch() {} }
                function through(Door $d) { $d->unlatch(); }
                function direct() { $n = new Near(); $n->unlatch(); }
            """,
        },
        [
            Asked("Door.unlatch", "through", "Far.unlatch Near.unlatch direct through"),
            Asked(
                "Near.unlatch",
                "direct",
                "Door.unlatch direct through",
                "it may be called as Door.php::Door.unlatch, which it overrides",
            ),
            Asked(
                "Far.unlatch",
                "",
                "Door.unlatch through",
                "it may be called as Door.php::Door.unlatch, which it overrides",
            ),
        ],
    ),
    "Scala": (
        {
            "Door.scala": """
                trait Door { def unlatch(): Unit; def girth: Int }
                class Near extends Door { def unlatch(): Unit = {}; def girth = 1 }
                class Far extends Door { override def unlatch(): Unit = {}; val girth = 2 }
                object Use {
                  def through(d: Door): Unit = { d.unlatch(); println(d.girth) }
                  def direct(): Unit = { val n = new Near(); n.unlatch(); println(n.girth) }
                }
            """,
        },
        [
            Asked("Door.unlatch", "Use.through", "Far.unlatch Near.unlatch Use.direct Use.through"),
            Asked(
                "Near.unlatch",
                "Use.direct",
                "Door.unlatch Use.direct Use.through",
                "it may be called as Door.scala::Door.unlatch, which it overrides",
            ),
            Asked(
                "Far.unlatch",
                "",
                "Door.unlatch Use.through",
                "it may be called as Door.scala::Door.unlatch, which it overrides",
            ),
            Asked(
                "Near.girth",
                "Use.direct",
                "Door.girth Use.direct Use.through",
                "it may be called as Door.scala::Door.girth, which it overrides",
            ),
            Asked(
                "Far.girth",
                "",
                "Door.girth Use.through",
                "it may be read as Door.scala::Door.girth, which it overrides",
            ),
        ],
    ),
    "Python": (
        {
            "door.py": """
                from abc import ABC, abstractmethod
                class Door(ABC):
                    @abstractmethod
                    def unlatch(self): ...
                    @property
                    @abstractmethod
                    def girth(self): ...
                class Near(Door):
                    def unlatch(self): pass
                    @property
                    def girth(self): return 1
                class Far(Door):
                    def unlatch(self): pass
                    @property
                    def girth(self): return 1
                def through(d: Door):
                    d.unlatch()
                    print(d.girth)
                def direct():
                    n = Near()
                    n.unlatch()
                    print(n.girth)
            """,
        },
        [
            Asked("Door.unlatch", "through", "Far.unlatch Near.unlatch direct through"),
            Asked(
                "Near.unlatch",
                "direct",
                "Door.unlatch direct through",
                "it may be called as door.py::Door.unlatch, which it overrides",
            ),
            Asked(
                "Far.unlatch",
                "",
                "Door.unlatch through",
                "it may be called as door.py::Door.unlatch, which it overrides",
            ),
            Asked(
                "Near.girth",
                "direct",
                "Door.girth direct through",
                "it may be called as door.py::Door.girth, which it overrides",
            ),
            Asked(
                "Far.girth",
                "",
                "Door.girth through",
                "it may be called as door.py::Door.girth, which it overrides",
            ),
        ],
    ),
    "Dart": (
        {
            "door.dart": """
                abstract class Door { void unlatch(); int get girth; }
                class Near implements Door { void unlatch() {} int get girth => 1; }
                class Far extends Door { @override void unlatch() {} @override int get girth => 2; }
                void through(Door d) { d.unlatch(); print(d.girth); }
                void direct() { final n = Near(); n.unlatch(); print(n.girth); }
            """,
        },
        [
            Asked("Door.unlatch", "through", "Far.unlatch Near.unlatch direct through"),
            Asked(
                "Near.unlatch",
                "direct",
                "Door.unlatch direct through",
                "it may be called as door.dart::Door.unlatch, which it overrides",
            ),
            Asked(
                "Far.unlatch",
                "",
                "Door.unlatch through",
                "it may be called as door.dart::Door.unlatch, which it overrides",
            ),
            Asked(
                "Near.girth",
                "direct",
                "Door.girth direct through",
                "it may be called as door.dart::Door.girth, which it overrides",
            ),
            Asked(
                "Far.girth",
                "",
                "Door.girth through",
                "it may be called as door.dart::Door.girth, which it overrides",
            ),
        ],
    ),
    "Solidity": (
        {
            "Door.sol": """
                pragma solidity ^0.8.0;
                interface IDoor { function unlatch() external; }
                contract Near is IDoor { function unlatch() external override {} }
                contract Far is IDoor { function unlatch() external override {} }
                contract Use {
                    function through(IDoor d) external { d.unlatch(); }
                    function cast(address d) external { IDoor(d).unlatch(); }
                    function direct(Near n) external { n.unlatch(); }
                }
            """,
        },
        [
            Asked(
                "IDoor.unlatch",
                "Use.cast Use.through",
                "Far.unlatch Near.unlatch Use.cast Use.direct Use.through",
            ),
            Asked(
                "Near.unlatch",
                "Use.direct",
                "IDoor.unlatch Use.cast Use.direct Use.through",
                "it may be called as Door.sol::IDoor.unlatch, which it overrides",
            ),
            Asked(
                "Far.unlatch",
                "",
                "IDoor.unlatch Use.cast Use.through",
                "it may be called as Door.sol::IDoor.unlatch, which it overrides",
            ),
        ],
    ),
    "Ruby: a module": (
        {
            "door.rb": """
                module Door
                  def unlatch; end
                  def twice; unlatch; end
                end
                class Base
                  def unlatch; end
                end
                class Near < Base
                  include Door
                  def unlatch; end
                end
                class Far < Base
                  include Door
                end
                def direct
                  n = Near.new
                  n.unlatch
                  Far.new.unlatch
                end
            """,
        },
        [
            Asked(
                "Door.unlatch", "Door.twice direct", "Base.unlatch Door.twice Near.unlatch direct"
            ),
            Asked(
                "Near.unlatch",
                "direct",
                "Base.unlatch Door.twice Door.unlatch direct",
                "it may be called as door.rb::Door.unlatch, which it overrides",
            ),
            Asked(
                "Base.unlatch",
                "",
                "Door.twice Door.unlatch Near.unlatch direct",
                "calls of what implements it are not among these: door.rb::Near.unlatch,"
                " door.rb::Door.unlatch",
            ),
        ],
    ),
    "Elixir": (
        {
            "door.ex": """
                defmodule Door do
                  @callback unlatch(term) :: term
                end
                defmodule Near do
                  @behaviour Door
                  @impl true
                  def unlatch(x), do: x
                end
                defprotocol Gate do
                  def shut(x)
                end
                defmodule Far do
                  defstruct []
                  defimpl Gate do
                    def shut(x), do: x
                  end
                end
                defmodule Use do
                  def through(x), do: Gate.shut(x)
                  def direct(x), do: Near.unlatch(x)
                end
            """,
        },
        [
            Asked("Gate.shut", "Use.through", "Gate.Far.shut Use.through"),
            Asked("Near.unlatch", "Use.direct", "Door.unlatch Use.direct"),
            Asked(
                "Gate.Far.shut",
                "",
                "Gate.shut Use.through",
                "it may be called as door.ex::Gate.shut, which it overrides",
            ),
        ],
    ),
}


@pytest.mark.parametrize("case", FOUND)
async def test_what_may_run_a_method_is_told(case: str, tmp_path: Path) -> None:
    files, questions = FOUND[case]
    await hold(tmp_path, files, questions)
