//! `cargo xtask eval`, which counts how well a small real model gets along with the protocol.
//!
//! Each question is a run of its own over the folder `eval/folder`. What a run wrote is judged in
//! `eval/verdict.rs`.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::local_model::{self, MODEL, Server};

mod memory;
mod verdict;

use verdict::{Question, Tally};

/// Asks all questions with each prompt, in each dialect, with and without a grammar.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    if let ["memory", args @ ..] = args {
        return memory::run(args);
    }
    let choice = Choice::read(args)?;
    let folder = local_model::folder();
    let python = local_model::fetch(&folder)?;
    let program = local_model::build()?;
    let bench = Bench {
        program,
        examples: folder.join("examples.jsonl"),
        server: Server::start(&python, &folder)?,
        root: crate::root().join("xtask/src/eval/folder"),
    };
    let questions = Question::all(choice.questions)?;
    println!("{}", Tally::HEAD);
    for &prompt in &choice.prompts {
        for &dialect in &choice.dialects {
            for grammar in [false, true] {
                let tally = bench.ask_all(&questions, prompt, dialect, grammar)?;
                let held = if grammar { "yes" } else { "no" };
                println!("| {} | `{dialect}` | {held} {tally}", prompt.name);
            }
        }
    }
    Ok(())
}

/// A way to teach the model the dialect.
#[derive(Clone, Copy)]
struct Prompt {
    name: &'static str,
    guide: &'static str,
    /// The number of files of examples.
    examples: usize,
}

const PROMPTS: [Prompt; 6] = [
    Prompt { name: "full", guide: "full", examples: 0 },
    Prompt { name: "brief", guide: "brief", examples: 0 },
    Prompt { name: "full-examples", guide: "full", examples: 1 },
    Prompt { name: "brief-examples", guide: "brief", examples: 1 },
    Prompt { name: "examples", guide: "off", examples: 1 },
    Prompt { name: "more-examples", guide: "off", examples: 2 },
];

const DIALECTS: [&str; 3] = ["sigil", "phase", "action"];

/// What the command line asks for.
struct Choice {
    questions: usize,
    prompts: Vec<Prompt>,
    dialects: Vec<&'static str>,
}

impl Choice {
    fn read(args: &[&str]) -> Result<Self, String> {
        let mut choice = Self { questions: usize::MAX, prompts: Vec::new(), dialects: Vec::new() };
        for pair in args.chunks(2) {
            match *pair {
                ["--questions", number] => {
                    let is_none = |_| format!("`--questions {number}` is not a number");
                    choice.questions = number.parse().map_err(is_none)?;
                }
                ["--prompt", name] => {
                    let names = PROMPTS.map(|prompt| prompt.name);
                    let found = PROMPTS.into_iter().find(|prompt| prompt.name == name);
                    choice.prompts.push(found.ok_or_else(|| unknown("--prompt", &names))?);
                }
                ["--dialect", name] => {
                    let found = DIALECTS.into_iter().find(|dialect| *dialect == name);
                    choice.dialects.push(found.ok_or_else(|| unknown("--dialect", &DIALECTS))?);
                }
                _ => return Err("use --questions N, --prompt NAME or --dialect NAME".to_owned()),
            }
        }
        if choice.prompts.is_empty() {
            choice.prompts = PROMPTS.to_vec();
        }
        if choice.dialects.is_empty() {
            choice.dialects = DIALECTS.to_vec();
        }
        Ok(choice)
    }
}

fn unknown(flag: &str, names: &[&str]) -> String {
    format!("use `{flag}` with one of {}", names.join(", "))
}

/// The model and the command that asks it.
struct Bench {
    program: PathBuf,
    examples: PathBuf,
    server: Server,
    root: PathBuf,
}

impl Bench {
    fn ask_all(
        &self,
        questions: &[Question],
        prompt: Prompt,
        dialect: &str,
        grammar: bool,
    ) -> Result<Tally, String> {
        let mut tally = Tally::default();
        local_model::write_examples(&self.examples, prompt.examples)?;
        let mut told = Instant::now();
        for (index, question) in questions.iter().enumerate() {
            if told.elapsed() > Duration::from_secs(5) {
                eprint!("\r{}/{}", index, questions.len());
                // It is for the eye only.
                let _ = std::io::stderr().flush();
                told = Instant::now();
            }
            let begin = Instant::now();
            let (code, events) = self.ask(&question.text, prompt, dialect, grammar)?;
            tally.add(question, code, &events, begin.elapsed());
            self.keep(prompt, dialect, grammar, question, code, &events)?;
        }
        eprint!("\r");
        Ok(tally)
    }

    /// Runs the command once, and returns its exit code and its events.
    fn ask(
        &self,
        question: &str,
        prompt: Prompt,
        dialect: &str,
        grammar: bool,
    ) -> Result<(i32, Vec<Value>), String> {
        let url = format!("http://127.0.0.1:{}/v1", self.server.port);
        let mut run = Command::new(&self.program);
        run.args(["run", question, "--json", "--store", "memory", "--max-steps", "6"])
            .args(["--max-time", "5", "--dialect", dialect, "--guide", prompt.guide])
            .args(["--model", &format!("compatible:{url}#{MODEL}")])
            .arg("--root")
            .arg(&self.root)
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        if prompt.examples > 0 {
            run.arg("--examples").arg(&self.examples);
        }
        if grammar {
            run.args(["--grammar", "llama.cpp"]);
        }
        let output = run.output().map_err(|why| format!("silcrow does not start: {why}"))?;
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        let events: Result<Vec<Value>, _> = lines.lines().map(serde_json::from_str).collect();
        let events = events.map_err(|why| format!("silcrow wrote what is no JSON: {why}"))?;
        Ok((output.status.code().unwrap_or(-1), events))
    }

    /// Adds a run to `eval.jsonl` beside the model, which shows what the model wrote.
    fn keep(
        &self,
        prompt: Prompt,
        dialect: &str,
        grammar: bool,
        question: &Question,
        code: i32,
        events: &[Value],
    ) -> Result<(), String> {
        let path = local_model::folder().join("eval.jsonl");
        let line = serde_json::json!({
            "prompt": prompt.name,
            "dialect": dialect,
            "grammar": grammar,
            "question": question.text,
            "exit": code,
            "events": events,
        });
        append(&path, &line.to_string())
    }
}

fn append(path: &Path, line: &str) -> Result<(), String> {
    let file = fs::OpenOptions::new().create(true).append(true).open(path);
    let written = file.and_then(|mut file| writeln!(file, "{line}"));
    written.map_err(|why| format!("{}: {why}", path.display()))
}
