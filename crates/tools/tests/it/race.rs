//! Races against a thread that exchanges two paths.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};

/// Repeats `attempt` while another thread exchanges two paths, and checks that it succeeded at some
/// times and not at others.
pub(crate) fn against_exchange(one: &Path, other: &Path, mut attempt: impl FnMut() -> bool) {
    let stop = AtomicBool::new(false);
    let (mut succeeded, mut refused) = (0, 0);
    thread::scope(|scope| {
        // A panic of an attempt ends the other thread, too.
        let _stop = StopAtEnd(&stop);
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(10) && (succeeded < 200 || refused < 200) {
            if attempt() {
                succeeded += 1;
            } else {
                refused += 1;
            }
        }
    });
    assert!(succeeded > 0 && refused > 0, "both sides were seen: {succeeded}, {refused}");
}

struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
