//! Compares `file_search` with ripgrep: `cargo run --release --example search_speed -- FOLDER QUERY`.
//!
//! The first argument after these is ripgrep's program, `rg` if it is left out. Each of the two
//! searches the folder 21 times, in turns, and the medians are printed.

#![expect(clippy::print_stdout, reason = "its reader sits at a terminal")]

use std::env;
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use silcrow_tool::{CallContext, Tool as _, ToolArgs};
use silcrow_tools::{FileSearch, Root};
use tokio::time::Instant;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = env::args().skip(1);
    let folder = args.next().ok_or("give a folder")?;
    let query = args.next().ok_or("give a query")?;
    let program = args.next().unwrap_or_else(|| "rg".to_owned());
    let tool = FileSearch::new(&Root::open(&folder)?);
    let call = json!({"query": query, "limit": 1000, "case": "exact"}).to_string();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let mut summary = String::new();
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        let output = tool.call(ToolArgs::new(&call), &CallContext::new("c", "a1")).await?;
        ours.push(begin.elapsed());
        summary = output.summary;

        let begin = Instant::now();
        let mut rg = Command::new(&program);
        rg.args(["--hidden", "--line-number", "--fixed-strings", "--sort", "none", &query]);
        rg.arg(&folder).output()?;
        theirs.push(begin.elapsed());
    }
    println!("{summary}");
    println!("file_search: {:?}", median(&mut ours));
    println!("{program}: {:?}", median(&mut theirs));
    Ok(())
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

const ROUNDS: usize = 21;
