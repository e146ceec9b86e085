//! The tables in the database, and their versions.
//!
//! ```text
//! no schema ─► 1 ─► …   a version for each file in `schema/`
//! ```
//!
//! Each change is made once, by the first process, while the others wait for it.

use silcrow_store::{Error, ErrorKind};
use tokio::time::{Duration, timeout};
use tokio_postgres::Client;

use crate::fault::{Database, Failed};

/// Brings the tables of a database to the version of this program.
///
/// # Errors
///
/// [`Format`](ErrorKind::Format) if the server is too old, or the tables are of a later version.
pub(crate) async fn migrate(
    client: &mut Client,
    database: &Database,
    patience: Duration,
) -> Result<(), Error> {
    let failed = |error| database.failed("reading the version of the tables", error);
    let silent = |_| database.error_of("connecting", Failed::Silent);
    let row = timeout(patience, client.query_one(ABOUT, &[])).await.map_err(silent)?;
    let row = row.map_err(failed)?;
    let (server, encoding): (i32, &str) = (row.get(0), row.get(1));
    if server < OLDEST {
        let why = format!("is PostgreSQL {}; 15 is the oldest that works", server / 10_000);
        return Err(database.error(ErrorKind::Format, why));
    }
    if encoding != "UTF8" {
        let why = format!("keeps text as {encoding}; create one with the encoding UTF8");
        return Err(database.error(ErrorKind::Format, why));
    }
    let has_versions: bool = row.get(2);
    let version = match has_versions {
        true => {
            let version = timeout(patience, client.query_one(VERSION, &[])).await;
            version.map_err(silent)?.map_err(failed)?.get(0)
        }
        false => 0,
    };
    if check(version, database)? {
        return Ok(());
    }
    let failed = |error| database.failed("making the tables", error);
    let changes = client.transaction().await.map_err(failed)?;
    // Another process may make them, and an index of long tables takes its time.
    changes.batch_execute("set local statement_timeout = 0").await.map_err(failed)?;
    changes.batch_execute(LOCK).await.map_err(failed)?;
    // Another process may have made them while this one waited.
    let version = changes.query_one(VERSION, &[]).await.map_err(failed)?.get(0);
    check(version, database)?;
    for (number, change) in (1..).zip(CHANGES).skip(version as usize) {
        changes.batch_execute(change).await.map_err(failed)?;
        changes.execute(DONE, &[&number]).await.map_err(failed)?;
    }
    changes.commit().await.map_err(failed)
}

/// Returns whether this is the version of this program.
fn check(version: i32, database: &Database) -> Result<bool, Error> {
    let ours = CHANGES.len() as i32;
    if version > ours {
        let why = format!(
            "has tables of version {version}, and this program knows versions up to {ours}; use a \
             newer silcrow"
        );
        return Err(database.error(ErrorKind::Format, why));
    }
    Ok(version == ours)
}

/// The migrations, each to the next version.
const CHANGES: &[&str] = &[
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
];

/// The number of the oldest server, as it says it.
const OLDEST: i32 = 150_000;

const ABOUT: &str = "select current_setting('server_version_num')::int,
    current_setting('server_encoding'), to_regclass('silcrow.migration') is not null";

const VERSION: &str = "select coalesce(max(version), 0) from silcrow.migration";

/// The number of the lock is a random one, which other programs are unlikely to take.
const LOCK: &str = "select pg_advisory_xact_lock(5832791046);
    do $$ begin
        if to_regnamespace('silcrow') is null then create schema silcrow; end if;
    end $$;
    create table if not exists silcrow.migration
        (version int primary key, made timestamptz not null default now())";

const DONE: &str = "insert into silcrow.migration (version) values ($1)";
