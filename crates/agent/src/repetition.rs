//! Steps that repeat the same calls with the same results (P-37).
//!
//! The state is the last calls with their results, and how often they came in a row. Steps without
//! calls neither count nor interrupt.

use silcrow_event::{Entry, Event};

use crate::error::{Error, ErrorKind};

/// The calls of the last step that had some, and how often they came in a row.
#[derive(Default)]
pub(crate) struct RepeatedCalls {
    last: Vec<(String, String)>,
    count: u32,
}

impl RepeatedCalls {
    /// Takes the entries of a step. Returns a notice for the model if it repeats itself.
    ///
    /// # Errors
    ///
    /// Returns the error that ends the run, if the model repeats itself after the notice.
    pub(crate) fn push(&mut self, entries: &[&Entry]) -> Result<Option<Event>, Error> {
        let calls: Vec<_> = entries.iter().copied().filter_map(call_or_result).collect();
        if calls.is_empty() {
            return Ok(None);
        }
        self.count = if calls == self.last { self.count + 1 } else { 1 };
        self.last = calls;
        match self.count {
            NOTICE => Ok(Some(Event::Notice { content: NOTICE_TEXT.to_owned() })),
            END.. => Err(Error::new(
                ErrorKind::Repetition,
                format!(
                    "the model made the same calls {END} times in a row, with the same results; ask \
                     in another way, or ask another model"
                ),
            )),
            _ => Ok(None),
        }
    }
}

/// Returns the parts by which calls or results are compared: the name and the content.
fn call_or_result(entry: &Entry) -> Option<(String, String)> {
    match &entry.event {
        Event::Call(call) => Some((call.name().to_owned(), call.args().to_owned())),
        Event::Result(result) => {
            Some((result.status().as_str().to_owned(), result.content.text().into_owned()))
        }
        _ => None,
    }
}

/// The number of equal steps after which the model gets a notice.
const NOTICE: u32 = 3;

/// The number of equal steps after which the run ends.
const END: u32 = 5;

const NOTICE_TEXT: &str = "[You have made the same calls three times in a row, with the same \
                           results each time. Another call of this kind will not help: do \
                           something else, or answer with what you have.]";
