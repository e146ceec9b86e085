//! API keys from the environment and from files, and the secrets to mask.

use std::path::Path;

use silcrow_sanitize::{Secret, Secrets};
use silcrow_vendors::{ApiKey, authority};

use super::server;
use crate::environment::set;
use crate::failure::Failure;
use crate::input::Input;
use crate::known_secrets::{COMPATIBLE_KEY, KEYS, header_secrets, separate, split};

/// The keys for compatible servers, each with the server to which it may be sent.
pub(crate) struct ServerKeys(Vec<(String, ApiKey)>);

impl ServerKeys {
    /// Reads the person's keys. A key that names no server is for the server of `chosen`, the model
    /// that the person chose.
    pub(crate) fn read(chosen: &str) -> Result<Self, Failure> {
        let (text, source) = written(COMPATIBLE_KEY)?;
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

/// Returns the secrets for models, whichever model is asked, to mask them in recordings.
pub(super) fn secrets() -> Result<Secrets, Failure> {
    let mut secrets = header_secrets();
    for variable in KEYS {
        secrets.extend(key_secrets(variable)?);
    }
    Ok(Secrets::named(secrets))
}

/// Returns the keys of a variable as secrets with its name.
fn key_secrets(variable: &str) -> Result<Vec<Secret>, Failure> {
    let (text, _) = written(variable)?;
    Ok(separate(&text).map(|entry| Secret::new(split(entry).1, variable)).collect())
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
