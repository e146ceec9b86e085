//! The check that the command compiles for macOS and Windows.
//!
//! It checks Rust code only. Some libraries below bring code in C, whose build scripts want a
//! compiler and an archiver for the target. Here this program itself stands in for both, and writes
//! empty files: nothing is linked, so nobody reads them. This check does not run anything on those
//! systems.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use xtask::process;

use crate::ci::Tally;

/// Checks the command for each target whose standard library is installed.
pub(crate) fn run(tally: &mut Tally) -> Result<(), String> {
    let (here, missing): (Vec<_>, Vec<_>) =
        TARGETS.iter().partition(|target| xtask::has_target(target));
    for target in missing {
        tally.leave_out(&format!("the check for {target}, which `rustup target add` installs"));
    }
    if here.is_empty() {
        return Ok(());
    }
    let own = process::own_program()?;
    let mut cargo = xtask::cargo();
    cargo.args(["check", "--locked", "--package", "silcrow-cli"]);
    cargo.env("RUSTFLAGS", "-D warnings").env(STAND_IN, "1");
    for target in here {
        cargo.args(["--target", target]);
        let name = target.replace('-', "_");
        for tool in ["CC", "CXX", "AR"] {
            cargo.env(format!("{tool}_{name}"), &own);
        }
    }
    process::succeed(&mut cargo, "the command does not compile there; see above")
}

/// Does the work of a compiler or an archiver, if this process was started as one: it makes empty files of
/// the names that they would write.
pub(crate) fn as_stand_in() -> Option<ExitCode> {
    env::var_os(STAND_IN)?;
    let args: Vec<OsString> = env::args_os().skip(1).collect();
    let written = outputs(&args).iter().all(|path| fs::write(path, "").is_ok());
    Some(if written { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the files that a compiler or an archiver writes with these arguments.
fn outputs(args: &[OsString]) -> Vec<String> {
    let args: Vec<_> = args.iter().map(|arg| arg.to_string_lossy()).collect();
    let after = args.iter().zip(args.iter().skip(1));
    let after = after.filter(|(name, _)| **name == "-o").map(|(_, path)| path.to_string());
    let joined = args.iter().filter_map(|arg| {
        let named = JOINED.iter().find_map(|name| arg.strip_prefix(name));
        let is_archive = Path::new(&**arg).extension().is_some_and(|end| end == "a");
        named.or_else(|| is_archive.then_some(&**arg)).map(str::to_owned)
    });
    after.chain(joined).collect()
}

/// The targets, one for each other system.
const TARGETS: [&str; 2] = ["aarch64-apple-darwin", "x86_64-pc-windows-msvc"];

/// The variable that tells this program to stand in.
const STAND_IN: &str = "XTASK_STAND_IN";

/// The options by which compilers and archivers of Windows name their output.
const JOINED: [&str; 4] = ["-Fo", "/Fo", "-out:", "/OUT:"];
