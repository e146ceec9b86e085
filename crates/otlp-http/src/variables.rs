//! The variables of the environment that every exporter of OpenTelemetry reads.
//!
//! A variable about one kind of data counts instead of the one about all. A value that cannot be used
//! is an error, and the caller decides whether to continue without an exporter.

use std::time::Duration;

use silcrow_otlp::{Attribute, Resource, SemanticVocabulary};

use crate::error::{Error, ErrorKind};
use crate::header_list::members;
use crate::options::{ExportTarget, Options, OtlpEncoding};

impl Options {
    /// Reads the options from environment variables, which `read` looks up. Returns `None` unless
    /// they name an address for something that is not turned off.
    ///
    /// | variable | meaning |
    /// |---|---|
    /// | `OTEL_EXPORTER_OTLP_ENDPOINT` | the base address of `v1/traces` and `v1/metrics` |
    /// | `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, `…_METRICS_ENDPOINT` | the whole address of one |
    /// | `OTEL_EXPORTER_OTLP_HEADERS` | headers, `name=value` with commas between them |
    /// | `OTEL_EXPORTER_OTLP_PROTOCOL` | `http/protobuf`, which is the default, or `http/json` |
    /// | `OTEL_EXPORTER_OTLP_COMPRESSION` | `gzip` or `none` |
    /// | `OTEL_EXPORTER_OTLP_TIMEOUT` | the milliseconds that a request may take |
    /// | `OTEL_EXPORTER_OTLP_CERTIFICATE` | a file with the certificates to trust, in PEM |
    /// | `OTEL_TRACES_EXPORTER`, `OTEL_METRICS_EXPORTER` | `otlp` or `none` |
    /// | `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES` | the sender, and facts about it |
    /// | `OTEL_SDK_DISABLED` | `true` turns everything off |
    /// | `OTEL_BSP_MAX_QUEUE_SIZE`, `OTEL_BSP_MAX_EXPORT_BATCH_SIZE` | numbers of spans |
    /// | `OTEL_BSP_SCHEDULE_DELAY`, `OTEL_METRIC_EXPORT_INTERVAL` | milliseconds |
    /// | `OTEL_SEMCONV_STABILITY_OPT_IN` | with `gen_ai_latest_experimental`, the newest names |
    /// | `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` | `true`: with contents |
    ///
    /// The variables of `OTEL_EXPORTER_OTLP_` from the headers on exist for traces and for metrics,
    /// too.
    ///
    /// ```
    /// use silcrow_otlp_http::Options;
    ///
    /// let read = |name: &str| match name {
    ///     "OTEL_EXPORTER_OTLP_ENDPOINT" => Some("http://127.0.0.1:4318".to_owned()),
    ///     _ => None,
    /// };
    /// let options = Options::from_variables(&read)?.unwrap();
    /// assert_eq!(options.traces.unwrap().address(), "http://127.0.0.1:4318/v1/traces");
    /// // Without an address nothing is sent.
    /// assert!(Options::from_variables(&|_| None)?.is_none());
    /// # Ok::<(), silcrow_otlp_http::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if a value cannot be used. Its message names the variable.
    pub fn from_variables(read: &dyn Fn(&str) -> Option<String>) -> Result<Option<Self>, Error> {
        let read = |name: &str| read(name).filter(|value| !value.trim().is_empty());
        if read("OTEL_SDK_DISABLED").is_some_and(|word| word.trim().eq_ignore_ascii_case("true")) {
            return Ok(None);
        }
        let traces = target("TRACES", "v1/traces", &read)?;
        let metrics = target("METRICS", "v1/metrics", &read)?;
        if traces.is_none() && metrics.is_none() {
            return Ok(None);
        }
        let mut options = Self { traces, metrics, ..Self::without_target(&read) };
        let max_queue = number("OTEL_BSP_MAX_QUEUE_SIZE", &read)?;
        let max_batch = number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", &read)?;
        options.max_queue = max_queue.map_or(options.max_queue, |most| most as usize);
        options.max_batch = max_batch.map_or(options.max_batch, |most| most as usize);
        options.max_batch = options.max_batch.min(options.max_queue);
        let delay = number("OTEL_BSP_SCHEDULE_DELAY", &read)?;
        options.delay = delay.map_or(options.delay, Duration::from_millis);
        let interval = number("OTEL_METRIC_EXPORT_INTERVAL", &read)?;
        options.metric_interval = interval.map_or(options.metric_interval, Duration::from_millis);
        Ok(Some(options))
    }

