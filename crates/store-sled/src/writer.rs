use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
// The writer's thread waits for the disk and for its own queue: no clock of the runtime's.
use std::time::{Duration, Instant};

use silcrow_store::{Error, ErrorKind};
use sled::Transactional as _;
use sled::transaction::{ConflictableTransactionError, TransactionError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::clock::Clock;
use crate::engine::Engine;
use crate::guard::{Panicked, guarded};
use crate::mark::SledMark;
use crate::stage::{SledChange, SledStage, Staging, Tree};
use crate::store::{SledDurability, SledShared};

/// The one thread that writes: changes that come while the disk is busy go to it together.
#[derive(Debug)]
pub(crate) struct SledWriter {
    shared: Arc<SledShared>,
    /// `None` once closed.
    queue: Option<SyncSender<SledJob>>,
    /// One for each change that is not answered yet.
    room: Arc<Semaphore>,
    thread: Option<JoinHandle<()>>,
}

/// A change and who asked for it.
#[derive(Debug)]
struct SledJob {
    change: SledChange,
    reply: oneshot::Sender<Result<u64, Error>>,
    room: OwnedSemaphorePermit,
}

impl SledWriter {
    /// Where `refused` says why, nothing is written from the start.
    pub(crate) fn start(
        shared: Arc<SledShared>,
        durability: SledDurability,
        clock: Clock,
        mark: SledMark,
        refused: Option<String>,
    ) -> io::Result<Self> {
        let (queue, jobs) = sync_channel(QUEUE);
        let room = Arc::new(Semaphore::new(QUEUE));
        let work = SledWork {
            jobs,
            room: Arc::clone(&room),
            durability,
            clock,
            mark,
            patience: Duration::ZERO,
            failed: refused,
        };
        let thread = thread::Builder::new().name("silcrow-store".to_owned()).spawn({
            let shared = Arc::clone(&shared);
            move || work.run(&shared)
        })?;
        Ok(Self { shared, queue: Some(queue), room, thread: Some(thread) })
    }

    /// The new head or version, once the change is on the disk.
    pub(crate) async fn submit(&self, change: SledChange) -> Result<u64, Error> {
        let (reply, answer) = oneshot::channel();
        let room = Arc::clone(&self.room).acquire_owned().await;
        let room = room.map_err(|_| self.shared.ended())?;
        let queue = self.queue.as_ref().ok_or_else(|| self.shared.ended())?;
        // There is a place in the queue for each permit, so this does not wait.
        queue.try_send(SledJob { change, reply, room }).map_err(|_| self.shared.ended())?;
        answer.await.unwrap_or_else(|_| Err(self.shared.ended()))
    }

    /// Writes what is queued and ends.
    pub(crate) fn close(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // It catches what sled panics with; a panic of its own was answered with an error.
            let _ = thread.join();
        }
    }
}

struct SledWork {
    jobs: Receiver<SledJob>,
    room: Arc<Semaphore>,
    durability: SledDurability,
    clock: Clock,
    mark: SledMark,
    /// The longest to wait for company.
    patience: Duration,
    /// Why nothing is written any more.
    failed: Option<String>,
}

impl SledWork {
    fn run(mut self, shared: &SledShared) {
        let mut company = 1;
        while let Ok(first) = self.jobs.recv() {
            let group = self.gather(first, company);
            company = match &self.failed {
                Some(cause) => refuse(shared, cause, group),
                None => self.commit(shared, group),
            };
        }
        if self.durability == SledDurability::Process && self.failed.is_none() {
            let engine = shared.engine();
            // The mark tells of what survives a power cut only.
            if engine.as_ref().is_some_and(|engine| engine.file.sync_data().is_ok()) {
                self.mark.set(self.clock.groups);
            }
        }
    }

