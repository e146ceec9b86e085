//! Taking a conversation, keeping it, and releasing it.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_store::{Error, ErrorKind, HeldConversation, Hold};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::{Duration, Instant, sleep};

use crate::shared::SharedStore;

/// Takes a conversation as soon as nobody has it.
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
        if let Some(epoch) = take(shared, conversation).await? {
            let lost = shared.leases.add(conversation, epoch, asked);
            shared.keep();
            let (shared, conversation) = (Arc::clone(shared), conversation.to_owned());
            return Ok(Hold::new(PostgresHold { shared, conversation, epoch, lost }));
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

/// Returns the owner of a conversation whose lease is not over, unless it is this process.
pub(crate) async fn holder(
    shared: &SharedStore,
    conversation: &str,
) -> Result<Option<String>, Error> {
    if shared.leases.has(conversation) {
        return Ok(None);
    }
    let rows = shared.connections.read(OWNER, &[&conversation.as_bytes()]).await?;
    let held = rows.first().filter(|row| row.get::<_, f64>(3) > 0.0);
    Ok(held.map(|row| row.get(1)))
}

async fn take(shared: &SharedStore, conversation: &str) -> Result<Option<i64>, Error> {
    let with: [&(dyn tokio_postgres::types::ToSql + Sync); 3] =
        [&conversation.as_bytes(), &shared.owner, &shared.leases.time().as_secs_f64()];
    let rows = shared.connections.change(TAKE, &with).await?;
    Ok(rows.first().map(|row| row.get(0)))
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
    lost: watch::Receiver<bool>,
}

impl HeldConversation for PostgresHold {
    fn lost(&self) -> BoxFuture<'_, ()> {
        let mut lost = self.lost.clone();
        async move {
            // The leases forget it only when it is released.
            let _ = lost.wait_for(|is_lost| *is_lost).await;
        }
        .boxed()
    }

    fn is_lost(&self) -> bool {
        *self.lost.borrow()
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

const TAKE: &str = "insert into silcrow.conversation as c (id, epoch, owner, lease_until)
    values ($1, nextval('silcrow.epoch'), $2, clock_timestamp() + make_interval(secs => $3))
    on conflict (id) do update set epoch = excluded.epoch, owner = excluded.owner,
        lease_until = clock_timestamp() + make_interval(secs => $3)
    where c.lease_until is null or c.lease_until < clock_timestamp()
    returning epoch";

const OWNER: &str = "select epoch, coalesce(owner, ''),
        coalesce(extract(epoch from lease_until), 0)::float8,
        coalesce(extract(epoch from lease_until - clock_timestamp()), 0)::float8
    from silcrow.conversation where id = $1";

/// A conversation without events leaves no row.
const RELEASE: &str = "with empty as (
        delete from silcrow.conversation where id = $1 and epoch = $2 and head = 0 returning 1)
    update silcrow.conversation set lease_until = null, owner = null
    where id = $1 and epoch = $2 and head > 0";

/// The greatest time between two attempts, in seconds.
const PAUSE: f64 = 0.5;

/// Two readings of one lease do not differ by more, in seconds.
const TINY: f64 = 0.001;
