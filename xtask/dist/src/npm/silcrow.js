#!/usr/bin/env node
// Starts the program of the package for this system, and ends as it ends.
"use strict";

const { spawn } = require("node:child_process");

const platform = `@silcrow/${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "silcrow.exe" : "silcrow";

let program;
try {
  program = require.resolve(`${platform}/bin/${file}`);
} catch {
  console.error(
    `silcrow: the package ${platform} is missing; install silcrow without --omit=optional, ` +
      "or build it as its README says if there is none for this system",
  );
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends these to both processes, and the program decides what they mean.
for (const signal of ["SIGINT", "SIGQUIT"]) process.on(signal, () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`silcrow: ${program} does not start: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
