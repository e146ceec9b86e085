//! The searches by words and blocks find every position, and nothing else.

use silcrow_lex::{BodyEnd, Delimiter, Dialect, Lexer, Options, Token};

/// Returns the tokens of one chunk and of the end.
fn tokens(wire: &str, dialect: Dialect) -> Vec<Token<'_>> {
    let mut lexer = Lexer::new(Options::new(dialect).with_inline(true));
    let mut rest = wire;
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next(&mut rest) {
        tokens.push(token);
    }
    while let Some(token) = lexer.finish() {
        tokens.push(token);
    }
    tokens
}

/// Bytes that resemble the bytes of `§` and `<`: one bit away, one more or less, the first or last
/// alone.
const NEAR: [&str; 8] = ["a", "\u{0}", "\u{ac}", "\u{e7}", "\u{c2}", "=", ";", "\u{82}"];

#[test]
fn a_delimiter_is_found_at_every_position() {
    for near in NEAR {
        for before in 0..100 {
            let text = near.repeat(before);
            for behind in [0, 1, 7, 8, 31, 32, 70] {
                let after = near.repeat(behind);
                for (dialect, delimiter) in
                    [(Dialect::Sigil, "§think:"), (Dialect::Phase, "<think>")]
                {
                    let wire = format!("{text}{delimiter}{after}");
                    let tokens = tokens(&wire, dialect);
                    let mut expected = vec![&*text, delimiter, &*after];
                    expected.retain(|text| !text.is_empty());
                    let texts = tokens.iter().map(|token| match token {
                        Token::Text(text) | Token::Delimiter(_, text) => *text,
                        other => panic!("{other:?} in {wire:?}"),
                    });
                    assert_eq!(texts.collect::<Vec<_>>(), expected, "{wire:?}");
                }
            }
        }
    }
}

/// The characters around it begin with the same byte as `§`.
#[test]
fn delimiter_is_found_among_lookalikes() {
    for before in 0..20 {
        for behind in 0..20 {
            let (text, after) =
                (format!("°{}", "a".repeat(before)), format!("°{}", "b".repeat(behind)));
            let wire = format!("{text}§end{after}");
            let end = Token::Delimiter(Delimiter::End, "§end");
            assert_eq!(
                tokens(&wire, Dialect::Sigil),
                [Token::Text(&text), end, Token::Text(&after)]
            );
        }
    }
}

#[test]
fn text_without_a_delimiter_is_one_token() {
    for near in NEAR {
        for len in 1..100 {
            for dialect in Dialect::ALL {
                let text = near.repeat(len);
                assert_eq!(tokens(&text, dialect), [Token::Text(&text)], "{dialect:?}");
            }
        }
    }
}

/// Bytes that resemble the quote, the backslash and the line break.
const PLAIN: [&str; 9] = ["a", "!", "#", "]", "[", "\u{8}", "\u{b}", "\\\"", "\\\\"];

#[test]
fn string_ends_at_quote_anywhere() {
    for plain in PLAIN {
        for before in 0..80 {
            for behind in ["", "\"", "}", "\\\"", "\n§", &"}".repeat(40)] {
                let body = format!("{{\"{}\"}}", plain.repeat(before));
                let wire = format!("§call:{body}{behind}");
                let tokens = tokens(&wire, Dialect::Sigil);
                assert_eq!(tokens[1..3], [Token::Body(&body), Token::Close(BodyEnd::Complete)]);
            }
        }
    }
}

#[test]
fn escaped_quote_does_not_end_string() {
    for before in 0..80 {
        for escape in ["\\\"", "\\\\\\\"", "a\\\"\\\"", "\\\\\\\\\\\""] {
            let body = format!("{{\"{}{escape}}}", "a".repeat(before));
            for tail in ["", "a", &"}".repeat(50)] {
                let wire = format!("§call:{body}{tail}");
                let close = Token::Close(BodyEnd::Truncated);
                assert_eq!(tokens(&wire, Dialect::Sigil).last(), Some(&close), "{wire:?}");
            }
        }
    }
}

#[test]
fn delimiter_after_raw_break_ends_string() {
    let many = "\n".repeat(32);
    for before in 0..80 {
        for between in [&*many, "\n", "\\\n", "\\\\\\\n", "\n\\\\\n", "\na\\\"\n"] {
            let open = format!("{{\"{}{between}", "a".repeat(before));
            let wire = format!("§call:{open}§think:");
            let (call, think) = (Delimiter::Call, Delimiter::Think);
            let expected = [
                Token::Delimiter(call, "§call:"),
                Token::Body(&open),
                Token::Close(BodyEnd::Truncated),
                Token::Delimiter(think, "§think:"),
            ];
            assert_eq!(tokens(&wire, Dialect::Sigil), expected, "{wire:?}");
            let no_break = wire.replace('\n', "n");
            assert_eq!(tokens(&no_break, Dialect::Sigil).len(), 3, "{no_break:?}");
        }
    }
}

/// Every second quote ends a string.
#[test]
fn adjacent_quotes_are_separate_strings() {
    for before in 0..40 {
        for quotes in 1..80 {
            let wire = format!("§call:{{\"{}{}}}", "a".repeat(before), "\"".repeat(quotes));
            let ends = if quotes % 2 == 1 { BodyEnd::Complete } else { BodyEnd::Truncated };
            assert_eq!(tokens(&wire, Dialect::Sigil).last(), Some(&Token::Close(ends)), "{wire:?}");
            let list = format!("<execute>[\"{}{}", "a".repeat(before), "\"".repeat(quotes));
            let complete = |token: &Token<'_>| *token == Token::Close(BodyEnd::Complete);
            let items = tokens(&list, Dialect::Phase).into_iter().filter(complete).count();
            assert_eq!(items, quotes.div_ceil(2), "{list:?}");
        }
    }
}

/// The string continues over several chunks.
#[test]
fn string_ends_at_quote_anywhere_in_chunk() {
    let close = |chunk: &str| {
        let mut lexer = Lexer::new(Dialect::Sigil);
        let mut last = None;
        for mut rest in ["§call:{\"", chunk, "}"] {
            while let Some(token) = lexer.next(&mut rest) {
                last = Some(token);
            }
        }
        matches!(last, Some(Token::Close(BodyEnd::Complete)))
    };
    for len in 2..36 {
        for backslash in 0..len {
            for quote in (0..len).filter(|&quote| quote != backslash) {
                let at = |at| match at {
                    _ if at == backslash => '\\',
                    _ if at == quote => '"',
                    _ => 'n',
                };
                let chunk: String = (0..len).map(at).collect();
                assert_eq!(close(&chunk), quote != backslash + 1, "{chunk:?}");
            }
        }
    }
}
