//! The additions of the full module to the parsers: encoders, grammars, and events as text.

use silcrow_event::{RunEvent, read_run_event};
use silcrow_parser::Options;
use silcrow_reading::{ReaderOptions, WireForm, WrongOptions, write_events, write_grammar};

use crate::encoders::{open_encoder, run_end};
use crate::workbench::{Workbench, add};

impl Workbench {
    /// Writes events of a dialect: the first line of the input has the options, the others an event each.
    pub(crate) fn write(&mut self, length: usize) -> bool {
        let written = self.given(length).and_then(|given| {
            let (options, lines) = given.split_once('\n').unwrap_or((given, ""));
            write_events(dialect(options)?, lines)
        });
        self.answer(written)
    }

    /// Writes a grammar.
    pub(crate) fn grammar(&mut self, length: usize) -> bool {
        let written = self.given(length).and_then(write_grammar);
        self.answer(written)
    }

    /// Opens an encoder with the options in the input, writes its beginning, and returns its handle.
    pub(crate) fn open_encoder(&mut self, length: usize) -> Option<usize> {
        let encoder = self.given(length).and_then(open_encoder);
        let mut encoder = self.report(encoder)?;
        encoder.begin(&mut self.output.text);
        Some(add(&mut self.encoders, encoder))
    }

    /// Encodes an event of a run, which is a line of JSON, or skips it.
    pub(crate) fn encode(&mut self, handle: usize, length: usize, is_known: bool) -> bool {
        let event = self.given(length).and_then(|line| {
            read_run_event(line).map_err(|why| WrongOptions::new(format!("the event: {why}")))
        });
        let Some(event) = self.report(event) else { return false };
        if let Some(Some(encoder)) = self.encoders.get_mut(handle) {
            match &event {
                RunEvent::Entry(entry) if is_known => encoder.skip(entry),
                event => encoder.encode(event.as_ref(), &mut self.output.text),
            }
        }
        true
    }

    /// Writes the end of a run, which the input says, and closes the encoder.
    pub(crate) fn end_encoder(&mut self, handle: usize, length: usize) -> bool {
        let end = self.given(length).and_then(run_end);
        let Some(end) = self.report(end) else { return false };
        if let Some(mut encoder) = self.encoders.get_mut(handle).and_then(Option::take) {
            encoder.end(&end, &mut self.output.text);
        }
        true
    }

    /// Closes an encoder.
    pub(crate) fn close_encoder(&mut self, handle: usize) {
        self.encoders.get_mut(handle).map(Option::take);
    }

    /// Makes a text the output, and returns whether it is the requested one.
    fn answer(&mut self, text: Result<String, WrongOptions>) -> bool {
        let text = self.report(text);
        let is_answered = text.is_some();
        self.output.text.extend(text);
        is_answered
    }
}

/// Returns the dialect that options name.
fn dialect(options: &str) -> Result<Options, WrongOptions> {
    match ReaderOptions::parse(options)?.form {
        WireForm::Dialect(options) => Ok(options),
        WireForm::Native(_) => Err(WrongOptions::new(
            "a native form is read only; name a dialect: sigil, phase, action",
        )),
    }
}
