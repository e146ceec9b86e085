//! The faults of an answer that does not answer, and the messages about them to the model and the
//! person (P-35).

use silcrow_event::{Call, ErrorEvent, ErrorOrigin, Event};
use silcrow_parser::{AnswerAttempt, AttemptKind, Options, write};

use crate::error::{Error, ErrorKind};
use crate::mention::MentionedDelimiter;

/// The reason why an answer that came to its end is not accepted as the model's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AnswerFault {
    /// It has neither text nor calls.
    Nothing,
    /// It has only its end.
    End,
    /// It has only thoughts.
    Thoughts,
    /// It has only thoughts, and this call in one of them.
    CallInThought(String),
    /// The provider reports that the model called a tool in the vendor's own way.
    NativeCall,
    /// Its execution point has no call.
    NothingToExecute,
    /// It has this call after its execution point.
    CallAfterExecute(String),
    /// It has this call after its end.
    CallAfterEnd(String),
    /// It has no end, and a fence hides this delimiter.
    Hidden(String),
    /// It has text that was probably meant as something else.
    Attempt(AnswerAttempt),
    /// It has this delimiter in the middle of a sentence.
    Mentioned(MentionedDelimiter),
    /// It has text, and after it a thought that it does not close.
    OpenThought,
    /// It has a call after its final response.
    CallAfterFinal,
    /// It has a final response, and a call that cannot run.
    FailedCall,
    /// It has a final response, and this call, which failed (P-35).
    BesideFailure(String),
    /// It has a final response in an element that is not part of the dialect (P-43).
    InElement,
    /// It uses the name of a call that did not succeed.
    FailedName(String),
    /// It uses a name that an earlier answer bound.
    UnboundName(String),
    /// It has the name of one of its calls in another form than `$name`: this text.
    NameForm(String),
}

impl AnswerFault {
    /// Returns whether the model may have written calls in a form of another kind.
    pub(crate) const fn may_be_native(&self) -> bool {
        matches!(self, Self::Attempt(_))
    }

    /// Returns the notice for the next request, which describes the fault and asks for a correct
    /// answer.
    pub(crate) fn notice(&self, options: Options) -> String {
        let observation = self.observation();
        let answer = write([&Event::respond("your answer")], options);
        let answer = answer.trim();
        match self {
            Self::Nothing | Self::End | Self::Thoughts => format!(
                "[Your last answer {observation}, so the person has nothing to read. Answer now: \
                 write it as `{answer}`.]"
            ),
            Self::NativeCall => format!(
                "[Your last answer {observation}; it does not count. Call tools in your text, in \
                 the form that your instructions show, or answer now: write it as `{answer}`.]"
            ),
            Self::FailedCall | Self::FailedName(_) | Self::UnboundName(_) | Self::NameForm(_) => {
                format!(
                    "[Your last answer {observation}, so the person has not received it. Look at the \
                 results, and answer now, without the name: write it as `{answer}`.]"
                )
            }
            Self::BesideFailure(_) => format!(
                "[Your last answer {observation}. You wrote it before you could know that, so it is a \
                 draft, and the person has not received it. Read the results: mend what failed, or \
                 answer from what they say: write it as `{answer}`.]"
            ),
            Self::InElement => format!(
                "[Your last answer {observation}, and the person has not received it: only actions \
                 are in blocks. Look at the results, and answer outside of other tags: write it as \
                 `{answer}`.]"
            ),
            Self::CallAfterFinal => format!(
                "[Your last answer {observation}, so the person has not received it. If you need \
                 the call, write it again without a final response, and wait for its result; \
                 otherwise answer: write it as `{answer}`.]"
            ),
            Self::NothingToExecute
            | Self::CallAfterExecute(_)
            | Self::CallAfterEnd(_)
            | Self::Mentioned(_)
            | Self::OpenThought
            | Self::Hidden(_)
            | Self::CallInThought(_)
            | Self::Attempt(_) => format!(
                "[Your last answer {observation}. It does not count, and the person has not \
                 received it. Delimiters are written exactly, {place}outside of code.\nTo call a \
                 tool, write:\n{call}\nTo answer, write:\n{answer}\nTo show such text to the \
                 person, put it in inline code.]",
                place = if is_line_based(options) { "at the start of a line and " } else { "" },
                call = example(options),
            ),
        }
    }

    /// Returns the notice to a model that calls in the vendor's own way (P-45).
    pub(crate) fn native_notice(&self) -> String {
        format!(
            "[Your last answer {}. It does not count, and the person has not received it. Call tools \
             through the interface, and never in your text; or answer now, in plain text.]",
            self.observation()
        )
    }

