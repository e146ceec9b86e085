//! Taking a conversation, keeping it, and releasing it.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_store::{Error, ErrorKind, HeldConversation, Hold};
use tokio::runtime::Handle;
use tokio::time::{Duration, Instant, sleep};

use tokio::sync::watch;

use crate::counts::Counted;
use crate::leases::LeaseNews;
use crate::shared::SharedStore;

/// Takes a conversation as soon as it is free.
///
/// # Errors
///
/// [`Locked`](ErrorKind::Locked) if its owner lives, which its next renewal shows.
pub(crate) async fn hold(shared: &Arc<SharedStore>, conversation: &str) -> Result<Hold, Error> {
    let mut first: Option<(i64, f64)> = None;
    loop {
        if shared.leases.has(conversation) {
            return Err(locked(conversation, "this process"));
        }
        let asked = Instant::now();
        if let Some(TakenLease { epoch, orders }) = take(shared, conversation).await? {
            let taken = AtomicUsize::new(0);
            let earlier = orders.len();
            let held = shared.leases.add(conversation, epoch, asked, orders);
            shared.keep();
            shared.watch();
            let (shared, conversation) = (Arc::clone(shared), conversation.to_owned());
            let hold = PostgresHold { shared, conversation, epoch, held, earlier, taken };
            return Ok(Hold::new(hold));
        }
        let rows = shared.connections.read(OWNER, &[&conversation.as_bytes()]).await?;
        let Some(row) = rows.first() else { continue };
        let (epoch, until): (i64, f64) = (row.get(0), row.get(2));
        match first {
            Some((known, seen)) if known != epoch || until > seen + TINY => {
                return Err(locked(conversation, row.get(1)));
            }
            _ => first = Some((epoch, until)),
        }
        let left: f64 = row.get(3);
        sleep(Duration::from_secs_f64(left.clamp(0.01, PAUSE))).await;
    }
}

/// A lease that was taken.
struct TakenLease {
    epoch: i64,
    /// The orders to an owner who is gone.
    orders: Vec<String>,
}

async fn take(shared: &SharedStore, conversation: &str) -> Result<Option<TakenLease>, Error> {
    let with: [&(dyn tokio_postgres::types::ToSql + Sync); 5] = [
        &conversation.as_bytes(),
        &shared.owner,
        &shared.leases.time().as_secs_f64(),
        &shared.address,
        &shared.is_continued,
    ];
    let rows = shared.connections.change(TAKE, &with).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    if row.get::<_, i32>(2) > 0 {
        shared.counts.add(Counted::Takeover);
    }
    let orders = row.get::<_, Option<_>>(1).unwrap_or_default();
    Ok(Some(TakenLease { epoch: row.get(0), orders }))
}

fn locked(conversation: &str, owner: &str) -> Error {
    let why = format!(
        "conversation {conversation:?} is running in {owner}; wait until it has ended, or stop it \
         there"
    );
    Error::new(ErrorKind::Locked, why)
}

/// A conversation that this process has.
struct PostgresHold {
    shared: Arc<SharedStore>,
    conversation: String,
    epoch: i64,
    held: LeaseNews,
    /// The number of orders to the owner before.
    earlier: usize,
    /// The number of orders that the run has got.
    taken: AtomicUsize,
}

impl HeldConversation for PostgresHold {
    fn lost(&self) -> BoxFuture<'_, ()> {
        let mut lost = self.held.lost.clone();
        async move {
            // The leases forget it only when it is released.
            let _ = lost.wait_for(|is_lost| *is_lost).await;
        }
        .boxed()
    }

    fn is_lost(&self) -> bool {
        *self.held.lost.borrow()
    }

    fn next_order(&self) -> BoxFuture<'_, String> {
        let mut orders = self.held.orders.clone();
        async move {
            let is_new = |orders: &Vec<String>| orders.len() > self.taken.load(Ordering::Relaxed);
            // Only this function and the one below change the number.
            let next = |orders: watch::Ref<'_, Vec<String>>| {
                orders[self.taken.fetch_add(1, Ordering::Relaxed)].clone()
            };
            let order = orders.wait_for(is_new).await.ok().map(next);
            match order {
                Some(order) => order,
                None => pending().await,
            }
        }
        .boxed()
    }

    fn drop_earlier_orders(&self) {
        self.taken.fetch_max(self.earlier, Ordering::Relaxed);
    }

    fn release(self: Box<Self>) -> BoxFuture<'static, ()> {
        self.give_back()
    }
}

impl PostgresHold {
    /// Gives the conversation back. One that cannot be given back is free when its time is up.
    fn give_back(&self) -> BoxFuture<'static, ()> {
        let (shared, epoch) = (Arc::clone(&self.shared), self.epoch);
        let conversation = self.conversation.clone();
        // From here on the conversation may be held again in this process.
        let was_held = shared.leases.remove(&conversation, epoch);
        async move {
            if was_held {
                let _ =
                    shared.connections.change(RELEASE, &[&conversation.as_bytes(), &epoch]).await;
            }
        }
        .boxed()
    }
}

impl Drop for PostgresHold {
    fn drop(&mut self) {
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(self.give_back());
        }
    }
}

const TAKE: &str =
    "insert into silcrow.conversation as c (id, epoch, owner, lease_until, address, is_shared)
    values ($1, nextval('silcrow.epoch'), $2, clock_timestamp() + make_interval(secs => $3),
        $4, $5)
    on conflict (id) do update set epoch = excluded.epoch, owner = excluded.owner,
        address = excluded.address, is_shared = excluded.is_shared, due = null,
        place = case when excluded.is_shared and (c.due is not null or c.owner is not null)
            then c.place end,
        gone = case when c.owner is null then 0 else c.gone + 1 end,
        lease_until = clock_timestamp() + make_interval(secs => $3)
    where c.lease_until is null or c.lease_until < clock_timestamp()
    returning epoch, orders, gone";

const OWNER: &str = "select epoch, coalesce(owner, ''),
        coalesce(extract(epoch from lease_until), 0)::float8,
        coalesce(extract(epoch from lease_until - clock_timestamp()), 0)::float8
    from silcrow.conversation where id = $1";

/// A conversation without events leaves no row.
const RELEASE: &str = "with empty as (
        delete from silcrow.conversation where id = $1 and epoch = $2 and head = 0 returning 1)
    update silcrow.conversation set lease_until = null, owner = null,
        address = null, orders = null, gone = 0
    where id = $1 and epoch = $2 and head > 0";

/// The maximum time between two attempts, in seconds.
const PAUSE: f64 = 0.5;

/// Two readings of one lease do not differ by more, in seconds.
const TINY: f64 = 0.001;
