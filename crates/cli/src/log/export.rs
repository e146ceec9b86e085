//! `silcrow log export`, which writes conversations in a form for people or for programs.
//!
//! This module opens the output. Each form has its module.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::Path;

use silcrow_console::printer::{JsonLines, write_json};
use silcrow_history::StoredConversation;
use silcrow_store::Store;

use super::export_media::write_media;
use super::maintain;
use crate::conversation::failure;
use crate::damage;
use crate::failure::{Failure, written};
use silcrow_session::{StoredTrace, TelemetrySettings};

/// The form of an exported conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExportForm {
    Markdown,
    Html,
    /// Its events as `show --json` prints them.
    JsonLines,
    /// A trace of OpenTelemetry.
    TraceProtobuf,
    TraceJson,
}

/// The options of a trace, and whether it is sent.
pub(super) struct TraceRequest<'a> {
    pub(super) settings: &'a TelemetrySettings,
    pub(super) has_contents: bool,
    pub(super) sends: bool,
}

/// Writes a conversation in a form, or a conversation or all as `silcrow log import` reads them.
pub(super) async fn export(
    store: &dyn Store,
    conversation: Option<&str>,
    format: Option<ExportForm>,
    output: Option<&Path>,
    telemetry: &TraceRequest<'_>,
) -> Result<(), Failure> {
    let format = format.or_else(|| telemetry.sends.then_some(ExportForm::TraceProtobuf));
    let is_trace = matches!(format, Some(ExportForm::TraceProtobuf | ExportForm::TraceJson));
    if (telemetry.sends || telemetry.has_contents) && !is_trace {
        return Err(Failure::given(
            "--send and --contents are about a trace; use --format otlp or --format otlp-json",
        ));
    }
    let Some(format) = format else {
        return maintain::export(store, conversation, open(output, true)?).await;
    };
    let Some(conversation) = conversation else {
        return Err(Failure::given(
            "--format needs the id of a conversation; without it all of the store is exported",
        ));
    };
    let talk = StoredConversation::read(store, conversation).await;
    let talk = talk.map_err(|error| failure(&error))?;
    let trace = || StoredTrace::read(store, &talk, telemetry.settings, telemetry.has_contents);
    let bytes = match format {
        ExportForm::Markdown => {
            talk.to_markdown_with(&write_media(store, &talk, output).await?).into_bytes()
        }
        ExportForm::Html => {
            talk.to_html_with(&write_media(store, &talk, output).await?).into_bytes()
        }
        ExportForm::TraceProtobuf | ExportForm::TraceJson if telemetry.sends => {
            let mut line = trace().await?.send().await?;
            line.push('\n');
            line.into_bytes()
        }
        ExportForm::TraceProtobuf if output.is_none() && io::stdout().is_terminal() => {
            return Err(Failure::given(
                "protobuf is not for a terminal: add --output FILE, or use --format otlp-json",
            ));
        }
        ExportForm::TraceProtobuf => trace().await?.to_protobuf(),
        ExportForm::TraceJson => trace().await?.to_json(),
        ExportForm::JsonLines => {
            let mut lines = Vec::new();
            for entry in &talk.entries {
                // Memory does not fail.
                written(write_json(&mut lines, &entry.to_json()))?;
            }
            lines
        }
    };
    write(&bytes, output)?;
    damage::found(&talk.report.damage)
}

/// Writes bytes to a file, or to standard output.
pub(super) fn write(bytes: &[u8], output: Option<&Path>) -> Result<(), Failure> {
    let mut out = open(output, false)?;
    written(out.write_all(bytes).and_then(|()| out.flush()))
}

fn open(output: Option<&Path>, is_json: bool) -> Result<Box<dyn Write + Send>, Failure> {
    let out = io::stdout();
    Ok(match output {
        Some(path) => {
            let file = File::create(path).map_err(|error| {
                Failure::given(format!("cannot write {}: {error}", path.display()))
            })?;
            Box::new(BufWriter::new(file))
        }
        None if is_json && out.is_terminal() => Box::new(JsonLines::new(out)),
        // The stored bytes are kept, because an import compares the JSON of results byte by byte.
        None => Box::new(BufWriter::new(out)),
    })
}
