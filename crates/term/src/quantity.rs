//! Writes times and sizes in a few characters.

use std::time::Duration;

/// Returns a time as a person reads it: `0.3 s`, `12 s`, `2 min 5 s`.
pub fn elapsed(time: Duration) -> String {
    match time.as_secs() {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        seconds @ 10..120 => format!("{seconds} s"),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

/// Returns the duration of an ongoing task in words: `3 s`, `2 min 5 s`. It changes at most once a
/// second, so a screen need not be drawn more often.
pub fn elapsed_so_far(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..10 => format!("{seconds} s"),
        _ => elapsed(time),
    }
}

/// Returns a number of bytes as a person reads it.
pub fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} KB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
