//! The laws of each function that takes untrusted input, for arbitrary bytes. The tests call them
//! with generated text and with the corpus, and the fuzz targets with their own inputs.

use std::collections::HashSet;

use serde_json::Value;
use serde_json::value::RawValue;
use silcrow_event::{
    BlockMark, Call, CallResult, Diagnostic, DiagnosticKind, Event, Json, Truncation,
};
use silcrow_lex::Utf8Decoder;
use silcrow_parser::{Dialect, Options, Parser, escape_user, read_results, write, write_results};
use silcrow_testkit::{
    Form, Joined, Unit, action_turn_from, oracle, random_bytes, random_chars, seed, turn_from,
};

use crate::parse::{parse, parse_bytes};
use crate::prompt::prompt;
use crate::tokens::{TokenKind, Tokens};

/// Every form of the oracle, with the options of the parser.
pub(crate) const FORMS: [(Form, Options); 4] = [
    (Form::Sigil, Options::new(Dialect::Sigil)),
    (Form::Inline, Options::new(Dialect::Sigil).with_inline(true)),
    (Form::Phase, Options::new(Dialect::Phase)),
    (Form::Action, Options::new(Dialect::Action)),
];

/// L-1 and L-2 of the lexer, in every dialect.
pub(crate) fn lex(bytes: &[u8]) {
    let text = &*String::from_utf8_lossy(bytes);
    for (dialect, inline) in LEXED {
        let whole = Tokens::lex([text], dialect, inline);
        assert_eq!(whole.text, text, "{dialect:?} {inline}");
        let chars = text.split_inclusive(|_: char| true);
        let cut = Tokens::lex(chars, dialect, inline);
        assert_eq!(cut, whole, "{dialect:?} {inline} by characters: {text:?}");
        // In the tag dialects `inline` has no effect.
        let inline = inline || dialect != Dialect::Sigil;
        let cut = Tokens::lex(random_chars(text, seed(bytes)), dialect, inline);
        assert_eq!(cut, whole, "{dialect:?} {inline} at random: {text:?}");
    }
}

const LEXED: [(Dialect, bool); 4] = [
    (Dialect::Sigil, false),
    (Dialect::Sigil, true),
    (Dialect::Phase, false),
    (Dialect::Action, false),
];

/// P-7: the decoder returns the text of the standard library, wherever the bytes are cut.
pub(crate) fn bytes(bytes: &[u8]) {
    let expected = String::from_utf8_lossy(bytes);
    let invalid = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum::<usize>();
    let by = |how: &str, pieces: &[&[u8]]| {
        let mut utf8 = Utf8Decoder::new();
        let (mut text, mut wrong) = (String::new(), 0);
        let mut emitted = 0;
        let mut fed = 0;
        for piece in pieces {
            utf8.push(piece, &mut |piece| {
                text.push_str(piece.text);
                wrong += usize::from(piece.invalid);
                emitted += if piece.invalid > 0 { piece.invalid.into() } else { piece.text.len() };
            });
            fed += piece.len();
            assert!(fed - emitted <= 3, "{} pending {how}: {bytes:?}", fed - emitted);
        }
        utf8.finish(&mut |piece| {
            text.push_str(piece.text);
            wrong += usize::from(piece.invalid);
        });
        assert_eq!(text, expected, "{how}: {bytes:?}");
        assert_eq!(wrong, invalid, "{how}: {bytes:?}");
    };
    by("whole", &[bytes]);
    by("byte by byte", &bytes.chunks(1).collect::<Vec<_>>());
    by("at random", &random_bytes(bytes, seed(bytes)));
}

/// L-1, L-3, L-4, L-6 and L-7 of the parser in `sigil`, and agreement with the oracle.
pub(crate) fn parse_sigil(bytes: &[u8]) {
    parse_as(bytes, FORMS[0]);
    parse_as(bytes, FORMS[1]);
}

/// Checks the same laws in `phase`.
pub(crate) fn parse_phase(bytes: &[u8]) {
    parse_as(bytes, FORMS[2]);
}

/// Checks the same laws in `action`.
pub(crate) fn parse_action(bytes: &[u8]) {
    parse_as(bytes, FORMS[3]);
}

/// Checks the same laws in one form.
pub(crate) fn parse_as(bytes: &[u8], (form, options): (Form, Options)) {
    let text = &*String::from_utf8_lossy(bytes);
    let whole = parse([text], options);
    assert_eq!(whole.essence(), oracle(text, form), "{form:?} {text:?}");
    same_however_cut(bytes, &whole, options);
    prompt(text, form, options);
    forges_nothing(text, &whole, options);
    shows_calls(text, &whole, options);
    settles(text, &whole, options);
}

