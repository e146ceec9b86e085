//! Requests for the list of models that a server offers.

use reqwest::Url;
use serde_json::Value;
use silcrow_provider::{Error, ErrorKind};

use crate::chat::Chat;
use crate::gemini::Gemini;
use crate::host::Host;
use crate::messages::Messages;

impl Chat {
    /// Returns the names of the models that the server offers, in the server's order.
    ///
    /// # Errors
    ///
    /// Returns the errors of any request, and an error of [`ErrorKind::Malformed`] if the response
    /// is not a list of models.
    pub async fn models(&self) -> Result<Vec<String>, Error> {
        let listed = names(&self.host, beside(&self.host.url, "/chat/completions")).await;
        match listed {
            Err(error) if self.is_compatible() && error.kind() == ErrorKind::Refused => {
                // Older versions of Ollama have only a list of their own.
                let mut tags = self.host.url.clone();
                tags.set_path("/api/tags");
                names(&self.host, tags).await.map_err(|_| error)
            }
            listed => listed,
        }
    }
}

impl Messages {
    /// Returns the names of the models that the server offers, in the server's order.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Chat::models`].
    pub async fn models(&self) -> Result<Vec<String>, Error> {
        let mut url = beside(&self.host.url, "/messages");
        url.set_query(Some("limit=1000"));
        names(&self.host, url).await
    }
}

impl Gemini {
    /// Returns the names of the models that the server offers, in the server's order.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Chat::models`].
    pub async fn models(&self) -> Result<Vec<String>, Error> {
        let mut url = beside(&self.host.url, "");
        url.set_query(Some("pageSize=1000"));
        names(&self.host, url).await
    }
}

/// Returns the URL of the list of models, which has `/models` in place of the endpoint.
fn beside(url: &Url, endpoint: &str) -> Url {
    let mut url = url.clone();
    let path = url.path().trim_end_matches('/');
    let path = format!("{}/models", path.strip_suffix(endpoint).unwrap_or(path));
    url.set_path(&path);
    url.set_query(None);
    url
}

async fn names(host: &Host, url: Url) -> Result<Vec<String>, Error> {
    let (peer, text) = host.get(url).await?;
    if text.trim_start().starts_with('<') {
        return Err(peer.malformed("it sent an HTML page"));
    }
    let list: Value = serde_json::from_str(&text).map_err(|error| peer.no_event(&text, &error))?;
    read(&list).ok_or_else(|| peer.malformed("it sent no list of models"))
}

/// Reads `{"data": [{"id": …}]}`, or Gemini's `{"models": [{"name": "models/…"}]}`. Items without a
/// name are left out.
fn read(list: &Value) -> Option<Vec<String>> {
    let items = list.get("data").or_else(|| list.get("models"))?.as_array()?;
    let name = |item: &Value| {
        let name = item.get("id").or_else(|| item.get("name"))?.as_str()?;
        Some(name.strip_prefix("models/").unwrap_or(name).to_owned())
    };
    Some(items.iter().filter_map(name).collect())
}
