//! Chat Completions in Azure, which has its own paths and its own header for the key.

use reqwest::Url;
use silcrow_provider::Error;

use super::{Chat, ChatApi, ChatServer, ENDPOINT};
use crate::host::parse;
use crate::key::ApiKey;

impl Chat {
    /// Creates the model of a `deployment` in the Azure resource at `resource`, such as
    /// `https://resource.openai.azure.com`.
    ///
    /// Without a `version` it uses the API that needs none (`/openai/v1`). With one, such as
    /// `2024-10-21`, it uses the API of deployments and sends the version in each request. The key
    /// is sent as `api-key`.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Refused`](silcrow_provider::ErrorKind::Refused) if
    /// `resource` is not a URL of HTTP, and of
    /// [`ErrorKind::Auth`](silcrow_provider::ErrorKind::Auth) if `key` cannot be a key.
    pub fn azure(
        resource: &str,
        deployment: impl Into<String>,
        version: Option<&str>,
        key: ApiKey,
    ) -> Result<Self, Error> {
        let deployment = deployment.into();
        let name = format!("azure:{deployment}");
        let url = url(resource, &deployment, version)?;
        let server = match version {
            Some(_) => ChatServer::AzureVersion,
            None => ChatServer::Azure,
        };
        Self::at(name, deployment, url, Some(key), ChatApi { server, ..ChatApi::default() })
    }
}

fn url(resource: &str, deployment: &str, version: Option<&str>) -> Result<Url, Error> {
    let mut url = parse(resource)?;
    let path = url.path().trim_end_matches('/');
    let path = path.strip_suffix("/v1").unwrap_or(path);
    let path = format!("{}/openai", path.strip_suffix("/openai").unwrap_or(path));
    let Some(version) = version else {
        url.set_path(&format!("{path}/v1{ENDPOINT}"));
        return Ok(url);
    };
    url.set_path(&path);
    url.path_segments_mut().expect("a URL of HTTP has a path").extend([
        "deployments",
        deployment,
        "chat",
        "completions",
    ]);
    url.query_pairs_mut().append_pair("api-version", version);
    Ok(url)
}
