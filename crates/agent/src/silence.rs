//! Answers that contain no text for the person and no call, and the messages about them to the
//! model and the person.

use silcrow_event::{ErrorEvent, ErrorOrigin, Event};
use silcrow_parser::{Options, write};

use crate::error::{Error, ErrorKind};

/// The content of an answer without text for the person and without calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SilentAnswer {
    Nothing,
    End,
    Thoughts,
    /// The provider reports that the model called a tool in the vendor's own way.
    NativeCall,
}

impl SilentAnswer {
    /// Returns the notice in the next request: what the last answer was, and what to write.
    pub(crate) fn notice(self, options: Options) -> String {
        let answer = write([&Event::respond("your answer")], options);
        let write = format!("write it as `{}`", answer.trim());
        match self {
            Self::NativeCall => format!(
                "[Your last answer {}; it does not count. Call tools in your text, in the form \
                 that your instructions show, or answer now: {write}.]",
                self.observation(),
            ),
            _ => format!(
                "[Your last answer {}, so the person has nothing to read. Answer now: {write}.]",
                self.observation(),
            ),
        }
    }

    /// Returns the event that reports that the model is asked again.
    pub(crate) fn note(self) -> Event {
        Event::Error(ErrorEvent {
            code: ErrorKind::NoAnswer.as_str().to_owned(),
            content: format!("the model's answer {}; it is asked once more", self.observation()),
            origin: ErrorOrigin::Model,
            retry: true,
            at: Some(0),
        })
    }

    /// Returns the error of a run that ends with such an answer.
    pub(crate) fn error(self) -> Error {
        let why = format!(
            "the model gave no answer: what it wrote last {}; run again, or ask another model",
            self.observation(),
        );
        Error::new(ErrorKind::NoAnswer, why)
    }

    const fn observation(self) -> &'static str {
        match self {
            Self::Nothing => "held no text",
            Self::End => "held nothing but its end",
            Self::Thoughts => "held thoughts and nothing else",
            Self::NativeCall => "called a tool through the vendor's interface, which offers none",
        }
    }
}
