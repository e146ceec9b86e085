//! Wakes a loop of asyncio that waits.
//!
//! A ring may come from a thread of tokio, which must not wait for Python's lock. So a separate
//! thread calls the waiters: all that were rung since the last time, under one lock.

use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::thread;

use pyo3::prelude::*;

use crate::attach::with_python;

/// A single wait of an asyncio loop.
#[derive(Default)]
pub(crate) struct Alarm {
    waiting: Mutex<Option<Py<PyAny>>>,
}

impl Alarm {
    /// Sets the function that is called once it rings, unless there is something already. Returns whether
    /// it was set.
    pub(crate) fn set(&self, callback: Py<PyAny>, is_due: impl FnOnce() -> bool) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        // A ring comes after its cause, and takes the same lock.
        if is_due() {
            return false;
        }
        *waiting = Some(callback);
        true
    }

    /// Has the function called, if one was set.
    pub(crate) fn ring(&self) {
        let rung = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(callback) = rung {
            bell().ring(callback);
        }
    }
}

/// The functions to call, at most one for each loop that waits for a run.
#[derive(Default)]
struct Bell {
    rung: Mutex<Vec<Py<PyAny>>>,
    some: Condvar,
}

impl Bell {
    fn ring(&self, callback: Py<PyAny>) {
        self.rung.lock().unwrap_or_else(PoisonError::into_inner).push(callback);
        self.some.notify_one();
    }

    /// Calls functions until the interpreter ends.
    fn work(&self) {
        loop {
            let rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
            let waited = self.some.wait_while(rung, |rung| rung.is_empty());
            let rung = std::mem::take(&mut *waited.unwrap_or_else(PoisonError::into_inner));
            let called = with_python(|py| {
                for callback in rung {
                    // A loop that is closed needs no waking.
                    let _ = callback.call0(py);
                }
            });
            if called.is_none() {
                return;
            }
        }
    }
}

fn bell() -> &'static Bell {
    static BELL: OnceLock<&'static Bell> = OnceLock::new();
    BELL.get_or_init(|| {
        let bell: &'static Bell = Box::leak(Box::default());
        let started = thread::Builder::new().name("silcrow-bell".to_owned());
        started.spawn(|| bell.work()).expect("the system starts threads");
        bell
    })
}
