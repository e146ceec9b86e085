//! Models of the vendors that require a key.

use std::sync::Arc;

use silcrow_provider::{Error, Provider, RateLimited, RateLimiter, Retry};
use silcrow_vendors::{AnthropicVersion, Api, ApiKey, Chat, Model};

use super::key_place::KeyPlace;
use super::key_renewal::{ModelMaker, renewed, rotation};
use super::keys::{self, KeyText};
use super::{ServerSettings, Settings};
use crate::environment::set;
use crate::failure::Failure;

/// Returns a vendor's model, which tries each of the person's keys, at the vendor's own server or
/// another.
pub(super) fn by_keys<A: Api>(
    vendor: &'static str,
    model: &str,
    settings: &Settings,
    new: impl Fn(ApiKey) -> Result<Model<A>, Error> + Send + Sync + 'static,
) -> Result<Arc<dyn Provider>, Failure> {
    let (variable, base) = (key_variable(vendor), base(vendor));
    let Some(place) = KeyPlace::of(&variable)? else {
        return Err(Failure::given(format!(
            "{variable} is not set; put your key there, or use --model rehearsal"
        )));
    };
    let Settings { limits, proxy, .. } = settings;
    let way = ServerSettings::read(vendor, limits.timeouts(model), proxy)?;
    let make = move |text: &KeyText| {
        let ways = text.keys().into_iter().map(|key| {
            let model = new(key).map_err(|error| Failure::given(error.to_string()))?;
            way.to(model, base.as_deref())
        });
        ways.collect::<Result<Vec<_>, _>>()
    };
    placed(place, Box::new(make), limits.rate_limiter(vendor))
}

/// Returns a deployment in Azure, configured by the variables that Azure's own clients read.
pub(super) fn azure(deployment: &str, settings: &Settings) -> Result<Arc<dyn Provider>, Failure> {
    let Some(resource) = set("AZURE_OPENAI_ENDPOINT") else {
        return Err(Failure::given(
            "AZURE_OPENAI_ENDPOINT is not set; put the address of your resource there, such as \
             https://resource.openai.azure.com",
        ));
    };
    let (name, version) = (deployment.to_owned(), set("OPENAI_API_VERSION"));
    by_keys(AZURE, deployment, settings, move |key| {
        Chat::azure(&resource, &*name, version.as_deref(), key)
    })
}

/// Returns the models with the keys of a place, which are made again when it has others.
pub(super) fn placed<P: Provider + 'static>(
    place: KeyPlace,
    make: Box<ModelMaker<P>>,
    limiter: RateLimiter,
) -> Result<Arc<dyn Provider>, Failure> {
    let text = KeyText::read(&place)?;
    match place {
        KeyPlace::Variable(_) => Ok(limited(rotation(make(&text)?)?, limiter)),
        place => Ok(limited(renewed(text, place, make)?, limiter)),
    }
}

/// Returns a model under the vendor's rate limit, which repeats failed requests.
pub(super) fn limited(model: impl Provider + 'static, limiter: RateLimiter) -> Arc<dyn Provider> {
    Arc::new(Retry::new(RateLimited::new(model, limiter)))
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
    let variable = key_variable(vendor);
    let keys = keys::keys(&variable)?;
    Ok(VendorAccess { variable, keys, base: base(vendor) })
}

fn key_variable(vendor: &str) -> String {
    format!("{vendor}_API_KEY")
}

fn base(vendor: &str) -> Option<String> {
    set(&format!("{vendor}_BASE_URL"))
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