    /// Reads the variables about the contents of spans, not about their destination.
    pub fn without_target(read: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut options = Self { resource: resource(read), ..Self::default() };
        if let Some(words) = read("OTEL_SEMCONV_STABILITY_OPT_IN") {
            options.vocabulary = SemanticVocabulary::chosen(&words);
        }
        options.has_contents = read("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT")
            .is_some_and(|word| CONTENTS.iter().any(|on| word.trim().eq_ignore_ascii_case(on)));
        options
    }
}

/// Returns the address for one kind of data, unless it is turned off.
fn target(
    kind: &str,
    path: &str,
    read: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<ExportTarget>, Error> {
    let exporter = format!("OTEL_{kind}_EXPORTER");
    match read(&exporter).as_deref().map(str::trim) {
        None | Some("otlp") => {}
        Some("none") => return Ok(None),
        Some(_) => return Err(invalid(&exporter, "write `otlp` or `none`")),
    }
    let name = |rest: &str| {
        (format!("OTEL_EXPORTER_OTLP_{kind}_{rest}"), format!("OTEL_EXPORTER_OTLP_{rest}"))
    };
    let either = |rest: &str| {
        let (own, shared) = name(rest);
        let found = read(&own).map(|value| (own, value));
        found.or_else(|| Some((shared.clone(), read(&shared)?)))
    };
    let (own, shared) = name("ENDPOINT");
    let named = |variable: &str, made: Result<ExportTarget, Error>| {
        made.map_err(|error| {
            invalid(variable, "write a URL like http://127.0.0.1:4318").with_source(error)
        })
    };
    let mut target = match (read(&own), read(&shared)) {
        (Some(url), _) => named(&own, ExportTarget::new(&url))?,
        (None, Some(base)) => named(&shared, ExportTarget::below(&base, path))?,
        (None, None) => return Ok(None),
    };
    if let Some((variable, word)) = either("PROTOCOL") {
        target.encoding = match word.trim() {
            "http/protobuf" => OtlpEncoding::Protobuf,
            "http/json" => OtlpEncoding::Json,
            "grpc" => {
                let why = "gRPC is not supported; write `http/protobuf`, for which collectors \
                           have a separate port, usually 4318";
                return Err(invalid(&variable, why));
            }
            _ => return Err(invalid(&variable, "write `http/protobuf` or `http/json`")),
        };
    }
    if let Some((variable, word)) = either("COMPRESSION") {
        target.is_gzip = match word.trim() {
            "gzip" => true,
            "none" => false,
            _ => return Err(invalid(&variable, "write `gzip` or `none`")),
        };
    }
    if let Some((variable, _)) = either("TIMEOUT")
        && let Some(millis) = number(&variable, read)?
    {
        target.timeout = Duration::from_millis(millis);
    }
    if let Some((variable, file)) = either("CERTIFICATE") {
        let pem = std::fs::read(file.trim());
        let pem =
            pem.map_err(|error| invalid(&variable, "name a file in PEM").with_source(error))?;
        target.certificates = Some(pem);
    }
    if let Some((_, list)) = either("HEADERS") {
        target.headers = members(&list);
    }
    Ok(Some(target))
}

/// Returns the program, as the variables describe it. Each process is its own instance, so that
/// sums of two of them do not become one.
fn resource(read: &dyn Fn(&str) -> Option<String>) -> Resource {
    let attributes =
        read("OTEL_RESOURCE_ATTRIBUTES").map(|list| members(&list)).unwrap_or_default();
    let resource = Resource::new("silcrow");
    let resource = attributes.into_iter().fold(resource, |resource, (name, value)| {
        resource.with_attribute(Attribute::new(name, value))
    });
    match read("OTEL_SERVICE_NAME") {
        Some(service) => resource.with_attribute(Attribute::new("service.name", service.trim())),
        None => resource,
    }
}

/// Returns the positive number that a variable has.
fn number(variable: &str, read: &dyn Fn(&str) -> Option<String>) -> Result<Option<u64>, Error> {
    let Some(text) = read(variable) else { return Ok(None) };
    match text.trim().parse() {
        Ok(number) if number > 0 => Ok(Some(number)),
        _ => Err(invalid(variable, "write a number above 0")),
    }
}

/// Returns an error that does not show the value, which may be a secret.
fn invalid(variable: &str, what: &str) -> Error {
    Error::new(ErrorKind::Invalid, format!("{variable} cannot be used: {what}"))
}

/// The words for contents in spans.
const CONTENTS: [&str; 3] = ["true", "span_only", "span_and_event"];
