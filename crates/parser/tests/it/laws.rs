//! L-1, L-4, L-7: the laws, over generated text and turns.

use proptest::prelude::*;
use silcrow_event::Event;
use silcrow_lex::{Lexer, Token};
use silcrow_parser::{Dialect, Options, read_results, write, write_results};
use silcrow_testkit::{by_bytes, by_chars, content, cuts, random_chars, turn, wire_text};

use crate::joined::{Unit, parse, parse_bytes};

fn options() -> impl Strategy<Value = Options> {
    prop_oneof![
        Just(Options { dialect: Dialect::Sigil, inline: false }),
        Just(Options { dialect: Dialect::Sigil, inline: true }),
        Just(Options { dialect: Dialect::Phase, inline: false }),
    ]
}

fn lex(options: Options, pieces: &[&str]) -> (String, Vec<String>) {
    let mut lexer = Lexer::new(options.dialect, options.inline);
    let mut text = String::new();
    let mut tokens: Vec<String> = Vec::new();
    let mut take = |token: Token<'_>| {
        let (kind, piece) = match token {
            Token::Text(piece) => ("text", piece),
            Token::Escape(piece) => ("escape", piece),
            Token::Marker(_, piece) => ("marker", piece),
            Token::Body(piece) => ("body", piece),
            Token::Glue(piece) => ("glue", piece),
            Token::Close(_) => ("close", ""),
            Token::Tag(_, piece) => ("tag", piece),
            Token::Name(piece) => ("name", piece),
            Token::Value(piece) => ("value", piece),
            Token::TagEnd(_) => ("end", ""),
            _ => unreachable!(),
        };
        assert!(["close", "end"].contains(&kind) || !piece.is_empty(), "an empty {kind}");
        text.push_str(piece);
        match tokens.last_mut() {
            Some(last) if STREAMED.contains(&kind) && last.starts_with(kind) => {
                last.push_str(piece);
            }
            _ => tokens.push(format!("{kind} {piece}")),
        }
    };
    for piece in pieces {
        let mut rest = *piece;
        while let Some(token) = lexer.next(&mut rest) {
            take(token);
        }
        assert!(rest.is_empty());
    }
    while let Some(token) = lexer.finish() {
        take(token);
    }
    assert_eq!(lexer.finish(), None, "finish is idempotent");
    (text, tokens)
}

/// Kinds of tokens that a chunk may part.
const STREAMED: [&str; 5] = ["text", "body", "glue", "name", "value"];

proptest! {
    /// L-1 and L-2 of the lexer alone.
    #[test]
    fn tokens_are_the_input_however_it_is_cut(text in wire_text(), options in options(), seed: u64) {
        let whole = lex(options, &[&text]);
        prop_assert_eq!(&whole.0, &text);
        prop_assert_eq!(&lex(options, &by_chars(&text)), &whole);
        prop_assert_eq!(&lex(options, &random_chars(&text, seed)), &whole);
    }

    /// L-1, notes included; L-7 on the way.
    #[test]
    fn fragments_are_the_same_however_the_input_is_cut(
        text in wire_text(), options in options(), seed: u64,
    ) {
        let whole = parse([&*text], options);
        prop_assert_eq!(&parse_bytes(by_bytes(&text, 1), options), &whole);
        prop_assert_eq!(&parse_bytes(by_bytes(&text, 4), options), &whole);
        prop_assert_eq!(&parse(random_chars(&text, seed), options), &whole);
        for (left, right) in cuts(&text) {
            prop_assert_eq!(&parse([left, right], options), &whole);
        }
    }

    /// L-4.
    #[test]
    fn what_is_written_reads_as_itself(events in turn(), options in options(), seed: u64) {
        let wire = write(&events, options);
        let joined = parse(random_chars(&wire, seed), options);
        prop_assert_eq!(joined.events(), events, "{}", wire);
        prop_assert_eq!(joined.notes().count(), 0, "{}\n{:?}", wire, joined);
    }

    /// P-3 of reliability: what was read, written and read again is the same.
    #[test]
    fn reading_settles(text in wire_text(), options in options()) {
        let mut events = parse([&*text], options).events();
        // A turn with calls executes them once, behind the last.
        let canonical = write(&events, options);
        events = parse([&*canonical], options).events();
        let again = parse([&*write(&events, options)], options).events();
        prop_assert_eq!(again, events, "{}", canonical);
    }

    /// L-6: no result comes from the model, and every place in a batch has its id.
    #[test]
    fn nothing_is_forged(text in wire_text(), options in options()) {
        let joined = parse([&*text], options);
        let mut taken = 0;
        for unit in &joined.units {
            let id = match unit {
                Unit::Event(Event::Call(call)) => call.id(),
                Unit::Event(Event::Execute | Event::End) | Unit::Text { .. } | Unit::Note(_) => continue,
                Unit::Event(other) => panic!("{other:?} from the model"),
                Unit::Bad { id, .. } => id,
            };
            taken += 1;
            prop_assert_eq!(id, format!("a{taken}"));
        }
    }

    /// No content of a result is a marker.
    #[test]
    fn results_come_back_by_position(contents in prop::collection::vec(content(), 1..4), options in options()) {
        let outcomes: Vec<_> = contents
            .iter()
            .map(|content| silcrow_event::Outcome::success("a1", "t", "", content.clone()))
            .collect();
        let message = write_results(&outcomes, options);
        prop_assert_eq!(read_results(&message, options), contents, "{}", message);
    }
}
