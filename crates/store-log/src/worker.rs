//! A thread that does one thing after the other for callers that must not wait for the disk.

use std::fmt;
use std::io;
use std::thread::{self, JoinHandle};

use tokio::sync::{mpsc, oneshot};

/// The thread and the queue to it. Dropping it waits until the queue is empty.
pub(crate) struct Worker {
    /// `None` once closed.
    jobs: Option<mpsc::Sender<WorkerJob>>,
    thread: Option<JoinHandle<()>>,
}

type WorkerJob = Box<dyn FnOnce() + Send>;

impl Worker {
    pub(crate) fn start(name: &str) -> io::Result<Self> {
        let (jobs, mut queue) = mpsc::channel::<WorkerJob>(QUEUE);
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || {
            while let Some(job) = queue.blocking_recv() {
                job();
            }
        })?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Returns the result of `work`; `None` if the thread has ended.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (reply, answer) = oneshot::channel();
        // The caller may have gone by then.
        let job = Box::new(move || drop(reply.send(work())));
        self.jobs.as_ref()?.send(job).await.ok()?;
        answer.await.ok()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A panic on it was answered as a thread that has ended.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("is_closed", &self.jobs.is_none()).finish()
    }
}

/// The number of jobs that wait.
const QUEUE: usize = 64;
