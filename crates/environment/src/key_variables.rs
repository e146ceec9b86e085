//! The variables in which keys and headers are, and how a text of several keys is written.

use std::fs;
use std::path::PathBuf;

use silcrow_sanitize::{Secret, Secrets};
use url::Url;

use crate::environment::Environment;
use crate::secret_header::is_secret_header;

/// The variable that holds the keys of compatible servers, as `HOST=KEY`.
pub const COMPATIBLE_KEY: &str = "SILCROW_COMPATIBLE_KEY";

/// The variables that hold keys. Beside each one `NAME_FILE` may name a file and `NAME_COMMAND` a
/// command of keys.
pub const KEY_VARIABLES: [&str; 5] = [
    "ANTHROPIC_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "OPENAI_API_KEY",
    COMPATIBLE_KEY,
];

/// Returns the keys and the secret headers of an environment, each with its variable, to mask them.
///
/// A file of keys that cannot be read is left out, because there may be no use for it. A command is
/// not run; its output joins [`printed_secrets`](crate::printed_secrets).
///
/// ```
/// use silcrow_environment::{Environment, key_secrets};
/// use silcrow_sanitize::Secrets;
///
/// let environment = Environment::from_vars([("OPENAI_API_KEY", "sk-canary-0123,sk-canary-4567")]);
/// let secrets = Secrets::named(key_secrets(&environment));
/// assert_eq!(secrets.mask("sk-canary-4567?"), "[secret OPENAI_API_KEY]?");
/// ```
pub fn key_secrets(environment: &Environment) -> Vec<Secret> {
    let keys = KEY_VARIABLES.into_iter().flat_map(|variable| keys_of(environment, variable));
    header_secrets(environment).into_iter().chain(keys).collect()
}

/// Returns the files of keys that an environment names, such as by `OPENAI_API_KEY_FILE`, to hide them
/// from commands.
///
/// ```
/// use silcrow_environment::{Environment, key_files};
///
/// let environment = Environment::from_vars([("OPENAI_API_KEY_FILE", "/run/secrets/openai")]);
/// assert!(key_files(&environment).eq(["/run/secrets/openai".into()] as [std::path::PathBuf; 1]));
/// ```
pub fn key_files(environment: &Environment) -> impl Iterator<Item = PathBuf> {
    let name = |variable| environment.get(&format!("{variable}_FILE"));
    KEY_VARIABLES.into_iter().filter_map(name).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Returns the keys of a variable, or of the file that the variable with `_FILE` names.
fn keys_of(environment: &Environment, variable: &str) -> Vec<Secret> {
    let file = || {
        let path = environment.get(&format!("{variable}_FILE"))?;
        // Reading something else, such as a pipe, might never end.
        fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
        fs::read_to_string(path).ok()
    };
    let text = environment.get(variable).or_else(file).unwrap_or_default();
    separate_keys(&text).map(|entry| Secret::new(key_and_host(entry).0, variable)).collect()
}

/// Returns the values of headers whose names suggest a secret. Values of other headers are not
/// masked, because their pieces may be words of the conversation.
pub fn header_secrets(environment: &Environment) -> Vec<Secret> {
    let headers =
        HEADERS.into_iter().filter_map(|variable| Some((variable, environment.get(variable)?)));
    let secrets = headers.flat_map(|(variable, text)| {
        let values = text.lines().filter_map(|line| line.split_once(':'));
        // Shorter values are not secrets, and masking them would change other text.
        let values = values.filter(|(name, value)| {
            is_secret_header(name) && value.trim().len() >= Secrets::SHORTEST
        });
        values.map(|(_, value)| Secret::new(value, variable)).collect::<Vec<_>>()
    });
    secrets.collect()
}

/// Returns the keys in the text of a variable.
pub fn separate_keys(keys: &str) -> impl Iterator<Item = &str> {
    keys.split([',', '\n']).map(str::trim).filter(|key| !key.is_empty())
}

/// Returns the key of an entry `HOST=KEY`, and the host and port that it names. A key may contain
/// `=`, so only text that looks like a host counts as one.
///
/// ```
/// use silcrow_environment::key_and_host;
///
/// let (key, host) = key_and_host("localhost:8080=sk-canary");
/// assert_eq!((key, host.as_deref()), ("sk-canary", Some("localhost:8080")));
/// assert_eq!(key_and_host("sk-canary=="), ("sk-canary==", None));
/// ```
pub fn key_and_host(entry: &str) -> (&str, Option<String>) {
    let named = entry.split_once('=').and_then(|(host, key)| {
        let (host, key) = (host.trim(), key.trim());
        let rest = host.strip_prefix("https://").or_else(|| host.strip_prefix("http://"));
        let bare = rest.unwrap_or(host);
        let is_host = bare == "localhost" || bare.contains(['.', ':']);
        if !is_host || key.trim_matches('=').is_empty() {
            return None;
        }
        let url = if rest.is_some() { host.to_owned() } else { format!("https://{host}") };
        Some((key, authority(&url)?))
    });
    named.map_or((entry, None), |(key, host)| (key, Some(host)))
}

/// Returns the host and the port of a URL of HTTP.
fn authority(url: &str) -> Option<String> {
    let url = Url::parse(url.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let port = url.port_or_known_default().unwrap_or_default();
    Some(format!("{}:{port}", url.host_str().unwrap_or_default()))
}

/// The variables that hold headers.
const HEADERS: [&str; 5] = [
    "ANTHROPIC_HEADERS",
    "AZURE_OPENAI_HEADERS",
    "GEMINI_HEADERS",
    "OPENAI_HEADERS",
    "SILCROW_COMPATIBLE_HEADERS",
];
