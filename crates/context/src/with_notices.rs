//! A context that ends each request with notices of the program.
//!
//! It remembers the notices that a run has sent, each with its message.

use silcrow_event::{Entry, GrowingMessages, Message, MessageList, MessagePrefix};

use crate::assembler::{ContextAssembler, GrowingContext};
use crate::compaction::{CompactionOptions, ContextCompaction};
use crate::input::ContextInput;
use crate::needed::NeededEntries;
use crate::notice::ContextNotice;

/// Another context, with notices at the end of each request.
///
/// A function is asked before each step. The notices follow the results or the words that the step
/// answers, and come before the framework's own notice. Until the run ends, they stay in the message
/// in which they were sent. So a request begins with the bytes of the one before, as without notices,
/// and neither a cache nor a session begins again. A later run does not repeat them.
///
/// ```
/// use silcrow_context::{
///     ContextAssembler, ContextInput, ContextNotice, FullHistory, WithNotices,
/// };
/// use silcrow_event::{Entry, Event};
/// use silcrow_parser::Dialect;
///
/// let context = WithNotices::new(FullHistory, |input| {
///     let text = format!("{} of 20 events are used.", input.entries.len());
///     vec![ContextNotice::new("the quota", text)]
/// });
/// let mut run = context.begin();
/// let mut log = vec![Entry::from(Event::user("one"))];
/// let first = run.assemble(&ContextInput::new(&log, Dialect::Sigil));
/// let notice = "[Notice from the quota]\n1 of 20 events are used.\n[End of the notice]";
/// assert_eq!(first[1].text(), format!("one\n\n{notice}"));
///
/// log.extend([Event::respond("1"), Event::user("two")].map(Entry::from));
/// let second = run.assemble(&ContextInput::new(&log, Dialect::Sigil));
/// assert_eq!(second[..2], first[..]);
/// assert!(second[3].text().contains("3 of 20 events are used."));
/// ```
#[derive(Clone, Debug)]
pub struct WithNotices<C, F> {
    context: C,
    notices: F,
}

impl<C, F> WithNotices<C, F>
where
    C: ContextAssembler,
    F: Fn(&ContextInput<'_>) -> Vec<ContextNotice> + Send + Sync,
{
    /// Adds the notices that a function returns for each request. It is called more than once for a
    /// step whose request is made shorter.
    pub const fn new(context: C, notices: F) -> Self {
        Self { context, notices }
    }
}

impl<C, F> ContextAssembler for WithNotices<C, F>
where
    C: ContextAssembler,
    F: Fn(&ContextInput<'_>) -> Vec<ContextNotice> + Send + Sync,
{
    fn assemble(&self, input: &ContextInput<'_>) -> Vec<Message> {
        self.context.assemble(&input.with_notices(&(self.notices)(input)))
    }

    fn compact(
        &self,
        input: &ContextInput<'_>,
        options: CompactionOptions,
        tokens: &dyn Fn(&[Message]) -> u64,
    ) -> Option<ContextCompaction> {
        self.context.compact(&input.with_notices(&(self.notices)(input)), options, tokens)
    }

    fn needed(&self, entries: &[Entry]) -> Option<NeededEntries> {
        self.context.needed(entries)
    }

    fn begin(&self) -> Box<dyn GrowingContext + '_> {
        let notices = &self.notices;
        let (context, requests) = (self.context.begin(), GrowingMessages::new());
        let settled = MessagePrefix::default();
        Box::new(NoticedRun { context, notices, sent: Vec::new(), settled, requests })
    }
}

/// The messages of a run, with the notices that were sent before.
struct NoticedRun<'a, F> {
    context: Box<dyn GrowingContext + 'a>,
    notices: &'a F,
    /// The messages that end with notices, and their places in the request.
    sent: Vec<(usize, Message)>,
    /// The settled messages in the last request of the inner context.
    settled: MessagePrefix,
    /// The requests with the notices.
    requests: GrowingMessages,
}

impl<F> GrowingContext for NoticedRun<'_, F>
where
    F: Fn(&ContextInput<'_>) -> Vec<ContextNotice> + Send + Sync,
{
    fn assemble(&mut self, input: &ContextInput<'_>) -> MessageList {
        let notices = (self.notices)(input);
        let bare = self.context.assemble(&input.with_notices(&notices));
        let repeated = bare.repeated(&self.settled);
        self.settled = bare.settled();
        let last = bare.len().saturating_sub(1);
        let mut new = bare[repeated..].to_vec();
        let first = self.sent.partition_point(|(at, _)| *at < repeated);
        // A message that became another one, as after a summary, has lost its notices.
        let kept = self
            .sent
            .split_off(first)
            .into_iter()
            .filter(|(at, sent)| *at < last && sent.text().starts_with(&*bare[*at].text()));
        self.sent.extend(kept);
        for (at, sent) in &self.sent[first..] {
            new[*at - repeated] = sent.clone();
        }
        if let Some(message) = new.last().filter(|_| !notices.is_empty() && input.notice.is_none())
        {
            self.sent.push((last, message.clone()));
        }
        self.requests.renew(repeated, new, self.settled.len())
    }
}
