//! Reading the files of settings, with the question to the person about a project that they do not
//! trust yet.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use silcrow_console::typed::says_yes;
use silcrow_sanitize::sanitize_line;
use silcrow_settings::{Environment, FileSettings, SettingKey, UntrustedFile};
use silcrow_term::fit::shortened;

use crate::failure::Failure;

/// Reads the files for a command whose tools see `root`. A person at a terminal is asked about a project
/// that is not trusted yet if `asks` is set.
pub(super) fn load(
    profile: Option<&str>,
    root: &Path,
    asks: bool,
) -> Result<FileSettings, Failure> {
    let ask = |file: &UntrustedFile<'_>| match asks {
        true => trusts(file),
        false => Ok(false),
    };
    Ok(FileSettings::load_asking(&Environment::process(), root, profile, &ask)?)
}

/// Prints notices about omitted values on stderr.
pub(super) fn notify(files: &FileSettings) {
    for file in files.untrusted() {
        // If stderr is closed, the notice is lost.
        let _ = writeln!(io::stderr(), "silcrow: {}", sanitize_line(&notice(&file)));
    }
}

/// Returns the line about the settings that do not count.
fn notice(file: &UntrustedFile<'_>) -> String {
    let keys = file.keys().map(|(key, line)| format!("`{}` (line {line})", key.as_str()));
    let keys: Vec<_> = keys.collect();
    format!(
        "{} is not trusted, so its {} is left out; read the file, then run silcrow config trust --root {}",
        file.name(),
        keys.join(", "),
        file.folder().display(),
    )
}

/// Asks a person at the terminal whether they trust a file. If nobody can be asked, the answer is
/// no.
fn trusts(file: &UntrustedFile<'_>) -> io::Result<bool> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(false);
    }
    let row =
        |(key, value): (String, String)| format!("  {key:<8} │ {}\n", shortened(&value, WIDE));
    let runs_programs = file.keys().any(|(key, _)| key == SettingKey::Mcp);
    says_yes(&format!(
        "\nThe settings of this project in {} are not trusted yet:\n{}\
         They decide where your words and your files are sent, kept or read from{}.\n\
         Trust this file?\n\
         y  yes, until it changes    else no, and they are left out\n[N] ",
        shortened(file.name(), WIDE),
        file.rows().into_iter().map(row).collect::<String>(),
        if runs_programs { ", and which programs run as you" } else { "" },
    ))
}

/// The number of characters of a value that are shown, which is more than any address has.
const WIDE: usize = 4096;
