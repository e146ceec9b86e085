//! API keys from the environment, from files and from commands, and the secrets to mask.

use silcrow_sanitize::{Secret, Secrets};
use silcrow_vendors::{ApiKey, authority};

use crate::error::Error;
use crate::key_place::KeyPlace;
use crate::name::server;
use crate::options::ModelOptions;
use silcrow_environment::{
    COMPATIBLE_KEY, KEY_VARIABLES, header_secrets, key_and_host, printed_secrets, separate_keys,
};

/// The keys of a variable as they are written, and their source for messages.
#[derive(Clone, Default)]
pub(crate) struct KeyText {
    pub(crate) text: String,
    pub(crate) source: String,
}

impl KeyText {
    /// Reads the keys of a place.
    pub(crate) fn read(place: &KeyPlace) -> Result<Self, Error> {
        Ok(Self { text: place.text(false)?, source: place.source().to_owned() })
    }

    /// Returns the keys of a variable, all of which are for the vendor's server.
    pub(crate) fn keys(&self) -> Vec<ApiKey> {
        separate_keys(&self.text).map(|key| ApiKey::new(key, &*self.source)).collect()
    }
}

/// The keys for compatible servers, each with the server to which it may be sent.
pub(crate) struct ServerKeys(Vec<(String, ApiKey)>);

impl ServerKeys {
    /// Reads the person's keys. A key that names no server is for the server of the chosen model.
    pub(crate) fn read(options: &ModelOptions) -> Result<Self, Error> {
        Self::of_text(&written(COMPATIBLE_KEY, options)?, &options.chosen)
    }

    /// Reads keys from a text.
    pub(crate) fn of_text(written: &KeyText, chosen: &str) -> Result<Self, Error> {
        let KeyText { text, source } = written;
        let (mut bound, mut unbound) = (Vec::new(), Vec::new());
        for entry in separate_keys(text) {
            match key_and_host(entry) {
                (key, Some(host)) => bound.push((host, ApiKey::new(key, &**source))),
                (key, None) => unbound.push(ApiKey::new(key, &**source)),
            }
        }
        if unbound.len() > 1 {
            return Err(Error::setting(format!(
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
    pub(crate) fn for_url(&self, url: &str) -> Vec<ApiKey> {
        let host = authority(url).ok();
        let is_for = |(bound, _): &&(String, ApiKey)| Some(bound) == host.as_ref();
        self.0.iter().filter(is_for).map(|(_, key)| key.clone()).collect()
    }
}

/// Returns the keys of a variable.
pub(crate) fn keys(variable: &str, options: &ModelOptions) -> Result<Vec<ApiKey>, Error> {
    Ok(written(variable, options)?.keys())
}

/// Returns the secrets for all models, to mask them in recordings. A command that was not needed is
/// not run for that.
pub(crate) fn secrets(options: &ModelOptions) -> Result<Secrets, Error> {
    let mut secrets = header_secrets(&options.environment);
    for variable in KEY_VARIABLES {
        secrets.extend(key_secrets(variable, options)?);
    }
    Ok(Secrets::named(secrets).following(printed_secrets()))
}

/// Returns the keys of a variable as secrets with its name.
fn key_secrets(variable: &str, options: &ModelOptions) -> Result<Vec<Secret>, Error> {
    let text = match KeyPlace::find(variable, options)? {
        None | Some(KeyPlace::Command { .. }) => return Ok(Vec::new()),
        Some(place) => place.text(false)?,
    };
    Ok(separate_keys(&text).map(|entry| Secret::new(key_and_host(entry).0, variable)).collect())
}

/// Returns the keys of a variable as they are written; no text if there are none.
fn written(variable: &str, options: &ModelOptions) -> Result<KeyText, Error> {
    let place = KeyPlace::find(variable, options)?;
    place.as_ref().map(KeyText::read).transpose().map(Option::unwrap_or_default)
}
