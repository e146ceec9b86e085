// Has the official conformance suites test `silcrow-mcp-server`.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { suite } from "./suite.mjs";

const program = join(process.env.SILCROW_PROGRAMS, "examples/conformance_server");
const server = spawn(program, { stdio: ["ignore", "pipe", "inherit"] });
process.on("exit", () => server.kill("SIGKILL"));
const [url] = await once(createInterface(server.stdout), "line");

await suite("dated", ["server", "--url", url, "--suite", "all"], "expected-dated.yml");
for (const revision of ["2025-11-25", "2026-07-28"]) {
  const args = ["server", "--url", url, "--requirements", revision];
  await suite("newest", args, `expected-${revision}.yml`);
}
server.kill();
