//! The names of models.
//!
//! This module parses names. It opens nothing.

use silcrow_vendors::authority;

/// The name of the rehearsal model, which needs no key and no network.
pub const REHEARSAL: &str = "rehearsal";

/// Returns whether a name means the rehearsal model.
pub fn is_rehearsal(name: &str) -> bool {
    name == REHEARSAL
}

/// Returns the name to show, without a server's address, which may contain a password.
///
/// ```
/// use silcrow_models::label;
///
/// assert_eq!(label("compatible:http://ann:secret@127.0.0.1:8080/v1#gemma3"), "gemma3");
/// assert_eq!(label("openai:gpt-5.1"), "openai:gpt-5.1");
/// ```
pub fn label(name: &str) -> &str {
    match name.split_once('#') {
        // Text after an `@` may be part of a malformed address.
        Some((_, model)) if !model.contains('@') => model,
        _ => name.rsplit_once('#').map_or(name, |(_, model)| model),
    }
}

/// Returns the URL of a compatible model's server, or `None` for another model.
///
/// ```
/// use silcrow_models::server;
///
/// assert_eq!(server("compatible:http://127.0.0.1:8080/v1#m"), Some("http://127.0.0.1:8080/v1"));
/// assert_eq!(server("openai:gpt-5.1"), None);
/// ```
pub fn server(name: &str) -> Option<&str> {
    let (url, model) = name.strip_prefix("compatible:")?.split_once('#')?;
    (!url.is_empty() && !model.is_empty()).then_some(url)
}

/// Returns whether the chosen model is at the server of this URL.
pub(crate) fn same_server(url: &str, chosen: &str) -> bool {
    let at = |url| authority(url).ok();
    server(chosen).is_some_and(|own| at(own).is_some() && at(own) == at(url))
}