    /// Those who are waiting, and, if several waited lately, those who are about to come back.
    ///
    /// A writer alone is never kept waiting.
    fn gather(&self, first: SledJob, company: usize) -> Vec<SledJob> {
        let until = Instant::now() + self.patience;
        let mut size = first.change.size();
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
            size += job.change.size();
            group.push(job);
        }
        group
    }

    /// Writes a group and answers each of it; returns how many changes were asked for meanwhile.
    fn commit(&mut self, shared: &SledShared, group: Vec<SledJob>) -> usize {
        let start = Instant::now();
        let mut answers = Vec::with_capacity(group.len());
        let written = {
            let engine = shared.engine();
            let Some(engine) = &*engine else { return refuse(shared, "it is closed", group) };
            let mut stage = SledStage::new(shared.reader(&engine.trees), &mut self.clock);
            for SledJob { change, reply, room } in group {
                answers.push((stage.add(change), reply, room));
            }
            let staging = stage.finish();
            self.write(shared, engine, staging)
        };
        if let Err(cause) = written {
            for (answer, ..) in &mut answers {
                if answer.is_ok() {
                    *answer = Err(shared.failed_writing(&cause));
                }
            }
            self.failed = Some(cause);
        } else if self.durability == SledDurability::Power {
            self.mark.set(self.clock.groups);
        }
        self.patience = start.elapsed().min(MAX_PATIENCE);
        let company = QUEUE - self.room.available_permits();
        for (answer, reply, room) in answers {
            drop(room);
            // Who asked may have gone; what it asked for is written all the same.
            let _ = reply.send(answer);
        }
        company
    }

    /// Applies the writes and makes them durable, and only then lets readers see them.
    fn write(&self, shared: &SledShared, engine: &Engine, staging: Staging) -> Result<(), String> {
        let Staging { writes, before, heads } = staging;
        if writes.is_empty() {
            return Ok(());
        }
        shared.pending.begin(before);
        let trees = Tree::all(&engine.trees);
        let apply = || {
            trees[..].transaction(|trees| {
                for write in &writes {
                    let tree = &trees[write.tree as usize];
                    let key = write.key.as_slice();
                    match &write.value {
                        Some(value) => tree.insert(key, value.as_slice())?,
                        None => tree.remove(key)?,
                    };
                }
                Ok::<_, ConflictableTransactionError<()>>(())
            })?;
            // sled splits a full leaf when it is next passed: now, and not when the disk has failed
            // and somebody reads.
            for write in &writes {
                trees[write.tree as usize].get(&write.key).map_err(TransactionError::Storage)?;
            }
            engine.db.flush().map_err(TransactionError::Storage)?;
            if self.durability == SledDurability::Power {
                engine.file.sync_data().map_err(|error| TransactionError::Storage(error.into()))?;
            }
            Ok(())
        };
        match guarded(apply) {
            Ok(Ok(())) => {}
            Ok(Err(TransactionError::Storage(error))) => return Err(error.to_string()),
            Ok(Err(TransactionError::Abort(()))) => return Err("sled gave up".to_owned()),
            Err(Panicked) => return Err("the database stopped".to_owned()),
        }
        shared.pending.end();
        for (conversation, head) in heads {
            shared.heads.publish(&conversation, head);
        }
        Ok(())
    }
}

/// Answers each of a group with why nothing is written.
fn refuse(shared: &SledShared, cause: &str, group: Vec<SledJob>) -> usize {
    for job in group {
        let _ = job.reply.send(Err(shared.closed_for_writing(cause)));
    }
    1
}

impl Drop for SledWriter {
    fn drop(&mut self) {
        self.close();
    }
}

/// Changes that wait for the disk.
const QUEUE: usize = 1_024;

/// Changes written together.
const GROUP: usize = 64;

/// Beyond this a group takes no more, in bytes.
const GROUP_BYTES: usize = 4 << 20;

const MAX_PATIENCE: Duration = Duration::from_millis(2);

impl SledShared {
    fn ended(&self) -> Error {
        self.closed_for_writing("its writer has ended")
    }

    fn closed_for_writing(&self, cause: &str) -> Error {
        let message = format!(
            "the store {} takes nothing more: {cause}; what it has acknowledged can be read; see \
             to the disk, then open it again",
            self.dir.display()
        );
        Error::new(ErrorKind::Io, message)
    }

    fn failed_writing(&self, cause: &str) -> Error {
        let message = format!(
            "writing to the store {} failed: {cause}; nothing of this was acknowledged, it may or \
             may not be there when the store is opened again",
            self.dir.display()
        );
        Error::new(ErrorKind::Io, message)
    }
}
