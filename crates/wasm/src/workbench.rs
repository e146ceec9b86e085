//! The state that JavaScript and this side share: the buffers, and the open handles.
//!
//! A handle is the place of a reader or of an encoder in a list. A handle that is closed is used again.

use std::cell::RefCell;

use silcrow_reading::{FormReader, ReadEvent, ReaderOptions, WrongOptions};

#[cfg(feature = "full")]
use crate::encoders::OpenEncoders;
use crate::output::{CallInReading, Output};

thread_local! {
    static WORKBENCH: RefCell<Workbench> = RefCell::default();
}

/// The buffers, and the open handles.
#[derive(Default)]
pub(crate) struct Workbench {
    /// The addresses at which JavaScript finds the output: [`Output::places`]. They never change.
    board: Box<[u32; 3]>,
    input: Vec<u8>,
    pub(crate) output: Output,
    readers: Vec<Option<OpenReader>>,
    #[cfg(feature = "full")]
    pub(crate) encoders: OpenEncoders,
}

/// A reader, and the data of its current call that JavaScript already has.
struct OpenReader {
    reader: FormReader,
    call: CallInReading,
}

/// Calls a function with the workbench, and returns the place of the output.
pub(crate) fn with_workbench<T>(act: impl FnOnce(&mut Workbench) -> T) -> T {
    WORKBENCH.with_borrow_mut(|bench| {
        let done = act(bench);
        *bench.board = bench.output.places();
        done
    })
}

impl Workbench {
    /// Reserves space for an input of this length, and returns its address.
    pub(crate) fn input(&mut self, length: usize) -> usize {
        if self.input.len() < length {
            self.input.resize(length.next_power_of_two(), 0);
        }
        self.input.as_ptr().addr()
    }

    /// Returns the address of the numbers that locate the output.
    pub(crate) fn board(&self) -> usize {
        self.board.as_ptr().addr()
    }

    /// Opens a reader with the options in the input, and returns its handle.
    pub(crate) fn open_reader(&mut self, length: usize) -> Option<usize> {
        let options = self.given(length).and_then(ReaderOptions::parse);
        let reader = self.report(options)?;
        let reader = FormReader::new(reader);
        Some(add(&mut self.readers, OpenReader { reader, call: CallInReading::default() }))
    }

    /// Reads a chunk, and returns the number of events.
    pub(crate) fn push(&mut self, handle: usize, length: usize) -> usize {
        let Self { input, output, readers, .. } = self;
        output.clear();
        if let Some(Some(OpenReader { reader, call })) = readers.get_mut(handle) {
            let bytes = input.get(..length).unwrap_or_default();
            reader.push(bytes, &mut |event: ReadEvent<'_>| output.write(&event, bytes, call));
        }
        output.events()
    }

    /// Ends the answer of a reader, closes it, and returns the number of events.
    pub(crate) fn finish(&mut self, handle: usize) -> usize {
        let Self { output, readers, .. } = self;
        output.clear();
        if let Some(open) = readers.get_mut(handle).and_then(Option::take) {
            let OpenReader { reader, mut call } = open;
            reader.finish(&mut |event: ReadEvent<'_>| output.write(&event, &[], &mut call));
        }
        output.events()
    }

    /// Closes a reader.
    pub(crate) fn close_reader(&mut self, handle: usize) {
        self.readers.get_mut(handle).map(Option::take);
    }

    /// Lists the families of native forms.
    pub(crate) fn families(&mut self) {
        self.output.clear();
        self.output.text = silcrow_reading::families();
    }

    /// Returns the input as text.
    pub(crate) fn given(&self, length: usize) -> Result<&str, WrongOptions> {
        let bytes = self.input.get(..length).unwrap_or_default();
        std::str::from_utf8(bytes).map_err(|why| WrongOptions::new(why.to_string()))
    }

    /// Clears the output, and returns a value or leaves there why there is none.
    pub(crate) fn report<T>(&mut self, value: Result<T, WrongOptions>) -> Option<T> {
        self.output.clear();
        value.map_err(|why| self.output.text = why.to_string()).ok()
    }
}

/// Puts a value into the first free place of a list.
pub(crate) fn add<T>(list: &mut Vec<Option<T>>, value: T) -> usize {
    let free = list.iter().position(Option::is_none).unwrap_or(list.len());
    if free == list.len() {
        list.push(None);
    }
    list[free] = Some(value);
    free
}
