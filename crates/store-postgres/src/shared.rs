//! What a store shares with the tasks that work for it in the background.
//!
//! The tasks know it weakly, so they end when the store and all its holds are dropped.

use std::collections::BTreeSet;
use std::mem::take;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use silcrow_store::HeadWatchers;
use tokio::sync::{Notify, mpsc};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::connections::Connections;
use crate::leases::Leases;
use crate::news::{self, Hint};
use crate::side_connection::SideConnection;

/// The parts of a store.
pub(crate) struct SharedStore {
    pub(crate) connections: Connections,
    pub(crate) leases: Leases,
    pub(crate) owner: String,
    pub(crate) heads: HeadWatchers,
    link: SideConnection,
    /// What is heard of others, until somebody follows.
    heard: Mutex<Option<mpsc::Receiver<String>>>,
    /// The conversations that have grown here, and that others have not heard of yet.
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
        leases: Leases,
        owner: String,
    ) -> Self {
        Self {
            connections,
            leases,
            owner,
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

    /// Wakes followers from now on when others have appended.
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
        let mut grown = self.grown.lock().unwrap_or_else(PoisonError::into_inner);
        grown.insert(Hint::of(conversation));
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
        if let Ok(rows) = self.link.run(RENEW, &[&ids, &epochs, &time]).await {
            let renewed: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
            self.leases.renew(&living, &renewed, at);
        }
    }

    /// Asks for the heads of these conversations.
    async fn ask(&self, followed: Vec<String>) {
        let ids: Vec<&[u8]> = followed.iter().map(String::as_bytes).collect();
        if ids.is_empty() {
            return;
        }
        // A server that cannot be reached is asked again.
        let Ok(rows) = self.link.run(HEADS, &[&ids]).await else { return };
        for row in &rows {
            if let Ok(conversation) = str::from_utf8(row.get(0)) {
                self.heads.publish(conversation, row.get::<_, i64>(1) as u64);
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

/// Asks for the heads of all that is followed each second, and of what others say has grown.
async fn watch(shared: Weak<SharedStore>, mut heard: mpsc::Receiver<String>) {
    loop {
        let hint = timeout(SECOND, heard.recv()).await;
        let Some(shared) = shared.upgrade() else { return };
        let mut followed = shared.heads.followed();
        if let Ok(hint) = hint {
            let Some(mut hints) = hint.map(|hint| news::parse(&hint)) else { return };
            while let Ok(hint) = heard.try_recv() {
                hints.extend(news::parse(&hint));
            }
            followed.retain(|conversation| hints.contains(&Hint::of(conversation)));
        }
        shared.ask(followed).await;
    }
}

/// Tells others what has grown, at most 20 times a second.
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

const HEADS: &str = "select id, head from silcrow.conversation where id = any ($1)";

const TELL: &str = "select pg_notify('silcrow', $1)";

const SECOND: Duration = Duration::from_secs(1);

const TWENTIETH: Duration = Duration::from_millis(50);
