//! Runs a script in the sandbox: `cargo run --example confined -- FOLDER SCRIPT`.

use std::io::{self, Write as _};
use std::{env, thread};

use silcrow_sandbox::{ConfinedCommand, Sandbox, SandboxLayers, SandboxOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    silcrow_sandbox::run_helper_if_asked();
    let mut args = env::args().skip(1);
    let root = args.next().ok_or("the first argument is a folder")?;
    let script = args.next().ok_or("the second argument is a script for `sh`")?;
    let namespaces = args.next().is_none_or(|word| word != "--without-namespaces");
    let layers = SandboxLayers { namespaces, ..SandboxLayers::ALL };
    let options = SandboxOptions::new(root).with_protected(".git").with_layers(layers);
    let sandbox = Sandbox::new(options)?;
    writeln!(io::stderr(), "sandbox: {} ({})", sandbox.level(), sandbox.layers())?;
    let mut process = sandbox.spawn(&ConfinedCommand::shell(script))?;
    let errors = thread::spawn(move || io::copy(&mut process.stderr, &mut io::stderr()));
    io::copy(&mut process.stdout, &mut io::stdout())?;
    let _ = errors.join();
    writeln!(io::stderr(), "{:?}", process.end.wait()?)?;
    Ok(())
}
