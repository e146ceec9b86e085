//! The writer: one thread of a process writes, and changes that come while the disk is busy are
//! written together.
//!
//! ```text
//! changes ─► queue ─► lock, catch up, compare, write, sync, mark, unlock ─► acknowledged
//!    └─ nobody else writes, and the disk is as quick as the way to the thread ─┘
//! ```

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
// The writer's thread waits for the disk and for its own queue, outside any runtime.
use std::time::{Duration, Instant};

use silcrow_store::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::commit::{Committer, Notify};
use crate::fault::{ended, no_thread};
use crate::options::Durability;
use crate::shared::Shared;
use crate::stage::Change;

/// The writer of a store, which the first change starts.
#[derive(Debug, Default)]
pub(crate) struct WriterSlot(Mutex<Option<Arc<Writer>>>);

impl WriterSlot {
    /// Returns the writer, which is started if there is none.
    pub(crate) fn start(
        &self,
        shared: &Arc<Shared>,
        durability: Durability,
        notify: &Notify,
    ) -> Result<Arc<Writer>, Error> {
        let mut writer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(writer) = &*writer {
            return Ok(Arc::clone(writer));
        }
        let started = Writer::start(Arc::clone(shared), durability, Arc::clone(notify));
        let started = started.map_err(|error| no_thread(&shared.dir, error))?;
        Ok(Arc::clone(writer.insert(Arc::new(started))))
    }

    /// Returns the writer if there is one.
    pub(crate) fn started(&self) -> Option<Arc<Writer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The thread that writes, and the queue to it.
#[derive(Debug)]
pub(crate) struct Writer {
    shared: Arc<Shared>,
    /// `None` once closed.
    queue: Option<SyncSender<Job>>,
    /// One for each job that is not done yet.
    room: Arc<Semaphore>,
    committer: Arc<Mutex<Committer>>,
    thread: Option<JoinHandle<()>>,
}

/// The requests to the thread, in order.
enum Job {
    /// A change and its caller.
    Change {
        change: Change,
        reply: oneshot::Sender<Result<u64, Error>>,
        room: OwnedSemaphorePermit,
    },
    /// Something to let go of once the changes before it are written.
    LetGo { kept: Box<dyn Send>, room: OwnedSemaphorePermit },
}

impl Writer {
    fn start(shared: Arc<Shared>, durability: Durability, notify: Notify) -> io::Result<Self> {
        let (queue, jobs) = sync_channel(QUEUE);
        let room = Arc::new(Semaphore::new(QUEUE));
        let committer = Committer::new(Arc::clone(&shared), durability, notify);
        let committer = Arc::new(Mutex::new(committer));
        let work = Work {
            jobs,
            room: Arc::clone(&room),
            patience: Duration::ZERO,
            committer: Arc::clone(&committer),
        };
        let thread = thread::Builder::new().name("silcrow-store-write".to_owned());
        let thread = thread.spawn(move || work.run())?;
        Ok(Self { shared, queue: Some(queue), room, committer, thread: Some(thread) })
    }

    /// Returns the new head or version, once the change is on the disk.
    pub(crate) async fn submit(&self, change: Change) -> Result<u64, Error> {
        let ended = || ended(&self.shared.dir);
        let room = Arc::clone(&self.room).acquire_owned().await.map_err(|_| ended())?;
        let change = match self.write_at_once(change) {
            Ok(answer) => return answer,
            Err(change) => change,
        };
        let (reply, answer) = oneshot::channel();
        let queue = self.queue.as_ref().ok_or_else(ended)?;
        // There is a place in the queue for each permit, so this does not wait.
        queue.try_send(Job::Change { change, reply, room }).map_err(|_| ended())?;
        answer.await.unwrap_or_else(|_| Err(ended()))
    }

    /// Writes a short change on the caller's thread, if there is no other request and the disk is
    /// fast enough. Otherwise returns the change.
    fn write_at_once(&self, change: Change) -> Result<Result<u64, Error>, Change> {
        // The caller has the only permit that is taken.
        if change.size() > SHORT || self.room.available_permits() + 1 < QUEUE {
            return Err(change);
        }
        let Ok(mut committer) = self.committer.try_lock() else { return Err(change) };
        let answer = committer.commit_at_once(change)?;
        let has_more = committer.has_more();
        drop(committer);
        if has_more
            && let (Some(queue), Ok(room)) =
                (&self.queue, Arc::clone(&self.room).try_acquire_owned())
        {
            // The thread does the rest after any change.
            let (change, (reply, _)) = (Change::nothing(), oneshot::channel());
            let _ = queue.try_send(Job::Change { change, reply, room });
        }
        Ok(answer)
    }

