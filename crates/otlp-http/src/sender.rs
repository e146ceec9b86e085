//! The sending of one body, with all attempts at it.

use std::sync::Arc;

use silcrow_event::{Timestamp, error_chain};
use silcrow_otlp::{MetricExport, MetricRecorder, Resource, TraceExport, TraceSpan};
use tokio::time::{Instant, sleep, timeout_at};

use crate::backoff::Backoff;
use crate::error::{Error, ErrorKind};
use crate::options::{Options, OtlpEncoding};
use crate::partial_success::PartialSuccess;
use crate::post::CollectorClient;

/// Sends existing spans, such as the spans of a stored log, in as many requests as needed.
///
/// # Errors
///
/// Returns an error if the options name no address for traces, or if the collector does not accept
/// the spans in time. Spans that were sent before remain sent; the ids of spans do not change, so
/// sending them again does no harm.
pub async fn send_spans(options: &Options, spans: &[TraceSpan]) -> Result<(), Error> {
    let Some(target) = &options.traces else {
        let why = "no address for traces; set OTEL_EXPORTER_OTLP_ENDPOINT";
        return Err(Error::new(ErrorKind::Invalid, why));
    };
    let client = CollectorClient::new(target.clone())?;
    for batch in spans.chunks(options.max_batch.max(1)) {
        let body = traces(&client, &options.resource, batch);
        let PartialSuccess { rejected, message } = send(&client, body, &|| false).await?;
        if rejected > 0 {
            let why = format!("the collector did not take {rejected} spans: {message}");
            return Err(Error::new(ErrorKind::Refused, why));
        }
    }
    Ok(())
}

/// Encodes spans for a collector.
pub(crate) fn traces(
    client: &CollectorClient,
    resource: &Resource,
    spans: &[TraceSpan],
) -> Vec<u8> {
    let export = TraceExport { resource, spans };
    client.packed(match client.target().encoding {
        OtlpEncoding::Protobuf => export.to_protobuf(),
        OtlpEncoding::Json => export.to_json().into_bytes(),
    })
}

/// Encodes sums for a collector.
pub(crate) fn metrics(
    client: &CollectorClient,
    resource: &Resource,
    metrics: &MetricRecorder,
    (start, time): (Timestamp, Timestamp),
) -> Vec<u8> {
    let export = MetricExport { resource, metrics, start, time };
    client.packed(match client.target().encoding {
        OtlpEncoding::Protobuf => export.to_protobuf(),
        OtlpEncoding::Json => export.to_json().into_bytes(),
    })
}

/// Sends a body until the collector takes it, refuses it, or the time for it is over. At the end of
/// the program a collector that does not answer is not tried again, because it is probably down.
pub(crate) async fn send(
    client: &CollectorClient,
    body: Vec<u8>,
    is_closing: &(dyn Fn() -> bool + Sync),
) -> Result<PartialSuccess, Error> {
    let until = Instant::now() + client.target().timeout;
    let body: Arc<[u8]> = body.into();
    let mut backoff = Backoff::new();
    loop {
        let failure = match timeout_at(until, client.post(body.to_vec())).await {
            Ok(Ok(partial)) => return Ok(partial),
            Ok(Err(failure)) => failure,
            Err(_) => {
                let address = client.target().address();
                let why = format!("the collector at {address} did not answer in time");
                return Err(Error::new(ErrorKind::Unreachable, why));
            }
        };
        let pause = backoff.pause(failure.wait);
        let is_down = !failure.is_answered && is_closing();
        if is_down || !failure.error.is_retryable() || Instant::now() + pause >= until {
            return Err(failure.error);
        }
        sleep(pause).await;
    }
}

/// Returns an error with its causes on one line.
pub(crate) fn words(error: &Error) -> String {
    error_chain(error)
}