/// Checks L-1, including diagnostics.
fn same_however_cut(bytes: &[u8], whole: &Joined, options: Options) {
    let cut = parse_bytes(bytes.chunks(1), options);
    assert_eq!(cut, *whole, "{options:?} byte by byte: {bytes:?}");
    let cut = parse_bytes(random_bytes(bytes, seed(bytes)), options);
    assert_eq!(cut, *whole, "{options:?} at random: {bytes:?}");
}

/// The text of a call precedes each call, and changes nothing else.
fn shows_calls(text: &str, shown: &Joined, options: Options) {
    let mut plain = Joined::default();
    let mut parser = Parser::new(options);
    parser.push(text, &mut |fragment| plain.push(fragment));
    parser.finish(&mut |fragment| plain.push(fragment));
    assert_eq!(plain.units, shown.units, "{options:?} {text:?}");
    assert_eq!(plain.bodies, [], "{options:?} {text:?}");
    let places = shown.units.iter().filter_map(|unit| match unit {
        Unit::Event(Event::Call(_)) => Some(true),
        Unit::Bad { .. } => Some(false),
        _ => None,
    });
    for (call, is_whole) in (1..).zip(places) {
        let has_text = shown.bodies.iter().any(|body| body.call == call);
        assert!(has_text || !is_whole, "call {call} has no text, {options:?} {text:?}");
    }
}

/// L-4 of any text: it is parsed, written and parsed again as the same events.
fn settles(text: &str, whole: &Joined, options: Options) {
    // The text of a malformed call is written as it is, whatever it may be taken for.
    let is_valid =
        |event: &Event| !matches!(event, Event::Respond(said) if said.malformed.is_some());
    let events: Vec<_> = whole.events().into_iter().filter(is_valid).collect();
    let canonical = parse([&*write(&events, options)], options).events();
    // A turn with calls is written with one execution point after the last call, and stays so.
    if canonical != events {
        let again = parse([&*write(&canonical, options)], options).events();
        assert_eq!(again, canonical, "{options:?} {text:?}");
    }
}

/// L-4: a turn, made of the bytes, is written and parsed again in every form, and so are results.
pub(crate) fn round_trip(bytes: &[u8]) {
    let (batches, actions) = (turn_from(bytes), action_turn_from(bytes));
    let content = |event: &Event| match event {
        Event::Think(think) => Some(think.content.clone()),
        Event::Respond(respond) => Some(respond.content.clone()),
        _ => None,
    };
    let contents: Vec<_> = batches.iter().filter_map(content).collect();
    for (form, options) in FORMS {
        let turn = if form == Form::Action { &actions } else { &batches };
        reads_back(turn, options, seed(bytes));
        results_read_back(&contents, options);
    }
}

/// Checks L-4 of a turn in canonical form.
pub(crate) fn reads_back(turn: &[Event], options: Options, seed: u64) {
    reads_back_as(turn, turn, options, seed);
}

/// Checks L-4 of a turn with blanks around its contents, which is parsed without them.
pub(crate) fn reads_back_as(turn: &[Event], canonical: &[Event], options: Options, seed: u64) {
    let wire = write(turn, options);
    let read = parse(random_chars(&wire, seed), options);
    assert_eq!(read.events(), canonical, "{options:?} {wire:?}");
    // A fence may quote delimiters, and a turn may have several final responses.
    let odd = |note: &&Diagnostic| {
        !matches!(note.kind, DiagnosticKind::HiddenDelimiter | DiagnosticKind::SecondResponse)
    };
    assert_eq!(read.diagnostics().find(odd), None, "{options:?} {wire:?}");
}

/// L-6 of the messages to a model: results are parsed by position, with their fields and any
/// content, and the text of a person has no delimiter.
pub(crate) fn results_read_back(contents: &[String], options: Options) {
    let outcomes: Vec<_> = contents.iter().enumerate().map(with_fields).collect();
    let message = write_results(&outcomes, options);
    let read = read_results(&message, options);
    let told = |outcomes: &[CallResult]| outcomes.iter().map(told).collect::<Vec<_>>();
    assert_eq!(told(&read), told(&outcomes), "{options:?} {message:?}");
    // Results of actions are spelled as in `phase`.
    let dialect = if options.dialect == Dialect::Action { Dialect::Phase } else { options.dialect };
    for content in contents {
        let escaped = escape_user(content, options);
        let tokens = Tokens::lex([&*escaped], dialect, options.inline);
        let is_delimiter = |(kind, _): &(TokenKind, usize)| matches!(kind, TokenKind::Delimiter(_));
        assert!(!tokens.kinds.iter().any(is_delimiter), "{options:?} {escaped:?}");
    }
}

