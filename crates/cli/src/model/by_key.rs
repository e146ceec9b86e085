//! Models of the vendors that ask for a key of the person's.

use std::sync::Arc;

use silcrow_provider::{Error, KeyRotation, Provider, RateLimited, RateLimiter, Retry};
use silcrow_vendors::{AnthropicVersion, Api, ApiKey, Chat, Model};

use super::{ServerSettings, keys};
use crate::environment::set;
use crate::failure::Failure;
use crate::limits::Limits;

/// A vendor's model by each key of the person's, at the vendor's own server or another.
pub(super) fn by_keys<A: Api>(
    vendor: &'static str,
    model: &str,
    limits: &Limits,
    new: impl Fn(ApiKey) -> Result<Model<A>, Error>,
) -> Result<Arc<dyn Provider>, Failure> {
    let VendorAccess { variable, keys, base } = access(vendor)?;
    if keys.is_empty() {
        return Err(Failure::given(format!(
            "{variable} is not set; put your key there, or use --model rehearsal"
        )));
    }
    let way = ServerSettings::read(vendor, limits.timeouts(model))?;
    let ways = keys.into_iter().map(|key| {
        let model = new(key).map_err(|error| Failure::given(error.to_string()))?;
        way.to(model, base.as_deref())
    });
    rotating(ways, limits.pace(vendor))
}

/// A deployment in Azure, under the variables that Azure's own clients read.
pub(super) fn azure(deployment: &str, limits: &Limits) -> Result<Arc<dyn Provider>, Failure> {
    let Some(resource) = set("AZURE_OPENAI_ENDPOINT") else {
        return Err(Failure::given(
            "AZURE_OPENAI_ENDPOINT is not set; put the address of your resource there, such as \
             https://resource.openai.azure.com",
        ));
    };
    let version = set("OPENAI_API_VERSION");
    by_keys(AZURE, deployment, limits, |key| {
        Chat::azure(&resource, deployment, version.as_deref(), key)
    })
}

/// The models in turn, each with the next key, at the pace of the vendor.
pub(super) fn rotating<P: Provider + 'static>(
    ways: impl Iterator<Item = Result<P, Failure>>,
    pace: RateLimiter,
) -> Result<Arc<dyn Provider>, Failure> {
    let mut ways = ways.collect::<Result<Vec<_>, _>>()?.into_iter();
    let first = ways.next().expect("there is at least one");
    Ok(Arc::new(Retry::new(RateLimited::new(KeyRotation::new(first, ways), pace))))
}

/// What the environment says of a vendor.
pub(crate) struct VendorAccess {
    /// Where its keys are looked for.
    pub(crate) variable: String,
    pub(crate) keys: Vec<ApiKey>,
    /// Another server than its own.
    pub(crate) base: Option<String>,
}

/// Reads what the environment says of the vendor whose variables begin so.
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
