//! The summary of a manifest that a person reads before trusting it.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::path::Path;

use silcrow_event::{Call, CallKind};

use super::DeclaredManifest;
use super::models::ModelLocation;
use crate::columns::{columns, rows, shortened};

/// The declarations of a manifest in a few rows. Those that reach beyond the conversation come
/// last.
///
/// In each row of the terminal names are to the right of a gutter, so that no name can look like a
/// row of the program.
pub(super) struct ManifestSummary<'a>(pub(super) &'a DeclaredManifest);

impl Display for ManifestSummary<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let DeclaredManifest { file, hash, written, flows, models } = self.0;
        let listed = written.agents.values().flat_map(|agent| &agent.tools).map(String::as_str);
        let calls = flows.values().flat_map(|flow| &flow.calls);
        let is_tool =
            |call: &&Call| call.action().is_some_and(|action| action.kind == CallKind::Tool);
        let called = calls.filter(is_tool).map(Call::name);
        let tools: BTreeSet<_> = listed.chain(called).collect();
        let named = models.iter().map(|named| match &named.place {
            ModelLocation::Server(_) => named.model.rsplit('#').next().unwrap_or_default(),
            ModelLocation::Known | ModelLocation::File(_) => &*named.model,
        });
        let files = models.iter().filter_map(|named| match &named.place {
            ModelLocation::File(path) => path.to_str(),
            ModelLocation::Known | ModelLocation::Server(_) => None,
        });
        let servers = models.iter().filter_map(|named| match &named.place {
            ModelLocation::Server(url) => Some(url.origin().ascii_serialization()),
            ModelLocation::Known | ModelLocation::File(_) => None,
        });
        row(f, "file", &path(&file.path))?;
        line(f, "agents", MANY, written.agents.keys())?;
        line(f, "workflows", MANY, written.workflows.keys())?;
        line(f, "llm", MANY, written.llm.keys())?;
        line(f, "relics", MANY, written.relics.keys())?;
        line(f, "models", MANY, named)?;
        line(f, "files", usize::MAX, files)?;
        line(f, "servers", usize::MAX, servers)?;
        line(f, "tools", usize::MAX, tools)?;
        row(f, "sha256", hash)
    }
}

/// Returns the path of a manifest on one line, whatever characters it has.
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
    for row in rows(text, columns().saturating_sub(taken)) {
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
