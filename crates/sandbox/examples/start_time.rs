//! Measures the time of a command that does nothing: `cargo run --release --example start_time`.
//! The last line is with names that are searched in the current folder.

use std::io::Write as _;
use std::time::{Duration, Instant};
use std::{env, io, process};

use silcrow_sandbox::{ConfinedCommand, Sandbox, SandboxLayers, SandboxOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    silcrow_sandbox::run_helper_if_asked();
    let options = SandboxOptions::new(env::current_dir()?);
    let without_namespaces = SandboxLayers { namespaces: false, ..SandboxLayers::ALL };
    let mut sandboxes = vec![Sandbox::unconfined(options.clone())?];
    for layers in [without_namespaces, SandboxLayers::ALL] {
        sandboxes.push(Sandbox::new(options.clone().with_layers(layers))?);
    }
    let options = options.with_protected_name(".envrc");
    let named = Sandbox::new(options.with_protected_name(".vscode/settings.json"))?;
    show("without helpers", || process::Command::new("/bin/true").status().map(drop))?;
    for sandbox in sandboxes {
        show(&sandbox.layers().to_string(), || run(&sandbox))?;
    }
    show(&format!("{}, and protected names", named.layers()), || run(&named))?;
    Ok(())
}

fn run(sandbox: &Sandbox) -> io::Result<()> {
    let process = sandbox.spawn(&ConfinedCommand::new(["/bin/true"]));
    process.and_then(|process| process.end.wait()).map(drop).map_err(io::Error::other)
}

/// Prints the median and the 95th percentile of many rounds.
fn show(name: &str, mut round: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        round()?;
        times.push(begin.elapsed());
    }
    times.sort_unstable();
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    let (median, high) = (ms(times[ROUNDS / 2]), ms(times[ROUNDS * 95 / 100]));
    writeln!(io::stdout(), "{name}: median {median:.1} ms, 95 % within {high:.1} ms")
}

const ROUNDS: usize = 200;
