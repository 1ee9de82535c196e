import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf } from "../src/pipFailure";

const WANTED = "surveyor==1.2.3";
const NOTHING = [
  `ERROR: Could not find a version that satisfies the requirement ${WANTED} (from versions: none)`,
  `ERROR: No matching distribution found for ${WANTED}`,
];

const retry = (why: string): string =>
  `WARNING: Retrying (Retry(total=0, connect=None)) after connection broken by '${why}': /simple/surveyor/`;

test("an index that cannot be reached is not one without the package", () => {
  for (const [why, said] of [
    ["NewConnectionError('<…>: Failed to establish a new connection: [Errno 111] Connection refused')", /refuses the connection/],
    ["NewConnectionError('<…>: Failed to establish a new connection: [Errno -2] Name or service not known')", /its name is not known/],
    ["ConnectTimeoutError(<…>, 'Connection to pypi.org timed out. (connect timeout=15)')", /does not answer/],
    ["SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed'))", /certificate/],
    ["ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 403 Forbidden'))", /proxy/],
  ] as const) {
    const told = failureOf([retry(why), ...NOTHING], WANTED) ?? "";
    assert.match(told, /cannot be reached/);
    assert.match(told, said);
  }
});

test("an index without the package is said to have none", () => {
  assert.equal(failureOf(["Looking in indexes: https://example.org/simple", ...NOTHING], WANTED), `the package index has no ${WANTED}`);
  const other = "ERROR: Ignored the following versions that require a different python version: 1.2.3 Requires-Python >=3.14";
  assert.match(failureOf([other, ...NOTHING], WANTED) ?? "", /for this version of Python/);
});

test("what a machine lacks is named", () => {
  assert.match(failureOf(["The virtual environment was not created successfully because ensurepip is not available."], WANTED) ?? "", /python3-venv/);
  assert.equal(failureOf(["ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"], WANTED), "the disk is full");
});

test("else the last error is told, and the last line where there is none", () => {
  assert.equal(failureOf(["error: subprocess-exited-with-error", "note: This is an issue with the package"], WANTED), "error: subprocess-exited-with-error");
  assert.equal(failureOf(["one", "two", ""], WANTED), "two");
  assert.equal(failureOf([], WANTED), undefined);
});
