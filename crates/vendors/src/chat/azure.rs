use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName};
use silcrow_provider::Error;

use super::{Chat, ENDPOINT, request};
use crate::host::{Host, parse};
use crate::key::ApiKey;
use crate::thoughts::InlineReasoning;

impl Chat {
    /// The `deployment` of a model in Azure, at the resource's own address, such as
    /// `https://resource.openai.azure.com`. Without a `version` the API is the one that needs none
    /// (`/openai/v1`); with one, such as `2024-10-21`, it is that of deployments, and the version is
    /// sent in each request. The key is sent as `api-key`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](silcrow_provider::ErrorKind::Refused) when `resource` is not a URL of
    /// HTTP, and as for [`Chat::openai`].
    pub fn azure(
        resource: &str,
        deployment: impl Into<String>,
        version: Option<&str>,
        key: ApiKey,
    ) -> Result<Self, Error> {
        let deployment = deployment.into();
        let name = format!("azure:{deployment}");
        let url = url(resource, &deployment, version)?;
        // Versions that are named know neither the newer limit nor keys of caches.
        let limit = match version {
            Some(_) => request::Limit::MaxTokens,
            None => request::Limit::MaxCompletionTokens,
        };
        let headers = [(HeaderName::from_static("api-key"), key.bare()?)];
        let headers = headers.into_iter().collect::<HeaderMap>();
        let host = Host::new("Chat Completions", url, Some(key), headers)?;
        let (model, options) = (deployment, request::Options::new(limit));
        Ok(Self { name, model, host, options, reasoning: InlineReasoning::None })
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
