//! `cargo lab load`, which measures the cost that a server adds to the answers of many runs at
//! once.
//!
//! The server and its readers are two processes of `crates/server/examples/load.rs`, so that only
//! the memory of the server is measured.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::measure::count_running;

/// Measures, prints a table, and fails above the limits.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let (streams, seconds, cuts) = match args {
        [] => (1_000, 30, 10_000),
        ["--streams", streams, "--seconds", seconds, "--reconnects", cuts] => {
            let number = |text: &str| text.parse::<u64>().map_err(|why| format!("{text}: {why}"));
            (number(streams)?, number(seconds)?, number(cuts)?)
        }
        _ => {
            return Err(
                "`cargo lab load` takes nothing, or --streams N --seconds N --reconnects N"
                    .to_owned(),
            );
        }
    };
    let program = build()?;
    let server = LoadServer::start(&program, "serve", RATE)?;
    let before = server.memory()?;
    let seconds = seconds.to_string();
    let read = server.ask(&["read"], &[&streams.to_string(), &seconds])?;
    let memory = server.memory()?;
    drop(server);
    // The models need not be slow if only the order of their words counts.
    let server = LoadServer::start(&program, "serve", 20 * RATE)?;
    let cut = server.ask(&["reconnect"], &["50", &cuts.to_string()])?;
    drop(server);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let number = |value: &Value, name: &str| value[name].as_f64().unwrap_or(f64::INFINITY);
    let p99 = number(&read, "p99");
    println!("| what | measured | limit |\n|---|---|---|");
    println!("| words of {streams} streams, {RATE} a second each | {} | – |", read["words"]);
    println!("| latency that the server adds, median | {} ms | – |", number(&read, "p50"));
    println!("| … the 99th of a hundred | {p99} ms | {MOST_LATE} ms |");
    println!(
        "| … the 999th of a thousand, and the worst | {} ms, {} ms | – |",
        read["p999"], read["max"]
    );
    println!(
        "| memory of the server before, and at most | {before} MB, {memory} MB | {MOST_MEMORY} MB |"
    );
    println!("| words over {} connections that were cut | {} | – |", cut["cuts"], cut["words"]);
    println!("| … that were missing or came twice | {} | 0 |", cut["faults"]);
    println!("\nThe load was {} at the end.", load.split(' ').next().unwrap_or_default());
    if cut["faults"] != 0 {
        return Err("words were missing or came twice".to_owned());
    }
    if p99 > MOST_LATE || memory > MOST_MEMORY {
        return Err("the server is above its limits".to_owned());
    }
    Ok(())
}

/// The cost of a stream of the server.
pub(crate) struct StreamCost {
    /// The bytes of memory, with the text of its run.
    pub(crate) bytes: f64,
    /// The microseconds of the server's processor time for a word.
    pub(crate) micros: f64,
}

/// Measures a few streams for a few seconds, of the server and of a program that only writes.
pub(crate) fn streams() -> Result<[StreamCost; 2], String> {
    let program = build()?;
    Ok([stream(&program, "serve")?, stream(&program, "bare")?])
}

/// Counts the instructions for a word of a few streams, of the server and of a program that only writes.
pub(crate) fn word_instructions() -> Result<[f64; 2], String> {
    let program = build()?;
    Ok([counted_word(&program, "serve")?, counted_word(&program, "bare")?])
}

/// Counts a longer time and a shorter one, so that one-time costs of a stream do not count.
fn counted_word(program: &Path, kind: &str) -> Result<f64, String> {
    let count = |seconds: &str| {
        let (total, words) = count_running(|mut valgrind| {
            valgrind.arg("--quiet").arg(program);
            let server = LoadServer::start_by(valgrind, program, kind, RATE)?;
            let read = server.ask(&["read"], &[COUNTED_STREAMS, seconds])?;
            server.end()?;
            read["words"].as_f64().ok_or_else(|| "the client counted no words".to_owned())
        })?;
        Ok::<_, String>((total.instructions, words))
    };
    let [shorter, longer] = COUNTED_SECONDS;
    let ((before, few), (after, many)) = (count(shorter)?, count(longer)?);
    Ok((after - before) / (many - few))
}

