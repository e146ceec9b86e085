//! The values beside the logs: `get`, `put` and `keys`.

use silcrow_store::{Error, Versioned, spaces};

use crate::bytes::{position, text};
use crate::connections::Connections;

/// Returns the value under a key.
pub(crate) async fn get(
    connections: &Connections,
    space: &str,
    key: &str,
) -> Result<Option<Versioned>, Error> {
    let rows = connections.read(GET, &[&space.as_bytes(), &key.as_bytes()]).await?;
    let value = |row: &tokio_postgres::Row| Versioned {
        version: row.get::<_, i64>(0) as u64,
        value: row.get(1),
    };
    Ok(rows.first().map(value))
}

/// Sets the value under a key if its version is `expected` and the conversation of its space, if it
/// is held, has this epoch. Returns whether it did.
pub(crate) async fn put(
    connections: &Connections,
    space: &str,
    key: &str,
    expected: u64,
    epoch: Option<i64>,
    value: &[u8],
) -> Result<bool, Error> {
    let conversation = spaces::conversation(space).map(str::as_bytes);
    let (space, key) = (space.as_bytes(), key.as_bytes());
    let sql = match (expected, epoch) {
        (0, None) => FIRST,
        (0, Some(_)) => FIRST_FENCED,
        (_, None) => NEXT,
        (_, Some(_)) => NEXT_FENCED,
    };
    let expected = position(expected);
    let rows = match epoch {
        None => connections.change(sql, &[&space, &key, &conversation, &expected, &value]).await?,
        Some(epoch) => {
            let with: [&(dyn tokio_postgres::types::ToSql + Sync); 6] =
                [&space, &key, &conversation, &expected, &value, &epoch];
            connections.change(sql, &with).await?
        }
    };
    Ok(!rows.is_empty())
}

/// Lists the space and the key of every value.
pub(crate) async fn keys(connections: &Connections) -> Result<Vec<(String, String)>, Error> {
    let rows = connections.scan(KEYS, &[]).await?;
    rows.iter().map(|row| Ok((text(row.get(0))?, text(row.get(1))?))).collect()
}

/// Waits for a takeover that is under way, and then sees its epoch.
macro_rules! fenced {
    ($put:literal) => {
        concat!(
            "with fence as (select 1 from silcrow.conversation
                where id = $3::bytea and epoch = $6::bigint for share), done as (",
            $put,
            " from fence"
        )
    };
}

const GET: &str = "select version, bytes from silcrow.value where space = $1 and key = $2";

const FIRST: &str = "insert into silcrow.value (space, key, conversation, version, bytes)
    select $1::bytea, $2::bytea, $3::bytea, $4::bigint + 1, $5::bytea
    on conflict (space, key) do nothing returning 1";

const FIRST_FENCED: &str = concat!(
    fenced!(
        "insert into silcrow.value (space, key, conversation, version, bytes)
        select $1::bytea, $2::bytea, $3::bytea, $4::bigint + 1, $5::bytea"
    ),
    " on conflict (space, key) do nothing returning 1) select 1 from done"
);

const NEXT: &str = "update silcrow.value set version = version + 1, bytes = $5::bytea
    where space = $1::bytea and key = $2::bytea and version = $4::bigint
        and conversation is not distinct from $3::bytea returning 1";

const NEXT_FENCED: &str = concat!(
    fenced!("update silcrow.value set version = version + 1, bytes = $5::bytea"),
    " where space = $1::bytea and key = $2::bytea and version = $4::bigint returning 1)
    select 1 from done"
);

const KEYS: &str = "select space, key from silcrow.value order by space, key";
