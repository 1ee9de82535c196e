//! Orders and what belongs to them.
const std = @import("std");
const Line = @import("line.zig").Line;

pub const max_lines: usize = 100;

/// What a customer buys.
pub const Order = struct {
    customer: []const u8,
    lines: []Line,

    const Self = @This();

    /// Makes an order.
    pub fn init(customer: []const u8) Order {
        return .{ .customer = customer, .lines = &.{} };
    }

    pub fn total(self: Self) f64 {
        var sum: f64 = 0;
        for (self.lines) |line| {
            sum += price(line);
        }
        return sum;
    }
};

pub const Status = enum {
    open,
    paid,

    pub fn isDone(self: Status) bool {
        return self == .paid;
    }
};

const Payment = union(enum) {
    cash: f64,
    card: Card,
};

const OrderError = error{ Empty, TooLarge };

var count: u32 = 0;

/// Many of one thing.
pub fn List(comptime T: type) type {
    return struct {
        held: []T,

        pub fn first(self: @This()) ?T {
            return self.held[0];
        }
    };
}

fn price(line: Line) f64 {
    return line.count * line.price;
}

pub fn main() !void {
    const order = Order.init("me");
    std.debug.print("{d}\n", .{order.total()});
}

test "adds up" {
    try std.testing.expect(Order.init("a").total() == 0);
}
