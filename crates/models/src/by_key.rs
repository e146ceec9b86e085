//! Models of the vendors that require a key.

use std::sync::Arc;

use silcrow_provider::{self as provider, Provider};
use silcrow_vendors::{AnthropicVersion, Api, ApiKey, Chat, Model};

use crate::error::{Error, ErrorKind};
use crate::key_place::KeyPlace;
use crate::key_renewal::{ModelMaker, renewed, rotation};
use crate::keys::{self, KeyText};
use crate::limits::RequestLimits;
use crate::options::ModelOptions;
use crate::server_settings::ServerSettings;
use silcrow_environment::Environment;

/// Returns a vendor's model, which tries each of the person's keys, at the vendor's own server or
/// another.
pub(crate) fn by_keys<A: Api>(
    vendor: &'static str,
    model: &str,
    options: &ModelOptions,
    new: impl Fn(ApiKey) -> Result<Model<A>, provider::Error> + Send + Sync + 'static,
) -> Result<Arc<dyn Provider>, Error> {
    let (variable, base) = (key_variable(vendor), base(vendor, options));
    let Some(place) = KeyPlace::find(&variable, options)? else {
        let why = format!("{variable} is not set; put your key there");
        return Err(Error::new(ErrorKind::MissingKey, why));
    };
    let limits = &options.limits;
    let way = ServerSettings::read(vendor, limits.timeouts(model), options)?;
    let make = move |text: &KeyText| {
        let ways = text.keys().into_iter().map(|key| way.to(new(key)?, base.as_deref()));
        ways.collect::<Result<Vec<_>, _>>()
    };
    placed(place, Box::new(make), limits, vendor)
}

/// Returns a deployment in Azure, configured by the variables that Azure's own clients read.
pub(crate) fn azure(deployment: &str, options: &ModelOptions) -> Result<Arc<dyn Provider>, Error> {
    let environment = &options.environment;
    let Some(resource) = environment.get("AZURE_OPENAI_ENDPOINT") else {
        return Err(Error::setting(
            "AZURE_OPENAI_ENDPOINT is not set; put the address of your resource there, such as \
             https://resource.openai.azure.com",
        ));
    };
    let (name, version) = (deployment.to_owned(), environment.get("OPENAI_API_VERSION"));
    by_keys(AZURE, deployment, options, move |key| {
        Chat::azure(&resource, &*name, version.as_deref(), key)
    })
}

/// Returns the models with the keys of a place, which are made again when its keys change.
pub(crate) fn placed<P: Provider + 'static>(
    place: KeyPlace,
    make: Box<ModelMaker<P>>,
    limits: &RequestLimits,
    server: &str,
) -> Result<Arc<dyn Provider>, Error> {
    let text = KeyText::read(&place)?;
    match place {
        KeyPlace::Variable { .. } => Ok(limits.over(rotation(make(&text)?)?, server)),
        place => Ok(limits.over(renewed(text, place, make)?, server)),
    }
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
pub(crate) fn access(vendor: &str, options: &ModelOptions) -> Result<VendorAccess, Error> {
    let variable = key_variable(vendor);
    let keys = keys::keys(&variable, options)?;
    Ok(VendorAccess { variable, keys, base: base(vendor, options) })
}

fn key_variable(vendor: &str) -> String {
    format!("{vendor}_API_KEY")
}

fn base(vendor: &str, options: &ModelOptions) -> Option<String> {
    options.environment.get(&format!("{vendor}_BASE_URL"))
}

/// Reads which version of its API Anthropic is asked for.
pub(crate) fn version(environment: &Environment) -> Result<AnthropicVersion, Error> {
    let Some(text) = environment.get("ANTHROPIC_VERSION") else {
        return Ok(AnthropicVersion::default());
    };
    text.parse().map_err(|_| {
        Error::setting(format!(
            "ANTHROPIC_VERSION is `{text}`; use {} or {}",
            AnthropicVersion::V20230601,
            AnthropicVersion::V20261021
        ))
    })
}

const AZURE: &str = "AZURE_OPENAI";
