//! The age of a conversation in a few columns.

/// How long ago a time was, both in seconds since 1970, in at most 12 columns; nothing where it is
/// not known. A clock that was put back makes it now.
pub(super) fn age(time: f64, now: f64) -> String {
    if !time.is_normal() {
        return String::new();
    }
    let seconds = (now - time).max(0.0) as u64;
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
fn ages_are_told_in_the_largest_unit_that_fits() {
    let now = 2e9;
    for (ago, told) in [
        (0.0, "now"),
        (59.9, "now"),
        (60.0, "1 min ago"),
        (3_599.0, "59 min ago"),
        (3_600.0, "1 h ago"),
        (86_399.0, "23 h ago"),
        (86_400.0, "1 day ago"),
        (172_800.0, "2 days ago"),
        (-5_000.0, "now"),
    ] {
        assert_eq!(age(now - ago, now), told, "{ago}");
    }
    for unknown in [0.0, f64::NAN, f64::INFINITY] {
        assert_eq!(age(unknown, now), "");
    }
}
