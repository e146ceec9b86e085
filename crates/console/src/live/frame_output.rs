//! Writes to the terminal while the run goes on, so that a slow one holds up neither keys nor events.
//!
//! A terminal at the other end of a slow connection takes output slowly. A thread waits for it in
//! place of the run. Nothing is drawn meanwhile, so several changes are drawn at once afterwards.

use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// The output of a terminal, which is written at once or by a thread.
pub(super) struct FrameOutput {
    out: SharedWriter,
    waiting: Option<Arc<WaitingOutput>>,
}

type SharedWriter = Arc<Mutex<Box<dyn Write + Send>>>;

/// The output for a thread to write.
#[derive(Default)]
struct WaitingOutput {
    state: Mutex<WaitingState>,
    changed: Condvar,
}

#[derive(Default)]
struct WaitingState {
    text: String,
    is_writing: bool,
    is_closed: bool,
}

impl FrameOutput {
    /// Returns an output on which each write waits for the terminal.
    pub(super) fn direct(out: Box<dyn Write + Send>) -> Self {
        Self { out: Arc::new(Mutex::new(out)), waiting: None }
    }

    /// Returns an output on which a thread waits for the terminal.
    pub(super) fn in_background(out: Box<dyn Write + Send>) -> Self {
        let mut output = Self::direct(out);
        let waiting = Arc::<WaitingOutput>::default();
        let started = thread::Builder::new().name("screen".to_owned()).spawn({
            let (out, waiting) = (Arc::clone(&output.out), Arc::clone(&waiting));
            move || write_all(&out, &waiting)
        });
        // Without a thread each write waits.
        output.waiting = started.ok().map(|_| waiting);
        output
    }

    /// Writes a text after earlier output. A terminal that is gone ends the process by a signal, so
    /// that no error is of use.
    pub(super) fn write(&self, text: &str) {
        match &self.waiting {
            None => write_text(&self.out, text),
            Some(waiting) => {
                waiting.lock().text.push_str(text);
                waiting.changed.notify_all();
            }
        }
    }

    /// Returns whether the terminal has everything.
    pub(super) fn is_settled(&self) -> bool {
        self.waiting.as_ref().is_none_or(|waiting| waiting.lock().is_settled())
    }

    /// Waits until the terminal has everything.
    pub(super) fn settle(&self) {
        if let Some(waiting) = &self.waiting {
            let state = waiting.lock();
            let settled = waiting.changed.wait_while(state, |state| !state.is_settled());
            drop(settled.unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl Drop for FrameOutput {
    fn drop(&mut self) {
        self.settle();
        if let Some(waiting) = &self.waiting {
            waiting.lock().is_closed = true;
            waiting.changed.notify_all();
        }
    }
}

impl WaitingOutput {
    fn lock(&self) -> MutexGuard<'_, WaitingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WaitingState {
    const fn is_settled(&self) -> bool {
        self.text.is_empty() && !self.is_writing
    }
}

/// Writes texts as they come until the output is closed.
fn write_all(out: &SharedWriter, waiting: &WaitingOutput) {
    let mut state = waiting.lock();
    loop {
        let is_idle = |state: &mut WaitingState| state.text.is_empty() && !state.is_closed;
        state = waiting.changed.wait_while(state, is_idle).unwrap_or_else(PoisonError::into_inner);
        let text = std::mem::take(&mut state.text);
        if text.is_empty() {
            return;
        }
        state.is_writing = true;
        drop(state);
        write_text(out, &text);
        state = waiting.lock();
        state.is_writing = false;
        waiting.changed.notify_all();
    }
}

fn write_text(out: &SharedWriter, text: &str) {
    let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

#[cfg(test)]
mod tests;
