//! `cargo lab turns`, which measures how long a run takes to its first token after conversations of
//! different lengths.
//!
//! The model is the rehearsal, which answers at once, so all of the time is the command's.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{stored, timed};

/// Measures runs after a short and a long conversation, and prints a table.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let numbers = args.iter().map(|arg| arg.parse::<usize>());
    let turns = match numbers.collect::<Result<Vec<_>, _>>().as_deref() {
        Ok([]) => [100, 5_000],
        Ok(&[few, many]) if KEPT < few && few < many => [few, many],
        _ => {
            return Err(format!(
                "`cargo lab turns` takes two numbers above {KEPT}, the less first"
            ));
        }
    };
    let program = crate::build("release")?;
    let folder = crate::root().join("target/turns");
    let _ = fs::remove_dir_all(&folder);
    println!("| conversation | {} turns | {} turns | ratio |", turns[0], turns[1]);
    println!("|---|---|---|---|");
    for (name, is_compacted) in [("whole", false), ("with a summary", true)] {
        let homes = turns.map(|turns| folder.join(format!("{turns}-{is_compacted}")));
        for (home, turns) in homes.iter().zip(turns) {
            let made = fs::create_dir_all(home.join("work"));
            made.map_err(|why| format!("cannot write {}: {why}", home.display()))?;
            stored::import(&program, home, events(turns, is_compacted))?;
        }
        let [few, many] = medians(&program, &homes)?;
        println!("| {name} | {few:.1} ms | {many:.1} ms | {:.2} |", many / few);
    }
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("\nThe load was {} at the end.", load.split(' ').next().unwrap_or_default());
    Ok(())
}

/// Returns the median times of runs in two stores, in milliseconds. The runs take turns, so that other
/// work on the machine delays both alike.
fn medians(program: &Path, homes: &[PathBuf; 2]) -> Result<[f64; 2], String> {
    let mut times = [Vec::new(), Vec::new()];
    // The first ones fill the page cache.
    for round in 0..super::WARM + super::ROUNDS {
        for (times, home) in times.iter_mut().zip(homes) {
            let time = first_token(program, home)?;
            if round >= super::WARM {
                times.push(time);
            }
        }
    }
    Ok(times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1e3
    }))
}

/// Runs a prompt and returns the time until the first piece of the model's text.
fn first_token(program: &Path, home: &Path) -> Result<Duration, String> {
    let failed = |why: std::io::Error| format!("`silcrow run` fails: {why}");
    let mut run = Command::new(program);
    timed::set_person(&mut run, home);
    run.args(["run", "And then?", "--conversation", "c", "--rate", "1000000"]);
    run.args(["--json", "--stream", "token"]).stdout(Stdio::piped()).stderr(Stdio::null());
    let begin = Instant::now();
    let mut child = run.spawn().map_err(failed)?;
    let mut output = BufReader::new(child.stdout.take().ok_or("`silcrow run` has no output")?);
    let mut line = String::new();
    loop {
        line.clear();
        if output.read_line(&mut line).map_err(failed)? == 0 {
            return Err("`silcrow run` ends without a token".to_owned());
        }
        let event: Value = serde_json::from_str(&line).unwrap_or_default();
        if matches!(event["type"].as_str(), Some("think" | "respond")) {
            break;
        }
    }
    let time = begin.elapsed();
    // The rest of the output is read, so that the program can end.
    output.read_to_string(&mut line).map_err(failed)?;
    match child.wait().map_err(failed)? {
        status if status.success() => Ok(time),
        status => Err(format!("`silcrow run` ended with {status}")),
    }
}

/// Returns the lines of a conversation of prompts and answers. A summary may stand for all turns but
/// the last ones.
fn events(turns: usize, is_compacted: bool) -> impl Iterator<Item = String> {
    let mut seq = 0;
    let mut line = move |turn: usize, mut event: Value| {
        seq += 1;
        event["timestamp"] = json!((1_700_000_000 + seq) as f64);
        event["turn"] = json!(turn);
        event["seq"] = json!(seq);
        if event["type"] == "summary" {
            event["until"] = json!(seq - 1);
            event["shortened"] = json!(seq - 1);
        }
        format!("{}\n", json!({"conversation": "c", "event": event}))
    };
    (1..=turns).map(move |turn| {
        let asked = format!("{turn}: {}", stored::text(turn, 200));
        let mut lines = line(turn, json!({"type": "user", "content": asked}));
        lines += &line(turn, json!({"type": "respond", "content": stored::text(turn, 350)}));
        if is_compacted && turn == turns - KEPT {
            let content = stored::text(turn, 2_000);
            lines += &line(turn, json!({"type": "summary", "content": content, "author": "model"}));
        }
        lines
    })
}

/// The number of turns that a summary leaves.
const KEPT: usize = 90;