/// Returns a result with this content in every field that can contain foreign text.
fn with_fields((index, content): (usize, &String)) -> CallResult {
    let text = content.clone();
    match index % 4 {
        0 => CallResult::success("a1", text.clone(), "", text),
        1 => CallResult::framework_failure("a1", None, "", text),
        2 => CallResult::failure("a1", Some("t"), "", text.clone()).with_notices(vec![text]),
        _ => {
            let truncated = Truncation::default().with_omitted_bytes(8).with_tail(text.clone());
            let truncated = truncated.with_full_output(text.clone());
            CallResult::success("a1", "t", "", text).with_truncation(truncated)
        }
    }
}

/// Returns the part of a result that a model reads.
pub(crate) fn told(result: &CallResult) -> (String, String, Option<String>) {
    let tail = result.truncated().and_then(|truncated| truncated.tail.clone());
    (result.header(), result.content.text().into_owned(), tail)
}

/// L-6: the parser emits only text that a model may write, and every call has a unique id: the next
/// one, unless the model may choose.
fn forges_nothing(text: &str, joined: &Joined, options: Options) {
    let mut taken = HashSet::new();
    for unit in &joined.units {
        let id = match unit {
            Unit::Event(Event::Call(call)) => call.id(),
            Unit::Event(Event::Block(BlockMark::Begin(block))) => &*block.id,
            Unit::Event(Event::Execute | Event::End | Event::Block(_))
            | Unit::Text { .. }
            | Unit::Diagnostic(_) => continue,
            Unit::Event(other) => panic!("{other:?} from the model: {text:?}"),
            Unit::Bad { id, .. } => id,
        };
        assert!(taken.insert(id), "{id} twice: {text:?}");
        if options.dialect != Dialect::Action {
            assert_eq!(id, &format!("a{}", taken.len()), "{text:?}");
        }
    }
}

/// P-9: another JSON parser also reads a call as one.
pub(crate) fn call_json(bytes: &[u8]) {
    let text = &*String::from_utf8_lossy(bytes);
    is_one_object(text);
    let read = Call::parse("a1", text);
    let value = match serde_json::from_str::<Value>(text) {
        Ok(value) => value,
        Err(error) => {
            // It is JSON, but exceeds the numbers, strings or stack of that parser.
            let holds = ["number out of range", "hex escape", "recursion limit"];
            let error = error.to_string();
            assert!(read.is_err() || holds.iter().any(|hold| error.contains(hold)), "{text:?}");
            return;
        }
    };
    let keys = ["args", "arguments", "parameters", "input"];
    let given: Vec<_> = keys.iter().filter_map(|key| value.get(key)).collect();
    let strange = |key: &String| key != "name" && !keys.contains(&&**key);
    let is_alone = !value.as_object().is_some_and(|members| members.keys().any(strange));
    let empty = Value::Object(serde_json::Map::new());
    let args = match given[..] {
        [Value::Null] => &empty,
        [args] => args,
        [] if is_alone => &empty,
        _ => &Value::Null,
    };
    match read {
        Ok(call) => {
            assert_eq!(Some(call.name()), value["name"].as_str(), "{text:?}");
            assert_eq!(&serde_json::from_str::<Value>(call.args()).unwrap(), args, "{text:?}");
            assert_eq!(call.content(), text);
            let line = call.args().replace(['\n', '\r'], " ");
            assert!(Json::parse(call.args()).is_some_and(|json| json.as_str() == line), "{text:?}");
        }
        Err(why) => {
            let twice = why.to_string().contains("twice");
            let named = value["name"].as_str().is_some_and(|name| !name.is_empty());
            assert!(!value.is_object() || twice || !named || !args.is_object(), "{why}: {text:?}");
        }
    }
}

/// A text has members if and only if it is one JSON object that is not nested too deep.
fn is_one_object(text: &str) {
    let raw = serde_json::from_str::<&RawValue>(text);
    let is_object = raw.is_ok_and(|raw| raw.get().starts_with('{'));
    match Call::members(text) {
        Ok(members) => {
            assert!(is_object, "{text:?}");
            for member in members {
                let raw = serde_json::from_str::<&RawValue>(member.value()).expect(text);
                assert_eq!(raw.get(), member.value(), "{text:?}");
            }
        }
        Err(why) => {
            let is_deep = text.matches(['{', '[']).count() > 128;
            let says_so = why.to_string().contains("nested deeper");
            assert_eq!(is_object, is_deep && says_so, "{why}: {text:?}");
        }
    }
}
