//! `cargo lab eval memory`, which counts how many questions a small real model answers about
//! statements from more than 30 turns ago, in a window of 2,048 tokens.
//!
//! Each conversation is imported, and then continued until it outgrows the window, so that a run has
//! the model summarize its beginning. Each question continues a copy of that store.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use super::append;
use super::verdict::of_type;
use crate::local_model::{self, MODEL, ModelServer};

mod talk;
mod tally;

use talk::{PERSON, Talk};
use tally::MemoryTally;

/// Asks the questions of each conversation with each memory.
pub(super) fn run(args: &[&str]) -> Result<(), String> {
    let count = match *args {
        [] => Talk::COUNT,
        ["--talks", number] => {
            let count = number.parse().ok().filter(|count| (1..=Talk::COUNT).contains(count));
            count.ok_or_else(|| format!("use `--talks` with a number up to {}", Talk::COUNT))?
        }
        _ => return Err("use --talks N".to_owned()),
    };
    let folder = local_model::folder();
    let python = local_model::fetch(&folder)?;
    let program = crate::build("dev")?;
    let server = ModelServer::start(&python, &folder)?;
    let work = folder.join("memory");
    // It may not exist.
    let _ = fs::remove_dir_all(&work);
    let made = fs::create_dir_all(work.join("root"))
        .and_then(|()| fs::write(work.join(EXAMPLES.0), EXAMPLES.1));
    made.map_err(|why| format!("{}: {why}", work.display()))?;
    let no_tools = no_tools(&program)?;
    let bench = MemoryBench { program, server, work, no_tools };
    let mut tallies = MEMORIES.map(|_| MemoryTally::default());
    for talk in (0..count).map(Talk::new) {
        for (memory, tally) in MEMORIES.iter().zip(&mut tallies) {
            bench.ask_all(&talk, *memory, tally)?;
            eprintln!("{}, {memory}: {tally} so far", talk.id());
        }
    }
    println!("{}", MemoryTally::HEAD);
    for (memory, tally) in MEMORIES.iter().zip(&tallies) {
        println!("| {memory} {tally}");
    }
    Ok(())
}

/// The model's access to the turns that do not fit in its window.
#[derive(Clone, Copy)]
struct Memory {
    older: OlderTurns,
    has_recall: bool,
}

/// The replacement for the older turns.
#[derive(Clone, Copy, PartialEq)]
enum OlderTurns {
    /// The line that turns are missing.
    Nothing,
    /// The summary of the model itself.
    Summary,
    /// A list of the facts, which a person wrote in place of the summary.
    Notes,
    /// The turns, in a larger window.
    Themselves,
}

const MEMORIES: [Memory; 6] = [
    Memory { older: OlderTurns::Nothing, has_recall: false },
    Memory { older: OlderTurns::Summary, has_recall: false },
    Memory { older: OlderTurns::Nothing, has_recall: true },
    Memory { older: OlderTurns::Summary, has_recall: true },
    Memory { older: OlderTurns::Notes, has_recall: false },
    Memory { older: OlderTurns::Themselves, has_recall: false },
];

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.older {
            OlderTurns::Nothing => "nothing",
            OlderTurns::Summary => "summary",
            OlderTurns::Notes => "notes of a person",
            OlderTurns::Themselves => "the turns",
        })?;
        f.write_str(if self.has_recall { " and `recall`" } else { "" })
    }
}

/// The model and the command that asks it.
struct MemoryBench {
    program: PathBuf,
    server: ModelServer,
    /// The folder of all files.
    work: PathBuf,
    /// The choice of tools that leaves out all of them.
    no_tools: String,
}

impl MemoryBench {
    fn ask_all(&self, talk: &Talk, memory: Memory, tally: &mut MemoryTally) -> Result<(), String> {
        let is_whole = memory.older == OlderTurns::Themselves;
        let name = match (is_whole, memory.has_recall) {
            (true, _) => "whole",
            (false, false) => "plain",
            (false, true) => "recall",
        };
        let grown = self.work.join(format!("{}-{name}", talk.id()));
        if !grown.exists() {
            self.grow(talk, memory, &grown)?;
        }
        let words = match memory.older {
            OlderTurns::Nothing => Some(MISSING.to_owned()),
            OlderTurns::Notes => Some(talk.notes()),
            OlderTurns::Summary | OlderTurns::Themselves => None,
        };
        let store = self.work.join("store");
        for fact in &talk.facts {
            // It may not exist.
            let _ = fs::remove_dir_all(&store);
            finish(Command::new("cp").arg("-R").arg(&grown).arg(&store))?;
            if let Some(words) = &words {
                let args = ["compact", &talk.id(), "--text", words];
                finish(&mut self.command(&args, &store, memory))?;
            }
            let begin = Instant::now();
            let (code, events) = self.say(talk, memory, &store, &fact.question)?;
            let is_right = code == 0 && fact.is_answered_by(&events);
            tally.add(fact, is_right, &events, begin.elapsed());
            let line = json!({"question": fact.question, "right": is_right, "exit": code});
            keep(talk, memory, line, &events)?;
        }
        Ok(())
    }

