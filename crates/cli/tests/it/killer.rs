//! Commands that are killed before one of their calls of the system.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::Sandbox;

/// A library that kills a process before its n-th call that changes or syncs a file.
pub(crate) struct Killer<'a> {
    sandbox: &'a Sandbox,
    library: PathBuf,
}

impl<'a> Killer<'a> {
    pub(crate) fn new(sandbox: &'a Sandbox) -> Self {
        let library = sandbox.path("kill.so");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/kill.c");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(source);
        assert!(compiler.status().unwrap().success());
        Self { sandbox, library }
    }

    /// Runs the command and kills it before this call, from 1. Returns whether it ended well before
    /// it made so many.
    pub(crate) fn ends_by_itself(&self, args: &[&str], at: usize) -> bool {
        let mut command = self.sandbox.command(args);
        command.env("LD_PRELOAD", &self.library).env("SILCROW_KILL_AT", at.to_string());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let status = command.status().unwrap();
        assert!(status.success() || status.code().is_none(), "{args:?}: {status}");
        status.success()
    }
}

/// Copies a folder with everything in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").args([from, to]).status().unwrap();
    assert!(copied.success());
}
