//! P-2, P-3, P-8, P-11, P-12: where a `§` delimiter counts, and what a call body is.

use silcrow_lex::{BodyEnd, Delimiter, Dialect, Lexer, Options, Token};

use crate::shown::shown;

#[track_caller]
fn check(wire: &str, tokens: &str) {
    assert_eq!(shown(wire, Dialect::Sigil), tokens);
}

#[test]
fn a_delimiter_counts_at_a_lines_start() {
    check("§think:a\n§respond:b", "[§think:] a\n [§respond:] b");
    check("a§end", "a§end");
    check(" §end", " §end");
    check("a\n §end", "a\n §end");
    check("a\r§end", "a\r§end");
    check("a\r\n§end", "a\r\n [§end]");
    check("\n\n§result:x", "\n\n [§result:] x");
    check("§think:§end", "[§think:] §end");
}

#[test]
fn a_delimiter_counts_after_blanks_and_a_control_delimiter_or_a_complete_body() {
    check("§execute \t§end", "[§execute]  \t [§end]");
    check("§execute  x §end", "[§execute]   x §end");
    check("§execute\u{a0}§end", "[§execute] \u{a0}§end");
    check("§call:{} §execute§end", "[§call:] {{}} COMPLETE.   [§execute] [§end]");
    check("§call:{}§execute", "[§call:] {{}} COMPLETE. [§execute]");
    check("§call:x §end", "[§call:] {x §end} UNCLOSED.");
    check("§execute§endpoint §end", "[§execute] §endpoint §end");
    check("§execute §§end §end", "[§execute]  § ESCAPE § end §end");
}

#[test]
fn a_control_delimiter_ends_as_a_word_does() {
    for word in ["§endpoint", "§end_", "§end0", "§endZ", "§executes", "§execute9"] {
        check(word, word);
    }
    check("§end.", "[§end] .");
    check("§end-a", "[§end] -a");
    check("§endé", "[§end] é");
    check("§execute@", "[§execute] @");
    check("§execute[", "[§execute] [");
    check("§end", "[§end]");
}

#[test]
fn what_only_begins_like_a_delimiter_is_text() {
    for text in
        ["§", "§§", "§t", "§thin", "§think", "§Think:", "§ think:", "§foo:", "§res:", "Â", "¬end"]
    {
        check(text, text);
    }
    check("§resp\n§respond:", "§resp\n [§respond:]");
    check("§ex\n§execut\n§execute", "§ex\n§execut\n [§execute]");
    check("§t§think:", "§t§think:");
}

#[test]
fn a_doubled_delimiter_is_an_escape_where_it_would_count() {
    check("§§end", "§ ESCAPE § end");
    check("§§§think:", "§§ ESCAPE § think:");
    check("§§ 12", "§§ 12");
    check("§§endpoint", "§§endpoint");
    check("§§en", "§§en");
    check("a §§end", "a §§end");
    check("§§§end\n§end", "§§ ESCAPE § end\n [§end]");
}

#[test]
fn after_the_end_nothing_counts() {
    check("§end\n§think:a\n§§end", "[§end] \n§think:a\n§§end");
}

#[test]
fn a_body_ends_at_its_last_bracket() {
    check("§call: \r\n\t{\"a\":[{}]}\n", "[§call:] ~ \r\n\t~ {{\"a\":[{}]}} COMPLETE. \n");
    check("§call:[[],{}]x", "[§call:] {[[],{}]} COMPLETE. x");
    check("§call:{\"a\":\"}\\\"]\\\\\"}.", "[§call:] {{\"a\":\"}\\\"]\\\\\"}} COMPLETE. .");
    check("§call:{\\\"}\"}", "[§call:] {{\\\"}\"}} COMPLETE.");
    check("§call:{\"a\":1", "[§call:] {{\"a\":1} TORN.");
    check("§call:", "[§call:] TORN.");
    check("§call: \n", "[§call:] ~ \n~ TORN.");
}

