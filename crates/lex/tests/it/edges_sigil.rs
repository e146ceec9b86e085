//! P-2, P-3, P-8, P-11, P-12: the places where a `§` delimiter counts, and the bodies of calls.

use silcrow_lex::{BodyEnd, Delimiter, Dialect, Lexer, Options, Token};

use crate::notation::Notation;

#[track_caller]
fn check(wire: &str, tokens: &str) {
    assert_eq!(Notation::lex(wire, Dialect::Sigil), tokens);
}

#[test]
fn delimiter_is_recognized_at_line_start() {
    check("§think:a\n§respond:b", "▸§think: ‹a␊› ▸§respond: ‹b›");
    check("a§end", "‹a§end›");
    check(" §end", "‹ › ▸§end");
    check("a\n   §end", "‹a␊   › ▸§end");
    check("a\n    §end", "‹a␊    §end›");
    check("a\n\t§end", "‹a␊␉§end›");
    check("a\n \t§end", "‹a␊ ␉§end›");
    check("§think:  §end", "▸§think: ‹  §end›");
    check("§call: {\"a\":\n §end", "▸§call: glue ‹ › body ‹{\"a\":␊ §end› ◂truncated");
    check("§call: x\n §end", "▸§call: glue ‹ › body ‹x␊ §end› ◂unclosed");
    check("§call: {}\n §end", "▸§call: glue ‹ › body ‹{}› ◂complete glue ‹␊ › ▸§end");
    check("a\r§end", "‹a␍§end›");
    check("a\r\n§end", "‹a␍␊› ▸§end");
    check("\n\n§result:x", "‹␊␊› ▸§result: ‹x›");
    check("§think:§end", "▸§think: ‹§end›");
}

/// P-34: the parser decides whether the run closes a fence.
#[test]
fn delimiter_is_recognized_after_fence_run() {
    check("a\n  ````\t §end", "‹a␊  ````␉ › ▸§end");
    check("~~~§end", "‹~~~› ▸§end");
    check("```~ §end", "‹```~ §end›");
    check("``` ``` §end", "‹``` ``` §end›");
    check("a ``` §end", "‹a ``` §end›");
    check("    ``` §end", "‹    ``` §end›");
    check("§think: ``` §end", "▸§think: ‹ ``` §end›");
}

#[test]
fn delimiter_is_recognized_after_control_or_body() {
    check("§execute \t§end", "▸§execute ‹ ␉› ▸§end");
    check("§execute  x §end", "▸§execute ‹  x §end›");
    check("§execute\u{a0}§end", "▸§execute ‹\u{a0}§end›");
    check("§call:{} §execute§end", "▸§call: body ‹{}› ◂complete glue ‹ › ▸§execute ▸§end");
    check("§call:{}§execute", "▸§call: body ‹{}› ◂complete ▸§execute");
    check("§call:x §end", "▸§call: body ‹x §end› ◂unclosed");
    check("§execute§endpoint §end", "▸§execute ‹§endpoint §end›");
    check("§execute §§end §end", "▸§execute ‹ §› escape ‹§› ‹end §end›");
}

#[test]
fn a_control_delimiter_ends_as_a_word_does() {
    for word in ["§endpoint", "§end_", "§end0", "§endZ", "§executes", "§execute9"] {
        check(word, &format!("‹{word}›"));
    }
    check("§end.", "▸§end ‹.›");
    check("§end-a", "▸§end ‹-a›");
    check("§endé", "▸§end ‹é›");
    check("§execute@", "▸§execute ‹@›");
    check("§execute[", "▸§execute ‹[›");
    check("§end", "▸§end");
}

#[test]
fn incomplete_delimiters_are_text() {
    for text in
        ["§", "§§", "§t", "§thin", "§think", "§Think:", "§ think:", "§foo:", "§res:", "Â", "¬end"]
    {
        check(text, &format!("‹{text}›"));
    }
    check("§resp\n§respond:", "‹§resp␊› ▸§respond:");
    check("§ex\n§execut\n§execute", "‹§ex␊§execut␊› ▸§execute");
    check("§t§think:", "‹§t§think:›");
}

#[test]
fn doubled_delimiter_escapes_wherever_recognized() {
    check("§§end", "‹§› escape ‹§› ‹end›");
    check("§§§think:", "‹§§› escape ‹§› ‹think:›");
    check("§§ 12", "‹§§ 12›");
    check("§§endpoint", "‹§§endpoint›");
    check("§§en", "‹§§en›");
    check("a §§end", "‹a §§end›");
    check("§§§end\n§end", "‹§§› escape ‹§› ‹end␊› ▸§end");
}

#[test]
fn nothing_is_recognized_after_the_end() {
    check("§end\n§think:a\n§§end", "▸§end ‹␊§think:a␊§§end›");
}

