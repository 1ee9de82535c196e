"""Types that a change leaves without a base, and what is used of them that they had from there.

Files before and after, as in `test_members_of_types`, to which these cases belong.
"""

from __future__ import annotations

__all__ = ["LOST_BASE_CASES"]

LOST_BASE_CASES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "python_base_lost": (
        {
            "base.py": (
                "class Base:\n    def weigh(self):\n        return 1\n\n"
                "    def name(self):\n        return 'a'\n\n"
                "class Other:\n    def carry(self):\n        return 2\n"
            ),
            "box.py": (
                "from .base import Base, Other\n\n\nclass Box(Base, Other):\n"
                "    def name(self):\n        return self.weigh()\n"
            ),
            "use.py": (
                "from .base import Base\nfrom .box import Box\n\n\n"
                "class Crate(Box):\n    pass\n\n\n"
                "def make() -> Box:\n    return Box()\n\n\n"
                "def run():\n    box = Box()\n    box.weigh()  #!\n"
                "    box.name()\n    box.carry()\n"
                "    make().weigh()  #!\n    Crate().weigh()  #!\n    Base().weigh()\n"
            ),
        },
        {
            "box.py": (
                "from .base import Other\n\n\nclass Box(Other):\n"
                "    def name(self):\n        return self.weigh()  #!\n"
            )
        },
    ),
    "python_base_other": (
        {
            "base.py": (
                "class Base:\n    def weigh(self):\n        return 1\n\n    def lift(self):\n"
                "        return 1\n\n"
                "class Newer:\n    def weigh(self):\n        return 2\n"
            ),
            "box.py": "from .base import Base, Newer\n\n\nclass Box(Base):\n    pass\n",
            "use.py": (
                "from .box import Box\n\n\ndef run(box: Box):\n"
                "    box.weigh()\n    box.lift()  #!\n"
            ),
        },
        {"box.py": "from .base import Base, Newer\n\n\nclass Box(Newer):\n    pass\n"},
    ),
    "typescript_base_lost": (
        {
            "base.ts": (
                "export class Base {\n  weigh() { return 1; }\n  name() { return 'a'; }\n}\n"
            ),
            "box.ts": (
                'import { Base } from "./base";\nexport class Box extends Base {\n'
                "  override name() { return 'b'; }\n  own() { return this.weigh(); }\n}\n"
            ),
            "use.ts": (
                'import { Base } from "./base";\nimport { Box } from "./box";\n'
                "export function run(box: Box, base: Base) {\n  box.weigh(); //!\n  box.name();\n"
                "  base.weigh();\n  new Box().weigh(); //!\n}\n"
            ),
        },
        {
            "box.ts": (
                "export class Box {\n  override name() { return 'b'; } //!\n"
                "  own() { return this.weigh(); } //!\n}\n"
            )
        },
    ),
    "javascript_base_lost": (
        {
            "base.js": "export class Base {\n  weigh() { return 1; }\n}\n",
            "box.js": (
                'import { Base } from "./base.js";\nexport class Box extends Base {\n'
                "  own() { return this.weigh(); }\n}\n"
            ),
            "use.js": (
                'import { Box } from "./box.js";\nexport function run() {\n'
                "  const box = new Box();\n"
                "  box.weigh(); //!\n  box.own();\n}\n"
            ),
        },
        {"box.js": "export class Box {\n  own() { return this.weigh(); } //!\n}\n"},
    ),
    "java_base_lost": (
        {
            "Base.java": (
                "package jbase;\npublic class Base {\n  public int weigh() { return 1; }\n"
                "  public String name() { return null; }\n"
                "  public String toString() { return null; }\n}\n"
            ),
            "Box.java": (
                "package jbase;\npublic class Box extends Base {\n"
                "  @Override\n  public String name() { return null; }\n"
                "  @Override\n  public String toString() { return null; }\n"
                "  int own() { return weigh(); }\n}\n"
            ),
            "Use.java": (
                "package jbase;\nclass Use {\n  void run(Box box, Base base) {\n"
                "    box.weigh(); //!\n    box.name();\n    base.weigh();\n  }\n}\n"
            ),
        },
        {
            "Box.java": (
                "package jbase;\npublic class Box {\n"
                "  @Override\n  public String name() { return null; } //!\n"
                "  @Override\n  public String toString() { return null; }\n"
                "  int own() { return weigh(); } //!\n}\n"
            )
        },
    ),
    "kotlin_base_lost": (
        {
            "Base.kt": (
                "package kbase\nopen class Base {\n  fun weigh() = 1\n  open fun name() = 2\n}\n"
            ),
            "Box.kt": (
                "package kbase\nclass Box : Base() {\n  override fun name() = 3\n"
                "  fun own() = weigh()\n}\n"
            ),
            "Use.kt": (
                "package kbase\nfun run(box: Box, base: Base) {\n  box.weigh() //!\n  box.name()\n"
                "  base.weigh()\n}\n"
            ),
        },
        {
            "Box.kt": (
                "package kbase\nclass Box {\n  override fun name() = 3 //!\n"
                "  fun own() = weigh() //!\n}\n"
            )
        },
    ),
    "csharp_base_lost": (
        {
            "Base.cs": (
                "namespace CBase;\npublic class Base {\n  public int Weigh() => 1;\n"
                "  public virtual int Name() => 2;\n}\n"
            ),
            "Box.cs": (
                "namespace CBase;\npublic class Box : Base {\n"
                "  public override int Name() => 3;\n  public int Own() => Weigh();\n}\n"
            ),
            "Use.cs": (
                "namespace CBase;\nclass Use {\n  void Run(Box box, Base other) {\n"
                "    box.Weigh(); //!\n    box.Name();\n    other.Weigh();\n  }\n}\n"
            ),
        },
        {
            "Box.cs": (
                "namespace CBase;\npublic class Box {\n"
                "  public override int Name() => 3; //!\n  public int Own() => Weigh(); //!\n}\n"
            )
        },
    ),
    "csharp_base_moved_to_another_part": (
        {
            "Frame.cs": (
                "namespace CPart;\npublic class Frame {\n  public virtual int Title() => 2;\n}\n"
            ),
            "Pane.cs": (
                "namespace CPart;\npublic partial class Pane : Frame {\n"
                "  public override int Title() => 3;\n}\n"
            ),
            "Pane.Parts.cs": (
                "namespace CPart;\npublic partial class Pane {\n  public int More() => 4;\n}\n"
            ),
        },
        {
            "Pane.cs": (
                "namespace CPart;\npublic partial class Pane {\n"
                "  public override int Title() => 3;\n}\n"
            ),
            "Pane.Parts.cs": (
                "namespace CPart;\npublic partial class Pane : Frame {\n"
                "  public int More() => 4;\n}\n"
            ),
        },
    ),
    "cpp_base_lost": (
        {
            "base.hpp": (
                "#pragma once\nclass Base {\n public:\n  int weigh() { return 1; }\n"
                "  virtual int name() { return 2; }\n};\n"
            ),
            "box.hpp": (
                '#pragma once\n#include "base.hpp"\nclass Box : public Base {\n public:\n'
                "  int name() override { return 3; }\n  int own() { return weigh(); }\n};\n"
            ),
            "use.cpp": (
                '#include "box.hpp"\nint run(Box &box, Base &base) {\n  box.weigh(); //!\n'
                "  box.name();\n  return base.weigh();\n}\n"
            ),
        },
        {
            "box.hpp": (
                '#pragma once\n#include "base.hpp"\nclass Box {\n public:\n'
                "  int name() override { return 3; } //!\n"
                "  int own() { return weigh(); } //!\n};\n"
            )
        },
    ),
    "php_base_lost": (
        {
            "Base.php": (
                "<?php\nnamespace PBase;\nclass Base {\n"
                "  public function weigh(): int { return 1; }\n}\n"
            ),
            "Sized.php": (
                "<?php\nnamespace PBase;\ntrait Sized {\n"
                "  public function size(): int { return 1; }\n}\n"
            ),
            "Box.php": (
                "<?php\nnamespace PBase;\nclass Box extends Base {\n  use Sized;\n"
                "  public function own(): int { return $this->weigh(); }\n}\n"
            ),
            "Use.php": (
                "<?php\nnamespace PBase;\nfunction run(Box $box, Base $base) {\n"
                "  $box->weigh(); //!\n  $box->size(); //!\n  $base->weigh();\n  $box->own();\n}\n"
            ),
        },
        {
            "Box.php": (
                "<?php\nnamespace PBase;\nclass Box {\n"
                "  public function own(): int { return $this->weigh(); } //!\n}\n"
            )
        },
    ),
    "ruby_base_lost": (
        {
            "base.rb": (
                "class RBase\n  def weigh\n    1\n  end\nend\n\n"
                "module RSized\n  def size_all\n    2\n  end\nend\n"
            ),
            "box.rb": (
                "require_relative 'base'\n\nclass RBox < RBase\n  include RSized\n\n"
                "  def own\n    weigh\n  end\nend\n"
            ),
            "use.rb": (
                "require_relative 'box'\n\ndef run_r\n  box = RBox.new\n  box.weigh #!\n"
                "  box.size_all #!\n  box.own\n  RBase.new.weigh\nend\n"
            ),
        },
        {
            "box.rb": (
                "require_relative 'base'\n\nclass RBox\n  def own\n    weigh #!\n  end\nend\n"
            )
        },
    ),
    "rust_impl_lost": (
        {
            "Cargo.toml": '[package]\nname = "implost"\nversion = "1.0.0"\n',
            "src/lib.rs": (
                "pub mod shape;\npub mod boxes;\n\nuse boxes::Box1;\nuse shape::Shape;\n\n"
                "pub fn run(one: &Box1) -> u32 {\n    one.own();\n    one.weigh() //!\n}\n"
            ),
            "src/shape.rs": (
                "pub trait Shape {\n    fn weigh(&self) -> u32 {\n        1\n    }\n}\n"
            ),
            "src/boxes.rs": (
                "use crate::shape::Shape;\n\npub struct Box1;\n\nimpl Box1 {\n"
                "    pub fn own(&self) {}\n}\n\nimpl Shape for Box1 {}\n"
            ),
        },
        {"src/boxes.rs": ("pub struct Box1;\n\nimpl Box1 {\n    pub fn own(&self) {}\n}\n")},
    ),
    "go_embedded_lost": (
        {
            "go.mod": "module lost\n\ngo 1.21\n",
            "base.go": (
                "package lost\n\ntype Base struct{}\n\nfunc (b *Base) Weigh() int { return 1 }\n"
            ),
            "box.go": "package lost\n\ntype Box struct {\n\tBase\n\tn int\n}\n",
            "use.go": (
                "package lost\n\nfunc run(box *Box, base *Base) {\n\tbox.Weigh() //!\n"
                "\tbase.Weigh()\n}\n"
            ),
        },
        {"box.go": "package lost\n\ntype Box struct {\n\tn int\n}\n"},
    ),
}
