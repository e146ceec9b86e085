//! What must hold of each surface that takes what others wrote, whatever the bytes: called with
//! generated text, by the fuzz targets, and with the corpus and every input that once failed.

use serde_json::Value;
use silcrow_event::{Call, Event, Json};
use silcrow_lex::{Dialect, Lexer, Token, Utf8};
use silcrow_parser::{Options, Parser, write};
use silcrow_testkit::{
    Form, Joined, Unit, by_chars, oracle, random_bytes, random_chars, seed, turn_from,
};

use crate::parse::{parse, parse_bytes};

/// Every form that the oracle reads, as the parser's options.
pub(crate) const FORMS: [(Form, Options); 3] = [
    (Form::Sigil, Options { dialect: Dialect::Sigil, inline: false }),
    (Form::Inline, Options { dialect: Dialect::Sigil, inline: true }),
    (Form::Phase, Options { dialect: Dialect::Phase, inline: false }),
];

/// L-1 and L-2 of the lexer, in every dialect.
pub(crate) fn lex(bytes: &[u8]) {
    let text = &*String::from_utf8_lossy(bytes);
    for dialect in Dialect::ALL {
        for inline in [false, true] {
            let whole = tokens([text], dialect, inline);
            let joined: String = whole.iter().map(|(_, text)| text.as_str()).collect();
            assert_eq!(joined, text, "{dialect:?} {inline}");
            let by = |how: &str, pieces: Vec<&str>| {
                let cut = tokens(pieces, dialect, inline);
                assert_eq!(cut, whole, "{dialect:?} {inline} {how}: {text:?}");
            };
            by("by characters", by_chars(text));
            by("at random", random_chars(text, seed(bytes)));
        }
    }
}

