"""What names mean in Lua, on small projects given as text."""

from __future__ import annotations

from pathlib import Path

from surveyor.graph.facts import KIND_NAMES
from surveyor.graph.library import MemoryGraph
from surveyor.graph.queries.items import LineReader
from surveyor.graph.queries.lookup import StoredGraph
from surveyor.graph.queries.names import find
from surveyor.graph.queries.type_hierarchy import hierarchy
from tests.graph.memory import graph, imports, uses
from tests.graph.support import CHECKOUT, Checkout

PATH = """
local Path = {}
Path.__index = Path

function Path:new(name)
  local made = setmetatable({}, Path)
  made:parent()
  return made
end

function Path:parent()
  return self:absolute()
end

Path.absolute = function(self)
  return self:parent()
end

return Path
"""
UTIL = """
local M = {}
M.get = function(n) return n end
function M.help(t) return M.get(1) end
return setmetatable(M, {})
"""
MAIN = """
local Path = require("shop.path")
local util = require "shop.util"
local path = Path:new("a")

local function run(own)
  local util2 = require("shop.util")
  util2.help { a = 1 }
  path:parent():absolute()
  require("shop.util").get(2)
  string.get(1)
  own(3)
end

run(util.get)
"""
PATHS = {"lua/shop/path.lua": PATH, "lua/shop/util/init.lua": UTIL, "lua/main.lua": MAIN}


def test_tables_are_modules_and_classes() -> None:
    made = graph(PATHS)
    assert {
        (4, "Path.new"), (8, "M.help"), (9, "Path.parent"), (9, "Path.absolute"), (10, "M.get"),
        (15, "run"), (15, "M.get"),
    } <= uses(made, "lua/main.lua")  # fmt: skip
    assert not any(line in (11, 12) for line, _ in uses(made, "lua/main.lua"))
    assert imports(made, "lua/main.lua")[:2] == [
        ("shop.path", "lua/shop/path.lua", ""),
        ("shop.util", "lua/shop/util/init.lua", ""),
    ]


def test_self_is_the_table_that_a_function_is_put_into() -> None:
    found = uses(graph(PATHS), "lua/shop/path.lua")
    assert {(7, "Path.parent"), (12, "Path.absolute"), (16, "Path.parent")} <= found


BASE = """
local Base = {}
function Base:close() return self end
function Base.make() return setmetatable({}, Base) end
return Base
"""
HEIR = """
local Base = require("shop.base")
local M = {}

function M.new()
  local self = setmetatable({}, { __index = setmetatable(M, { __index = Base }) })
  self.made = Base.make()
  return self
end

function M:run()
  self.made:close()
  self:close()
end

M.make = Base.make
shout = M.run
function whisper() end
return M
"""


def test_tables_have_what_they_extend_and_what_their_fields_hold() -> None:
    made = graph({"shop/base.lua": BASE, "shop/heir.lua": HEIR})
    found = uses(made, "shop/heir.lua")
    assert {(12, "M.made"), (12, "Base.close"), (13, "Base.close")} <= found


def test_other_names_and_names_for_all_lead_to_the_function() -> None:
    used = """
        local heir = require("shop.heir")
        heir.make():close()
        shout()
        whisper()
        run()
        """
    made = graph({"shop/base.lua": BASE, "shop/heir.lua": HEIR, "use.lua": used})
    found = uses(made, "use.lua")
    assert {(3, "Base.make"), (3, "Base.close"), (5, "whisper")} <= found
    assert (4, "shout") in found
    assert not [name for line, name in found if line == 6]


OBJECT = """
local Object = {}
Object.__index = Object
function Object:new() end
function Object:extend()
  local cls = {}
  cls.super = self
  return setmetatable(cls, self)
end
return Object
"""
VIEW = """
local Object = require "core.object"
local View = Object:extend()
function View:update() end
function View:draw() self:update() end
return View
"""
DOC_VIEW = """
local View = require "core.view"
local DocView = View:extend()
function DocView:go()
  self:update()
end
local Plain = view.extend
return DocView
"""
MADE = """
local class = require "middleclass"
local Animal = class("Animal")
function Animal:speak() end
Dog = class("Dog", Animal)
function Dog:bark() self:speak() end
local Cat = Animal:subclass("Cat")
function Cat:meow() self:speak() end
"""


def test_classes_that_libraries_make_extend_what_they_are_made_of() -> None:
    made = graph(
        {
            "core/object.lua": OBJECT,
            "core/view.lua": VIEW,
            "core/docview.lua": DOC_VIEW,
            "m.lua": MADE,
        }
    )
    assert _inherited(made) == {
        ("View", "Object", "core/object.lua"),
        ("DocView", "View", "core/view.lua"),
        ("Dog", "Animal", "m.lua"),
        ("Cat", "Animal", "m.lua"),
    }
    assert {name.kind for name in made.facts["m.lua"].names if name.name in "Animal Dog Cat"} == {
        "class"
    }
    assert {(6, "Animal.speak"), (8, "Animal.speak")} <= uses(made, "m.lua")
    assert (5, "View.update") in uses(made, "core/docview.lua")


