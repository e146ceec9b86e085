//! The variables of the environment.

use std::time::Duration;

use silcrow_otlp_http::{Attribute, Error, Options, OtlpEncoding, SemanticVocabulary};

fn options(variables: &[(&str, &str)]) -> Result<Option<Options>, Error> {
    let find = |name: &str| variables.iter().find(|(other, _)| *other == name);
    Options::from_variables(&|name| find(name).map(|(_, value)| (*value).to_owned()))
}

const BASE: (&str, &str) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://box:4318/otlp/");

#[test]
fn nothing_is_sent_without_endpoint() {
    for variables in [
        &[][..],
        &[("OTEL_SERVICE_NAME", "x"), ("OTEL_TRACES_EXPORTER", "otlp")],
        &[("OTEL_EXPORTER_OTLP_ENDPOINT", "  ")],
        &[BASE, ("OTEL_SDK_DISABLED", "TRUE")],
        &[BASE, ("OTEL_TRACES_EXPORTER", "none"), ("OTEL_METRICS_EXPORTER", "none")],
    ] {
        assert!(options(variables).unwrap().is_none(), "{variables:?}");
    }
}

#[test]
fn shared_endpoint_gets_signal_paths() {
    let both = options(&[BASE]).unwrap().unwrap();
    let address =
        |target: &Option<_>| target.as_ref().map(silcrow_otlp_http::ExportTarget::address);
    assert_eq!(address(&both.traces).unwrap(), "http://box:4318/otlp/v1/traces");
    assert_eq!(address(&both.metrics).unwrap(), "http://box:4318/otlp/v1/metrics");
    let own = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://me:pw@cloud/in?key=1");
    let own = options(&[own]).unwrap().unwrap();
    assert_eq!(address(&own.traces).unwrap(), "https://cloud/in");
    assert_eq!(address(&own.metrics), None);
}

#[test]
fn narrower_variables_win() {
    let options = options(&[
        BASE,
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
        ("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "http/protobuf"),
        ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"),
        ("OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "none"),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "1500"),
        ("OTEL_SERVICE_NAME", "desk"),
        ("OTEL_RESOURCE_ATTRIBUTES", "service.name=other,deployment.environment=a%20b"),
        ("OTEL_BSP_MAX_QUEUE_SIZE", "100"),
        ("OTEL_BSP_SCHEDULE_DELAY", "250"),
        ("OTEL_METRIC_EXPORT_INTERVAL", "5000"),
        ("OTEL_SEMCONV_STABILITY_OPT_IN", "http,gen_ai_latest_experimental"),
        ("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "SPAN_ONLY"),
    ]);
    let options = options.unwrap().unwrap();
    let (traces, metrics) = (options.traces.unwrap(), options.metrics.unwrap());
    assert_eq!((traces.encoding, metrics.encoding), (OtlpEncoding::Json, OtlpEncoding::Protobuf));
    assert_eq!((traces.is_gzip, metrics.is_gzip), (false, true));
    assert_eq!(traces.timeout, Duration::from_millis(1500));
    assert_eq!((options.max_queue, options.max_batch), (100, 100));
    assert_eq!(options.delay, Duration::from_millis(250));
    assert_eq!(options.metric_interval, Duration::from_secs(5));
    assert_eq!(options.vocabulary, SemanticVocabulary::Experimental);
    assert!(options.has_contents);
    let attributes = &options.resource.attributes;
    assert!(attributes.contains(&Attribute::new("service.name", "desk")));
    assert!(attributes.contains(&Attribute::new("deployment.environment", "a b")));
}

#[test]
fn errors_name_variables_without_values() {
    for (variable, value) in [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "box-secret:4318"),
        ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "ftp://box-secret"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "box-secret"),
        ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "box-secret"),
        ("OTEL_BSP_MAX_QUEUE_SIZE", "0"),
        ("OTEL_EXPORTER_OTLP_COMPRESSION", "box-secret"),
        ("OTEL_TRACES_EXPORTER", "box-secret"),
        ("OTEL_EXPORTER_OTLP_CERTIFICATE", "/no/box-secret"),
    ] {
        let error = options(&[(variable, value), BASE]).unwrap_err();
        silcrow_testkit::check_sources(&error);
        let words = silcrow_event::error_chain(&error);
        assert!(words.contains(variable), "{words}");
        assert!(!words.contains("box-secret"), "{words}");
    }
    let error = options(&[BASE, ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")]).unwrap_err();
    assert!(error.to_string().contains("write `http/protobuf`"), "{error}");
}
