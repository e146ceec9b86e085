//! State that a store shares with its background tasks.
//!
//! The tasks refer to it weakly, so they end when the store and all its holds are dropped.

use std::collections::BTreeSet;
use std::mem::take;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use silcrow_store::HeadWatchers;
use tokio::sync::{Notify, mpsc};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::connections::Connections;
use crate::counts::{Counted, Counts};
use crate::leases::Leases;
use crate::news::{self, Hint};
use crate::options::Options;
use crate::side_connection::SideConnection;

/// The parts of a store.
pub(crate) struct SharedStore {
    pub(crate) connections: Connections,
    pub(crate) leases: Leases,
    pub(crate) owner: String,
    /// The address at which this process streams its runs.
    pub(crate) address: Option<String>,
    /// Whether others continue the runs of this process if it is gone.
    pub(crate) is_continued: bool,
    pub(crate) counts: Counts,
    pub(crate) heads: HeadWatchers,
    link: SideConnection,
    /// The messages of other processes, until somebody follows.
    heard: Mutex<Option<mpsc::Receiver<String>>>,
    /// The conversations that have grown here, and that were not reported to others yet.
    grown: Mutex<BTreeSet<Hint>>,
    has_grown: Arc<Notify>,
    tasks: Mutex<BackgroundTasks>,
}

/// The tasks, each of which is started when it is first needed.
#[derive(Default)]
struct BackgroundTasks {
    keeps: Option<AbortHandle>,
    watches: Option<AbortHandle>,
    tells: Option<AbortHandle>,
}

impl SharedStore {
    pub(crate) fn new(
        connections: Connections,
        (link, heard): (SideConnection, mpsc::Receiver<String>),
        options: Options,
    ) -> Self {
        let Options { lease, owner, address, is_continued, .. } = options;
        Self {
            connections,
            leases: Leases::new(lease),
            owner,
            address,
            is_continued,
            counts: Counts::default(),
            heads: HeadWatchers::default(),
            link,
            heard: Mutex::new(Some(heard)),
            grown: Mutex::default(),
            has_grown: Arc::default(),
            tasks: Mutex::default(),
        }
    }

    /// Renews leases from now on.
    pub(crate) fn keep(self: &Arc<Self>) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = Arc::downgrade(self);
        tasks.keeps.get_or_insert_with(|| tokio::spawn(keep(shared)).abort_handle());
    }

    /// Wakes followers from now on when others have appended, and the holds of this process when
    /// they get orders.
    pub(crate) fn watch(self: &Arc<Self>) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(heard) = heard {
            let shared = Arc::downgrade(self);
            tasks.watches = Some(tokio::spawn(watch(shared, heard)).abort_handle());
        }
    }

    /// Wakes the followers of a conversation that has grown, here and soon elsewhere.
    pub(crate) fn publish(self: &Arc<Self>, conversation: &str, head: u64) {
        self.heads.publish(conversation, head);
        self.hint(conversation);
    }

    /// Tells other processes soon to look at a conversation.
    pub(crate) fn hint(self: &Arc<Self>, conversation: &str) {
        let mut grown = self.grown.lock().unwrap_or_else(PoisonError::into_inner);
        grown.insert(Hint::for_conversation(conversation));
        drop(grown);
        self.has_grown.notify_one();
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let (shared, has_grown) = (Arc::downgrade(self), Arc::clone(&self.has_grown));
        tasks.tells.get_or_insert_with(|| tokio::spawn(tell(shared, has_grown)).abort_handle());
    }

    async fn renew(&self) {
        let living = self.leases.living();
        if living.is_empty() {
            return;
        }
        let (ids, epochs): (Vec<&[u8]>, Vec<i64>) =
            living.iter().map(|(id, epoch)| (id.as_bytes(), *epoch)).unzip();
        let at = Instant::now();
        let time = self.leases.time().as_secs_f64();
        match self.link.run(RENEW, &[&ids, &epochs, &time]).await {
            Ok(rows) => {
                self.counts.add(Counted::Renewal);
                let renewed: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
                self.leases.renew(&living, &renewed, at);
            }
            Err(_) => self.counts.add(Counted::FailedRenewal),
        }
    }

    /// Asks for the heads of conversations that are followed or held here, and for the orders to
    /// those that are held: of all, or of those in the hints.
    async fn ask(&self, hints: Option<&BTreeSet<Hint>>) {
        let mut asked = self.heads.followed();
        asked.extend(self.leases.living().into_iter().map(|(conversation, _)| conversation));
        if let Some(hints) = hints {
            asked.retain(|conversation| hints.contains(&Hint::for_conversation(conversation)));
        }
        let ids: Vec<&[u8]> = asked.iter().map(String::as_bytes).collect();
        if ids.is_empty() {
            return;
        }
        // A server that cannot be reached is asked again.
        let Ok(rows) = self.link.run(HEADS, &[&ids]).await else { return };
        for row in &rows {
            let Ok(conversation) = str::from_utf8(row.get(0)) else { continue };
            self.heads.publish(conversation, row.get::<_, i64>(1) as u64);
            if let Some(orders) = row.get(3) {
                self.leases.set_orders(conversation, row.get(2), orders);
            }
        }
    }
}

