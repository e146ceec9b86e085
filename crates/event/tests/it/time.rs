//! Times and durations as JSON has them: numbers of seconds.

use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use silcrow_event::{Entry, Event, Seconds, Timestamp, read_entry};

/// Reads the time of an entry of a log with this number.
fn time(number: &str) -> Option<i64> {
    let line = format!("{{\"type\":\"end\",\"timestamp\":{number}}}");
    read_entry(&line).unwrap().timestamp.map(Timestamp::as_nanos)
}

fn written(nanos: i64) -> String {
    let time = Timestamp::from_nanos(nanos);
    let line = Entry { timestamp: Some(time), ..Event::End.into() }.to_json();
    let number = line.split_once("\"timestamp\":").unwrap().1.trim_end_matches('}');
    assert_eq!(number, time.to_string());
    number.to_owned()
}

#[test]
fn time_is_written_with_decimal_point() {
    for (nanos, number) in [
        (0, "0.0"),
        (1_763_712_345_123_456_700, "1763712345.1234567"),
        (1_763_712_345_000_000_000, "1763712345.0"),
        (1_000_000_000_000_000, "1000000.0"),
        (500_000_000, "0.5"),
        (-100_000_000, "-0.1"),
        (10_000, "0.00001"),
        (1_230, "1.23e-6"),
        (-1, "-1e-9"),
        (i64::MAX, "9223372036.854775807"),
        (i64::MIN, "-9223372036.854775808"),
    ] {
        assert_eq!(written(nanos), number);
        assert_eq!(time(number), Some(nanos), "{number}");
    }
}

#[test]
fn any_number_is_read_to_the_nearest_nanosecond() {
    for (number, nanos) in [
        ("0", Some(0)),
        ("-0", Some(0)),
        ("0e99999999999999999999", Some(0)),
        ("1e-99999999999999999999", Some(0)),
        ("17", Some(17_000_000_000)),
        ("17e8", Some(1_700_000_000_000_000_000)),
        ("1.7E+9", Some(1_700_000_000_000_000_000)),
        ("17000000000000000000000e-13", Some(1_700_000_000_000_000_000)),
        ("1700000000.1234567894999", Some(1_700_000_000_123_456_789)),
        ("1700000000.1234567895", Some(1_700_000_000_123_456_790)),
        ("0.9999999995", Some(1_000_000_000)),
        ("5e-10", Some(1)),
        ("-5e-10", Some(-1)),
        ("4.9e-10", Some(0)),
        ("5e-11", Some(0)),
        ("9223372036.8547758074", Some(i64::MAX)),
        ("9223372036.8547758075", None),
        ("-9223372036.8547758085", None),
        ("1e300", None),
        ("1e999", None),
        ("\"1\"", None),
        ("null", None),
    ] {
        assert_eq!(time(number), nanos, "{number}");
    }
    let zeros = "0".repeat(2_000);
    assert_eq!(time(&format!("0.{zeros}17e2010")), Some(1_700_000_000_000_000_000));
    assert_eq!(time(&format!("17{zeros}e-1992")), Some(1_700_000_000_000_000_000));
}

#[test]
fn durations_are_clamped_to_their_range() {
    for (number, duration) in [
        ("1.5", Some(Duration::from_millis(1_500))),
        ("-0.0", Some(Duration::ZERO)),
        ("18446744073709551615.999999999", Some(Duration::MAX)),
        ("1.8446744073709551615999999999e19", Some(Duration::MAX)),
        ("1e300", Some(Duration::MAX)),
        ("1e999", None),
        ("-1e-9", None),
        ("-1", None),
        ("", None),
        ("NaN", None),
        ("inf", None),
        ("infinity", None),
    ] {
        let read = number.parse().ok().map(|Seconds(duration)| duration);
        assert_eq!(read, duration, "{number}");
    }
    for (duration, number) in [
        (Duration::MAX, "1.8446744073709551615999999999e+19"),
        (Duration::from_secs(9_999_999_999_999_999), "9999999999999999.0"),
        (Duration::from_secs(10_000_000_000_000_000), "1e+16"),
        (Duration::from_secs(100_000_000_000_000_000), "1e+17"),
    ] {
        assert_eq!(Seconds(duration).to_string(), number);
    }
    for float in [1e-9, 1.25e-7, 9e-6, 1e-5, 0.001, 1e5, 1e15, 1.5e15, 1e16, 1.5e16, 1e17, 1e19] {
        let duration = Duration::from_secs_f64(float);
        assert_eq!(Seconds(duration).to_string(), serde_json::Value::from(float).to_string());
    }
}

#[test]
fn arithmetic_stops_at_the_ends() {
    let [min, max] = [Timestamp::MIN, Timestamp::MAX];
    assert_eq!(max.duration_since(min), Duration::from_nanos(u64::MAX));
    assert_eq!(min.duration_since(max), Duration::ZERO);
    assert_eq!(min.saturating_add(Duration::from_nanos(u64::MAX)), max);
    assert_eq!(min.saturating_add(Duration::MAX), max);
    assert_eq!(Timestamp::from(SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 40)), max);
    assert_eq!(Timestamp::from(SystemTime::UNIX_EPOCH - Duration::from_secs(1 << 40)), min);
}

proptest! {
    #[test]
    fn time_survives_json_and_system_time(nanos: i64) {
        let time = Timestamp::from_nanos(nanos);
        prop_assert_eq!(time.to_string().parse(), Ok(time));
        prop_assert_eq!(Timestamp::from(SystemTime::from(time)), time);
    }

    #[test]
    fn a_duration_survives_being_written(duration: Duration) {
        prop_assert_eq!(Seconds(duration).to_string().parse(), Ok(Seconds(duration)));
    }

    /// Times were binary fractions before, which `serde_json` wrote. They had at most the decimals
    /// that a nanosecond has.
    #[test]
    fn time_keeps_its_number(micros in 0..4_000_000_000_000_000_i64, ticks in 0..1_000_000_000_u32) {
        let float = micros as f64 / 1e6;
        prop_assert_eq!(written(micros * 1_000), serde_json::Value::from(float).to_string());
        let small = Duration::from_nanos(ticks.into());
        let float = small.as_secs_f64();
        prop_assert_eq!(Seconds(small).to_string(), serde_json::Value::from(float).to_string());
    }

    /// The text of an `f64` is read as the nearest nanosecond.
    #[test]
    fn foreign_numbers_agree_with_binary_fraction(float in -9e9..9e9_f64) {
        let read = time(&serde_json::Value::from(float).to_string()).unwrap();
        let near = (float * 1e9) as i64;
        prop_assert!(read.abs_diff(near) <= 2_048, "{} {}", read, near);
    }
}
