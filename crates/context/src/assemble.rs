//! The messages that a log becomes (section 9 of the protocol).
//!
//! The module `turns` reads the log, and `transcript` writes the messages.

use silcrow_event::Message;
use silcrow_parser::Options;

use crate::logged::LoggedEvent;
use crate::transcript::{ModelView, Transcript};
use crate::turns::{ClosedTurns, OpenTurn};

/// Returns the messages for the events of a log (section 9), without the system message.
///
/// An event with the number of its turn belongs to that turn, even if results of a turn of actions
/// are between the model's words. Without a number, the model's words after results begin its next
/// turn.
///
/// Roles alternate, the first is the person's, and no message is empty:
///
/// - The model's words and calls before its results are one assistant message. It ends with the
///   execution point if there are calls. It ends with the end delimiter if its last event is an
///   answer, and the person speaks next or the log ends.
/// - The results of its calls, in the order of the calls, begin the next user message. Results of
///   malformed calls keep their place (P-9), and a call without a result gets one that says so.
/// - The person's words follow in the same message, after an end delimiter, so that neither can
///   pass for the other. A blank line separates the parts of a message.
/// - A run that was stopped, by the person or by a failure, is a line in brackets in a user
///   message.
/// - A stored notice, which is about the model's last answer, is a part of the next user message.
/// - Actions that run in the background have no result here (P-24).
/// - A log that begins with the model's words gets a line in brackets before them.
///
/// It leaves out thoughts that a provider reported beside the wire text, blank texts, and events
/// that only people need, such as approvals, metrics and errors.
///
/// More events change no message except the last one. Only if the log stops between a call and its
/// results, the last two may change.
///
/// ```
/// use silcrow_context::assemble;
/// use silcrow_event::Event;
/// use silcrow_parser::Dialect;
///
/// let log = [Event::user("2 + 2?"), Event::think("Easy."), Event::respond("4")];
/// let messages = assemble(&log, Dialect::Sigil);
/// let texts: Vec<_> = messages.iter().map(|message| message.text()).collect();
/// assert_eq!(texts, ["2 + 2?", "§think: Easy.\n§respond: 4\n§end"]);
/// ```
pub fn assemble<'a>(
    events: impl IntoIterator<Item = impl Into<LoggedEvent<'a>>>,
    options: impl Into<Options>,
) -> Vec<Message> {
    transcript(events, options.into()).into_messages()
}

/// Returns the same messages, with a notice of the framework at the end. No result can pass for it.
///
/// ```
/// use silcrow_context::assemble_with_notice;
/// use silcrow_event::{Event, Role};
/// use silcrow_parser::Dialect;
///
/// let log = [Event::user("2 + 2?")];
/// let messages = assemble_with_notice(&log, Dialect::Sigil, "Answer in one line.");
/// // Roles alternate, so the notice joins the message of the person.
/// assert_eq!((messages.len(), messages[0].role), (1, Role::User));
/// assert!(messages[0].text().contains("Answer in one line."));
/// ```
pub fn assemble_with_notice<'a>(
    events: impl IntoIterator<Item = impl Into<LoggedEvent<'a>>>,
    options: impl Into<Options>,
    notice: &str,
) -> Vec<Message> {
    let mut talk = transcript(events, options.into());
    talk.notice(notice);
    talk.into_messages()
}

fn transcript<'a>(
    events: impl IntoIterator<Item = impl Into<LoggedEvent<'a>>>,
    options: Options,
) -> Transcript {
    let mut closed = ClosedTurns::new(options, false, ModelView::default());
    let mut open = OpenTurn::default();
    for event in events {
        closed.push(event.into(), &mut open);
    }
    closed.finish(open)
}
