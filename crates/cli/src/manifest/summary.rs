use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::path::Path;

use silcrow_event::{Call, Kind};

use super::Declared;
use super::models::Place;
use crate::screen::shortened;

/// What a manifest declares, in a few lines. What reaches beyond the conversation comes last.
pub(super) struct Summary<'a>(pub(super) &'a Declared);

impl Display for Summary<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Declared { hash, written, flows, models, .. } = self.0;
        let listed = written.agents.values().flat_map(|agent| &agent.tools).map(String::as_str);
        let calls = flows.values().flat_map(|flow| &flow.calls);
        let is_tool = |call: &&Call| call.action().is_some_and(|action| action.kind == Kind::Tool);
        let called = calls.filter(is_tool).map(Call::name);
        let tools: BTreeSet<_> = listed.chain(called).collect();
        let named = models.iter().map(|named| match &named.place {
            Place::Server(_) => named.model.rsplit('#').next().unwrap_or_default(),
            Place::Known | Place::File(_) => &*named.model,
        });
        let files = models.iter().filter_map(|named| match &named.place {
            Place::File(path) => path.to_str(),
            Place::Known | Place::Server(_) => None,
        });
        let servers = models.iter().filter_map(|named| match &named.place {
            Place::Server(url) => Some(url.origin().ascii_serialization()),
            Place::Known | Place::File(_) => None,
        });
        line(f, "agents", MANY, written.agents.keys())?;
        line(f, "workflows", MANY, written.workflows.keys())?;
        line(f, "llm", MANY, written.llm.keys())?;
        line(f, "relics", MANY, written.relics.keys())?;
        line(f, "tools", usize::MAX, tools)?;
        line(f, "models", MANY, named)?;
        line(f, "files", usize::MAX, files)?;
        line(f, "servers", usize::MAX, servers)?;
        writeln!(f, "  {:<10} {hash}", "sha256")
    }
}

/// The path of a manifest on one line, whatever is in it.
pub(super) fn path(path: &Path) -> String {
    shortened(&path.to_string_lossy(), WIDE)
}

/// Names of one kind, each once, and nothing where there are none.
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
    write!(f, "  {kind:<10} {}", shown.join(", "))?;
    match more {
        0 => writeln!(f),
        more => writeln!(f, " and {more} more"),
    }
}

/// Names of a kind that are shown.
const MANY: usize = 12;

/// Characters of a name that are shown; longer than any path that a system opens.
const WIDE: usize = 4096;
