//! Work that some threads share.

use std::sync::Mutex;
use std::thread;

/// Has so many threads do something with each item, and returns the items for which it returned false.
pub(crate) fn share<T: Copy + Send>(
    items: impl Iterator<Item = T> + Send,
    threads: usize,
    work: impl Fn(T) -> bool + Sync,
) -> Vec<T> {
    let (queue, failed) = (Mutex::new(items), Mutex::new(Vec::new()));
    let next = || queue.lock().expect("no holder panics").next();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(item) = next() {
                    if !work(item) {
                        failed.lock().expect("no holder panics").push(item);
                    }
                }
            });
        }
    });
    failed.into_inner().expect("no holder panics")
}
