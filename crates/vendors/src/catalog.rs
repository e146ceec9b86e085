use reqwest::Url;
use serde_json::Value;
use silcrow_provider::{Error, ErrorKind};

use crate::anthropic::Messages;
use crate::chat::Chat;
use crate::gemini::Gemini;
use crate::host::Host;

impl Chat {
    /// The names of the models that its server offers, in the server's order.
    ///
    /// # Errors
    ///
    /// Those of asking for an answer; also when the server's list is none, or so long that it does
    /// not come in one piece.
    pub async fn models(&self) -> Result<Vec<String>, Error> {
        let listed = names(&self.host, beside(&self.host.url, "/chat/completions")).await;
        match listed {
            Err(error) if self.is_compatible() && error.kind() == ErrorKind::Refused => {
                // Ollama's own list, which is older than the one that others have, too.
                let mut tags = self.host.url.clone();
                tags.set_path("/api/tags");
                names(&self.host, tags).await.map_err(|_| error)
            }
            listed => listed,
        }
    }
}

impl Messages {
    /// The names of the models that its server offers, as [`Chat::models`] gives them.
    ///
    /// # Errors
    ///
    /// Those of [`Chat::models`].
    pub async fn models(&self) -> Result<Vec<String>, Error> {
        let mut url = beside(&self.host.url, "/messages");
        url.set_query(Some("limit=1000"));
        names(&self.host, url).await
    }
}

impl Gemini {
    /// The names of the models that its server offers, as [`Chat::models`] gives them.
    ///
    /// # Errors
    ///
    /// Those of [`Chat::models`].
    pub async fn models(&self) -> Result<Vec<String>, Error> {
        let mut url = beside(&self.host.url, "");
        url.set_query(Some("pageSize=1000"));
        names(&self.host, url).await
    }
}

/// Where the models are listed: in the place of an endpoint.
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
        return Err(peer.malformed("it gave an HTML page"));
    }
    let list: Value = serde_json::from_str(&text).map_err(|error| peer.no_event(&text, &error))?;
    read(&list).ok_or_else(|| peer.malformed("it gave no list of models"))
}

/// `{"data": [{"id": …}]}`, or Gemini's `{"models": [{"name": "models/…"}]}`. What has no name is
/// left out.
fn read(list: &Value) -> Option<Vec<String>> {
    let items = list.get("data").or_else(|| list.get("models"))?.as_array()?;
    let name = |item: &Value| {
        let name = item.get("id").or_else(|| item.get("name"))?.as_str()?;
        Some(name.strip_prefix("models/").unwrap_or(name).to_owned())
    };
    Some(items.iter().filter_map(name).collect())
}
