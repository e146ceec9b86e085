//! The costs of the command as a whole: its build, size, crates and start, its stored data, and a
//! stream of its server.
//!
//! This module measures the programs. It compares nothing.

use std::fs;
use std::path::Path;

use super::MeasureUnit::{Bytes, Crates, Instructions, Microseconds, Milliseconds};
use super::callgrind::{count_whole, probe};
use super::{MeasureUnit, MeasuredRow};
use crate::{builds, load, start};

/// A source, and the function that measures it.
type ProgramSource = (&'static str, fn() -> Result<Vec<MeasuredRow>, String>);

pub(super) const PROGRAM_SOURCES: &[ProgramSource] =
    &[("program", program), ("start", starts), ("server", server)];

/// Sources that are measured only if they are named.
pub(super) const NAMED_SOURCES: &[ProgramSource] = &[("build", build)];

/// Returns the size of the release build, its crates, and the instructions of its start.
fn program() -> Result<Vec<MeasuredRow>, String> {
    let program = crate::build("release")?;
    let bytes = fs::metadata(&program).map_err(|why| format!("{}: {why}", program.display()))?;
    let row =
        |name: &str, value: f64, unit| MeasuredRow::new(format!("program, {name}"), value, unit);
    let mut rows = vec![
        row("size", bytes.len() as f64, Bytes),
        row("crates", builds::command_crates()? as f64, Crates),
    ];
    match probe() {
        Ok(()) => {
            rows.push(row("--version", instructions(&program, &["--version"])?, Instructions));
            let counted =
                start::instructions()?.map(|(name, value)| row(name, value, Instructions));
            rows.extend(counted);
        }
        Err(why) => println!("the instructions of the start are left out: {why}"),
    }
    Ok(rows)
}

fn instructions(program: &Path, args: &[&str]) -> Result<f64, String> {
    Ok(count_whole(program, args)?.instructions)
}

/// Returns the processor time and the size of the first build that the README names.
fn build() -> Result<Vec<MeasuredRow>, String> {
    let (seconds, bytes) = builds::first_build()?;
    Ok(vec![
        MeasuredRow::new("build, without features", seconds * 1e3, Milliseconds),
        MeasuredRow::new("build, size without features", bytes as f64, Bytes),
    ])
}

/// Returns the times until the command has begun, in a store with one conversation.
fn starts() -> Result<Vec<MeasuredRow>, String> {
    let times = start::medians(1)?;
    let row =
        |(name, ms): (&str, f64)| MeasuredRow::new(format!("start, {name}"), ms, Milliseconds);
    Ok(times.into_iter().map(row).collect())
}

/// Returns the cost of a stream of the server, and of a program that only writes.
fn server() -> Result<Vec<MeasuredRow>, String> {
    let [served, bare] = load::streams()?;
    let row = |name: &str, value: f64, unit: MeasureUnit| {
        MeasuredRow::new(format!("server, {name}"), value, unit)
    };
    let mut rows = vec![
        row("memory of a stream", served.bytes, Bytes),
        row("time of a word", served.micros, Microseconds),
        row("memory of a bare stream", bare.bytes, Bytes),
        row("time of a bare word", bare.micros, Microseconds),
    ];
    match probe() {
        Ok(()) => {
            let [served, bare] = load::word_instructions()?;
            rows.push(row("word", served, Instructions));
            rows.push(row("bare word", bare, Instructions));
        }
        Err(why) => println!("the instructions of a word are left out: {why}"),
    }
    Ok(rows)
}
