//! The runs of all processes of a database: their owners, their orders, and waiting runs.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_store::search::SearchedUser;
use silcrow_store::{
    Error, ErrorKind, HeldRun, Holder, MAX_ORDER, SharedRuns, StoreCount, WaitingRun, validate,
};
use tokio_postgres::Row;

use crate::bytes::text;
use crate::counts::Counted;
use crate::shared::SharedStore;

/// The runs of a store.
#[derive(Clone)]
pub(crate) struct PostgresRuns(pub(crate) Arc<SharedStore>);

impl SharedRuns for PostgresRuns {
    fn holder<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<Option<Holder>, Error>> {
        async move {
            validate::name("conversation id", conversation)?;
            if self.0.leases.has(conversation) {
                return Ok(None);
            }
            let rows = self.0.connections.read(HOLDER, &[&conversation.as_bytes()]).await?;
            Ok(rows.first().map(|row| Holder { name: row.get(0), address: row.get(1) }))
        }
        .boxed()
    }

    fn held(&self) -> BoxFuture<'_, Result<Vec<HeldRun>, Error>> {
        async move {
            let rows = self.0.connections.read(HELD, &[]).await?;
            let mut held = rows.iter().map(held).collect::<Result<Vec<_>, _>>()?;
            held.retain(|run| !self.0.leases.has(&run.conversation));
            Ok(held)
        }
        .boxed()
    }

    fn order<'a>(
        &'a self,
        conversation: &'a str,
        order: &'a str,
    ) -> BoxFuture<'a, Result<bool, Error>> {
        async move {
            validate::name("conversation id", conversation)?;
            if order.len() > MAX_ORDER || order.contains('\0') {
                let why = format!("an order has at most {MAX_ORDER} bytes, and no NUL");
                return Err(Error::new(ErrorKind::Refused, why));
            }
            let id = conversation.as_bytes();
            let rows = self.0.connections.change(ORDER, &[&id, &order]).await?;
            if rows.is_empty() {
                if self.0.connections.read(OWNED, &[&id]).await?.is_empty() {
                    return Ok(false);
                }
                let why = "too many orders wait for the run; its process does not take them";
                return Err(Error::new(ErrorKind::Refused, why));
            }
            self.0.counts.add(Counted::Order);
            self.0.hint(conversation);
            Ok(true)
        }
        .boxed()
    }

    fn offer<'a>(
        &'a self,
        conversation: &'a str,
        place: &'a str,
    ) -> BoxFuture<'a, Result<bool, Error>> {
        async move {
            validate::name("conversation id", conversation)?;
            let (id, place) = (conversation.as_bytes(), place.as_bytes());
            let rows = self.0.connections.change(OFFER, &[&id, &place]).await?;
            Ok(!rows.is_empty())
        }
        .boxed()
    }

    fn request<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<(), Error>> {
        async move {
            validate::name("conversation id", conversation)?;
            self.0.connections.change(REQUEST, &[&conversation.as_bytes()]).await.map(drop)
        }
        .boxed()
    }

    fn waits<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<bool, Error>> {
        async move {
            validate::name("conversation id", conversation)?;
            let rows = self.0.connections.read(WAITS, &[&conversation.as_bytes()]).await?;
            Ok(!rows.is_empty())
        }
        .boxed()
    }

    fn next<'a>(
        &'a self,
        users: &'a SearchedUser,
        place: &'a str,
    ) -> BoxFuture<'a, Result<Option<WaitingRun>, Error>> {
        async move {
            let (is_any, user) = (*users == SearchedUser::Any, users.name().map(str::as_bytes));
            let time = self.0.leases.time().as_secs_f64();
            let rows = self
                .0
                .connections
                .change(NEXT, &[&is_any, &user, &time, &place.as_bytes()])
                .await?;
            let waiting = |row: &Row| {
                Ok(WaitingRun {
                    conversation: text(row.get(0))?,
                    user: row.get::<_, Option<&[u8]>>(1).map(text).transpose()?,
                    is_orphaned: row.get(2),
                    is_abandoned: row.get(3),
                })
            };
            let waiting = rows.first().map(waiting).transpose()?;
            if waiting.as_ref().is_some_and(|waiting| waiting.is_abandoned) {
                self.0.counts.add(Counted::Abandoned);
            }
            Ok(waiting)
        }
        .boxed()
    }

    fn secret(&self) -> BoxFuture<'_, Result<Option<Vec<u8>>, Error>> {
        async move {
            let rows = self.0.connections.read("select bytes from silcrow.secret", &[]).await?;
            Ok(rows.first().map(|row| row.get(0)))
        }
        .boxed()
    }

    fn counts(&self) -> BoxFuture<'_, Result<Vec<StoreCount>, Error>> {
        async move {
            let rows = self.0.connections.read(WAITING, &[]).await?;
            let now = |name, about, column| StoreCount {
                name,
                about,
                is_total: false,
                value: rows.first().map_or(0, |row| row.get::<_, i64>(column) as u64),
            };
            let mut counts = self.0.counts.list();
            let held = self.0.leases.living().len() as u64;
            let about = "Conversations that this process holds.";
            counts.push(StoreCount { name: "held", about, is_total: false, value: held });
            counts.push(now("waiting_runs", "Runs that wait for any process to continue them.", 0));
            Ok(counts)
        }
        .boxed()
    }
}

