//! Prints what the encoders write, for the real clients that `cargo xtask faces` runs.
//!
//! ```text
//! streams PROTOCOL[:TARGET] SCENARIO             one of the runs of `tests/it/scenario.rs`
//! streams PROTOCOL[:TARGET] random SEED [COUNT]  random runs, with a zero byte after each
//! ```
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program reads what it prints")]

#[path = "../tests/it/random_run.rs"]
mod random_run;
#[path = "../tests/it/run_writer.rs"]
mod run_writer;
#[path = "../tests/it/scenario.rs"]
mod scenario;

use std::process::ExitCode;

use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use silcrow_front::{AiSdkEncoder, AiSdkTarget, NativeEncoder, RunEncoder, ai_sdk_messages};

use scenario::Scenario;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let words: Vec<_> = args.iter().map(String::as_str).collect();
    let printed = match words[..] {
        [protocol, "random", seed] => random(protocol, seed, "1"),
        [protocol, "random", seed, count] => random(protocol, seed, count),
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
        ("ai-sdk", target) => Ok(Box::new(AiSdkEncoder::new(ai_sdk_target(target)?, "talk"))),
        ("native", "") => Ok(Box::new(NativeEncoder::new())),
        _ => Err(format!("there is no protocol `{protocol}`")),
    }
}

fn ai_sdk_target(version: &str) -> Result<AiSdkTarget, String> {
    AiSdkTarget::parse(version).ok_or_else(|| format!("there is no version `{version}`"))
}

fn named(protocol: &str, name: &str) -> Result<String, String> {
    let all = Scenario::all();
    let scenario = all.iter().find(|one| one.name == name).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|one| one.name).collect();
        format!("there is no scenario `{name}`; there are {}", names.join(", "))
    })?;
    if let Some(target) = protocol.strip_prefix("ai-sdk-messages:") {
        return Ok(ai_sdk_messages(ai_sdk_target(target)?, "talk", &scenario.stored()));
    }
    Ok(scenario.encode(&mut *encoder(protocol)?))
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
        out += &tree.current().encode(&mut *encoder(protocol)?);
        out.push('\0');
    }
    Ok(out)
}
