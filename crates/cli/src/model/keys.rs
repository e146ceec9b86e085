//! API keys from the environment and from files, and the secrets to mask.

use std::path::Path;

use silcrow_provider::record::Secrets;
use silcrow_vendors::{ApiKey, authority, is_secret_header};

use super::server;
use crate::environment::set;
use crate::failure::Failure;
use crate::input::Input;

/// The keys for compatible servers, each with the server to which it may be sent.
pub(crate) struct ServerKeys(Vec<(String, ApiKey)>);

impl ServerKeys {
    /// Reads the person's keys. A key that names no server is for the server of `chosen`, the model
    /// that the person chose.
    pub(crate) fn read(chosen: &str) -> Result<Self, Failure> {
        let (text, source) = written(COMPATIBLE)?;
        let (mut bound, mut unbound) = (Vec::new(), Vec::new());
        for entry in separate(&text) {
            match split(entry) {
                (Some(host), key) => bound.push((host, ApiKey::new(key, &*source))),
                (None, key) => unbound.push(ApiKey::new(key, &*source)),
            }
        }
        if unbound.len() > 1 {
            return Err(Failure::given(format!(
                "{} keys in {source} name no server, and a server is not shown the keys of others; \
                 write each as HOST=KEY, such as api.example.com=KEY",
                unbound.len()
            )));
        }
        let own = server(chosen).and_then(|url| authority(url).ok());
        bound.extend(
            own.into_iter()
                .flat_map(|host| unbound.iter().map(move |key| (host.clone(), key.clone()))),
        );
        Ok(Self(bound))
    }

    /// Returns the keys that may be sent to the server of this URL.
    pub(crate) fn of(&self, url: &str) -> Vec<ApiKey> {
        let host = authority(url).ok();
        let is_for = |(bound, _): &&(String, ApiKey)| Some(bound) == host.as_ref();
        self.0.iter().filter(is_for).map(|(_, key)| key.clone()).collect()
    }
}

/// Returns the keys in a variable, or in the file that the variable with `_FILE` names.
pub(super) fn keys(variable: &str) -> Result<Vec<ApiKey>, Failure> {
    let (text, source) = written(variable)?;
    Ok(separate(&text).map(|key| ApiKey::new(key, &*source)).collect())
}

/// Returns all secrets in the environment, to mask them in recordings.
pub(super) fn secrets() -> Result<Secrets, Failure> {
    let texts = KEYS.into_iter().map(written).collect::<Result<Vec<_>, _>>()?;
    let keys = texts.iter().flat_map(|(text, _)| separate(text).map(|entry| split(entry).1));
    let headers: Vec<_> = HEADERS.into_iter().filter_map(set).collect();
    let values = headers.iter().flat_map(|text| text.lines());
    let values = values.filter_map(|line| line.split_once(':'));
    // Values of other headers are not masked, because their pieces may be words of the
    // conversation.
    let values = values.filter(|(name, _)| is_secret_header(name)).map(|(_, value)| value.trim());
    // Shorter values are not secrets, and masking them would change other text.
    Ok(Secrets::new(keys.chain(values.filter(|value| value.len() >= SHORTEST_SECRET))))
}

/// Returns the text of the keys of a variable, and its source for messages.
fn written(variable: &str) -> Result<(String, String), Failure> {
    let beside = format!("{variable}_FILE");
    match (set(variable), set(&beside)) {
        (Some(text), _) => Ok((text, variable.to_owned())),
        (None, Some(file)) => {
            let text = Input::open(Path::new(&file))
                .and_then(Input::text)
                .map_err(|failure| Failure::given(format!("{} ({beside})", failure.message())))?;
            if text.trim().is_empty() {
                return Err(Failure::given(format!("there is no key in {file} ({beside})")));
            }
            Ok((text, format!("{file} ({beside})")))
        }
        (None, None) => Ok(Default::default()),
    }
}

fn separate(keys: &str) -> impl Iterator<Item = &str> {
    keys.split([',', '\n']).map(str::trim).filter(|key| !key.is_empty())
}

/// Returns the host and port that an entry `HOST=KEY` names, and its key. A key may contain `=`, so
/// only text that looks like a host counts as one.
fn split(entry: &str) -> (Option<String>, &str) {
    let named = entry.split_once('=').and_then(|(host, key)| {
        let (host, key) = (host.trim(), key.trim());
        let rest = host.strip_prefix("https://").or_else(|| host.strip_prefix("http://"));
        let bare = rest.unwrap_or(host);
        let is_host = bare == "localhost" || bare.contains(['.', ':']);
        if !is_host || key.trim_matches('=').is_empty() {
            return None;
        }
        let url = if rest.is_some() { host.to_owned() } else { format!("https://{host}") };
        Some((authority(&url).ok()?, key))
    });
    named.map_or((None, entry), |(host, key)| (Some(host), key))
}

pub(super) const COMPATIBLE: &str = "SILCROW_COMPATIBLE_KEY";

/// The variables that hold keys.
const KEYS: [&str; 5] =
    ["ANTHROPIC_API_KEY", "AZURE_OPENAI_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY", COMPATIBLE];

/// The variables that hold headers.
const HEADERS: [&str; 5] = [
    "ANTHROPIC_HEADERS",
    "AZURE_OPENAI_HEADERS",
    "GEMINI_HEADERS",
    "OPENAI_HEADERS",
    "SILCROW_COMPATIBLE_HEADERS",
];

const SHORTEST_SECRET: usize = 8;
