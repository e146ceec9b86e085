use std::time::Duration;

use silcrow_event::Usage;

use super::usage_line;

#[test]
fn zero_amounts_are_omitted() {
    let millis = Duration::from_millis;
    let usage = Usage { duration: millis(250), ..Usage::default() };
    assert_eq!(usage_line(&usage), "250 ms");
    let usage = Usage { input: 9_999, output: 7, time_to_first_delta: millis(250), ..usage };
    assert_eq!(usage_line(&usage), "250 ms, 9999 in, 7 out");
    let usage = Usage {
        input: 12_345,
        output: 210,
        cached: 10_200,
        cache_written: 0,
        reasoning: 40,
        sent_bytes: 48_000_000,
        time_to_first_delta: millis(400),
        duration: millis(1250),
        estimated: true,
    };
    let all =
        "1.2 s (first 400 ms), ~12.3k in (10.2k cached), ~210 out (40 thought), 48.0M bytes sent";
    assert_eq!(usage_line(&usage), all);
}
