//! `cargo lab eval`, which counts how well a real model gets along with the protocol: the small one
//! of this machine, or a model of any server of Chat Completions.
//!
//! Each question is a run over a copy of the folder `eval/folder`. The module `eval/verdict.rs`
//! judges the text of a run.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::local_model::{self, MODEL, ModelServer};

mod memory;
mod options;
mod question;
mod verdict;

use options::{EvalOptions, Setting};
use question::Question;
use verdict::{FinishedRun, RunTally};

/// Asks all questions in each setting.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    if let ["memory", args @ ..] = args {
        return memory::run(args);
    }
    let options = EvalOptions::read(args)?;
    let folder = local_model::folder();
    fs::create_dir_all(&folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    let program = crate::build("dev")?;
    let (server, model) = match &options.model {
        Some(model) => (None, format!("compatible:{model}")),
        None => {
            let server = ModelServer::start(&local_model::fetch(&folder)?, &folder)?;
            let model = format!("compatible:http://127.0.0.1:{}/v1#{MODEL}", server.port);
            (Some(server), model)
        }
    };
    let examples = folder.join("examples.jsonl");
    let bench = EvalBench { program, examples, model, root: folder.join("eval"), _server: server };
    let questions = Question::all(options.questions)?;
    println!("{}: `{}`, {} questions", stamp(), bench.model, questions.len());
    println!("{}", RunTally::HEAD);
    for setting in options.settings() {
        let kinds = bench.ask_all(&questions, setting)?;
        let mut all = RunTally::default();
        kinds.iter().for_each(|(_, tally)| all.merge(tally));
        println!("{setting} {all}");
        for (kind, tally) in kinds {
            println!("| · {kind} | | | {tally}");
        }
    }
    Ok(())
}

/// Returns the date and the commit.
fn stamp() -> String {
    let said = |program: &str, args: &[&str]| {
        let output = Command::new(program).args(args).current_dir(crate::root()).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let date = said("date", &["-u", "+%Y-%m-%d"]).unwrap_or_default();
    let commit = said("git", &["describe", "--always", "--dirty"]).unwrap_or_default();
    format!("{date}, commit {commit}")
}

/// The model and the command that asks it.
struct EvalBench {
    program: PathBuf,
    examples: PathBuf,
    model: String,
    /// The copy of the folder that a run works in.
    root: PathBuf,
    _server: Option<ModelServer>,
}

impl EvalBench {
    /// Returns the counts of each kind of question.
    fn ask_all(
        &self,
        questions: &[Question],
        setting: Setting,
    ) -> Result<Vec<(String, RunTally)>, String> {
        let mut kinds: Vec<(String, RunTally)> = Vec::new();
        local_model::write_examples(&self.examples, setting.prompt.examples)?;
        let mut told = Instant::now();
        for (index, question) in questions.iter().enumerate() {
            if told.elapsed() > Duration::from_secs(5) {
                eprint!("\r{}/{}", index, questions.len());
                // It is for the eye only.
                let _ = std::io::stderr().flush();
                told = Instant::now();
            }
            self.renew_root()?;
            let begin = Instant::now();
            let (code, events) = self.ask(&question.text, setting)?;
            let time = begin.elapsed();
            let has_changed =
                question.changed.as_ref().is_none_or(|change| change.is_made(&self.root));
            let run = FinishedRun { code, events: &events, time, has_changed };
            if kinds.last().is_none_or(|(kind, _)| *kind != question.kind) {
                kinds.push((question.kind.clone(), RunTally::default()));
            }
            if let Some((_, tally)) = kinds.last_mut() {
                tally.add(question, &run);
            }
            self.keep(setting, question, code, &events)?;
        }
        eprint!("\r");
        Ok(kinds)
    }

    /// Makes the copy of the folder new.
    fn renew_root(&self) -> Result<(), String> {
        // The folder may not exist.
        let _ = fs::remove_dir_all(&self.root);
        copy(&crate::root().join("xtask/lab/src/eval/folder"), &self.root)
            .map_err(|why| format!("{}: {why}", self.root.display()))
    }

    /// Runs the command once, and returns its exit code and its events.
    fn ask(&self, question: &str, setting: Setting) -> Result<(i32, Vec<Value>), String> {
        let Setting { prompt, dialect, calls, has_grammar } = setting;
        let mut run = Command::new(&self.program);
        run.args(["run", question, "--json", "--store", "memory", "--max-steps", "6"])
            .args(["--max-time", "5", "--dialect", dialect, "--guide", prompt.guide])
            .args(["--calls", calls, "--permissions", "workspace", "--model", &self.model])
            .arg("--root")
            .arg(&self.root)
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        if prompt.examples > 0 {
            run.arg("--examples").arg(&self.examples);
        }
        if has_grammar {
            run.args(["--grammar", "llama.cpp"]);
        }
        let output = run.output().map_err(|why| format!("silcrow does not start: {why}"))?;
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        let events: Result<Vec<Value>, _> = lines.lines().map(serde_json::from_str).collect();
        let events = events.map_err(|why| format!("silcrow wrote what is no JSON: {why}"))?;
        Ok((output.status.code().unwrap_or(-1), events))
    }

    /// Adds a run to `eval.jsonl` beside the model, which has the model's text.
    fn keep(
        &self,
        setting: Setting,
        question: &Question,
        code: i32,
        events: &[Value],
    ) -> Result<(), String> {
        let path = local_model::folder().join("eval.jsonl");
        let line = serde_json::json!({
            "setting": setting.to_string(),
            "question": question.text,
            "exit": code,
            "events": events,
        });
        append(&path, &line.to_string())
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &to)?,
            false => fs::copy(entry.path(), to).map(drop)?,
        }
    }
    Ok(())
}

fn append(path: &Path, line: &str) -> Result<(), String> {
    let file = fs::OpenOptions::new().create(true).append(true).open(path);
    let written = file.and_then(|mut file| writeln!(file, "{line}"));
    written.map_err(|why| format!("{}: {why}", path.display()))
}
