//! The owner of each conversation, from the database.

use std::collections::BTreeMap;
use std::sync::Mutex;

use silcrow_testkit::PostgresServer;

use super::machine::Machine;

/// The database, and the owners that were printed last.
pub(super) struct OwnerWatch {
    database: PostgresServer,
    address: String,
    known: Mutex<BTreeMap<String, OwnedRow>>,
}

/// A row of a conversation.
#[derive(Clone, PartialEq, Eq)]
struct OwnedRow {
    /// The name of the owner; empty without one.
    owner: String,
    is_over: bool,
    events: u64,
    epoch: u64,
}

impl OwnerWatch {
    pub(super) fn start(database: PostgresServer, address: String) -> Self {
        Self { database, address, known: Mutex::default() }
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Restarts the database at once, as after a crash.
    pub(super) fn restart(&self) {
        self.database.restart();
    }

    /// Prints the conversations whose owner has changed.
    pub(super) fn print(&self, machines: &[Machine]) {
        let mut known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let rows = self.rows(machines);
        for (conversation, row) in &rows {
            let before = known.get(conversation);
            if before.is_some_and(|one| (&one.owner, one.is_over) == (&row.owner, row.is_over)) {
                continue;
            }
            println!("{conversation}: {}", row.line());
        }
        *known = rows;
    }

    /// Prints all conversations.
    pub(super) fn list(&self, machines: &[Machine]) {
        for (conversation, row) in self.rows(machines) {
            println!("  {conversation}: {}", row.line());
        }
    }

    fn rows(&self, machines: &[Machine]) -> BTreeMap<String, OwnedRow> {
        let said = self.database.run(&self.address, ROWS);
        said.lines().filter_map(|line| row(line, machines)).collect()
    }
}

impl OwnedRow {
    fn line(&self) -> String {
        let Self { owner, events, epoch, .. } = self;
        let owner = match (&**owner, self.is_over) {
            ("", _) => "nobody runs it".to_owned(),
            (owner, true) => format!("the lease of {owner} is over"),
            (owner, false) => format!("{owner} runs it"),
        };
        format!("{owner}, epoch {epoch}, {events} events")
    }
}

fn row(line: &str, machines: &[Machine]) -> Option<(String, OwnedRow)> {
    let [conversation, owner, is_over, events, epoch]: [&str; 5] =
        line.split('\t').collect::<Vec<_>>().try_into().ok()?;
    let process = |machine: &&Machine| {
        machine.pid().is_some_and(|pid| owner.split(' ').any(|word| word == pid.to_string()))
    };
    let owner = match machines.iter().find(process) {
        Some(machine) => machine.name,
        None => owner,
    };
    let (owner, is_over) = (owner.to_owned(), is_over == "t");
    let row = OwnedRow { owner, is_over, events: events.parse().ok()?, epoch: epoch.parse().ok()? };
    Some((conversation.to_owned(), row))
}

const ROWS: &str = r"select concat_ws(E'\t', encode(id, 'escape'), coalesce(owner, ''),
        (owner is not null and lease_until < clock_timestamp())::text, head, epoch)
    from silcrow.conversation order by id";
