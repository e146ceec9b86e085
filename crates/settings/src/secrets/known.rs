//! The secrets in the environment, which nothing may show.
//!
//! This module knows in which variables keys are. It does not know for which server each key is.

use std::{env, fs};

use silcrow_sanitize::{Secret, Secrets};
use url::Url;

use super::printed::printed_secrets;
use crate::environment::EnvironmentVariables;
use crate::header_name::is_secret_header;

/// Returns all secrets that are known: those for models, and the values of variables whose names end
/// as those of keys do. A file of keys that cannot be read is left out, because there may be no use
/// for it.
pub fn known_secrets() -> Secrets {
    known_secrets_with(&[])
}

/// Returns all secrets that are known, and others, such as those that servers get.
pub fn known_secrets_with(more: &[Secret]) -> Secrets {
    let keys = KEYS.into_iter().flat_map(key_secrets);
    let others = env::vars_os().filter_map(|(name, value)| {
        let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
        let is_key = is_key_name(&name);
        // Something else, such as a path or a sentence.
        let is_other = value.starts_with('/') || value.contains(char::is_whitespace);
        (is_key && !is_other && value.len() >= SHORTEST_OTHER).then(|| Secret::new(&value, name))
    });
    let collector = collector_secrets();
    let all = header_secrets().into_iter().chain(keys).chain(collector).chain(others);
    let all = all.chain(proxy_secrets()).chain(more.iter().cloned());
    // What commands print counts from then on.
    Secrets::named(all).following(printed_secrets())
}

fn set(variable: &str) -> Option<String> {
    EnvironmentVariables::of_process().get(variable)
}

/// Returns the passwords in the addresses of proxies, which the programs of servers get.
fn proxy_secrets() -> Vec<Secret> {
    let proxies = PROXIES.into_iter().filter_map(|variable| Some((variable, set(variable)?)));
    let secrets = proxies.filter_map(|(variable, address)| {
        let url = Url::parse(&address).ok()?;
        let password = url.password().filter(|password| password.len() >= Secrets::SHORTEST)?;
        Some(Secret::new(password, variable))
    });
    secrets.collect()
}

/// Returns whether a variable's name looks like that of an API key.
///
/// ```
/// use silcrow_settings::is_key_name;
///
/// assert!(is_key_name("GITHUB_TOKEN"));
/// assert!(!is_key_name("EDITOR"));
/// ```
pub fn is_key_name(variable: &str) -> bool {
    let is_end = |end: &&str| variable.ends_with(*end) || variable == end.trim_start_matches('_');
    KEY_NAMES.iter().any(is_end)
}

/// Returns the values of headers for a collector of telemetry, of which the list has commas.
fn collector_secrets() -> Vec<Secret> {
    let lists =
        COLLECTOR_HEADERS.into_iter().filter_map(|variable| Some((variable, set(variable)?)));
    let secrets = lists.flat_map(|(variable, list)| {
        let members = list.split(',').filter_map(|member| member.split_once('='));
        let values = members.filter_map(|(name, value)| {
            let value = value.trim();
            let shortest =
                if is_secret_header(name.trim()) { Secrets::SHORTEST } else { SHORTEST_OTHER };
            (value.len() >= shortest).then_some(value)
        });
        values.map(|value| Secret::new(value, variable)).collect::<Vec<_>>()
    });
    secrets.collect()
}

/// Returns the keys of a variable, or of the file that the variable with `_FILE` names.
fn key_secrets(variable: &str) -> Vec<Secret> {
    let file = || {
        let path = set(&format!("{variable}_FILE"))?;
        // Reading something else, such as a pipe, might never end.
        fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
        fs::read_to_string(path).ok()
    };
    let text = set(variable).or_else(file).unwrap_or_default();
    separate(&text).map(|entry| Secret::new(split(entry).1, variable)).collect()
}

/// Returns the values of headers whose names suggest a secret. Those of others are not masked,
/// because their pieces may be words of the conversation.
pub fn header_secrets() -> Vec<Secret> {
    let headers = HEADERS.into_iter().filter_map(|variable| Some((variable, set(variable)?)));
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
pub fn separate(keys: &str) -> impl Iterator<Item = &str> {
    keys.split([',', '\n']).map(str::trim).filter(|key| !key.is_empty())
}

/// Returns the host and port that an entry `HOST=KEY` names, and its key. A key may contain `=`, so
/// only text that looks like a host counts as one.
pub fn split(entry: &str) -> (Option<String>, &str) {
    let named = entry.split_once('=').and_then(|(host, key)| {
        let (host, key) = (host.trim(), key.trim());
        let rest = host.strip_prefix("https://").or_else(|| host.strip_prefix("http://"));
        let bare = rest.unwrap_or(host);
        let is_host = bare == "localhost" || bare.contains(['.', ':']);
        if !is_host || key.trim_matches('=').is_empty() {
            return None;
        }
        let url = if rest.is_some() { host.to_owned() } else { format!("https://{host}") };
        Some((authority(&url)?, key))
    });
    named.map_or((None, entry), |(host, key)| (Some(host), key))
}

/// Returns the host and the port of a URL of HTTP.
fn authority(url: &str) -> Option<String> {
    let url = Url::parse(url.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let port = url.port_or_known_default().unwrap_or_default();
    Some(format!("{}:{port}", url.host_str().unwrap_or_default()))
}

/// The variable that holds the keys of compatible servers.
pub const COMPATIBLE_KEY: &str = "SILCROW_COMPATIBLE_KEY";

/// The variables that hold keys.
pub const KEYS: [&str; 5] = [
    "ANTHROPIC_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "OPENAI_API_KEY",
    COMPATIBLE_KEY,
];

/// The variables that hold headers.
const HEADERS: [&str; 5] = [
    "ANTHROPIC_HEADERS",
    "AZURE_OPENAI_HEADERS",
    "GEMINI_HEADERS",
    "OPENAI_HEADERS",
    "SILCROW_COMPATIBLE_HEADERS",
];

/// The variables that hold the addresses of proxies.
const PROXIES: [&str; 6] =
    ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

/// The variables that hold headers for a collector.
const COLLECTOR_HEADERS: [&str; 3] = [
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_METRICS_HEADERS",
    "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
];

/// The ends of the names of variables that hold keys of other programs.
const KEY_NAMES: [&str; 8] = [
    "_API_KEY",
    "_ACCESS_KEY",
    "_SECRET_KEY",
    "_PASSWORD",
    "_SECRET",
    "_TOKEN",
    "_PAT",
    "PGPASSWORD",
];

/// The length of the shortest key of another program, in bytes. A shorter value may be a word.
const SHORTEST_OTHER: usize = 16;