    /// Returns the event that reports that the model is asked again.
    pub(crate) fn note(&self) -> Event {
        Event::Error(ErrorEvent {
            code: ErrorKind::NoAnswer.as_str().to_owned(),
            content: format!("the model's answer {}; it is asked again", self.observation()),
            origin: ErrorOrigin::Model,
            retry: true,
            at: Some(0),
        })
    }

    /// Returns the error of a run that ends with such an answer.
    pub(crate) fn error(&self) -> Error {
        let why = format!(
            "the model gave no answer: what it wrote last {}; run again, or ask another model",
            self.observation(),
        );
        Error::new(ErrorKind::NoAnswer, why)
    }

    /// Returns the observation, as the predicate of a sentence about the answer.
    fn observation(&self) -> String {
        let text = match self {
            Self::Nothing => "held no text",
            Self::End => "held nothing but its end",
            Self::Thoughts => "held thoughts and nothing else",
            Self::NativeCall => "called a tool through the vendor's interface, which offers none",
            Self::NothingToExecute => "asked to execute, but held no call that counts",
            Self::Mentioned(MentionedDelimiter::Thought) => {
                "held the tags of a thought in the middle of a sentence, where they count and hide text"
            }
            Self::Mentioned(MentionedDelimiter::End) => {
                "held the end delimiter in the middle of a sentence, where it counts and ends the answer"
            }
            Self::OpenThought => {
                "opened a thought after its text and did not close it, which hides all that follows"
            }
            Self::CallAfterFinal => "held a call after its final response, which did not run",
            Self::FailedCall => "held a final response beside a call that cannot run",
            Self::InElement => "held a final response inside another tag",
            Self::BesideFailure(call) => {
                return format!("held a final response beside the call `{call}`, which failed");
            }
            Self::CallInThought(call) => {
                return format!(
                    "held the call `{call}` inside a thought, where nothing runs: close the thought \
                     before it"
                );
            }
            Self::CallAfterExecute(call) => {
                return format!(
                    "held the call `{call}` after the execution point, which takes nothing: \
                     calls come before it, each after a delimiter of its own"
                );
            }
            Self::CallAfterEnd(call) => {
                return format!(
                    "held the call `{call}` after its end, where nothing is read: a call and its \
                     execution point come in place of the end"
                );
            }
            Self::Hidden(literal) => {
                return format!("hid `{literal}` in a code fence, where it does not count");
            }
            Self::FailedName(name) => {
                return format!("used `${name}`, whose call did not succeed");
            }
            Self::UnboundName(name) => {
                return format!("used `${name}`, which nothing in that answer binds");
            }
            Self::NameForm(text) => {
                return format!("used `{text}`, which stands for no output; `$name` does");
            }
            Self::Attempt(attempt) => return attempted(attempt),
        };
        text.to_owned()
    }
}

fn attempted(AnswerAttempt { kind, text }: &AnswerAttempt) -> String {
    match kind {
        AttemptKind::Misplaced => format!("held `{text}` in a place where it does not count"),
        AttemptKind::Separated => format!(
            "held `{text}`, whose first character is not a line break here: only a line feed begins a \
             line"
        ),
        AttemptKind::Misspelled => format!("held `{text}`, which is not written exactly"),
        AttemptKind::Invisible => format!(
            "held an invisible character in `{text}` or right before it, which makes it plain text"
        ),
        AttemptKind::OtherDialect => format!("held `{text}`, which is not the form used here"),
        AttemptKind::OtherFormat => format!("held `{text}`, a form that calls nothing here"),
        AttemptKind::Quoted => format!("held the call `{text}` in code, where nothing runs"),
        AttemptKind::Reasoning => format!("held reasoning as if it were the answer: `{text}`"),
        AttemptKind::Forged => format!("held `{text}`, which you never write yourself"),
        AttemptKind::Announced => format!("announced something and did not do it: `{text}`"),
        _ => format!("held `{text}`, which does not count"),
    }
}

/// Returns whether delimiters count only at the start of a line.
fn is_line_based(options: Options) -> bool {
    options.dialect == silcrow_parser::Dialect::Sigil && !options.inline
}

/// Returns a call with its execution point, as the dialect writes it.
fn example(options: Options) -> String {
    let is_action = options.dialect == silcrow_parser::Dialect::Action;
    let key = if is_action { "parameters" } else { "args" };
    let body = format!(r#"{{"name": "tool_name", "{key}": {{"key": "value"}}}}"#);
    // A body that is not a call would be a bug of this module, and costs no more than the example.
    let call = Call::parse("a1", body).map(Event::Call);
    let events: Vec<_> = call.into_iter().chain([Event::Execute]).collect();
    write(&events, options).trim().to_owned()
}
