//! The secrets in an environment, which nothing may show.
//!
//! This module lists the variables that hold secrets.

use silcrow_sanitize::{Secret, Secrets};
use url::Url;

use crate::environment::Environment;
use crate::key_variables::key_secrets;
use crate::secret_header::is_secret_header;

impl Environment {
    /// Returns all secrets of the environment, each with its variable: keys of models, variables
    /// whose names end like key names, and passwords of proxies. A key file that cannot be read is
    /// left out, because nothing may need it.
    ///
    /// ```
    /// use silcrow_environment::Environment;
    /// use silcrow_sanitize::Secrets;
    ///
    /// let environment = Environment::from_vars([("FORGE_TOKEN", "canary-0123456789"), ("EDITOR", "vi")]);
    /// let secrets = Secrets::named(environment.secrets());
    /// assert_eq!(secrets.mask("canary-0123456789?"), "[secret FORGE_TOKEN]?");
    /// ```
    pub fn secrets(&self) -> Vec<Secret> {
        let others = self.all().into_iter().filter_map(|(name, value)| {
            // Something else, such as a path or a sentence.
            let is_other = value.starts_with('/') || value.contains(char::is_whitespace);
            let is_key = is_key_name(&name) && !is_other && value.len() >= SHORTEST_OTHER;
            is_key.then(|| Secret::new(&value, name))
        });
        let collector = collector_secrets(self);
        let all = key_secrets(self).into_iter().chain(collector).chain(others);
        all.chain(proxy_secrets(self)).collect()
    }
}

/// Returns the passwords in the addresses of proxies, which the programs of servers get.
fn proxy_secrets(environment: &Environment) -> Vec<Secret> {
    let proxies =
        PROXIES.into_iter().filter_map(|variable| Some((variable, environment.get(variable)?)));
    let secrets = proxies.filter_map(|(variable, address)| {
        let url = Url::parse(&address).ok()?;
        let password = url.password().filter(|password| password.len() >= Secrets::SHORTEST)?;
        Some(Secret::new(password, variable))
    });
    secrets.collect()
}

/// Returns whether a variable's name looks like the name of an API key.
///
/// ```
/// use silcrow_environment::is_key_name;
///
/// assert!(is_key_name("GITHUB_TOKEN"));
/// assert!(!is_key_name("EDITOR"));
/// ```
pub fn is_key_name(variable: &str) -> bool {
    let is_end = |end: &&str| variable.ends_with(*end) || variable == end.trim_start_matches('_');
    KEY_NAMES.iter().any(is_end)
}

/// Returns the values of headers for a collector of telemetry, of which the list has commas.
fn collector_secrets(environment: &Environment) -> Vec<Secret> {
    let lists = COLLECTOR_HEADERS
        .into_iter()
        .filter_map(|variable| Some((variable, environment.get(variable)?)));
    let secrets = lists.flat_map(|(variable, list)| {
        let members = list.split(',').filter_map(|member| member.split_once('='));
        let values = members.filter_map(|(name, value)| {
            let value = value.trim();
            let shortest =
                if is_secret_header(name.trim()) { Secrets::SHORTEST } else { SHORTEST_OTHER };
            (value.len() >= shortest).then_some(value)
        });
        values.map(|value| Secret::new(value, variable)).collect::<Vec<_>>()
    });
    secrets.collect()
}

/// The variables that hold the addresses of proxies.
const PROXIES: [&str; 6] =
    ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

/// The variables that hold headers for a collector.
const COLLECTOR_HEADERS: [&str; 3] = [
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_METRICS_HEADERS",
    "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
];

/// The ends of the names of variables that hold keys of other programs.
const KEY_NAMES: [&str; 8] = [
    "_API_KEY",
    "_ACCESS_KEY",
    "_SECRET_KEY",
    "_PASSWORD",
    "_SECRET",
    "_TOKEN",
    "_PAT",
    "PGPASSWORD",
];

/// The length of the shortest key of another program, in bytes. A shorter value may be a word.
const SHORTEST_OTHER: usize = 16;