#[test]
fn a_delimiter_at_a_lines_start_ends_an_open_body() {
    check("§call:{\"a\":\n§end", "[§call:] {{\"a\":\n} UNCLOSED. [§end]");
    check("§call:{\"a\": §end", "[§call:] {{\"a\": §end} TORN.");
    check("§call:\n§end", "[§call:] ~\n~ UNCLOSED. [§end]");
    check("§call:{§§end}", "[§call:] {{§§end}} COMPLETE.");
    check("§call:{\n§§end}", "[§call:] {{\n§§end}} COMPLETE.");
    check("§call:{\n§endpoint}", "[§call:] {{\n§endpoint}} COMPLETE.");
}

#[test]
fn in_a_string_a_delimiter_counts_only_after_a_raw_line_break() {
    check("§call:{\"§end\":\"\\n§end\"}", "[§call:] {{\"§end\":\"\\n§end\"}} COMPLETE.");
    check("§call:{\"\n§end", "[§call:] {{\"\n} TORN. [§end]");
    check("§call:{\"\\\n§end", "[§call:] {{\"\\\n} TORN. [§end]");
    check("§call:{\"\n §end\"}", "[§call:] {{\"\n §end\"}} COMPLETE.");
    check("§call:{\"\n§endpoint\":\"\\\"}\"}", "[§call:] {{\"\n§endpoint\":\"\\\"}\"}} COMPLETE.");
    check("§call:{\"\n§\\\"}\"}", "[§call:] {{\"\n§\\\"}\"}} COMPLETE.");
    check("§call:{\"a\nb\\\n§end", "[§call:] {{\"a\nb\\\n} TORN. [§end]");
}

#[test]
fn a_body_may_be_in_a_code_fence() {
    check("§call: ```json\n{}\n```\n§end", "[§call:] ~ ```json\n~ {{}} COMPLETE. \n```\n [§end]");
    check("§call:````\n{}", "[§call:] ~````\n~ {{}} COMPLETE.");
    check("§call:``{}", "[§call:] {``{}} UNCLOSED.");
    check("§call:`", "[§call:] {`} UNCLOSED.");
    check("§call:``\n§end", "[§call:] {``\n} UNCLOSED. [§end]");
    check("§call:```js", "[§call:] ~```js~ TORN.");
    check("§call:```js\n§end", "[§call:] ~```js\n~ UNCLOSED. [§end]");
    check("§call:```\n```\n{}", "[§call:] ~```\n~ {```\n{}} UNCLOSED.");
}

#[test]
fn what_begins_with_no_bracket_extends_to_the_next_delimiter() {
    check("§call:\"{}\"\n§end", "[§call:] {\"{}\"\n} UNCLOSED. [§end]");
    check("§call:§ls {}\n§§end\n§end", "[§call:] {§ls {}\n§§end\n} UNCLOSED. [§end]");
    check("§call:-1", "[§call:] {-1} UNCLOSED.");
}

/// P-9: even if delimiters count anywhere in a line, an abandoned body ends only at one at a line's
/// start.
#[test]
fn an_abandoned_body_extends_to_a_lines_start() {
    let tokens = |wire: &'static str| {
        let mut lexer = Lexer::new(Options::new(Dialect::Sigil).with_inline(true));
        let mut rest = wire;
        let mut tokens = Vec::new();
        while let Some(token) = lexer.next(&mut rest) {
            // After a delimiter that opens no body there is nothing to abandon.
            lexer.abandon_body();
            tokens.push(token);
        }
        tokens
    };
    let end = Token::Delimiter(Delimiter::End, "§end");
    assert_eq!(
        tokens("§call:{} §end }\n§end ."),
        [
            Token::Delimiter(Delimiter::Call, "§call:"),
            Token::Body("{} §end }\n"),
            Token::Close(BodyEnd::Unclosed),
            end,
            Token::Text(" .")
        ]
    );
    assert_eq!(tokens("a §end ."), [Token::Text("a "), end, Token::Text(" .")]);
}
