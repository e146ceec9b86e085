// Starts an MCP server, and does something to it when the first call arrives: `kill` ends it, `freeze`
// stops it, and `garble` breaks the line that answers. A file marks that it was done.
//
// node meddle.mjs kill|freeze|garble MARK COMMAND…

import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [way, mark, program, ...args] = process.argv.slice(2);
const server = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
let garbles = false;

server.on("exit", (code) => process.exit(code ?? 9));
process.stdin.on("end", () => server.stdin.end());

createInterface({ input: process.stdin }).on("line", (line) => {
  if (line.includes('"tools/call"') && !existsSync(mark)) {
    writeFileSync(mark, way);
    if (way === "kill") return server.kill("SIGKILL");
    if (way === "freeze") server.kill("SIGSTOP");
    garbles = way === "garble";
  }
  server.stdin.write(`${line}\n`);
});

createInterface({ input: server.stdout }).on("line", (line) => {
  if (garbles) {
    garbles = false;
    const half = Buffer.from(line.slice(0, line.length / 2));
    return process.stdout.write(Buffer.concat([half, Buffer.from([0xff, 0xfe, 0, 10])]));
  }
  process.stdout.write(`${line}\n`);
});
