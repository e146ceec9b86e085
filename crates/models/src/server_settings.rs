//! The settings that all models over the network share: headers, fields, proxies and timeouts.

use silcrow_provider::{self as provider, ErrorKind};
use silcrow_vendors::{Api, Model, Proxy, Timeouts};

use crate::error::Error;
use crate::options::ModelOptions;
use crate::proxy::proxies;
use silcrow_environment::Environment;

/// The settings in the environment for requests to a vendor's servers, besides its keys.
pub(crate) struct ServerSettings {
    /// The prefix of its variables.
    prefix: &'static str,
    headers: Vec<(String, String)>,
    fields: Option<String>,
    proxies: Vec<Proxy>,
    plain_http: bool,
    timeouts: Timeouts,
}

impl ServerSettings {
    pub(crate) fn read(
        prefix: &'static str,
        timeouts: Timeouts,
        options: &ModelOptions,
    ) -> Result<Self, Error> {
        let environment = &options.environment;
        Ok(Self {
            prefix,
            headers: headers(environment, prefix)?,
            fields: environment.get(&format!("{prefix}_BODY")),
            proxies: proxies(&options.proxy, environment)?,
            plain_http: plain_http(environment)?,
            timeouts,
        })
    }

    /// Returns the settings without headers and fields, for a server other than the chosen one.
    pub(crate) fn bare(self) -> Self {
        Self { headers: Vec::new(), fields: None, ..self }
    }

    /// Returns the model with these settings, at the server `base`, or at the usual one for `None`.
    pub(crate) fn to<A: Api>(
        &self,
        model: Model<A>,
        base: Option<&str>,
    ) -> Result<Model<A>, Error> {
        let named = |variable: &str| {
            let variable = variable.to_owned();
            move |error: provider::Error| Error::setting(format!("{variable}: {error}"))
        };
        let mut model = model.with_timeouts(self.timeouts);
        if let Some(base) = base {
            model = model.with_base(base).map_err(|error| match error.kind() {
                ErrorKind::Refused => named(&format!("{}_BASE_URL", self.prefix))(error),
                _ => error.into(),
            })?;
        }
        for (name, value) in &self.headers {
            let headed = model.with_header(name, value);
            model = headed.map_err(named(&format!("{}_HEADERS", self.prefix)))?;
        }
        if let Some(fields) = &self.fields {
            let filled = model.with_body_fields(fields);
            model = filled.map_err(named(&format!("{}_BODY", self.prefix)))?;
        }
        model = self.proxies.iter().cloned().fold(model, Model::with_proxy);
        if self.plain_http {
            return Ok(model.with_plain_http());
        }
        model.check().map_err(|error| {
            Error::setting(format!("{error}, or set {PLAIN_HTTP}=1 if you trust that network"))
        })?;
        Ok(model)
    }
}

/// The headers in the vendor's variable, one `Name: value` per line, and the headers of OpenAI's
/// own clients.
fn headers(environment: &Environment, prefix: &str) -> Result<Vec<(String, String)>, Error> {
    let mut headers = Vec::new();
    if prefix == "OPENAI" {
        let own =
            [("OpenAI-Organization", "OPENAI_ORG_ID"), ("OpenAI-Project", "OPENAI_PROJECT_ID")];
        let named =
            |(name, variable): (&str, &str)| Some((name.to_owned(), environment.get(variable)?));
        headers.extend(own.into_iter().filter_map(named));
    }
    let variable = format!("{prefix}_HEADERS");
    let text = environment.get(&variable).unwrap_or_default();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let Some((name, value)) = line.split_once(':') else {
            // The message does not show the line, which may contain a secret.
            return Err(Error::setting(format!(
                "{variable}: line {} has no `:`; write each header as `Name: value`",
                index + 1
            )));
        };
        headers.push((name.trim().to_owned(), value.trim().to_owned()));
    }
    Ok(headers)
}

fn plain_http(environment: &Environment) -> Result<bool, Error> {
    match environment.get(PLAIN_HTTP).as_deref().map(str::trim) {
        None | Some("0") => Ok(false),
        Some("1") => Ok(true),
        Some(other) => Err(Error::setting(format!("{PLAIN_HTTP} is `{other}`; use 1 or 0"))),
    }
}

/// The prefix of the variables for compatible servers.
pub(crate) const COMPATIBLE: &str = "SILCROW_COMPATIBLE";

/// Whether keys may be sent over plain HTTP to other machines.
const PLAIN_HTTP: &str = "SILCROW_ALLOW_PLAIN_HTTP";
