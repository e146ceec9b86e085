//! Remarks that help a model to correct itself when a command has failed.
//!
//! They are guesses from the words of the output, so they are beside it, never in it.

use std::path::PathBuf;

use silcrow_sandbox::{ProcessOutcome, Sandbox, SandboxLevel};

use crate::named_path::named;

/// Returns the remarks about a command that ended like this.
pub(crate) fn hints(sandbox: &Sandbox, outcome: &ProcessOutcome, output: &str) -> Vec<String> {
    let mut hints = Vec::new();
    if outcome.code == Some(0) {
        return hints;
    }
    let has = |words: &[&str]| words.iter().any(|word| output.contains(word));
    if outcome.code == Some(127) || has(&["command not found"]) {
        hints.push(
            "status 127 means that a program was not found: it is not installed, its name is \
             misspelled, or it is outside the folders that commands may read; `command -v NAME` \
             looks for one"
                .to_owned(),
        );
    }
    let is_confined = sandbox.level() != SandboxLevel::None;
    let is_about_git = has(GIT_DENIED) || has(DENIED) && has(&[".git/"]);
    if is_confined && is_about_git {
        hints.push(GIT.to_owned());
    } else if is_confined && has(DENIED) {
        hints.push(denied(sandbox));
    }
    if is_confined && has(&["gpg failed to sign", "failed to sign the data"]) {
        hints.push(SIGNING.to_owned());
    }
    if sandbox.level().closes_network() && has(NETWORK) {
        hints.push(CLOSED.to_owned());
    }
    hints.extend(hidden(sandbox, outcome));
    if outcome.signal == Some(XFSZ) || has(&["File too large"]) {
        hints.push("a command may not write files of more than 2 GiB".to_owned());
    }
    if has(&["Cannot allocate memory", "out of memory", "MemoryError"]) {
        hints.push("each process may use 2 GiB of memory".to_owned());
    }
    if has(&["Resource temporarily unavailable", "Cannot fork"]) {
        hints.push("a command may have 512 processes".to_owned());
    }
    hints
}

/// Returns the remark about files that the command did not see because of their names.
fn hidden(sandbox: &Sandbox, outcome: &ProcessOutcome) -> Option<String> {
    let shown = |path: &PathBuf| named(path.strip_prefix(sandbox.root()).unwrap_or(path));
    let names: Vec<_> = outcome.hidden.iter().take(MOST_HIDDEN).map(shown).collect();
    let more = if outcome.hidden.len() > MOST_HIDDEN { " and others" } else { "" };
    (!names.is_empty()).then(|| {
        let names = names.join(", ");
        format!(
            "files that usually hold secrets were hidden from the command: {names}{more}; a command \
             that has to read one names its path, if need be in a comment, and a person is asked"
        )
    })
}

fn denied(sandbox: &Sandbox) -> String {
    let writable: Vec<_> = sandbox.writable().map(|path| path.display().to_string()).collect();
    let mut hint = format!(
        "the sandbox may have denied it: commands write only in {} (which $TMPDIR names the last \
         of), never in protected paths, and read only these, the system and toolchains; \
         `\"needs\": {{\"read\": [\"/PATH\"]}}` or `write` asks for another path, `{{\"git\": true}}` for \
         git's data{}",
        writable.join(", "),
        if sandbox.level().closes_network() { ", and no server outside is reached" } else { "" },
    );
    if sandbox.layers().guard_whole_folders() {
        hint.push_str(
            "; on this machine, commands can also make nothing new beside a protected path or a \
             hidden file, so use a tool for files for that, or a folder below",
        );
    }
    hint
}

/// The remark about git's data.
const GIT: &str = "git's data are read-only in the sandbox unless the call asks for them with \
    `\"needs\": {\"git\": true}`; hooks, the repository's settings and attributes stay as they are even \
    then, and only `\"needs\": {\"outside\": \"REASON\"}` can change those";

/// The remark about commits that are signed.
const SIGNING: &str = "keys for signing are out of reach in the sandbox; use `--no-gpg-sign` if that is \
    acceptable, or ask with `\"needs\": {\"outside\": \"REASON\"}`";

/// The remark about the network.
const CLOSED: &str = "no server outside of the sandbox is reached, except for what the call asks for: \
    `\"needs\": {\"network\": [\"HOST\"]}` opens a host, and `{\"local\": [PORT]}` a port of this machine";

/// The words of git that was denied its data.
const GIT_DENIED: &[&str] = &[
    "index.lock': ",
    "unable to create temporary file: ",
    "insufficient permission for adding an object",
    "could not lock config file",
    "could not write config file",
    "cannot lock ref",
    "cannot update the ref",
];

/// The words of programs that were denied a file.
const DENIED: &[&str] = &[
    "Permission denied",
    "permission denied",
    "Read-only file system",
    "read-only file system",
    "Operation not permitted",
    "PermissionError",
    "EACCES",
    "EROFS",
    "EPERM",
    "Device or resource busy",
    "EBUSY",
];

/// The words of programs that were denied the network.
const NETWORK: &[&str] = &[
    "resolve host",
    "resolve hostname",
    "name resolution",
    "Name or service not known",
    "Network is unreachable",
    "Failed to connect",
    "Could not connect",
    "Connection refused",
    "socket: Operation not permitted",
    "EAI_AGAIN",
    "ENETUNREACH",
    "ECONNREFUSED",
    "network access",
    "--offline was specified",
    "offline mode",
    "ENOTCACHED",
];

/// The number of hidden files that a remark names.
const MOST_HIDDEN: usize = 5;

const XFSZ: i32 = 25;
