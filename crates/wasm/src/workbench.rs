//! The one place that JavaScript and this side share: the buffers, and what is open.
//!
//! A handle is the place of a reader or of an encoder in a list. A handle that is closed is used again.

use std::cell::RefCell;

use silcrow_event::{RunEvent, read_run_event};
use silcrow_front::RunEncoder;
use silcrow_parser::Options;
use silcrow_reading::{
    FormReader, ReadEvent, ReaderOptions, WireForm, WrongOptions, write_events, write_grammar,
};

use crate::encoders::{open_encoder, run_end};
use crate::output::{CallInReading, Output};

thread_local! {
    static WORKBENCH: RefCell<Workbench> = RefCell::default();
}

/// The buffers, and what is open.
#[derive(Default)]
pub(crate) struct Workbench {
    input: Vec<u8>,
    output: Output,
    readers: Vec<Option<OpenReader>>,
    encoders: Vec<Option<Box<dyn RunEncoder>>>,
}

/// A reader, and what JavaScript knows of the call that it reads.
struct OpenReader {
    reader: FormReader,
    call: CallInReading,
}

/// Calls a function with the workbench.
pub(crate) fn with_workbench<T>(act: impl FnOnce(&mut Workbench) -> T) -> T {
    WORKBENCH.with_borrow_mut(act)
}

impl Workbench {
    /// Makes room for an input of this length, and returns its address.
    pub(crate) fn input(&mut self, length: usize) -> usize {
        if self.input.len() < length {
            self.input.resize(length.next_power_of_two(), 0);
        }
        self.input.as_ptr().addr()
    }

    /// Returns the address and the length of the output.
    pub(crate) fn output(&self) -> (usize, usize) {
        (self.output.text.as_ptr().addr(), self.output.text.len())
    }

    /// Returns the address and the number of the records.
    pub(crate) fn records(&self) -> (usize, usize) {
        self.output.records()
    }

    /// Opens a reader with the options in the input, and returns its handle.
    pub(crate) fn open_reader(&mut self, length: usize) -> Option<usize> {
        let options = self.given(length).and_then(ReaderOptions::parse);
        let reader = self.told(options)?;
        let reader = FormReader::new(reader);
        Some(add(&mut self.readers, OpenReader { reader, call: CallInReading::default() }))
    }

    /// Reads a chunk, and returns the number of events.
    pub(crate) fn push(&mut self, handle: usize, length: usize) -> usize {
        let Self { input, output, readers, .. } = self;
        output.clear();
        if let Some(Some(OpenReader { reader, call })) = readers.get_mut(handle) {
            let bytes = input.get(..length).unwrap_or_default();
            reader.push(bytes, &mut |event: ReadEvent<'_>| output.push(&event, call));
        }
        output.records().1
    }

    /// Ends the answer of a reader, closes it, and returns the number of events.
    pub(crate) fn finish(&mut self, handle: usize) -> usize {
        let Self { output, readers, .. } = self;
        output.clear();
        if let Some(open) = readers.get_mut(handle).and_then(Option::take) {
            let OpenReader { reader, mut call } = open;
            reader.finish(&mut |event: ReadEvent<'_>| output.push(&event, &mut call));
        }
        output.records().1
    }

    /// Closes a reader.
    pub(crate) fn close_reader(&mut self, handle: usize) {
        self.readers.get_mut(handle).map(Option::take);
    }

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

    /// Lists the families of native forms.
    pub(crate) fn families(&mut self) {
        self.output.clear();
        self.output.text = silcrow_reading::families();
    }

    /// Opens an encoder with the options in the input, writes its beginning, and returns its handle.
    pub(crate) fn open_encoder(&mut self, length: usize) -> Option<usize> {
        let encoder = self.given(length).and_then(open_encoder);
        let mut encoder = self.told(encoder)?;
        encoder.begin(&mut self.output.text);
        Some(add(&mut self.encoders, encoder))
    }

    /// Encodes an event of a run, which is a line of JSON, or skips it.
    pub(crate) fn encode(&mut self, handle: usize, length: usize, is_known: bool) -> bool {
        let event = self.given(length).and_then(|line| {
            read_run_event(line).map_err(|why| WrongOptions::new(format!("the event: {why}")))
        });
        let Some(event) = self.told(event) else { return false };
        if let Some(Some(encoder)) = self.encoders.get_mut(handle) {
            match &event {
                RunEvent::Entry(entry) if is_known => encoder.skip(entry),
                event => encoder.push(event.as_ref(), &mut self.output.text),
            }
        }
        true
    }

    /// Writes the end of a run, which the input says, and closes the encoder.
    pub(crate) fn end_encoder(&mut self, handle: usize, length: usize) -> bool {
        let end = self.given(length).and_then(run_end);
        let Some(end) = self.told(end) else { return false };
        if let Some(mut encoder) = self.encoders.get_mut(handle).and_then(Option::take) {
            encoder.end(&end, &mut self.output.text);
        }
        true
    }

    /// Closes an encoder.
    pub(crate) fn close_encoder(&mut self, handle: usize) {
        self.encoders.get_mut(handle).map(Option::take);
    }

    /// Returns the input as text.
    fn given(&self, length: usize) -> Result<&str, WrongOptions> {
        let bytes = self.input.get(..length).unwrap_or_default();
        std::str::from_utf8(bytes).map_err(|why| WrongOptions::new(why.to_string()))
    }

    /// Clears the output, and returns a value or leaves there why there is none.
    fn told<T>(&mut self, value: Result<T, WrongOptions>) -> Option<T> {
        self.output.clear();
        value.map_err(|why| self.output.text = why.to_string()).ok()
    }

    /// Makes a text the output, and returns whether it is what was asked for.
    fn answer(&mut self, text: Result<String, WrongOptions>) -> bool {
        let text = self.told(text);
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

/// Puts a value into the first free place of a list.
fn add<T>(list: &mut Vec<Option<T>>, value: T) -> usize {
    let free = list.iter().position(Option::is_none).unwrap_or(list.len());
    if free == list.len() {
        list.push(None);
    }
    list[free] = Some(value);
    free
}