#[test]
fn a_body_ends_at_its_last_bracket() {
    check(
        "§call: \r\n\t{\"a\":[{}]}\n",
        "▸§call: glue ‹ ␍␊␉› body ‹{\"a\":[{}]}› ◂complete glue ‹␊›",
    );
    check("§call:[[],{}]x", "▸§call: body ‹[[],{}]› ◂complete ‹x›");
    check("§call:{\"a\":\"}\\\"]\\\\\"}.", "▸§call: body ‹{\"a\":\"}\\\"]\\\\\"}› ◂complete ‹.›");
    check("§call:{\\\"}\"}", "▸§call: body ‹{\\\"}\"}› ◂complete");
    check("§call:{\"a\":1", "▸§call: body ‹{\"a\":1› ◂truncated");
    check("§call:", "▸§call: ◂truncated");
    check("§call: \n", "▸§call: glue ‹ ␊› ◂truncated");
}

#[test]
fn delimiter_at_line_start_ends_open_body() {
    check("§call:{\"a\":\n§end", "▸§call: body ‹{\"a\":␊› ◂unclosed ▸§end");
    check("§call:{\"a\": §end", "▸§call: body ‹{\"a\": §end› ◂truncated");
    check("§call:\n§end", "▸§call: glue ‹␊› ◂unclosed ▸§end");
    check("§call:{§§end}", "▸§call: body ‹{§§end}› ◂complete");
    check("§call:{\n§§end}", "▸§call: body ‹{␊§§end}› ◂complete");
    check("§call:{\n§endpoint}", "▸§call: body ‹{␊§endpoint}› ◂complete");
}

#[test]
fn string_delimiter_needs_a_raw_line_break() {
    check("§call:{\"§end\":\"\\n§end\"}", "▸§call: body ‹{\"§end\":\"\\n§end\"}› ◂complete");
    check("§call:{\"\n§end", "▸§call: body ‹{\"␊› ◂truncated ▸§end");
    check("§call:{\"\\\n§end", "▸§call: body ‹{\"\\␊› ◂truncated ▸§end");
    check("§call:{\"\n §end\"}", "▸§call: body ‹{\"␊ §end\"}› ◂complete");
    check(
        "§call:{\"\n§endpoint\":\"\\\"}\"}",
        "▸§call: body ‹{\"␊§endpoint\":\"\\\"}\"}› ◂complete",
    );
    check("§call:{\"\n§\\\"}\"}", "▸§call: body ‹{\"␊§\\\"}\"}› ◂complete");
    check("§call:{\"a\nb\\\n§end", "▸§call: body ‹{\"a␊b\\␊› ◂truncated ▸§end");
}

#[test]
fn separators_and_a_brace_begin_another_body() {
    check(
        "§call:{}, ;\n]}){}{} §end",
        "▸§call: body ‹{}› ◂complete glue ‹, ;␊]})› body ‹{}› ◂complete body ‹{}› ◂complete \
         glue ‹ › ▸§end",
    );
    check("§call:{} x {}", "▸§call: body ‹{}› ◂complete glue ‹ › ‹x {}›");
    check("§call:{} [{}]", "▸§call: body ‹{}› ◂complete glue ‹ › ‹[{}]›");
    check("§call:{},§end", "▸§call: body ‹{}› ◂complete glue ‹,› ‹§end›");
}

#[test]
fn a_body_may_be_in_a_code_fence() {
    check(
        "§call: ```json\n{}\n```\n§end",
        "▸§call: glue ‹ ```json␊› body ‹{}› ◂complete glue ‹␊› ‹```␊› ▸§end",
    );
    check("§call:````\n{}", "▸§call: glue ‹````␊› body ‹{}› ◂complete");
    check("§call:``{}", "▸§call: body ‹``{}› ◂unclosed");
    check("§call:`", "▸§call: body ‹`› ◂unclosed");
    check("§call:``\n§end", "▸§call: body ‹``␊› ◂unclosed ▸§end");
    check("§call:```js", "▸§call: glue ‹```js› ◂truncated");
    check("§call:```js\n§end", "▸§call: glue ‹```js␊› ◂unclosed ▸§end");
    check("§call:```\n```\n{}", "▸§call: glue ‹```␊› body ‹```␊{}› ◂unclosed");
}

#[test]
fn body_without_bracket_extends_to_next_delimiter() {
    check("§call:\"{}\"\n§end", "▸§call: body ‹\"{}\"␊› ◂unclosed ▸§end");
    check("§call:§ls {}\n§§end\n§end", "▸§call: body ‹§ls {}␊§§end␊› ◂unclosed ▸§end");
    check("§call:-1", "▸§call: body ‹-1› ◂unclosed");
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
            // A delimiter that opens no body leaves nothing to abandon.
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
