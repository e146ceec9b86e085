//! Races against a thread that exchanges two paths.

use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, fs};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::hostile::{self, outside};
use crate::protected;

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
        let seconds = env::var("SILCROW_RACE_SECONDS").ok().map(|seconds| seconds.parse().unwrap());
        let most = Duration::from_secs(seconds.unwrap_or(10));
        let is_enough = |succeeded, refused| succeeded >= 200 && refused >= 200;
        while began.elapsed() < most && (seconds.is_some() || !is_enough(succeeded, refused)) {
            if attempt() {
                succeeded += 1;
            } else {
                refused += 1;
            }
        }
    });
    let tried = format!("@ tried {} calls, of which {refused} failed\n", succeeded + refused);
    io::stdout().write_all(tried.as_bytes()).unwrap();
    assert!(succeeded > 0 && refused > 0, "both sides were seen: {succeeded}, {refused}");
}

struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// While one thread swaps a folder and a link that leads out, nothing from out there is read or
/// changed.
#[test]
fn a_race_against_a_swapped_link_is_lost() {
    let place = hostile::place();
    place.put("swap/secret.txt", "ours").link("..", "aside");
    let (swap, aside) = (place.path().join("swap"), place.path().join("aside"));
    let before = outside(&place);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    against_exchange(&swap, &aside, || {
        let read = runtime.block_on(place.read("swap/secret.txt"));
        if let Ok(output) = &read {
            assert_eq!(output.content, "ours", "what was read");
        }
        // Whatever the outcome.
        drop(runtime.block_on(place.write("swap/secret.txt", "ours")));
        read.is_ok()
    });
    assert_eq!(outside(&place), before);
}

/// While one thread swaps a folder and a link to a protected one, nothing of it is changed.
#[test]
fn racing_link_never_reaches_protected_files() {
    let place = protected::place();
    place.put("swap/config", "ours").link(".git", "aside");
    let path = |name: &str| place.path().join(name);
    let mut files = ["swap/config", "aside/config"].into_iter().cycle();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    against_exchange(&path("swap"), &path("aside"), || {
        let written = files.next().map(|file| runtime.block_on(place.write(file, "written")));
        let protected = fs::read_to_string(path(".git/config")).unwrap();
        assert_eq!(protected, "[core]", "git's file was written");
        written.is_some_and(|written| written.is_ok())
    });
}
