use futures_util::{FutureExt as _, StreamExt as _};
use silcrow_event::{
    Call, CallResult, Diagnostic, DiagnosticKind, Event, Fragment, Message, Role, TextKind,
};
use silcrow_parser::{Dialect, Options, Parser, escape_user, write, write_results};
use silcrow_provider::{Delta, Provider as _, Request};
use silcrow_rehearsal::Rehearsal;

pub(crate) const SIGIL: Options = Options::new(Dialect::Sigil);
pub(crate) const INLINE: Options = Options::new(Dialect::Sigil).with_inline(true);
pub(crate) const PHASE: Options = Options::new(Dialect::Phase);
pub(crate) const ACTION: Options = Options::new(Dialect::Action);

/// One answer of the model, read back.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    pub(crate) wire: String,
    pub(crate) thought: String,
    pub(crate) said: String,
    pub(crate) calls: Vec<Call>,
    pub(crate) notes: Vec<Diagnostic>,
    pub(crate) executes: bool,
    pub(crate) ends: bool,
}

/// The model's answer to these messages.
pub(crate) fn ask(messages: &[Message], options: Options) -> Turn {
    let model = Rehearsal::new(options, None, 7);
    let deltas = model.stream(Request::new(messages.to_vec()));
    let mut wire = String::new();
    // Without a rate nothing waits, so no runtime is needed.
    let deltas: Vec<_> = deltas.collect().now_or_never().expect("it never waits");
    for delta in deltas {
        if let Delta::Text(text) = delta.unwrap() {
            wire.push_str(&text);
        }
    }
    let mut turn = Turn::default();
    let mut parser = Parser::new(options);
    let mut take = |fragment: Fragment<'_>| match fragment {
        Fragment::Text(text) if text.kind == TextKind::Think => turn.thought.push_str(text.text),
        Fragment::Text(text) => turn.said.push_str(text.text),
        Fragment::Call(call) => turn.calls.push(call),
        Fragment::Diagnostic(note) => turn.notes.push(note),
        Fragment::Execute => turn.executes = true,
        Fragment::End => turn.ends = true,
        Fragment::Close { .. } => {}
        other => panic!("{other:?}"),
    };
    parser.push(&wire, &mut take);
    parser.finish(&mut take);
    turn.wire = wire;
    turn
}

/// The turns of a run whose tools give these results, to the first turn without a call.
pub(crate) fn run(
    prompt: &str,
    options: Options,
    mut tool: impl FnMut(&Call) -> Result<String, String>,
) -> Vec<Turn> {
    run_outcomes(prompt, options, |call| match tool(call) {
        Ok(content) => CallResult::success(call.id(), call.name(), "", content),
        Err(why) => CallResult::failure(call.id(), Some(call.name()), "", why),
    })
}

/// The same with whole results.
pub(crate) fn run_outcomes(
    prompt: &str,
    options: Options,
    mut tool: impl FnMut(&Call) -> CallResult,
) -> Vec<Turn> {
    let mut messages = vec![
        Message::new(Role::System, "Be brief."),
        Message::new(Role::User, escape_user(prompt, options)),
    ];
    let mut turns = Vec::new();
    loop {
        let turn = ask(&messages, options);
        // The contents of a file are quoted in a fence, which hides delimiters.
        let is_quoted = |note: &&Diagnostic| note.kind == DiagnosticKind::HiddenDelimiter;
        assert_eq!(turn.notes.iter().find(|note| !is_quoted(note)), None, "{}", turn.wire);
        // An action says neither: it starts at once, and an answer ends the run.
        let says = options.dialect != Dialect::Action;
        assert_eq!(turn.executes, says && !turn.calls.is_empty());
        assert_eq!(turn.ends, says && turn.calls.is_empty());
        let results: Vec<_> = turn.calls.iter().map(&mut tool).collect();
        messages.push(Message::new(Role::Assistant, turn.wire.clone()));
        messages.push(Message::new(Role::User, write_results(&results, options)));
        turns.push(turn);
        if results.is_empty() {
            return turns;
        }
        assert!(turns.len() < 5, "it goes on and on");
    }
}

/// Behind results in a user message, before a person's words.
pub(crate) fn end(options: Options) -> String {
    write([&Event::End], options)
}
