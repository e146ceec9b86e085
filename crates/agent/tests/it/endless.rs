//! Answers without an end, of every kind.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::{StreamExt as _, stream};
use silcrow_accumulate::AnswerLimits;
use silcrow_agent::{Agent, ErrorKind, RunOutcome};
use silcrow_parser::Dialect;
use silcrow_provider::{Delta, DeltaStream, OpeningSession, Provider, Request};
use silcrow_store::MemoryStore;
use silcrow_tool::CancellationToken;

use crate::support::{Ran, echo, run, toolbox, with};

/// A model that begins in one way and continues in another without an end.
#[derive(Clone)]
struct Endless {
    begin: &'static str,
    piece: Arc<str>,
    beside: bool,
    written: Arc<AtomicUsize>,
}

impl Provider for Endless {
    fn name(&self) -> &str {
        "endless"
    }

    fn stream(&self, _: Request) -> DeltaStream {
        let Self { begin, piece, beside, written } = self.clone();
        let first = stream::iter([Ok(Delta::Text(begin.to_owned()))]);
        let rest = stream::repeat_with(move || {
            written.fetch_add(piece.len(), Ordering::SeqCst);
            let piece = piece.to_string();
            Ok(if beside { Delta::Reasoning(piece) } else { Delta::Text(piece) })
        });
        first.chain(rest).boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

/// The limit of an answer in bytes, which is small so that the test is quick.
const LIMIT: usize = 256 << 10;

/// The beginning of each answer, and the text that follows without an end.
const KINDS: &[(&str, Dialect, &str, &str)] = &[
    ("an answer", Dialect::Sigil, "§respond: ", "more and more "),
    ("a body that is too long", Dialect::Sigil, "§call: {\"name\":\"", "aaaaaaaaaaaaaaaa"),
    ("nesting", Dialect::Sigil, "§call: ", "[[[[[[[[[[[[[[[[[[[[["),
    ("blanks", Dialect::Sigil, "", "   \n\t  \n  "),
    ("blanks in a section", Dialect::Sigil, "§respond:", " \n \n"),
    ("blanks after the end", Dialect::Sigil, "§respond: so\n§end\n", "  \n"),
    ("empty sections", Dialect::Sigil, "", "§think:\n"),
    ("text after a call", Dialect::Sigil, "§call: {\"name\":\"echo\"}", " and so on"),
    ("forged results", Dialect::Sigil, "", "§result: {\"tool\":\"echo\"}\n"),
    ("a forged result", Dialect::Sigil, "§result: ", "so it was "),
    ("execution points without a call", Dialect::Sigil, "", "§execute\n"),
    ("an open fence", Dialect::Sigil, "§respond: ```\n", "§end\n"),
    ("blanks", Dialect::Phase, "", "  \n"),
    ("empty sections", Dialect::Phase, "", "<think></think>"),
    ("empty lists", Dialect::Phase, "", "<execute>[]</execute>"),
    ("a list of nothing", Dialect::Phase, "<execute>[", " , ,"),
    ("text after a list", Dialect::Phase, "<execute>[]", " text "),
    ("a forged result", Dialect::Phase, "<results>", "[{}],"),
    ("blanks", Dialect::Action, "", " \n"),
    ("a comment", Dialect::Action, "<!-- ", "hm hm "),
    ("comments", Dialect::Action, "", "<!-- hm -->"),
    ("empty responses", Dialect::Action, "", "<response></response>"),
    ("text outside", Dialect::Action, "<response final=\"false\">a</response>", "stray text "),
    ("text after a body", Dialect::Action, "<action>{\"name\":\"none\"} ", "stray text "),
    ("half tags", Dialect::Action, "<response final=\"false\">a</response>", "<action a='"),
];

async fn ends(what: &str, dialect: Dialect, model: Endless) {
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::new(model.clone(), Arc::clone(&store))
        .with_dialect(dialect)
        .with_tools(toolbox([with(echo("echo"))]))
        .with_answer_limits(AnswerLimits { bytes: LIMIT, ..AnswerLimits::default() });
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    match &ran.ended {
        // Text after a whole answer does not invalidate it.
        Ok(ending) => assert_eq!((ending, what), (&RunOutcome::Answered, "blanks after the end")),
        Err(error) => assert_eq!(error.kind(), ErrorKind::TooMuch, "{what} in {dialect:?}"),
    }
    let written = model.written.load(Ordering::SeqCst);
    // It is read in pieces, so one piece beyond the limit may be read.
    assert!(written <= LIMIT + 2 * model.piece.len(), "{what} in {dialect:?}: {written}");
    let calls = ran.stored.iter().filter(|entry| entry.event.type_name() == "call").count();
    let results = Ran::types(&ran.stored).iter().filter(|kind| **kind == "result").count();
    assert!(calls <= results, "{what} in {dialect:?}: {calls} calls, {results} results");
}

#[tokio::test]
async fn endless_answer_ends_within_its_limit() {
    for (what, dialect, begin, unit) in KINDS {
        // Cut as a network cuts, and in pieces large enough to be quick.
        let piece = unit.repeat((16 << 10) / unit.len());
        let written = Arc::<AtomicUsize>::default();
        let model = Endless { begin, piece: piece.into(), beside: false, written };
        ends(what, *dialect, model).await;
    }
}

#[tokio::test]
async fn endless_separate_reasoning_is_cut_off() {
    for dialect in [Dialect::Sigil, Dialect::Phase, Dialect::Action] {
        let piece = "hm hm ".repeat(1_000).into();
        let written = Arc::<AtomicUsize>::default();
        ends("reasoning", dialect, Endless { begin: "", piece, beside: true, written }).await;
    }
}
