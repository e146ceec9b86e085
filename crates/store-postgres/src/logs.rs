//! The logs of conversations: `append`, `read`, `head`, `list` and `delete`, each one statement.

use std::ops::RangeInclusive;

use silcrow_event as event;
use silcrow_event::{Event, Timestamp};
use silcrow_store::search::searched_text;
use silcrow_store::{Error, ErrorKind, ListPage, Summary};
use tokio_postgres::Row;

use crate::bytes::{limit, position, text, without_nul};
use crate::connections::Connections;

/// Appends a batch whose entries have their positions, if the head and the epoch are these. Without
/// an epoch only the head counts. Returns whether it did.
pub(crate) async fn append(
    connections: &Connections,
    conversation: &str,
    expected: u64,
    epoch: Option<i64>,
    batch: &[event::Entry],
) -> Result<bool, Error> {
    let times: Vec<i64> = batch.iter().map(time).collect();
    let bodies: Vec<String> = batch.iter().map(event::Entry::to_json).collect();
    bodies.iter().try_for_each(|body| limit("event", body.len()))?;
    let said: Vec<Option<String>> =
        batch.iter().map(|entry| searched_text(entry).map(without_nul)).collect();
    let mut summary = Summary::new("");
    batch.iter().for_each(|entry| summary.apply(entry));
    let is_named = batch.iter().any(
        |entry| matches!(&entry.event, Event::Title { content } if !content.trim().is_empty()),
    );
    let head = position(expected.saturating_add(batch.len() as u64));
    // A conversation that is held has a row; one that was deleted meanwhile must not get another.
    let sql = if expected == 0 && epoch.is_none() { BEGIN } else { EXTEND };
    let rows = connections
        .change(
            sql,
            &[
                &conversation.as_bytes(),
                &position(expected),
                &head,
                &epoch,
                &summary.title.as_bytes(),
                &is_named,
                &summary.user.as_deref().map(str::as_bytes),
                &summary.folder.as_deref().map(str::as_bytes),
                &summary.first.as_nanos(),
                &summary.last.as_nanos(),
                &times,
                &bodies,
                &said,
            ],
        )
        .await?;
    Ok(!rows.is_empty())
}

/// Returns the entries at these positions.
pub(crate) async fn read(
    connections: &Connections,
    conversation: &str,
    positions: &RangeInclusive<u64>,
) -> Result<Vec<event::Entry>, Error> {
    let (first, last) = (position((*positions.start()).max(1)), position(*positions.end()));
    if first > last {
        return Ok(Vec::new());
    }
    let rows = connections.read(READ, &[&conversation.as_bytes(), &first, &last]).await?;
    let Some(head) = rows.first().map(|row| row.get::<_, i64>(0)) else { return Ok(Vec::new()) };
    let mut entries = Vec::with_capacity(rows.len());
    let mut next = first;
    for row in &rows {
        let Some(seq) = row.get::<_, Option<i64>>(1) else { break };
        if seq != next {
            break;
        }
        entries.push(parse(row.get(2), seq, conversation)?);
        next += 1;
    }
    match next > last.min(head) {
        true => Ok(entries),
        false => Err(damaged(conversation, next, "it is not there")),
    }
}

/// Returns the position of the last entry and the epoch.
pub(crate) async fn head(
    connections: &Connections,
    conversation: &str,
) -> Result<(u64, Option<i64>), Error> {
    let rows = connections.read(HEAD, &[&conversation.as_bytes()]).await?;
    Ok(rows.first().map_or((0, None), |row| (row.get::<_, i64>(0) as u64, Some(row.get(1)))))
}

/// Lists the conversations of all users or of one.
pub(crate) async fn list(
    connections: &Connections,
    user: Option<&str>,
) -> Result<Vec<Summary>, Error> {
    let rows = connections.scan(LIST, &[&user.map(str::as_bytes)]).await?;
    rows.iter().map(summary).collect()
}

/// Lists conversations before a place, which is the number of the last append to the one before them.
pub(crate) async fn list_page(
    connections: &Connections,
    user: Option<&str>,
    after: Option<&str>,
    limit: usize,
) -> Result<ListPage, Error> {
    let place = after.map_or(Ok(i64::MAX), str::parse::<i64>).map_err(|_| {
        let why = "this is not a place in the list of conversations; begin without one";
        Error::new(ErrorKind::Refused, why)
    })?;
    let most = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
    let rows = match user.map(str::as_bytes) {
        Some(user) => connections.scan(PAGE_OF_USER, &[&place, &most, &user]).await?,
        None => connections.scan(PAGE, &[&place, &most]).await?,
    };
    let conversations = rows.iter().take(limit).map(summary).collect::<Result<Vec<_>, _>>()?;
    let last = rows.get(limit.wrapping_sub(1)).filter(|_| rows.len() > limit);
    let next = last.map(|row| row.get::<_, i64>(7).to_string());
    Ok(ListPage { conversations, next })
}

/// Returns the summary of a conversation with events.
pub(crate) async fn summary_of(
    connections: &Connections,
    conversation: &str,
) -> Result<Option<Summary>, Error> {
    let rows = connections.read(SUMMARY, &[&conversation.as_bytes()]).await?;
    rows.first().map(summary).transpose()
}

/// Lists the ids of conversations with events or values that begin with a text.
pub(crate) async fn ids_beginning_with(
    connections: &Connections,
    beginning: &str,
) -> Result<Vec<String>, Error> {
    // No id has this byte, because it is never in UTF-8.
    let after = [beginning.as_bytes(), b"\xff"].concat();
    let rows = connections.read(IDS, &[&beginning.as_bytes(), &after]).await?;
    rows.iter().map(|row| text(row.get(0))).collect()
}

