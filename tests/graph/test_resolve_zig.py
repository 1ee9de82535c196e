"""What names mean in Zig, on small projects given as text."""

from __future__ import annotations

from tests.graph.memory import edges, graph, imports, uses

BOX = """\
const std = @import("std");

pub const Lid = struct {
    pub fn turn(_: Lid) void {}
};

pub const Box = struct {
    lid: Lid,
    colour: Colour = .red,

    pub fn init(lid: Lid) !Box {
        return .{ .lid = lid };
    }

    pub fn lift(self: *Box) *Lid {
        return &self.lid;
    }
};

pub const Colour = enum {
    red,
    blue,

    pub fn isRed(self: Colour) bool {
        return self == .red;
    }
};

pub const Shape = union(enum) {
    box: Box,
    lid: Lid,
};

pub fn List(comptime T: type) type {
    return struct {
        held: []T,

        const Self = @This();

        pub fn init() Self {
            return .{ .held = &.{} };
        }

        pub fn first(self: *const Self) ?*Self {
            return self.first();
        }
    };
}
"""
SHOP = """\
const std = @import("std");
const box = @import("box.zig");
const Allocator = std.mem.Allocator;
const Box = box.Box;
const Lid = @import("box.zig").Lid;

boxes: std.ArrayList(Box),
allocator: Allocator,

const Shop = @This();

pub fn open(shop: *Shop, shape: box.Shape) !void {
    const own = Box.init(.{}) catch return;
    _ = own;
    for (shop.boxes.items, 0..) |*each, i| {
        each.lift().turn();
        _ = i;
    }
    switch (shape) {
        .lid => |lid| lid.turn(),
        else => {},
    }
    var list = box.List(Lid).init();
    if (list.first()) |other| _ = other.first();
    const made: Box = try .init(.{});
    if (made.colour.isRed()) try shop.close();
    shop.allocator.init();
    shop.boxes.lift();
}

fn close(self: *Shop) !void {
    try self.open(undefined);
}

test "opens" {
    const Local = struct {
        fn run() void {}
    };
    Local.run();
}
"""
MADE = graph({"src/box.zig": BOX, "src/Shop.zig": SHOP})


def shop(line: str) -> set[str]:
    """What a line of the shop uses."""
    number = SHOP[: SHOP.index(line)].count("\n") + 1
    return {name for at, name in uses(MADE, "src/Shop.zig") if at == number}


def test_members_are_found_through_what_values_are_of() -> None:
    assert {"Box.lift", "Lid.turn"} <= shop("each.lift()")
    assert "Lid.turn" in shop(".lid => |lid|")
    assert {"Box.colour", "Colour.isRed", "close"} <= shop("if (made.colour")
    assert "open" in shop("try self.open(")


def test_a_name_that_begins_with_a_dot_is_of_what_is_wanted() -> None:
    assert {"Box", "Box.init"} <= shop("const made: Box")
    assert (12, "Box.lid") in uses(MADE, "src/box.zig")


def test_a_function_that_gives_a_type_is_that_type() -> None:
    assert {"List", "List.init"} <= shop("var list")
    assert "List.first" in shop("if (list.first())")


def test_a_constant_is_another_name_for_what_it_is_given() -> None:
    found = edges(MADE)
    assert ("src/Shop.zig", "open", "src/box.zig::Box") in found
    assert ("src/Shop.zig", "open", "src/Shop.zig::Box") in found


def test_a_type_of_the_standard_library_has_nothing_of_ours() -> None:
    assert shop("shop.allocator.init()") == {"allocator"}
    assert shop("shop.boxes.lift()") == {"boxes"}


def test_what_a_function_writes_out_is_its_own() -> None:
    assert shop("Local.run()") == {"opens.run"}


def test_imports_are_files_and_packages_of_the_build() -> None:
    build = """
        const module = b.addModule("shop", .{ .root_source_file = b.path("src/root.zig") });
        exe.addImport("crate", crate);
        """
    made = graph(
        {
            "build.zig": build,
            "src/root.zig": 'pub usingnamespace @import("deep/a.zig");\n',
            "src/crate.zig": "pub fn pack() void {}\n",
            "src/deep/a.zig": "pub fn weigh() void {}\n",
            "main.zig": """
                const shop = @import("shop");
                const crate = @import("crate");
                const gone = @import("gone.zig");
                pub fn main() void {
                    shop.weigh();
                    crate.pack();
                    @import("src/deep/a.zig").weigh();
                }
                """,
        }
    )
    assert {"weigh", "pack"} <= {name for _, name in uses(made, "main.zig")}
    found = {(module, target) for module, target, _ in imports(made, "main.zig")}
    assert {("shop", "src/root.zig"), ("crate", "src/crate.zig"), ("gone.zig", "")} <= found
    assert ("src/deep/a.zig", "src/deep/a.zig") in found
