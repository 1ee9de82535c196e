"""Traces of many runtimes are read alike: their places from where the fault was outward."""

from __future__ import annotations

import pytest

from surveyor.search.stack_trace import Frame, read_trace

TRACES = {
    "python": (
        "Traceback (most recent call last):\n"
        '  File "/v/site-packages/shop/cart.py", line 12, in add\n'
        '    self.total(x)\n  File "/home/me/x.py", line 3, in <module>\n    a = b["x"]\n'
        "        ~^^^^^\nKeyError: 'x'",
        [Frame("/home/me/x.py", 3, "<module>"), Frame("shop/cart.py", 12, "add")],
    ),
    "go": (
        "panic: runtime error: index out of range\n\ngoroutine 12 [running]:\n"
        "example.com/shop/v2/cart.(*Cart).Add(0xc000, 0x1)\n\t/home/me/shop/cart/cart.go:54 +0x12\n"
        "main.main()\n\t/home/me/shop/main.go:9 +0x1",
        [
            Frame("/home/me/shop/cart/cart.go", 54, "Add"),
            Frame("/home/me/shop/main.go", 9, "main"),
        ],
    ),
    "rust": (
        "thread 'main' panicked at src/cart.rs:12:5:\nno price\nstack backtrace:\n"
        "   0: shop::cart::add\n             at ./src/cart.rs:12:5",
        [Frame("src/cart.rs", 12, ""), Frame("src/cart.rs", 12, "")],
    ),
    "rust before 1.73": (
        "thread 'main' panicked at 'called `Option::unwrap()` on a `None` value', src/cart.rs:12:5",
        [Frame("src/cart.rs", 12, "")],
    ),
    "php": (
        'PHP Fatal error:  Uncaught App\\Missing: Item "x" in /app/src/Cart.php:72\nStack trace:\n'
        "#0 /app/src/Shop.php(26): App\\Cart->add('x')\n#1 {main}",
        [Frame("/app/src/Cart.php", 72, ""), Frame("/app/src/Shop.php", 26, "add")],
    ),
    "ruby": (
        "lib/shop/cart.rb:12:in 'Shop::Cart#add': no price (KeyError)\n"
        "\tfrom bin/shop.rb:3:in `block in run'",
        [Frame("lib/shop/cart.rb", 12, "add"), Frame("bin/shop.rb", 3, "run")],
    ),
    "java": (
        'Exception in thread "main" java.lang.RuntimeException: x\n'
        "\tat org.shop.Shop.run(Shop.java:7)\n"
        "Caused by: java.lang.IllegalStateException: y\n\tat org.shop.Cart.add(Cart.java:50)\n"
        "\t... 12 more",
        [
            Frame("Cart.java", 50, "org.shop.Cart.add"),
            Frame("Shop.java", 7, "org.shop.Shop.run"),
        ],
    ),
    "javascript": (
        "TypeError: x is undefined\n    at Cart.add [as put] (file:///shop/cart.mjs:12:3)\n"
        "    at async Promise.all (index 0)\n    at /shop/main.ts:3:4\n"
        "    at node:internal/main:1:2",
        [Frame("/shop/cart.mjs", 12, "Cart.add"), Frame("/shop/main.ts", 3, "")],
    ),
    "elixir": (
        "** (KeyError) key :x not found\n    (shop 1.7.0) lib/shop/cart.ex:35: Shop.Cart.add!/2",
        [Frame("lib/shop/cart.ex", 35, "add!")],
    ),
    "lua": (
        "lua: shop/cart.lua:12: attempt to index nil\nstack traceback:\n"
        "\tshop/cart.lua:12: in function 'add'\n\t[C]: in ?",
        [Frame("shop/cart.lua", 12, "add")],
    ),
    "gdb": (
        "#0  0x00007f in cart_add (cart=0x1) at src/unix/cart.c:143\n#1 main () at src/main.c:4",
        [Frame("src/unix/cart.c", 143, "cart_add"), Frame("src/main.c", 4, "main")],
    ),
    "sanitizer": (
        "==1==ERROR: AddressSanitizer: heap-use-after-free\n"
        "    #0 0x4f1 in cart_add /src/cart.c:77:3",
        [Frame("/src/cart.c", 77, "cart_add")],
    ),
    "dart": (
        "Unhandled exception:\nno price\n#0      Cart.add (package:shop/src/cart.dart:35:12)",
        [Frame("shop/src/cart.dart", 35, "Cart.add")],
    ),
    "c#": (
        "   at Shop.Cart.Add(String s) in C:\\src\\Shop\\Cart.cs:line 51",
        [Frame("C:/src/Shop/Cart.cs", 51, "Shop.Cart.Add")],
    ),
    "haskell": (
        "shop: no price\nCallStack (from HasCallStack):\n"
        "  error, called at src/Shop/Cart.hs:12:5 in shop-1.0:Shop.Cart",
        [Frame("src/Shop/Cart.hs", 12, "")],
    ),
}


@pytest.mark.parametrize("runtime", TRACES)
def test_frames_are_read_from_the_innermost_out(runtime: str) -> None:
    text, frames = TRACES[runtime]
    read = read_trace(text)
    assert list(read.frames) == frames
    assert read.is_all


@pytest.mark.parametrize(
    "text",
    [
        "how do I parse a.b.c at foo.py",
        "where are session cookies signed",
        "Cart.add",
        "read lines 3 to 12 of a file",
        "version 1.2.3 at 10:30",
    ],
)
def test_what_names_no_place_is_no_trace(text: str) -> None:
    assert read_trace(text).frames == ()


def test_a_trace_within_what_a_person_tells_is_not_all_of_it() -> None:
    told = "Adding an item fails\n\n" + "When I add an item that has no price the cart fails. " * 4
    read = read_trace(f"{told}\n\n{TRACES['python'][0]}")
    assert len(read.frames) == 2
    assert not read.is_all
