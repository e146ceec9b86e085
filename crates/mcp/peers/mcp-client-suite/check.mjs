// Has the official conformance suites test the client of `silcrow-mcp`.

import { join } from "node:path";

import { suite } from "./suite.mjs";

const client = join(process.env.SILCROW_PROGRAMS, "examples/conformance_client");

await suite("dated", ["client", "--command", client, "--suite", "all"], "expected-dated.yml");
for (const revision of ["2025-11-25", "2026-07-28"]) {
  const args = ["client", "--command", client, "--requirements", revision];
  await suite("newest", args, `expected-${revision}.yml`);
}