    /// Imports a conversation, and continues it until it outgrows the window.
    fn grow(&self, talk: &Talk, memory: Memory, store: &Path) -> Result<(), String> {
        let file = self.work.join("export.jsonl");
        fs::write(&file, talk.export(memory.has_recall))
            .map_err(|why| format!("{}: {why}", file.display()))?;
        let mut import = Command::new(&self.program);
        finish(import.args(["log", "import", "--own"]).arg(&file).arg("--store").arg(store))?;
        // The model would search for the numbers of the next question.
        let plain = Memory { has_recall: false, ..memory };
        let (code, events) = self.say(talk, plain, store, &talk.next_words())?;
        keep(talk, memory, json!({"grows": true, "exit": code}), &events)?;
        let is_summarized = of_type(&events, "summary").next().is_some();
        if is_summarized || memory.older == OlderTurns::Themselves {
            return Ok(());
        }
        Err(format!("{} was not summarized; see memory.jsonl", talk.id()))
    }

    /// Continues a conversation, and returns the exit code of the run and its events.
    fn say(
        &self,
        talk: &Talk,
        memory: Memory,
        store: &Path,
        words: &str,
    ) -> Result<(i32, Vec<Value>), String> {
        let args = ["run", words, "--conversation", &talk.id(), "--json"];
        let mut run = self.command(&args, store, memory);
        let output = run.args(["--max-steps", "4", "--max-time", "5"]).output();
        let output = output.map_err(|why| format!("silcrow does not start: {why}"))?;
        Ok((output.status.code().unwrap_or(-1), lines(&output.stdout)?))
    }

    /// Returns the command with these arguments and the flags that `run` and `compact` share.
    fn command(&self, args: &[&str], store: &Path, memory: Memory) -> Command {
        let model = format!("compatible:http://127.0.0.1:{}/v1#{MODEL}", self.server.port);
        let mut command = Command::new(&self.program);
        command.args(args).args(["--model", &model, "--user", PERSON, "--no-instructions"]);
        command.args(["--dialect", "action", "--guide", "off"]);
        command.args(match memory.older {
            OlderTurns::Themselves => ["--window", "4096", "--compact-at", "0"],
            _ => ["--window", "2048", "--compact-at", "70"],
        });
        if memory.has_recall {
            // The conversation itself has the examples.
            command.args(["--tools", "recall"]);
        } else {
            command.args(["--tools", &self.no_tools, "--examples"]).arg(self.work.join(EXAMPLES.0));
        }
        command.arg("--root").arg(self.work.join("root")).arg("--store").arg(store);
        command.stdin(Stdio::null()).stderr(Stdio::null());
        command
    }
}

/// Returns the choice of tools that leaves out all of them.
fn no_tools(program: &Path) -> Result<String, String> {
    let output = Command::new(program).args(["tools", "--json"]).output();
    let output = output.map_err(|why| format!("silcrow does not start: {why}"))?;
    let tools = lines(&output.stdout)?;
    let names: Vec<_> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    Ok(format!("except:{}", names.join(",")))
}

fn lines(json: &[u8]) -> Result<Vec<Value>, String> {
    let lines = String::from_utf8_lossy(json);
    let values: Result<_, _> = lines.lines().map(serde_json::from_str).collect();
    values.map_err(|why| format!("silcrow wrote what is no JSON: {why}"))
}

fn finish(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|why| format!("{name} does not start: {why}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{name} failed: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

/// Adds a run to `memory.jsonl` beside the model, which has the model's text.
fn keep(talk: &Talk, memory: Memory, mut line: Value, events: &[Value]) -> Result<(), String> {
    line["talk"] = talk.id().into();
    line["memory"] = memory.to_string().into();
    line["events"] = events.into();
    append(&local_model::folder().join("memory.jsonl"), &line.to_string())
}

/// The words that stand for turns that nobody summarized.
const MISSING: &str = "[Older messages are left out here without a summary.]";

/// The file of the examples that precede a conversation without the tool `recall`. The model can only
/// continue a text.
const EXAMPLES: (&str, &str) = ("examples.jsonl", include_str!("memory/examples.jsonl"));