fn stream(program: &Path, kind: &str) -> Result<StreamCost, String> {
    let server = LoadServer::start(program, kind, RATE)?;
    let before = server.memory()?;
    let read = server.ask(&["read"], &[&FEW_STREAMS.to_string(), FEW_SECONDS])?;
    let words = read["words"].as_f64().ok_or("the client counted no words")?;
    let stat = format!("/proc/{}/stat", server.process.id());
    Ok(StreamCost {
        bytes: (server.memory()? - before) * 1e6 / f64::from(FEW_STREAMS),
        micros: crate::builds::seconds(&stat, OWN_TICKS)? * 1e6 / words,
    })
}

fn build() -> Result<PathBuf, String> {
    let mut cargo = crate::cargo();
    cargo.args(["build", "--quiet", "--locked", "--release"]);
    cargo.args(["--package", "silcrow-server", "--example", "load"]);
    crate::succeed(&mut cargo, "the build of the server")?;
    Ok(crate::target().join("release/examples/load"))
}

/// A server, which ends with this value.
struct LoadServer {
    process: Child,
    program: PathBuf,
    port: String,
}

impl LoadServer {
    fn start(program: &Path, kind: &str, rate: u32) -> Result<Self, String> {
        Self::start_by(Command::new(program), program, kind, rate)
    }

    /// Starts a server by a command that lacks only the server's arguments.
    fn start_by(
        mut server: Command,
        program: &Path,
        kind: &str,
        rate: u32,
    ) -> Result<Self, String> {
        let failed = |why: std::io::Error| format!("{}: {why}", program.display());
        server.args([kind, &rate.to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = server.spawn().map_err(failed)?;
        let mut port = String::new();
        let output = process.stdout.as_mut().ok_or("the server has no output")?;
        BufReader::new(output).read_line(&mut port).map_err(failed)?;
        Ok(Self { process, program: program.to_owned(), port: port.trim().to_owned() })
    }

    /// Ends the server by the end of its input, and waits for it.
    fn end(mut self) -> Result<(), String> {
        drop(self.process.stdin.take());
        let ended = self.process.wait().map_err(|why| format!("the server: {why}"))?;
        if ended.success() { Ok(()) } else { Err(format!("the server ended with {ended}")) }
    }

    /// Runs a client of the server, and returns its output.
    fn ask(&self, command: &[&str], args: &[&str]) -> Result<Value, String> {
        let mut client = Command::new(&self.program);
        client.args(command).arg(&self.port).args(args).stderr(Stdio::inherit());
        let output = client.output().map_err(|why| format!("the client: {why}"))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        serde_json::from_str(&text).map_err(|why| format!("the client printed {text:?}: {why}"))
    }

    /// Returns the most memory that the server has had, in MB.
    fn memory(&self) -> Result<f64, String> {
        let path = format!("/proc/{}/status", self.process.id());
        let status = fs::read_to_string(&path).map_err(|why| format!("{path}: {why}"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
        let kilobytes = kilobytes.and_then(|text| text.trim().parse::<f64>().ok());
        let bytes = kilobytes.ok_or("the system does not say how much memory it has")? * 1_024.0;
        Ok((bytes / 1e5).round() / 10.0)
    }
}

impl Drop for LoadServer {
    fn drop(&mut self) {
        // It has nothing that is worth an ordinary end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The streams of [`streams`], and how long they are read.
const FEW_STREAMS: u32 = 200;
const FEW_SECONDS: &str = "10";

/// The streams of [`word_instructions`], and the two times for which they are read.
const COUNTED_STREAMS: &str = "10";
const COUNTED_SECONDS: [&str; 2] = ["3", "11"];

/// The first of the two fields of `/proc/PID/stat` with the ticks of the process itself, counted
/// after its name.
const OWN_TICKS: usize = 11;

/// The words that a model writes in a second.
const RATE: u32 = 50;

/// The most that 99 of 100 words may be late, in milliseconds.
const MOST_LATE: f64 = 25.0;

/// The most memory that the server may have, in MB.
const MOST_MEMORY: f64 = 150.0;
