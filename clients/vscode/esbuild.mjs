// Bundles the extension (`dist/extension.js`) and, with --tests, the unit tests (`out/*.test.js`).
import { build, context } from "esbuild";
import { readdirSync } from "node:fs";

const tests = process.argv.includes("--tests");
const watch = process.argv.includes("--watch");

const shared = { bundle: true, platform: "node", target: "node20", format: "cjs", logLevel: "info" };
const options = tests
  ? {
      ...shared,
      entryPoints: readdirSync("test").filter((f) => f.endsWith(".test.ts")).map((f) => `test/${f}`),
      outdir: "out",
      sourcemap: "inline",
    }
  : {
      ...shared,
      entryPoints: ["src/extension.ts"],
      outfile: "dist/extension.js",
      external: ["vscode"],
      minify: !watch,
      sourcemap: watch,
    };

if (watch) {
  await (await context(options)).watch();
} else {
  await build(options);
}
