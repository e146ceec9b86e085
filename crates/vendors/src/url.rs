//! URLs as people may see them.

use reqwest::Url;

/// Returns the URL without its password and query, as messages may show it.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    // Both fail only if there is nothing to remove.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.into()
}
