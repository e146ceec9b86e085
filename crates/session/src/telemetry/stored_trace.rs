//! A stored conversation as a trace of OpenTelemetry, with the conversations of its calls.
//!
//! The ids follow from the log, so a conversation that is exported twice, or that was sent while it
//! ran, has one trace.

use silcrow_event::{RunEventRef, error_chain};
use silcrow_history::{StoredConversation, conversations_inside};
use silcrow_otlp::{TraceExport, TraceOptions, TraceReader, TraceSpan};
use silcrow_otlp_http::{Options, send_spans};
use silcrow_settings::known_secrets;
use silcrow_store::Store;
use silcrow_term::plural::count;

use super::TelemetrySettings;
use super::exporter::options;
use crate::environment::set;
use crate::error::Error;

/// The spans of a stored conversation and of its calls, ready to be sent or written.
///
/// A program that was built without the feature `telemetry` reads none, and says so.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_event::Event;
/// use silcrow_history::StoredConversation;
/// use silcrow_session::{StoredTrace, TelemetrySettings};
/// use silcrow_store::{MemoryStore, Store as _};
///
/// let store = MemoryStore::new();
/// store.append("c1", 0, vec![Event::user("hello").into(), Event::respond("Hi.").into()]).await?;
/// let conversation = StoredConversation::read(&store, "c1").await?;
/// let settings = TelemetrySettings::default();
/// let trace = StoredTrace::read(&store, &conversation, &settings, false).await?;
/// let json = String::from_utf8(trace.to_json())?;
/// assert!(json.contains("invoke_agent") && !json.contains("hello"), "{json}");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct StoredTrace {
    options: Options,
    spans: Vec<TraceSpan>,
}

impl StoredTrace {
    /// Reads the conversations that calls of a conversation ran, and makes spans of all. Secrets of this
    /// machine are masked.
    ///
    /// # Errors
    ///
    /// Returns an error if a variable about telemetry cannot be used, or an error of the store.
    pub async fn read(
        store: &dyn Store,
        talk: &StoredConversation,
        settings: &TelemetrySettings,
        with_contents: bool,
    ) -> Result<Self, Error> {
        let given = |error| Error::given(error_chain(&error));
        let options = options(settings).map_err(given)?;
        let options = options.unwrap_or_else(|| Options::without_target(&set));
        let mut trace = TraceOptions::default();
        trace.vocabulary = options.vocabulary;
        trace.has_contents = with_contents || options.has_contents;
        trace.has_whole_input = options.has_whole_input;
        let conversation = &talk.summary.conversation;
        let mut reader = TraceReader::new(&**conversation, trace);
        let mut push = |talk: &StoredConversation| {
            talk.entries.iter().for_each(|entry| reader.push(RunEventRef::Entry(entry)));
        };
        push(talk);
        // Each comes after those around it.
        let inside = conversations_inside(store, conversation).await;
        for id in inside? {
            if store.head(&id).await? == 0 {
                // It has only values.
                continue;
            }
            push(&StoredConversation::read(store, &id).await?);
        }
        reader.finish();
        let mut spans = reader.take_spans();
        // Logs of earlier versions, and those that were imported, may have secrets.
        let secrets = known_secrets();
        let mut mask = |text: &mut String| *text = secrets.mask(text).into_owned();
        spans.iter_mut().for_each(|span| span.rewrite_texts(&mut mask));
        Ok(Self { options, spans })
    }

    /// Returns the request of a collector as protobuf.
    pub fn to_protobuf(&self) -> Vec<u8> {
        self.export().to_protobuf()
    }

    /// Returns the request of a collector as a line of JSON.
    pub fn to_json(&self) -> Vec<u8> {
        let mut json = self.export().to_json();
        json.push('\n');
        json.into_bytes()
    }

    /// Sends the spans to the collector that the settings name. Returns a line that says so.
    ///
    /// # Errors
    ///
    /// Returns an error if no collector is named, or if it does not take the spans.
    pub async fn send(&self) -> Result<String, Error> {
        let Some(target) = &self.options.traces else {
            return Err(Error::given(
                "no collector is named: set OTEL_EXPORTER_OTLP_ENDPOINT, or run silcrow config set \
                 otlp_endpoint http://127.0.0.1:4318",
            ));
        };
        let address = target.address();
        let sent = send_spans(&self.options, &self.spans).await;
        sent?;
        Ok(format!("{} sent to {address}", count(self.spans.len() as u64, "span")))
    }

    fn export(&self) -> TraceExport<'_> {
        TraceExport { resource: &self.options.resource, spans: &self.spans }
    }
}