MODULES = {
    "lua/line/class.lua": "local Object = {}\nObject.__index = Object\nfunction Object:extend()\n"
    "  local cls = {}\n  return setmetatable(cls, self)\nend\nreturn Object\n",
    "lua/line_require.lua": "local M = {}\nfunction M.require(name) return require(name) end\n"
    "return M\n",
    "lua/line/part.lua": "local M = require('line.class'):extend()\n"
    "function M:draw() return self:status() end\nfunction M:status() end\nreturn M\n",
    "lua/line/buffer.lua": "local Buffer = require('line.class'):extend()\n"
    "function Buffer:render() end\nreturn Buffer\n",
    "lua/line/window.lua": "local Window = require('line.buffer'):extend()\n"
    "function Window:init() self:render() end\nreturn Window\n",
    "lua/line/diff.lua": "local own = require('line_require')\n"
    "local M = own.require('line.part'):extend()\nfunction M:update() self:draw() end\nreturn M\n",
    "lua/line/lib.lua": 'local Lib = class("Lib", require("line.part"))\n'
    "function Lib:go() self:draw() end\nreturn Lib\n",
}
"""As the components of lualine.nvim are made."""


def test_a_class_extends_what_it_requires_where_it_is_made() -> None:
    made = graph(MODULES)
    assert _inherited(made) == {
        ("M", "Object", "lua/line/class.lua"),
        ("Window", "Buffer", "lua/line/buffer.lua"),
        ("M", "M", "lua/line/part.lua"),
        ("Lib", "M", "lua/line/part.lua"),
        ("Buffer", "Object", "lua/line/class.lua"),
    }
    assert (2, "Buffer.render") in uses(made, "lua/line/window.lua")
    assert (3, "M.draw") in uses(made, "lua/line/diff.lua")
    assert (2, "M.draw") in uses(made, "lua/line/lib.lua")


def _inherited(made: MemoryGraph) -> set[tuple[str, str, str]]:
    """(what extends, what it extends, where that is)."""
    return {
        (edge.source, edge.target.qualname, edge.target.path)
        for resolution in made.resolutions.values()
        for edge in resolution.edges
        if KIND_NAMES[edge.kind] == "inheritance"
    }


async def test_the_types_around_one_are_told_of_tables_too_and_another_name_leads_to_what_it_names(
    tmp_path: Path,
) -> None:
    made = await Checkout.open(tmp_path)
    mode = "local Mode = {}\nfunction Mode.get_mode() end\nreturn Mode\n"
    part = "local get_mode = require('line.mode').get_mode\nreturn get_mode\n"
    other = "local get_mode = require('elsewhere').get_mode\nreturn get_mode\n"
    more = {"lua/line/mode.lua": mode, "lua/line/parts/mode.lua": part, "lua/x.lua": other}
    await made.write(MODULES | more)
    stored = StoredGraph(made.state, CHECKOUT)
    lines = LineReader(str(made.root))
    asked = await find(stored, "lua/line/buffer.lua:Buffer")
    around = await hierarchy(stored, asked, lines, "both", 1)
    assert {(each.kind, each.symbol) for each in around.items} == {
        ("supertype", "Object"),
        ("subtype", "Window"),
    }
    below = await hierarchy(stored, await find(stored, "Object"), lines, "sub", 2)
    assert [each.symbol for each in below.items].count("M") == 2
    named = await find(stored, "lua/line/parts/mode.lua:get_mode")
    assert [node.key for node in named.nodes] == ["lua/line/mode.lua::Mode.get_mode"]
    foreign = await find(stored, "lua/x.lua:get_mode")
    assert [node.key for node in foreign.nodes] == ["lua/x.lua::get_mode"]
    await made.close()


def test_modules_of_an_editors_plugin_and_tables_made_of_them() -> None:
    made = graph(
        {
            "plugin/box.lua": "require('box').setup()\n",  # sourced, and required by nobody
            "lua/box/init.lua": "local M = {}\nM.size = 1\nfunction M.setup() end\nreturn M\n",
            "lua/box/more.lua": "local box = require('box')\n"
            "local M = vim.tbl_deep_extend('force', box, { extra = 1 })\nreturn M\n",
            "lua/box/base.lua": "local M = setmetatable({}, { __index = require('box') })\n"
            "return M\n",
            "tests/use.lua": "local box = require('box')\nbox.size = 5\nbox.setup()\n"
            "require('box.more').setup()\nrequire('box.base').setup()\nbox.later = 1\n",
        }
    )
    assert uses(made, "plugin/box.lua") >= {(1, "M.setup")}
    found = {
        (edge.line, edge.target.path, edge.target.qualname)
        for edge in made.resolutions["tests/use.lua"].edges
        if edge.score >= 0.5 and edge.target.qualname != "box"
    }
    assert found == {
        (line, "lua/box/init.lua", "M.size" if line == 2 else "M.setup") for line in (2, 3, 4, 5)
    } | {(6, "tests/use.lua", "box.later")}
