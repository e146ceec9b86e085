//! The wait that a response asks for before another request.

use std::time::{Duration, SystemTime};

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

/// Returns the wait that the headers of a response ask for: milliseconds in `retry-after-ms`, or
/// seconds with a fraction or a date in `retry-after`.
///
/// A date is compared with the date of the response, so a wrong local clock makes no difference.
///
/// ```
/// use std::time::Duration;
///
/// use silcrow_http_client::{HeaderMap, retry_after};
///
/// let mut headers = HeaderMap::new();
/// assert_eq!(retry_after(&headers), None);
/// headers.insert("retry-after", "2.5".parse().unwrap());
/// assert_eq!(retry_after(&headers), Some(Duration::from_millis(2_500)));
/// headers.insert("date", "Sun, 06 Nov 1994 08:49:37 GMT".parse().unwrap());
/// headers.insert("retry-after", "Sun, 06 Nov 1994 08:49:57 GMT".parse().unwrap());
/// assert_eq!(retry_after(&headers), Some(Duration::from_secs(20)));
/// ```
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |name: &str| text(name)?.parse::<f64>().ok();
    let seconds = number("retry-after-ms").map(|ms| ms / 1000.0);
    if let Some(seconds) = seconds.or_else(|| number(RETRY_AFTER.as_str())) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = |name: &str| httpdate::parse_http_date(text(name)?).ok();
    let now = date(DATE.as_str()).unwrap_or_else(SystemTime::now);
    Some(date(RETRY_AFTER.as_str())?.duration_since(now).unwrap_or_default())
}
