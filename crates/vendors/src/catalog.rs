//! Requests for the list of models that a server offers.

use reqwest::Url;
use serde_json::Value;
use silcrow_provider::{Error, ErrorKind};

use crate::chat::Chat;
use crate::error::Peer;
use crate::gemini::Gemini;
use crate::host::Host;
use crate::listed_model::{ListedModel, in_use, read, running};
use crate::messages::Messages;

impl Chat {
    /// Returns the names of the models that the server offers, in the server's order.
    ///
    /// # Errors
    ///
    /// Returns the errors of any request, and an error of [`ErrorKind::Malformed`] if the response
    /// is not a list of models.
    pub async fn models(&self) -> Result<Vec<String>, Error> {
        Ok(names(self.list().await?.1))
    }

    /// Returns the models that the server offers, in the server's order, with the data of its list.
    ///
    /// The window of a model on llama.cpp, LM Studio or Ollama is the one with which the server
    /// runs the model, and not the model's maximum. The server has it at another URL, which takes a
    /// second request; if that fails, the window stays unknown.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`models`](Self::models).
    pub async fn listed_models(&self) -> Result<Vec<ListedModel>, Error> {
        let (list, mut models) = self.list().await?;
        if let Some(path) = running(&list).filter(|_| self.is_compatible())
            && let Ok((_, said)) = json(&self.host, root(&self.host.url, path)).await
        {
            in_use(&said, &mut models);
        }
        Ok(models)
    }

    async fn list(&self) -> Result<(Value, Vec<ListedModel>), Error> {
        let listed = list(&self.host, beside(&self.host.url, "/chat/completions")).await;
        match listed {
            Err(error) if self.is_compatible() && error.kind() == ErrorKind::Refused => {
                // Older versions of Ollama have only their native list.
                let mut tags = self.host.url.clone();
                tags.set_path("/api/tags");
                list(&self.host, tags).await.map_err(|_| error)
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
        self.listed_models().await.map(names)
    }

    /// Returns the models that the server offers, in the server's order, with the data of its list.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Chat::models`].
    pub async fn listed_models(&self) -> Result<Vec<ListedModel>, Error> {
        let mut url = beside(&self.host.url, "/messages");
        url.set_query(Some("limit=1000"));
        Ok(list(&self.host, url).await?.1)
    }
}

impl Gemini {
    /// Returns the names of the models that the server offers, in the server's order.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Chat::models`].
    pub async fn models(&self) -> Result<Vec<String>, Error> {
        self.listed_models().await.map(names)
    }

    /// Returns the models that the server offers, in the server's order, with the data of its list.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Chat::models`].
    pub async fn listed_models(&self) -> Result<Vec<ListedModel>, Error> {
        let mut url = beside(&self.host.url, "");
        url.set_query(Some("pageSize=1000"));
        Ok(list(&self.host, url).await?.1)
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

/// Returns the URL of a path of the server itself, which is not below its version of the API.
fn root(url: &Url, path: &str) -> Url {
    let mut url = url.clone();
    let endpoint = url.path().trim_end_matches('/');
    let base = endpoint.strip_suffix("/chat/completions").unwrap_or(endpoint);
    let path = format!("{}{path}", base.strip_suffix("/v1").unwrap_or(base));
    url.set_path(&path);
    url.set_query(None);
    url
}

fn names(models: Vec<ListedModel>) -> Vec<String> {
    models.into_iter().map(|model| model.name).collect()
}

async fn list(host: &Host, url: Url) -> Result<(Value, Vec<ListedModel>), Error> {
    let (peer, list) = json(host, url).await?;
    match read(&list) {
        Some(models) => Ok((list, models)),
        None => Err(peer.malformed("it sent no list of models")),
    }
}

async fn json(host: &Host, url: Url) -> Result<(Peer, Value), Error> {
    let (peer, text) = host.get(url).await?;
    if text.trim_start().starts_with('<') {
        return Err(peer.malformed("it sent an HTML page"));
    }
    let value = serde_json::from_str(&text).map_err(|error| peer.no_event(&text, &error))?;
    Ok((peer, value))
}
