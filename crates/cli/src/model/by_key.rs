//! Models of the vendors that require a key.

use std::sync::Arc;

use silcrow_provider::{Error, KeyRotation, Provider, RateLimited, RateLimiter, Retry};
use silcrow_vendors::{AnthropicVersion, Api, ApiKey, Chat, Model};

use super::{ServerSettings, Settings, keys};
use crate::environment::set;
use crate::failure::Failure;

/// Returns a vendor's model, which tries each of the person's keys, at the vendor's own server or
/// another.
pub(super) fn by_keys<A: Api>(
    vendor: &'static str,
    model: &str,
    settings: &Settings,
    new: impl Fn(ApiKey) -> Result<Model<A>, Error>,
) -> Result<Arc<dyn Provider>, Failure> {
    let VendorAccess { variable, keys, base } = access(vendor)?;
    if keys.is_empty() {
        return Err(Failure::given(format!(
            "{variable} is not set; put your key there, or use --model rehearsal"
        )));
    }
    let Settings { limits, proxy, .. } = settings;
    let way = ServerSettings::read(vendor, limits.timeouts(model), proxy)?;
    let ways = keys.into_iter().map(|key| {
        let model = new(key).map_err(|error| Failure::given(error.to_string()))?;
        way.to(model, base.as_deref())
    });
    rotating(ways, limits.rate_limiter(vendor))
}

/// Returns a deployment in Azure, configured by the variables that Azure's own clients read.
pub(super) fn azure(deployment: &str, settings: &Settings) -> Result<Arc<dyn Provider>, Failure> {
    let Some(resource) = set("AZURE_OPENAI_ENDPOINT") else {
        return Err(Failure::given(
            "AZURE_OPENAI_ENDPOINT is not set; put the address of your resource there, such as \
             https://resource.openai.azure.com",
        ));
    };
    let version = set("OPENAI_API_VERSION");
    by_keys(AZURE, deployment, settings, |key| {
        Chat::azure(&resource, deployment, version.as_deref(), key)
    })
}

/// Returns a rotation of the models, each of which has another key, under the vendor's rate limit.
pub(super) fn rotating<P: Provider + 'static>(
    ways: impl Iterator<Item = Result<P, Failure>>,
    limiter: RateLimiter,
) -> Result<Arc<dyn Provider>, Failure> {
    let mut ways = ways.collect::<Result<Vec<_>, _>>()?.into_iter();
    let first = ways.next().expect("there is at least one");
    Ok(Arc::new(Retry::new(RateLimited::new(KeyRotation::new(first, ways), limiter))))
}

/// The settings of a vendor in the environment.
pub(crate) struct VendorAccess {
    /// The variable of its keys.
    pub(crate) variable: String,
    pub(crate) keys: Vec<ApiKey>,
    /// The URL of a server to use instead of the vendor's own.
    pub(crate) base: Option<String>,
}

/// Reads the settings of the vendor whose variables begin with this prefix.
pub(crate) fn access(vendor: &str) -> Result<VendorAccess, Failure> {
    let variable = format!("{vendor}_API_KEY");
    let keys = keys::keys(&variable)?;
    Ok(VendorAccess { variable, keys, base: set(&format!("{vendor}_BASE_URL")) })
}

/// Reads which version of its API Anthropic is asked for.
pub(crate) fn version() -> Result<AnthropicVersion, Failure> {
    let Some(text) = set("ANTHROPIC_VERSION") else { return Ok(AnthropicVersion::default()) };
    text.parse().map_err(|_| {
        Failure::given(format!(
            "ANTHROPIC_VERSION is `{text}`; use {} or {}",
            AnthropicVersion::V20230601,
            AnthropicVersion::V20261021
        ))
    })
}

const AZURE: &str = "AZURE_OPENAI";
