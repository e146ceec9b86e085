//! The watch: waking followers when another process has written.
//!
//! This module notices changes of the mark: through the system if it reports them (inotify),
//! otherwise by looking again and again.

use std::io;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use crate::shared::Shared;

/// Starts the thread that brings the log up to date whenever another process has written. It ends
/// soon after the store is dropped.
pub(crate) fn start(shared: &Arc<Shared>) -> io::Result<()> {
    let weak = Arc::downgrade(shared);
    let mut watch = system::Watch::new();
    let thread = thread::Builder::new().name("silcrow-store-watch".to_owned());
    thread.spawn(move || run(&weak, &mut watch))?;
    Ok(())
}

fn run(shared: &Weak<Shared>, watch: &mut system::Watch) {
    while let Some(shared) = shared.upgrade() {
        watch.look_at(&shared.dir);
        // An error shows itself to the follower when it reads.
        drop(shared.log());
        drop(shared);
        watch.wait();
    }
}

/// The interval of looks if the system does not report changes.
const PAUSE: Duration = Duration::from_millis(100);

#[cfg(target_os = "linux")]
mod system {
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::path::Path;
    use std::thread;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};

    use super::PAUSE;
    use crate::names;

    /// A watch of the mark.
    pub(super) struct Watch {
        inotify: Option<OwnedFd>,
        is_watching: bool,
    }

    impl Watch {
        pub(super) fn new() -> Self {
            let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok();
            Self { inotify, is_watching: false }
        }

        /// Watches the mark, once there is one.
        pub(super) fn look_at(&mut self, dir: &Path) {
            if let (Some(inotify), false) = (&self.inotify, self.is_watching) {
                let path = dir.join(names::MARK);
                self.is_watching = inotify::add_watch(inotify, path, WatchFlags::MODIFY).is_ok();
            }
        }

        /// Waits until the mark has changed, or for a while.
        pub(super) fn wait(&mut self) {
            let Some(inotify) = self.inotify.as_ref().filter(|_| self.is_watching) else {
                return thread::sleep(PAUSE);
            };
            let mut watched = [PollFd::new(inotify, PollFlags::IN)];
            if poll(&mut watched, Some(&LONGEST)).is_err() {
                return thread::sleep(PAUSE);
            }
            let mut buffer = [MaybeUninit::uninit(); 1 << 10];
            let mut events = Reader::new(inotify, &mut buffer);
            while events.next().is_ok() {}
        }
    }

    /// The thread of a store that was dropped ends within this time.
    const LONGEST: Timespec = Timespec { tv_sec: 0, tv_nsec: 250_000_000 };
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::path::Path;

    pub(super) use PollWatch as Watch;

    /// Changes are not reported.
    pub(super) struct PollWatch;

    impl PollWatch {
        pub(super) fn new() -> Self {
            Self
        }

        pub(super) fn look_at(&mut self, _: &Path) {}

        pub(super) fn wait(&mut self) {
            std::thread::sleep(super::PAUSE);
        }
    }
}
