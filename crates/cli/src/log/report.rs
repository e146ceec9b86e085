//! `silcrow log report`, which writes a report from which somebody else can understand a fault.
//!
//! Known secrets are masked, and the inputs and outputs of tools are left out unless they are asked
//! for. A person reads the report before they send it, because only they can tell which parts are
//! private.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use silcrow_history::StoredConversation;
use silcrow_sanitize::mask_key_shapes;
use silcrow_settings::known_secrets;
use silcrow_store::Store;

use super::export::write;
use crate::build_facts::build_facts;
use crate::conversation::failure;
use crate::damage;
use crate::failure::Failure;

/// Writes a report about a conversation.
pub(super) async fn report(
    store: &dyn Store,
    conversation: &str,
    settings: &[String],
    has_contents: bool,
    output: Option<&Path>,
) -> Result<(), Failure> {
    let talk = StoredConversation::read(store, conversation).await;
    let mut talk = talk.map_err(|error| failure(&error))?;
    if !has_contents {
        talk.leave_contents_out();
    }
    let talk_text = talk.to_markdown();
    let text = format!("{READ_FIRST}\n{}{}\n{talk_text}", machine(), in_force(settings));
    let masked = known_secrets().mask(&text).into_owned();
    let masked = mask_key_shapes(&masked).into_owned();
    write(without_home(&masked).as_bytes(), output)?;
    // If stderr is closed, the notice is lost.
    let _ = writeln!(io::stderr(), "silcrow: read the report before you send it");
    damage::found(&talk.report.damage)
}

/// Describes the program, the machine and the settings.
fn machine() -> String {
    let mut out = "# Program and machine\n\n".to_owned();
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let system = format!("{} {} {}", env::consts::OS, kernel.trim(), env::consts::ARCH);
    for (name, value) in build_facts().into_iter().chain([("system", system)]) {
        let _ = writeln!(out, "- {name}: {value}");
    }
    let mut set: Vec<_> = env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    set.sort_unstable();
    for (name, value) in set {
        let is_shown = SHOWN.contains(&&*name);
        if is_shown {
            let _ = writeln!(out, "- {name}: `{}`", plain(&value));
        } else if SETTINGS.iter().any(|begin| name.starts_with(begin)) {
            // Its value may be a secret, or lead to one.
            let _ = writeln!(out, "- {name} is set");
        }
    }
    out
}

/// Lists the settings that something sets, with their sources.
fn in_force(settings: &[String]) -> String {
    let mut out = "\n# Settings\n\n".to_owned();
    for setting in settings {
        let _ = writeln!(out, "- `{}`", plain(setting));
    }
    if settings.is_empty() {
        out += "The defaults count.\n";
    }
    out
}

/// Returns text for one line of code, without the addresses of servers.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let is_scheme = |char: char| char.is_ascii_alphanumeric() || "+-.".contains(char);
        let begin = rest[..at].trim_end_matches(is_scheme).len();
        let end = rest[at..].find(|char: char| char.is_whitespace() || "#\"'".contains(char));
        out += &rest[..begin];
        out += "[address]";
        rest = end.map_or("", |end| &rest[at + end..]);
    }
    out += rest;
    out.replace(['`', '\n'], " ")
}

#[test]
fn addresses_are_left_out() {
    assert_eq!(
        plain("model: compatible:http://a.b:1/v1#m (x:1)"),
        "model: compatible:[address]#m (x:1)"
    );
    assert_eq!(plain("searxng:https://a.b"), "searxng:[address]");
    assert_eq!(plain("a `b`\nc"), "a  b  c");
}

/// Replaces the path of the home folder, which names the person.
fn without_home(text: &str) -> String {
    match env::var("HOME") {
        Ok(home) if home.len() > 1 => text.replace(&home, "~"),
        _ => text.to_owned(),
    }
}

const READ_FIRST: &str = "\
> **Read this before you send it.**
> Secrets that silcrow knows are masked, and what tools read and wrote is left out unless you asked
> for it; prompts, answers and names of files are here, and only you know whether they are private.
";

/// The variables whose values are not secret.
const SHOWN: [&str; 7] =
    ["COLORTERM", "LANG", "LC_ALL", "NO_COLOR", "SILCROW_MODEL", "TERM", "TERM_PROGRAM"];

/// The beginnings of the names of variables that affect silcrow.
const SETTINGS: [&str; 6] =
    ["ANTHROPIC_", "AZURE_OPENAI_", "GEMINI_", "OPENAI_", "SILCROW_", "XDG_"];
