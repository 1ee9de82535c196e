"""Imports of files that a change deletes or renames.

Files before and after, as in `test_members_of_types`, to which these cases belong; a file without
text is deleted.
"""

from __future__ import annotations

__all__ = ["GONE_FILE_CASES"]

GONE_FILE_CASES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "gone_python": (
        {
            "shop/__init__.py": "from shop import kept\nother = 1\n",
            "shop/other.py": "",
            "shop/till.py": "TAX = 1\n",
            "shop/kept.py": "RATE = 1\n",
            "one.py": "from shop import till #!\nfrom shop import other\n",
            "two.py": "import shop.till as money #!\n",
            "three.py": "from shop.till import * #!\n",
            "shop/four.py": "from . import kept\nfrom . import till #!\n",
            "other/till.py": "",
            "other/five.py": "from . import till\n",
        },
        {"shop/till.py": "", "shop/other.py": ""},
    ),
    "gone_javascript": (
        {
            "src/isMap.js": "export default (value) => value instanceof Map;\n",
            "src/lib/index.js": "export default 1;\n",
            "src/lib.js": "export default 2;\n",
            "src/one.js": "import isMap from './isMap'; //!\nisMap(1);\n",
            "src/two.js": "import './isMap.js'; //!\n",
            "src/three.js": "const held = require('./isMap'); //!\n",
            "src/four.js": "export { default } from './isMap'; //!\nexport * from './isMap'; //!\n",
            "src/five.js": "export const late = () => import('./isMap'); //!\n",
            "src/six.js": "import lib from './lib';\nimport isMap from 'isMap';\nisMap(lib);\n",
        },
        {"src/isMap.js": "", "src/lib/index.js": ""},
    ),
    "gone_moved": (
        {
            "src/util.ts": "export function escape(text: string) {\n  return text.trim();\n}\n",
            "src/index.ts": 'export { escape } from "./util.js"; //!\n',
        },
        {
            "src/util.ts": "",
            "src/text.ts": "export function escape(text: string) {\n  return text.trim();\n}\n",
        },
    ),
    "gone_go": (
        {
            "go.mod": "module ggone\n\ngo 1.22\n",
            "side/side.go": "package side\n\nfunc init() {}\n",
            "kept/one.go": "package kept\n\nfunc init() {}\n",
            "kept/two.go": "package kept\n\nfunc init() {}\n",
            "main.go": (
                'package main\n\nimport (\n\t_ "ggone/kept"\n\t_ "ggone/side" //!\n)\n\n'
                "func main() {}\n"
            ),
        },
        {"side/side.go": "", "kept/two.go": ""},
    ),
    "gone_rust": (
        {
            "Cargo.toml": '[package]\nname = "rgone"\nversion = "0.1.0"\n',
            "src/lib.rs": "mod boxes; //!\nmod user;\n",
            "src/boxes.rs": "pub const SIZE: u8 = 1;\n",
            "src/user.rs": "use crate::boxes; //!\n",
        },
        {"src/boxes.rs": ""},
    ),
    "gone_c": (
        {
            "gone.h": "#define GONE_SIZE 1\n",
            "inc/far.hpp": "#pragma once\n#define FAR_SIZE 1\n",
            "main.c": '#include <stdio.h>\n#include "gone.h" //!\nint main(void) { return 0; }\n',
            "src/user.cpp": '#include "../inc/far.hpp" //!\n',
        },
        {"gone.h": "", "inc/far.hpp": ""},
    ),
    "gone_php": (
        {
            "src/Lines.php": "<?php\nconst LINES = 1;\n",
            "src/Use.php": "<?php\nrequire_once __DIR__ . '/Lines.php'; //!\n",
        },
        {"src/Lines.php": ""},
    ),
    "gone_ruby": (
        {
            "lib/lines.rb": "LINES = 1\n",
            "lib/one.rb": "require_relative 'lines' #!\nrequire 'json'\n",
        },
        {"lib/lines.rb": ""},
    ),
}