/// P-7: the text of bytes is that of the standard library, however they are cut.
pub(crate) fn bytes(bytes: &[u8]) {
    let expected = String::from_utf8_lossy(bytes);
    let invalid = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum::<usize>();
    let by = |how: &str, pieces: &[&[u8]]| {
        let mut utf8 = Utf8::new();
        let (mut text, mut wrong) = (String::new(), 0);
        let mut given = 0;
        let mut fed = 0;
        for piece in pieces {
            utf8.push(piece, &mut |piece| {
                text.push_str(piece.text);
                wrong += usize::from(piece.invalid);
                given += if piece.invalid > 0 { piece.invalid.into() } else { piece.text.len() };
            });
            fed += piece.len();
            assert!(fed - given <= 3, "{} withheld {how}: {bytes:?}", fed - given);
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

/// L-1, L-4, L-6 and L-7 of the parser in `sigil`, and that it is of one mind with the oracle.
pub(crate) fn parse_sigil(bytes: &[u8]) {
    parse_as(bytes, FORMS[0]);
    parse_as(bytes, FORMS[1]);
}

/// The same in `phase`.
pub(crate) fn parse_phase(bytes: &[u8]) {
    parse_as(bytes, FORMS[2]);
}

/// The same in `action`, which the oracle does not read.
pub(crate) fn parse_action(bytes: &[u8]) {
    let options = Options { dialect: Dialect::Action, inline: false };
    same_however_cut(bytes, options);
    shows_calls(bytes, options);
    settles(bytes, options);
}

/// The same in one form.
pub(crate) fn parse_as(bytes: &[u8], (form, options): (Form, Options)) {
    let text = &*String::from_utf8_lossy(bytes);
    let whole = parse([text], options);
    assert_eq!(whole.essence(), oracle(text, form), "{form:?} {text:?}");
    same_however_cut(bytes, options);
    shows_calls(bytes, options);
    settles(bytes, options);
}

/// L-1, notes included.
fn same_however_cut(bytes: &[u8], options: Options) {
    let whole = parse_bytes([bytes], options);
    let by = |how: &str, pieces: Vec<&[u8]>| {
        assert_eq!(parse_bytes(pieces, options), whole, "{options:?} {how}: {bytes:?}");
    };
    by("byte by byte", bytes.chunks(1).collect());
    by("at random", random_bytes(bytes, seed(bytes)));
}

/// The text of a call that is being written is there before each call, and changes nothing else.
fn shows_calls(bytes: &[u8], options: Options) {
    let text = &*String::from_utf8_lossy(bytes);
    let shown = parse([text], options);
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

/// L-4, of any text: what was read, written and read again is the same.
fn settles(bytes: &[u8], options: Options) {
    let text = &*String::from_utf8_lossy(bytes);
    // A turn with calls is written with one execution point, behind the last; that settles.
    let canonical = parse([&*write(&parse([text], options).events(), options)], options).events();
    let again = parse([&*write(&canonical, options)], options).events();
    assert_eq!(again, canonical, "{options:?} {text:?}");
}

/// L-4: a turn, made of the bytes, is written and read again, in every form.
pub(crate) fn round_trip(bytes: &[u8]) {
    let turn = turn_from(bytes);
    for (form, options) in FORMS {
        let wire = write(&turn, options);
        let read = parse(random_chars(&wire, seed(bytes)), options);
        assert_eq!(read.events(), turn, "{form:?} {wire:?}");
        assert_eq!(read.notes().next(), None, "{form:?} {wire:?}");
    }
}

/// P-9: what is read as a call is one to any reader of JSON.
pub(crate) fn call_json(bytes: &[u8]) {
    let text = &*String::from_utf8_lossy(bytes);
    let read = Call::parse("a1", text);
    let value = match serde_json::from_str::<Value>(text) {
        Ok(value) => value,
        Err(error) => {
            // What is JSON, and is more than a reader's numbers, strings or stack can hold.
            let holds = ["number out of range", "hex escape", "recursion limit"];
            let error = error.to_string();
            assert!(read.is_err() || holds.iter().any(|hold| error.contains(hold)), "{text:?}");
            return;
        }
    };
    let args = match &value["args"] {
        Value::Null => &Value::Object(serde_json::Map::new()),
        args => args,
    };
    match read {
        Ok(call) => {
            assert_eq!(Some(call.name()), value["name"].as_str(), "{text:?}");
            assert_eq!(&serde_json::from_str::<Value>(call.args()).unwrap(), args, "{text:?}");
            assert_eq!(call.content(), text);
            assert!(Json::parse(call.args()).is_some_and(|json| json.as_str() == call.args()));
        }
        Err(why) => {
            let twice = why.to_string().contains("twice");
            let named = value["name"].as_str().is_some_and(|name| !name.is_empty());
            assert!(!value.is_object() || twice || !named || !args.is_object(), "{why}: {text:?}");
        }
    }
}

/// What a lexer makes of the pieces: kinds and texts, those joined that a cut may part.
fn tokens<'a>(
    pieces: impl IntoIterator<Item = &'a str>,
    dialect: Dialect,
    inline: bool,
) -> Vec<(String, String)> {
    let mut tokens: Vec<(String, String)> = Vec::new();
    let mut take = |token: Token<'_>| {
        let (kind, text) = match token {
            Token::Text(text) => ("text", text),
            Token::Escape(text) => ("escape", text),
            Token::Marker(marker, text) => (&*format!("{marker:?}"), text),
            Token::Body(text) => ("body", text),
            Token::Glue(text) => ("glue", text),
            Token::Close(close) => (&*format!("{close:?}"), ""),
            Token::Tag(marker, text) => (&*format!("<{marker:?}"), text),
            Token::Name(text) => ("name", text),
            Token::Value(text) => ("value", text),
            Token::TagEnd(marker) => (&*format!("/{marker:?}"), ""),
            other => panic!("unknown token {other:?}"),
        };
        let is_streamed = matches!(kind, "text" | "body" | "glue" | "name" | "value");
        assert!(!is_streamed || !text.is_empty(), "an empty {kind}");
        match tokens.last_mut() {
            Some((last, all)) if is_streamed && last == kind => all.push_str(text),
            _ => tokens.push((kind.to_owned(), text.to_owned())),
        }
    };
    let mut lexer = Lexer::new(dialect, inline);
    for mut rest in pieces {
        while let Some(token) = lexer.next(&mut rest) {
            take(token);
        }
        assert_eq!(rest, "", "all of a chunk is taken");
    }
    while let Some(token) = lexer.finish() {
        take(token);
    }
    assert_eq!(lexer.finish(), None, "finish is idempotent");
    tokens
}
