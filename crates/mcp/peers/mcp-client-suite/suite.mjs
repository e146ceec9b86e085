// The official conformance suites of the Model Context Protocol, of which each failure that is not in
// the file of expected ones, and each expected one that does not fail, is a failure of this check.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "silcrow-mcp-suite-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Runs a suite, and shows what it says if it fails. */
export function suite(name, args, expected) {
  const program = `node_modules/${name}/dist/index.js`;
  const all = [program, ...args, "-o", join(folder, name), "--expected-failures", resolve(expected)];
  const options = { maxBuffer: 1 << 28, timeout: 600_000 };
  return new Promise((done) => {
    execFile(process.execPath, all, options, (error, stdout, stderr) => {
      if (error) {
        console.log(stdout, stderr);
        console.log(`failed: ${name} ${args.join(" ")}`);
        process.exitCode = 1;
      }
      done();
    });
  });
}
