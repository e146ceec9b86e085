//! The question to the person about instructions of a project that are not trusted yet.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use silcrow_console::typed::says_yes;
use silcrow_session::instructions::UntrustedInstructions;

pub(crate) use silcrow_session::instructions::{given, revoke, trust};

use crate::failure::Failure;

/// Asks a person at the terminal about the files of a project that are not trusted yet, and records a
/// yes.
pub(crate) fn ask(folders: &[PathBuf]) -> Result<(), Failure> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(());
    }
    let untrusted = UntrustedInstructions::find(folders);
    if untrusted.is_empty() {
        return Ok(());
    }
    let question = format!(
        "\nThese instructions of the project are not trusted yet:\n{}\
         The model follows them where they agree with you. Read them before you say yes.\n\
         Trust them?\n\
         y  yes, until they change    else no, and they are left out\n[N] ",
        untrusted.rows(),
    );
    let yes = says_yes(&question)
        .map_err(|error| Failure::running(format!("cannot ask about the instructions: {error}")))?;
    if yes {
        untrusted.trust()?;
    }
    Ok(())
}