    /// Returns whether every change that was asked for is answered. A caller that no longer waits for
    /// its change does not take the change back.
    pub(crate) fn is_idle(&self) -> bool {
        self.room.available_permits() == QUEUE
    }

    /// Waits until the changes that were asked for before are written. If that fails, their callers
    /// have got the error.
    pub(crate) async fn finish(&self) {
        if !self.is_idle() {
            let _ = self.submit(Change::nothing()).await;
        }
    }

    /// Keeps something until the changes that were asked for before are written.
    pub(crate) fn let_go_when_written(&self, kept: Box<dyn Send>) {
        if self.is_idle() {
            return;
        }
        if let (Some(queue), Ok(room)) = (&self.queue, Arc::clone(&self.room).try_acquire_owned()) {
            // A queue that is closed has written everything.
            let _ = queue.try_send(Job::LetGo { kept, room });
        }
    }
}

impl Job {
    /// Returns the approximate number of bytes that it adds.
    fn size(&self) -> usize {
        match self {
            Self::Change { change, .. } => change.size(),
            Self::LetGo { .. } => 0,
        }
    }
}

struct Work {
    jobs: Receiver<Job>,
    room: Arc<Semaphore>,
    /// The longest wait for more changes.
    patience: Duration,
    committer: Arc<Mutex<Committer>>,
}

impl Work {
    fn run(mut self) {
        let mut company = 1;
        while let Ok(first) = self.jobs.recv() {
            let group = self.gather(first, company);
            let committer = Arc::clone(&self.committer);
            // After a panic in the middle of a change it is unknown what was written.
            let Ok(mut committer) = committer.lock() else { return };
            company = self.commit(&mut committer, group);
            committer.keep_checkpoint();
        }
    }

    /// Returns the changes that wait, and, if several callers wrote lately, those that are about to
    /// come. A writer alone is never kept waiting.
    fn gather(&self, first: Job, company: usize) -> Vec<Job> {
        let until = Instant::now() + self.patience;
        let mut size = first.size();
        let mut group = vec![first];
        while group.len() < GROUP && size < GROUP_BYTES {
            let next = match self.jobs.try_recv() {
                Ok(job) => Some(job),
                Err(_) if group.len() >= company => None,
                Err(_) => {
                    self.jobs.recv_timeout(until.saturating_duration_since(Instant::now())).ok()
                }
            };
            let Some(job) = next else { break };
            size += job.size();
            group.push(job);
        }
        group
    }

    /// Writes a group and answers each of it. Returns the number of changes that were requested
    /// meanwhile.
    fn commit(&mut self, committer: &mut Committer, group: Vec<Job>) -> usize {
        let begin = Instant::now();
        let (mut changes, mut callers, mut kept_until_then) = (Vec::new(), Vec::new(), Vec::new());
        for job in group {
            match job {
                Job::Change { change, reply, room } => {
                    changes.push(change);
                    callers.push((reply, room));
                }
                Job::LetGo { kept, room } => kept_until_then.push((kept, room)),
            }
        }
        let answers = match changes.is_empty() {
            true => Vec::new(),
            false => committer.commit(changes),
        };
        drop(kept_until_then);
        self.patience = begin.elapsed().min(MAX_PATIENCE);
        let company = QUEUE - self.room.available_permits();
        for (answer, (reply, room)) in answers.into_iter().zip(callers) {
            drop(room);
            // The caller may have gone; the change is written nevertheless.
            let _ = reply.send(answer);
        }
        company
    }
}

impl Drop for Writer {
    /// Writes the queued changes.
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // A panic on it was answered as a thread that has ended.
            let _ = thread.join();
        }
    }
}

/// The number of changes that wait for the disk.
const QUEUE: usize = 1_024;

/// The number of changes that are written together.
const GROUP: usize = 64;

/// A group of more bytes takes no further changes.
const GROUP_BYTES: usize = 4 << 20;

/// A change of more bytes is written by the thread.
const SHORT: usize = 64 << 10;

const MAX_PATIENCE: Duration = Duration::from_millis(2);
