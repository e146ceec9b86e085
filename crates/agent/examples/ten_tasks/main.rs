//! Ten tasks, each once with plain calls and once with control blocks: requests, tokens and time.
//!
//! `cargo run -p silcrow-agent --example ten_tasks` prints the table of `docs/control-blocks.md`.
//!
//! The model is a script, which both times does what a good model would do, and both times says the
//! same at the end. The tools are stubs that take 200 ms. A request takes 600 ms to its first
//! token, and a token 10 ms. The clock is paused, so nothing really waits, and times follow from
//! these assumptions.
#![expect(clippy::print_stdout, reason = "its reader sits at a terminal")]

mod paced;
mod stubs;
mod tasks;

use std::error::Error;

use silcrow_agent::{Agent, AgentOptions};
use silcrow_context::GuideLength;
use silcrow_parser::Dialect;
use silcrow_store::MemoryStore;
use tokio::time::Instant;

use crate::paced::PacedModel;
use crate::stubs::toolbox;
use crate::tasks::{Task, tasks};

/// The cost of a run.
struct Taken {
    requests: usize,
    tokens: u64,
    seconds: f64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    tokio::time::pause();
    println!(
        "| task | requests | with blocks | tokens | with blocks | less | seconds | with blocks |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    let mut all = (0, 0);
    for task in tasks() {
        let plain = run(&task, &task.plain, GuideLength::Calls).await?;
        let blocks = run(&task, std::slice::from_ref(&task.blocks), GuideLength::Full).await?;
        all = (all.0 + plain.tokens, all.1 + blocks.tokens);
        println!(
            "| {} | {} | {} | {} | {} | {} | {:.1} | {:.1} |",
            task.name,
            plain.requests,
            blocks.requests,
            plain.tokens,
            blocks.tokens,
            less(plain.tokens, blocks.tokens),
            plain.seconds,
            blocks.seconds,
        );
    }
    println!("| all ten | | | {} | {} | {} | | |", all.0, all.1, less(all.0, all.1));
    Ok(())
}

/// Runs a task with these answers of the model, and checks what it says at the end.
async fn run(task: &Task, answers: &[String], guide: GuideLength) -> Result<Taken, Box<dyn Error>> {
    let model = PacedModel::new(answers);
    let mut options = AgentOptions::default();
    options.dialect = Dialect::Action.into();
    options.guide = guide;
    let agent =
        Agent::new(model.clone(), MemoryStore::new()).with_options(options).with_tools(toolbox());
    let begin = Instant::now();
    let answer = agent.ask(task.prompt).await?;
    assert_eq!(answer.text, task.says, "{}", task.name);
    let seconds = begin.elapsed().as_secs_f64();
    Ok(Taken { requests: model.asked(), tokens: answer.usage.tokens(), seconds })
}

/// Returns how much less one number is than another, in percent.
#[expect(clippy::cast_precision_loss, reason = "these are a few thousand tokens")]
fn less(before: u64, after: u64) -> String {
    format!("{:.0} %", 100.0 * (after as f64 / before as f64 - 1.0))
}
