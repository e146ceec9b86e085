//! The vendor's advice on when to ask again, in headers and in messages.

use std::time::Duration;

use reqwest::header::HeaderMap;

/// Returns whether the headers advise to ask again, if they say.
pub(crate) fn should_retry(headers: &HeaderMap) -> Option<bool> {
    match headers.get("x-should-retry")?.as_bytes() {
        b"true" => Some(true),
        b"false" => Some(false),
        _ => None,
    }
}

/// Returns the wait in a message for people, such as `Please try again in 1m2.5s.`
pub(crate) fn retry_after_in_text(message: &str) -> Option<Duration> {
    let message = message.to_ascii_lowercase();
    let rest = PHRASES.iter().find_map(|phrase| message.split_once(phrase))?.1;
    let mut rest = rest.trim_start();
    let mut wait = None;
    while let Some((part, after)) = part(rest) {
        wait = Some(wait.unwrap_or(Duration::ZERO).checked_add(part)?);
        rest = after;
    }
    wait
}

/// Returns the duration at the start of the text, a number and its unit, and the rest.
fn part(text: &str) -> Option<(Duration, &str)> {
    let digits = text.find(|char: char| !char.is_ascii_digit() && char != '.')?;
    let number: f64 = text[..digits].parse().ok()?;
    let unit = text[digits..].trim_start();
    let end = unit.find(|char: char| !char.is_ascii_alphabetic()).unwrap_or(unit.len());
    let (unit, rest) = unit.split_at(end);
    let (_, seconds) = UNITS.iter().find(|(names, _)| names.contains(&unit))?;
    Some((Duration::try_from_secs_f64(number * seconds).ok()?, rest.trim_start()))
}

/// Phrases before a wait, in lower case.
const PHRASES: [&str; 4] = ["try again in ", "try again after ", "retry in ", "retry after "];

/// The names of units, and their lengths in seconds.
const UNITS: [(&[&str], f64); 4] = [
    (&["ms", "millisecond", "milliseconds"], 0.001),
    (&["s", "sec", "secs", "second", "seconds"], 1.0),
    (&["m", "min", "mins", "minute", "minutes"], 60.0),
    (&["h", "hr", "hrs", "hour", "hours"], 3600.0),
];

#[cfg(test)]
mod tests {
    use super::retry_after_in_text;

    #[test]
    fn waits_in_words_are_read() {
        for (text, seconds) in [
            ("Rate limit reached. Please try again in 20s. Visit …", Some(20.0)),
            ("Please try again in 1m2.5s.", Some(62.5)),
            ("please TRY AGAIN in 6ms", Some(0.006)),
            ("Please retry in 24.305s.", Some(24.305)),
            ("retry after 5 seconds", Some(5.0)),
            ("Try again in 2 minutes, or later", Some(120.0)),
            ("try again in 1h", Some(3600.0)),
            ("try again after 1 hour 5 min.", Some(3900.0)),
            ("try again in 1.5.2s", None),
            ("try again in 3 days", None),
            ("try again in 3", None),
            ("try again in a while", None),
            ("try again in -3s", None),
            ("try again in ", None),
            ("wait 20s", None),
            ("try again in 99999999999999999999999999999h", None),
        ] {
            assert_eq!(retry_after_in_text(text).map(|wait| wait.as_secs_f64()), seconds, "{text}");
        }
    }
}
