//! A declared server as a table of a file of settings.

use std::path::Path;
use std::time::Duration;

use toml_edit::{Array, InlineTable, Table, value};

use crate::mcp::{DeclaredPlace, DeclaredServer, HeaderText};

/// Returns the table of a server. A header whose value is printed by a command is left out, because
/// such a header is written into the file by hand.
pub(super) fn server_table(server: &DeclaredServer) -> Table {
    let mut table = Table::new();
    match &server.place {
        DeclaredPlace::Command { words, env, folder } => {
            table.insert("command", value(words.iter().map(String::as_str).collect::<Array>()));
            let env = env.iter().map(|(name, text)| (&**name, text.to_string()));
            insert(&mut table, "env", env.collect());
            if let Some(folder) = folder.as_deref().and_then(Path::to_str) {
                table.insert("folder", value(folder));
            }
        }
        DeclaredPlace::Url { url, token, headers } => {
            table.insert("url", value(url));
            let texts = headers.iter().filter_map(|header| match &header.value {
                HeaderText::Text(text) => Some((&*header.name, &**text)),
                HeaderText::Command { .. } | HeaderText::Hidden(_) => None,
            });
            insert(&mut table, "headers", texts.collect());
            if let Some(token) = token {
                table.insert("token", value(token.to_string()));
            }
        }
    }
    for (key, time) in [("timeout", server.timeout), ("start_timeout", server.start_timeout)] {
        if let Some(seconds) = time.map(whole_seconds) {
            table.insert(key, value(seconds));
        }
    }
    if server.is_trusted {
        table.insert("trust", value(true));
    }
    table
}

fn insert(table: &mut Table, key: &str, rows: InlineTable) {
    if !rows.is_empty() {
        table.insert(key, value(rows));
    }
}

fn whole_seconds(time: Duration) -> i64 {
    i64::try_from(time.as_secs()).unwrap_or(i64::MAX)
}