fn held(row: &Row) -> Result<HeldRun, Error> {
    Ok(HeldRun {
        conversation: text(row.get(0))?,
        user: row.get::<_, Option<&[u8]>>(1).map(text).transpose()?,
        holder: Holder { name: row.get(2), address: row.get(3) },
    })
}

const HOLDER: &str = "select owner, address from silcrow.conversation
    where id = $1 and owner is not null and lease_until > clock_timestamp()";

const HELD: &str = "select id, usr, owner, address from silcrow.conversation
    where owner is not null and lease_until > clock_timestamp()";

const OWNED: &str = "select 1 from silcrow.conversation where id = $1 and owner is not null";

/// An owner takes orders within a second, so many of them accumulate only for one that is gone.
const ORDER: &str = "update silcrow.conversation set orders = coalesce(orders, '{}') || $2::text
    where id = $1 and owner is not null and coalesce(cardinality(orders), 0) < 64 returning 1";

/// A later run that does not continue this one clears the place.
const OFFER: &str = "update silcrow.conversation set is_shared = true, place = $2
    where id = $1 and owner is null and head > 0 returning 1";

const REQUEST: &str = "update silcrow.conversation set due = clock_timestamp()
    where id = $1 and is_shared returning 1";

/// A run that waits: it was requested, or its owner is gone. Runs of calls are continued by the
/// conversation around them.
macro_rules! waiting {
    () => {
        "is_shared and head > 0 and position('\\x2f'::bytea in id) = 0
            and ((owner is null and due <= clock_timestamp())
                or (owner is not null and lease_until < clock_timestamp()
                    and (due is null or due <= clock_timestamp())))"
    };
}

/// Each takeover counts an owner that is gone, and its first append begins the count again. Two
/// earlier owners and the current one, which is gone now, make three.
const NEXT: &str = concat!(
    "with waiting as (select id from silcrow.conversation where ",
    waiting!(),
    " and ($1::bool or usr is not distinct from $2::bytea)
        and (place is null or place = $4::bytea)
        order by due nulls first limit 1 for update skip locked)
    update silcrow.conversation as c set due = clock_timestamp() + make_interval(secs => $3)
    from waiting where c.id = waiting.id
    returning c.id, c.usr, c.owner is not null, c.owner is not null and c.gone >= 2"
);

/// A run that a process is taking is due later.
const WAITS: &str = "select 1 from silcrow.conversation where id = $1 and is_shared and head > 0
    and ((owner is null and due is not null)
        or (owner is not null and lease_until < clock_timestamp()))";

const WAITING: &str = concat!("select count(*) from silcrow.conversation where ", waiting!());
