//! The age of a conversation in a few columns.

use silcrow_event::Timestamp;

/// Returns how long ago a time was, in at most 12 columns; nothing if it is unknown. A clock that
/// was put back makes it now.
///
/// ```
/// use silcrow_event::Timestamp;
/// use silcrow_history::age;
///
/// let at = |seconds: i64| Timestamp::from_nanos(seconds * 1_000_000_000);
/// assert_eq!(age(at(1_000), at(1_130)), "2 min ago");
/// ```
pub fn age(time: Timestamp, now: Timestamp) -> String {
    if time == Timestamp::UNIX_EPOCH {
        return String::new();
    }
    let seconds = now.duration_since(time).as_secs();
    let (count, unit) = match seconds {
        0..60 => return "now".to_owned(),
        60..3_600 => (seconds / 60, "min"),
        3_600..86_400 => (seconds / 3_600, "h"),
        86_400..172_800 => (1, "day"),
        _ => (seconds / 86_400, "days"),
    };
    format!("{count} {unit} ago")
}

#[test]
fn ages_use_the_largest_fitting_unit() {
    let now = 2_000_000_000_000;
    let time = |millis: i64| Timestamp::from_nanos(millis * 1_000_000);
    for (ago, expected) in [
        (0, "now"),
        (59_900, "now"),
        (60_000, "1 min ago"),
        (3_599_000, "59 min ago"),
        (3_600_000, "1 h ago"),
        (86_399_000, "23 h ago"),
        (86_400_000, "1 day ago"),
        (172_800_000, "2 days ago"),
        (-5_000_000, "now"),
    ] {
        assert_eq!(age(time(now - ago), time(now)), expected, "{ago}");
    }
    assert_eq!(age(Timestamp::UNIX_EPOCH, time(now)), "");
}