/// Deletes a conversation with its values if the head and the epoch are these, and returns whether
/// it did.
pub(crate) async fn delete(
    connections: &Connections,
    conversation: &str,
    expected: u64,
    epoch: Option<i64>,
) -> Result<bool, Error> {
    let id = conversation.as_bytes();
    let gone = connections.change(DELETE, &[&id, &position(expected), &epoch]).await?;
    if gone.is_empty() && expected == 0 {
        // An unknown conversation may have values.
        return Ok(!connections.change(DELETE_VALUES, &[&id]).await?.is_empty());
    }
    Ok(!gone.is_empty())
}

/// Parses a stored event.
pub(crate) fn parse(body: &str, seq: i64, conversation: &str) -> Result<event::Entry, Error> {
    let entry = event::read_entry(body)
        .map_err(|error| damaged(conversation, seq, "it is not an event").with_source(error))?;
    Ok(event::Entry { seq: Some(seq as u64), ..entry })
}

fn damaged(conversation: &str, seq: i64, why: &str) -> Error {
    let what = format!("event {seq} of conversation {conversation:?} is damaged: {why}");
    Error::new(ErrorKind::Damaged, what)
}

fn time(entry: &event::Entry) -> i64 {
    entry.timestamp.unwrap_or_default().as_nanos()
}

fn summary(row: &Row) -> Result<Summary, Error> {
    let optional = |column: usize| row.get::<_, Option<&[u8]>>(column).map(text).transpose();
    Ok(Summary {
        conversation: text(row.get(0))?,
        title: text(row.get(1))?,
        user: optional(2)?,
        folder: optional(3)?,
        events: row.get::<_, i64>(4) as u64,
        first: Timestamp::from_nanos(row.get(5)),
        last: Timestamp::from_nanos(row.get(6)),
    })
}

/// The events of a batch, after the conversation has grown by them. An owner that stores something
/// makes progress, so the earlier owners that were gone no longer count.
macro_rules! stored {
    ($grown:literal) => {
        concat!(
            "with grown as (",
            $grown,
            " returning c.id), stored as (
            insert into silcrow.event (conversation, seq, at, body, said)
            select grown.id, $2 + new.n, new.at, new.body, new.said
            from grown, unnest($11::bigint[], $12::text[], $13::text[])
                with ordinality as new (at, body, said, n))
            select 1 from grown"
        )
    };
}

const EXTEND: &str = stored!(
    "update silcrow.conversation as c
    set head = $3, appended = nextval('silcrow.append_order'),
        title = case when $6::bool or c.title = '' then $5::bytea else c.title end,
        usr = coalesce(c.usr, $7::bytea), folder = coalesce($8::bytea, c.folder),
        first_at = case when c.head = 0 then $9::bigint else c.first_at end, last_at = $10::bigint,
        gone = case when $4::bigint is null then c.gone else 0 end
    where c.id = $1::bytea and c.head = $2::bigint and c.epoch = coalesce($4::bigint, c.epoch)"
);

const BEGIN: &str = stored!(
    "insert into silcrow.conversation as c
        (id, head, appended, title, usr, folder, first_at, last_at)
    select $1::bytea, $3::bigint, nextval('silcrow.append_order'), $5::bytea, $7::bytea,
        $8::bytea, $9::bigint, $10::bigint
    on conflict (id) do update
    set head = excluded.head, appended = excluded.appended, title = excluded.title,
        usr = excluded.usr, folder = excluded.folder, first_at = excluded.first_at,
        last_at = excluded.last_at
    where c.head = $2::bigint and $4::bigint is null and $6::bool is not null"
);

const READ: &str = "select c.head, e.seq, e.body from silcrow.conversation c
    left join silcrow.event e on e.conversation = c.id and e.seq between $2 and $3
    where c.id = $1 order by e.seq";

const HEAD: &str = "select head, epoch from silcrow.conversation where id = $1";

const LIST: &str = "select id, title, usr, folder, head, first_at, last_at
    from silcrow.conversation where head > 0 and ($1::bytea is null or usr = $1)
    order by appended desc, id";

/// The conversations before a place. Listing all users needs one index and listing one user needs
/// another, so there are two statements: the plan of a statement does not depend on its parameters.
macro_rules! page {
    ($of_user:literal) => {
        concat!(
            "select id, title, usr, folder, head, first_at, last_at, appended
            from silcrow.conversation
            where head > 0 and appended < $1 and listed <= $1::bigint / 1024",
            $of_user,
            " order by listed desc, appended desc limit $2"
        )
    };
}

const PAGE: &str = page!("");

const PAGE_OF_USER: &str = page!(" and usr = $3");

const SUMMARY: &str = "select id, title, usr, folder, head, first_at, last_at
    from silcrow.conversation where head > 0 and id = $1";

const IDS: &str = "select id from silcrow.conversation where head > 0 and id >= $1 and id < $2
    union select conversation from silcrow.value where conversation <> ''
        and conversation >= $1 and conversation < $2
    order by 1";

const DELETE: &str = "with gone as (
        delete from silcrow.conversation
        where id = $1 and head = $2 and epoch = coalesce($3, epoch) returning id),
    events as (delete from silcrow.event where conversation in (select id from gone)),
    vals as (delete from silcrow.value where conversation in (select id from gone))
    select 1 from gone";

const DELETE_VALUES: &str = "with vals as (
        delete from silcrow.value where conversation = $1
        and not exists (select from silcrow.conversation where id = $1))
    select 1 where not exists (select from silcrow.conversation where id = $1)";
