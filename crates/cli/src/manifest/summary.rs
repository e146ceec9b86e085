//! The summary of a manifest that a person reads before trusting it.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::path::Path;

use silcrow_console::live::TerminalSize;
use silcrow_manifest::{DeclaredManifest, ManifestFacts};
use silcrow_settings::hash;
use silcrow_term::fit::{rows, shortened};

/// The declarations of a manifest in a few rows. Tools that reach beyond the conversation come
/// last.
///
/// In each row of the terminal names are to the right of a gutter, so that no name can look like a
/// row of the program.
pub(super) struct ManifestSummary<'a>(pub(super) &'a DeclaredManifest);

impl Display for ManifestSummary<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let facts = self.0.facts();
        let ManifestFacts { agents, workflows, llm, relics, .. } = facts;
        let ManifestFacts { models, files, servers, variables, tools, .. } = facts;
        row(f, "file", &path(self.0.path()))?;
        line(f, "agents", MANY, agents)?;
        line(f, "workflows", MANY, workflows)?;
        line(f, "llm", MANY, llm)?;
        line(f, "relics", MANY, relics)?;
        line(f, "models", MANY, models)?;
        line(f, "files", usize::MAX, files)?;
        line(f, "servers", usize::MAX, servers)?;
        line(f, "variables", usize::MAX, variables)?;
        line(f, "tools", usize::MAX, tools)?;
        row(f, "sha256", &hash(self.0.text().as_bytes()))
    }
}

/// Returns the path of a manifest on one line, even if it has line breaks.
pub(super) fn path(path: &Path) -> String {
    shortened(&path.to_string_lossy(), WIDE)
}

/// Writes the names of one kind, each once, or nothing for a kind without names.
fn line(
    f: &mut Formatter<'_>,
    kind: &str,
    most: usize,
    names: impl IntoIterator<Item = impl AsRef<str>>,
) -> fmt::Result {
    let names: BTreeSet<_> = names.into_iter().map(|name| shortened(name.as_ref(), WIDE)).collect();
    if names.is_empty() {
        return Ok(());
    }
    let more = names.len().saturating_sub(most);
    let shown: Vec<_> = names.into_iter().take(most).collect();
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    row(f, kind, &(shown.join(", ") + &more))
}

/// Writes a label and a text to the right of a gutter, wrapped to the terminal. The gutter of a row
/// that continues another one has another sign.
fn row(f: &mut Formatter<'_>, label: &str, text: &str) -> fmt::Result {
    let (mut label, mut sign) = (label, '│');
    // The sign of the gutter takes two columns on some terminals.
    let taken = "  ".len() + LABEL + " │  ".chars().count() + 1;
    for row in rows(text, TerminalSize::now().columns.saturating_sub(taken)) {
        writeln!(f, "  {label:<LABEL$} {sign} {row}")?;
        (label, sign) = ("", '┊');
    }
    Ok(())
}

/// The number of columns of a label.
const LABEL: usize = 10;

/// The number of names of a kind that are shown.
const MANY: usize = 12;

/// The number of characters of a name that are shown, which is more than any path has.
const WIDE: usize = 4096;
