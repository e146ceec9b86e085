//! The helper that the tests start, and a program that dies or forgets to ask; its command is on
//! the command line.

use std::env;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use silcrow_sandbox::{ConfinedCommand, Sandbox, SandboxLayers, SandboxOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let program = env::current_exe()?;
    if program.ends_with("never-asks") {
        return start_unasked(&program);
    }
    silcrow_sandbox::run_helper_if_asked();
    // Otherwise it is an agent that is going to be killed: it starts a command and waits.
    silcrow_sandbox::harden_this_process()?;
    let mut args = env::args().skip(1);
    let (root, namespaces) =
        (args.next().unwrap_or_default(), args.next().as_deref() == Some("yes"));
    let layers = SandboxLayers { namespaces, ..SandboxLayers::ALL };
    // With a protected name, all helpers are there.
    let options = SandboxOptions::new(PathBuf::from(root)).with_protected_name(".envrc");
    let sandbox = Sandbox::new(options.with_layers(layers))?;
    writeln!(io::stderr(), "{}", sandbox.layers())?;
    let script = args.next().unwrap_or_default();
    let mut process = sandbox.spawn(&ConfinedCommand::shell(script))?;
    io::copy(&mut process.stdout, &mut io::stdout())?;
    process.end.wait()?;
    Ok(())
}

/// Makes a sandbox as a program does whose author forgot the helper, and names itself by a path.
fn start_unasked(program: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let folder = program.parent().ok_or("the program is in no folder")?;
    OpenOptions::new().create(true).append(true).open(folder.join("starts"))?.write_all(b"x")?;
    Sandbox::new(SandboxOptions::new(folder).with_helper(program))?;
    Ok(())
}
