//! The names of status codes.

use reqwest::StatusCode;

/// Returns the status and its meaning, even if no standard defines it.
pub(crate) fn line(status: StatusCode) -> String {
    let code = status.as_u16();
    let known = UNREGISTERED.iter().find(|(known, _)| *known == code).map(|(_, meaning)| *meaning);
    match (status.canonical_reason(), known) {
        (Some(reason), _) => format!("{code} {reason}"),
        (None, Some(meaning)) => format!("{code}, {meaning}"),
        (None, None) => code.to_string(),
    }
}

/// Codes of proxies and vendors that no standard defines.
const UNREGISTERED: [(u16, &str); 17] = [
    (419, "the session has expired"),
    (420, "too many requests"),
    (430, "too many requests"),
    (440, "the session has expired"),
    (498, "the key is not valid"),
    (499, "the request was closed before the answer came"),
    (520, "the server of the proxy gave an answer that it does not understand"),
    (521, "the server of the proxy is down"),
    (522, "the proxy could not connect to the server in time"),
    (523, "the proxy does not reach the server"),
    (524, "the server of the proxy took too long to answer"),
    (525, "the TLS handshake between the proxy and the server failed"),
    (526, "the proxy does not trust the server's certificate"),
    (527, "the proxy lost its connection to the server"),
    (529, "the service is overloaded"),
    (530, "the proxy cannot find the server"),
    (598, "the proxy waited too long for the server"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_lines_name_code_and_reason() {
        for (code, expected) in [
            (429, "429 Too Many Requests"),
            (529, "529, the service is overloaded"),
            (521, "521, the server of the proxy is down"),
            (499, "499, the request was closed before the answer came"),
            (599, "599"),
        ] {
            assert_eq!(line(StatusCode::from_u16(code).unwrap()), expected);
        }
        for (code, _) in UNREGISTERED {
            let status = StatusCode::from_u16(code).unwrap();
            assert_eq!(status.canonical_reason(), None, "{code}");
        }
    }
}
