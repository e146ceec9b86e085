//! A model that writes the text of a script.
//!
//! The state is the number of requests so far, which clones share.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_event::{Content, Message};

use crate::delta::{Delta, FinishReason};
use crate::error::{Error, ErrorKind};
use crate::provider::{DeltaStream, Provider, Request};
use crate::session::{OpeningSession, Session};

/// A model that gives the answers of a script, one for each request, in order.
///
/// Clones share their place in the script.
///
/// ```
/// use futures_util::StreamExt as _;
/// use silcrow_event::Message;
/// use silcrow_provider::{ErrorKind, Provider as _, Request, ScriptedModel};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let model = ScriptedModel::parse("first\n%%\nsecond", 1);
/// let request = Request::new(vec![Message::user("hi")]);
/// let mut last = Vec::new();
/// for _ in 0..3 {
///     last = model.stream(request.clone()).collect::<Vec<_>>().await;
/// }
/// let error = last.pop().unwrap().unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::ScriptExhausted);
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ScriptedModel {
    answers: Arc<[String]>,
    seed: u64,
    /// The number of requests so far.
    asked: Arc<AtomicUsize>,
}

impl ScriptedModel {
    /// Parses the answers in `text`, which lines `%%` separate. `seed` decides the cuts into pieces
    /// of 1 to 6 characters.
    ///
    /// The line break before a `%%` belongs to it; every other byte belongs to an answer. A text
    /// without such a line is one answer. A request after the last answer fails with an error of
    /// [`ErrorKind::ScriptExhausted`].
    pub fn parse(text: &str, seed: u64) -> Self {
        Self { answers: answers(text), seed, asked: Arc::default() }
    }
}

impl Provider for ScriptedModel {
    fn name(&self) -> &str {
        "script"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let at = self.asked.fetch_add(1, Ordering::Relaxed);
        let Some(answer) = self.answers.get(at) else {
            let count = self.answers.len();
            let plural = if count == 1 { "" } else { "s" };
            let error = Error::new(
                ErrorKind::ScriptExhausted,
                format!(
                    "the script has {count} answer{plural} and this is request {}; add an answer \
                     after a line `%%`",
                    at + 1
                ),
            );
            return Box::pin(stream::iter([Err(error)]));
        };
        let pieces = if request.streaming {
            random_pieces(answer, self.seed.wrapping_add(at as u64))
        } else {
            vec![answer.clone()]
        };
        let text = pieces.into_iter().filter(|piece| !piece.is_empty()).map(Delta::Text);
        Box::pin(stream::iter(text.chain([Delta::Done(FinishReason::Stop)]).map(Ok)))
    }

    /// Opens a session, whose answers are the next ones of the script.
    fn connect(&self, request: Request) -> Option<OpeningSession> {
        let answer = self.stream(request.clone());
        let session =
            ScriptedSession { script: self.clone(), streaming: request.streaming, answer };
        Some(async { Ok(Box::new(session) as Box<dyn Session>) }.boxed())
    }
}

/// A session with a script.
struct ScriptedSession {
    script: ScriptedModel,
    streaming: bool,
    answer: DeltaStream,
}

impl Session for ScriptedSession {
    fn receive(&mut self) -> BoxFuture<'_, Option<Result<Delta, Error>>> {
        self.answer.next().boxed()
    }

    fn cancel(&mut self) -> BoxFuture<'_, Result<(), Error>> {
        self.answer = stream::empty().boxed();
        async { Ok(()) }.boxed()
    }

    fn send<'a>(
        &'a mut self,
        _: &'a Content,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), Error>> {
        let request = Request { streaming: self.streaming, ..Request::new(messages.to_vec()) };
        self.answer = self.script.stream(request);
        async { Ok(()) }.boxed()
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        async {}.boxed()
    }
}

fn answers(text: &str) -> Arc<[String]> {
    let mut answers = vec![String::new()];
    for line in text.split_inclusive('\n') {
        let last = answers.last_mut().expect("there is always one");
        if bare(line) == "%%" {
            last.truncate(bare(last).len());
            answers.push(String::new());
        } else {
            last.push_str(line);
        }
    }
    answers.into()
}

/// Returns the text without the line break at its end.
fn bare(text: &str) -> &str {
    let bare = text.strip_suffix('\n').unwrap_or(text);
    bare.strip_suffix('\r').unwrap_or(bare)
}

/// Cuts a text into pieces of 1 to 6 characters. Like a model's tokens, they cut delimiters
/// anywhere. The same seed gives the same pieces.
///
/// ```
/// let pieces = silcrow_provider::random_pieces("§respond: hello", 7);
/// assert_eq!(pieces.concat(), "§respond: hello");
/// assert_eq!(pieces, silcrow_provider::random_pieces("§respond: hello", 7));
/// ```
pub fn random_pieces(text: &str, seed: u64) -> Vec<String> {
    let mut random = SplitMix(seed);
    let mut rest = text.chars();
    let mut pieces = Vec::new();
    while !rest.as_str().is_empty() {
        let length = 1 + random.next() % 6;
        pieces.push(rest.by_ref().take(length as usize).collect());
    }
    pieces
}

/// Steele, Lea and Flood's SplitMix64.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}