impl Drop for SharedStore {
    fn drop(&mut self) {
        let tasks = self.tasks.get_mut().unwrap_or_else(PoisonError::into_inner);
        for task in [&tasks.keeps, &tasks.watches, &tasks.tells].into_iter().flatten() {
            task.abort();
        }
    }
}

/// Renews all leases in one statement, again and again.
async fn keep(shared: Weak<SharedStore>) {
    let mut renewed = Instant::now();
    loop {
        let Some(pause) = shared.upgrade().map(|shared| shared.leases.pause()) else { return };
        // Leases are given up on time, even while the server gives no answer.
        sleep(pause / 5).await;
        let Some(shared) = shared.upgrade() else { return };
        shared.leases.give_up();
        if renewed.elapsed() >= pause {
            renewed = Instant::now();
            let _ = timeout(pause, shared.renew()).await;
            shared.leases.give_up();
        }
    }
}

/// Asks each second about everything that is followed or held, and at once about changes that
/// others report.
async fn watch(shared: Weak<SharedStore>, mut heard: mpsc::Receiver<String>) {
    loop {
        let hint = timeout(SECOND, heard.recv()).await;
        let Some(shared) = shared.upgrade() else { return };
        let mut hints = None;
        if let Ok(hint) = hint {
            let Some(mut some) = hint.map(|hint| news::parse(&hint)) else { return };
            while let Ok(hint) = heard.try_recv() {
                some.extend(news::parse(&hint));
            }
            hints = Some(some);
        }
        shared.ask(hints.as_ref()).await;
    }
}

/// Reports grown logs to others, at most 20 times a second.
async fn tell(shared: Weak<SharedStore>, has_grown: Arc<Notify>) {
    loop {
        has_grown.notified().await;
        let Some(shared) = shared.upgrade() else { return };
        let grown = take(&mut *shared.grown.lock().unwrap_or_else(PoisonError::into_inner));
        for text in news::write(grown) {
            // Followers ask each second anyway.
            let _ = shared.link.run(TELL, &[&text]).await;
        }
        drop(shared);
        sleep(TWENTIETH).await;
    }
}

const RENEW: &str = "update silcrow.conversation as c
    set lease_until = clock_timestamp() + make_interval(secs => $3)
    from unnest($1::bytea[], $2::bigint[]) as held (id, epoch)
    where c.id = held.id and c.epoch = held.epoch returning c.epoch";

const HEADS: &str = "select id, head, epoch, orders from silcrow.conversation where id = any ($1)";

const TELL: &str = "select pg_notify('silcrow', $1)";

const SECOND: Duration = Duration::from_secs(1);

const TWENTIETH: Duration = Duration::from_millis(50);
