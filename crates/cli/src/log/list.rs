//! `silcrow log list`, which lists conversations for a person or for programs.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::SystemTime;

use silcrow_history::{ConversationTable, ListQuery, ListedPage, summary_json};
use silcrow_sanitize::sanitize_line;
use silcrow_store::{Store, Summary, imported};

use super::show::readable;
use crate::conversation::{absolute, failure};
use crate::failure::Failure;

/// Returns the conversations, a line each. For a terminal its columns are given.
pub(super) async fn list(
    store: &dyn Store,
    query: ListQuery,
    json: bool,
    columns: Option<usize>,
) -> Result<String, Failure> {
    let page = query.read(store).await.map_err(|error| failure(&error))?;
    let ListedPage { conversations, next, .. } = page;
    if let Some(next) = next {
        // If stderr is closed, the notice is lost.
        let _ =
            writeln!(io::stderr(), "silcrow: there are more: --after '{}'", sanitize_line(&next));
    }
    let imported = readable(imported::all(store).await)?;
    if json {
        let tell = |one: &Summary| summary_json(one, imported.contains(&one.conversation)) + "\n";
        return Ok(conversations.iter().map(tell).collect());
    }
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let table = ConversationTable::new(&conversations, SystemTime::now().into())
        .with_imported(imported)
        .with_home(home.as_deref().and_then(absolute));
    Ok(table.render(columns))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use silcrow_event::{Entry, Event};
    use silcrow_store::MemoryStore;

    use super::*;

    #[tokio::test]
    async fn list_filters_by_folder_and_limit() {
        let store = MemoryStore::new();
        let here = absolute(Path::new(".")).unwrap();
        for (id, folder) in [("a", &*here), ("b", "/other"), ("c", &*here), ("c/1/x", &*here)] {
            let said = Entry { folder: Some(folder.to_owned()), ..Event::user("hi").into() };
            store.append(id, 0, vec![said]).await.unwrap();
        }
        let ids = async |query: ListQuery| {
            let output = list(&store, query, true, None).await.unwrap();
            let id = |line: &str| line.split('"').nth(3).unwrap().to_owned();
            output.lines().map(id).collect::<Vec<_>>()
        };
        let in_folder = |folder: &str| ListQuery::new().with_folder(Some(folder.to_owned()));
        assert_eq!(ids(ListQuery::new()).await, ["c", "b", "a"]);
        assert_eq!(ids(in_folder(&here)).await, ["c", "a"]);
        let one = in_folder(&here).with_page(std::num::NonZeroUsize::new(1), None);
        assert_eq!(ids(one).await, ["c"]);
        assert_eq!(ids(in_folder("/other")).await, ["b"]);
    }
}
