//! Prints the output of the encoders, for the real clients that `cargo xtask faces` runs.
//!
//! ```text
//! streams PROTOCOL[:TARGET] SCENARIO             one of the runs of `tests/it/scenario.rs`
//! streams PROTOCOL[:TARGET] random SEED [COUNT]  random runs, with a zero byte after each
//! streams ag-ui-request BODY                     what is read in the body of a request
//! streams ai-sdk-request BODY
//! streams responses-request|chat-completions-request BODY
//! streams openai-errors|openai-models
//! ```
//!
//! The protocols `ai-sdk-before` and `ai-sdk-after` are the messages of a chat before and after a run,
//! and `ag-ui-messages` those after a run.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program reads what it prints")]

#[path = "streams/ag_ui.rs"]
mod ag_ui;
#[path = "streams/openai.rs"]
mod openai;
#[path = "../tests/it/random_run.rs"]
mod random_run;
#[path = "../tests/it/run_writer.rs"]
mod run_writer;
#[path = "../tests/it/scenario.rs"]
mod scenario;

use std::process::ExitCode;

use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use silcrow_front::{
    AiSdkEncoder, AiSdkRequest, AiSdkTarget, ClientToolNames, NativeEncoder, RunEncoder,
    ai_sdk_messages,
};

use scenario::Scenario;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let words: Vec<_> = args.iter().map(String::as_str).collect();
    let printed = match words[..] {
        [protocol, "random", seed] => random(protocol, seed, "1"),
        [protocol, "random", seed, count] => random(protocol, seed, count),
        ["ag-ui-request", body] => ag_ui::request(body),
        ["ai-sdk-request", body] => ai_sdk_request(body),
        ["openai-errors"] => Ok(openai::errors()),
        ["openai-models"] => Ok(openai::models()),
        [protocol @ ("responses-request" | "chat-completions-request"), body] => {
            openai::request(protocol, body)
        }
        [protocol, name] => named(protocol, name),
        _ => Err("streams PROTOCOL[:TARGET] SCENARIO | random SEED [COUNT]".to_owned()),
    };
    match printed {
        Ok(streams) => {
            print!("{streams}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("streams: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Returns a new encoder for a protocol, such as `native`. A target is a version of its clients.
fn encoder(protocol: &str) -> Result<Box<dyn RunEncoder>, String> {
    let (name, target) = protocol.split_once(':').unwrap_or((protocol, ""));
    match (name, target) {
        ("ag-ui", target) => ag_ui::encoder(target),
        ("ai-sdk", target) => Ok(Box::new(AiSdkEncoder::new(ai_sdk_target(target)?, "talk"))),
        ("chat-completions", target) => openai::chat_completions(target),
        ("native", "") => Ok(Box::new(NativeEncoder::new())),
        ("responses", target) => openai::responses(target),
        _ => Err(format!("there is no protocol `{protocol}`")),
    }
}

fn ai_sdk_target(version: &str) -> Result<AiSdkTarget, String> {
    AiSdkTarget::parse(version).ok_or_else(|| format!("there is no version `{version}`"))
}

fn named(protocol: &str, name: &str) -> Result<String, String> {
    let all: Vec<_> = Scenario::all().into_iter().chain([scenario::draft()]).collect();
    let scenario = all.iter().find(|one| one.name == name).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|one| one.name).collect();
        format!("there is no scenario `{name}`; there are {}", names.join(", "))
    })?;
    written(protocol, scenario)
}

fn written(protocol: &str, scenario: &Scenario) -> Result<String, String> {
    if protocol == "ag-ui-messages" {
        return Ok(ag_ui::messages(&scenario.stored()));
    }
    let log = match protocol.split_once(':') {
        Some(("ai-sdk-before", target)) => Some((target, scenario.known.clone())),
        Some(("ai-sdk-after", target)) => Some((target, scenario.stored())),
        _ => None,
    };
    match log {
        Some((target, log)) => {
            Ok(ai_sdk_messages(ai_sdk_target(target)?, "talk", &ClientToolNames::default(), &log))
        }
        None => Ok(scenario.encode(&mut *encoder(protocol)?)),
    }
}

fn ai_sdk_request(body: &str) -> Result<String, String> {
    let request = AiSdkRequest::parse(body.as_bytes()).map_err(|why| why.to_string())?;
    Ok(format!("{request:?}"))
}

fn random(protocol: &str, seed: &str, count: &str) -> Result<String, String> {
    let number = |text: &str| text.parse::<u64>().map_err(|why| format!("`{text}`: {why}"));
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&number(seed)?.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let mut out = String::new();
    for _ in 0..number(count)? {
        let tree = random_run::scenario().new_tree(&mut runner).map_err(|why| why.to_string())?;
        out += &written(protocol, &tree.current())?;
        out.push('\0');
    }
    Ok(out)
}
