//! The names of headers that suggest a secret.

/// Returns whether the name of a header suggests that it holds a secret, such as `X-Auth-Token`. No
/// message shows the value of such a header.
///
/// ```
/// use silcrow_environment::is_secret_header;
///
/// assert!(is_secret_header("X-Auth-Token"));
/// assert!(!is_secret_header("Accept-Language"));
/// ```
pub fn is_secret_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRETS.iter().any(|word| name.contains(word))
}

/// Words in the names of headers that hold secrets.
const SECRETS: [&str; 8] =
    ["auth", "cookie", "credential", "key", "password", "secret", "session", "token"];
