//! The split gallery: for each marker and each place where a chunk may cut it, what is given out
//! when. `cargo xtask splits` renews it.

use std::fmt::Write as _;

use silcrow_lex::{Close, Lexer, Token};
use silcrow_parser::Dialect;

/// A marker and what it stands in: `│` is where the gallery begins to cut, and where it ends.
const SIGIL: &[(&str, &str)] = &[
    ("think", "a⏎│§think:│ b"),
    ("call", "a⏎│§call:│ {}"),
    ("respond", "a⏎│§respond:│ b"),
    ("result", "a⏎│§result:│ b"),
    ("execute", "a⏎│§execute│⏎b"),
    ("end", "a⏎│§end│⏎b"),
    ("escaped", "a⏎│§§end│⏎b"),
    ("no_marker", "a⏎│§endpoint│⏎b"),
    ("within_a_line", "a │§end│ b"),
    ("call_and_marker", "§call: │{\"n\":\"§end\"} §execute│⏎"),
    ("broken_string", "§call: {\"n\":\"│x⏎§end│⏎"),
];

const PHASE: &[(&str, &str)] = &[
    ("think", "a│<think>│b"),
    ("think_end", "<think>a│</think>│b"),
    ("execute", "a│<execute>│[]"),
    ("execute_end", "<execute>[{}]│</execute>│b"),
    ("results", "a│<results>│b"),
    ("results_end", "<results>a│</results>│b"),
    ("end", "a│<end>│b"),
    ("escaped", "a│<<end>│b"),
    ("no_marker", "a│<ending>│b"),
    ("list", "<execute>│[{\"n\":1},{}]│</execute>"),
];

#[test]
fn sigil() {
    gallery(Dialect::Sigil, SIGIL);
}

#[test]
fn phase() {
    gallery(Dialect::Phase, PHASE);
}

/// No marker is left out.
#[test]
fn every_marker_hangs_in_the_gallery() {
    for (dialect, samples) in [(Dialect::Sigil, SIGIL), (Dialect::Phase, PHASE)] {
        for (_, literal) in dialect.markers() {
            assert!(
                samples.iter().any(|(_, text)| text.contains(&format!("│{literal}│"))),
                "{literal} is missing"
            );
        }
    }
}

fn gallery(dialect: Dialect, samples: &[(&str, &str)]) {
    for (name, sample) in samples {
        let picture = picture(dialect, sample);
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("{}_{name}", dialect.as_str()), picture);
        });
    }
}

/// One line a cut: the text with the cut, what the first chunk gives, what is withheld, what the
/// second gives, and the end of the input.
fn picture(dialect: Dialect, sample: &str) -> String {
    let from = sample.find('│').expect("it has a beginning");
    let to = sample.rfind('│').expect("it has an end") - '│'.len_utf8();
    let plain = sample.replace('│', "");
    let rows: Vec<[String; 4]> = (from..=to)
        .filter(|&at| plain.is_char_boundary(at))
        .map(|at| row(dialect, plain.split_at(at)))
        .collect();
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    };
    let widths = [width(0), width(1), width(2)];
    let mut out = String::new();
    for [cut, first, held, second] in &rows {
        let line = format!(
            "{cut:0$}   {first:1$}   {held:2$}   {second}",
            widths[0], widths[1], widths[2]
        );
        writeln!(out, "{}", line.trim_end()).expect("a string takes all");
    }
    out
}

fn row(dialect: Dialect, (left, right): (&str, &str)) -> [String; 4] {
    let mut lexer = Lexer::new(dialect, false);
    let (left_text, right_text) = (left.replace('⏎', "\n"), right.replace('⏎', "\n"));
    let (first, given) = push(&mut lexer, &left_text);
    let held = &left_text[given..];
    let held = if held.is_empty() { String::new() } else { format!("holds {}", shown(held)) };
    let (mut second, _) = push(&mut lexer, &right_text);
    while let Some(token) = lexer.finish() {
        second.push(format!("␄{}", words(&token)));
    }
    [format!("{left}┊{right}"), joined(&first), held, joined(&second)]
}

fn push(lexer: &mut Lexer, text: &str) -> (Vec<String>, usize) {
    let mut rest = text;
    let (mut tokens, mut given) = (Vec::new(), 0);
    while let Some(token) = lexer.next(&mut rest) {
        given += length(&token);
        tokens.push(words(&token));
    }
    (tokens, given)
}

fn joined(tokens: &[String]) -> String {
    if tokens.is_empty() { "–".to_owned() } else { tokens.join(" ") }
}

fn words(token: &Token<'_>) -> String {
    match token {
        Token::Text(text) => shown(text),
        Token::Escape(text) => format!("(escape {})", shown(text)),
        Token::Marker(_, literal) => format!("▸{literal}"),
        Token::Body(text) => format!("body {}", shown(text)),
        Token::Glue(text) => format!("glue {}", shown(text)),
        Token::Close(Close::Complete) => "◂complete".to_owned(),
        Token::Close(Close::Unclosed) => "◂unclosed".to_owned(),
        Token::Close(Close::Torn) => "◂torn".to_owned(),
        other => format!("{other:?}"),
    }
}

fn length(token: &Token<'_>) -> usize {
    match token {
        Token::Text(text) | Token::Body(text) | Token::Glue(text) => text.len(),
        Token::Escape(text) | Token::Marker(_, text) => text.len(),
        _ => 0,
    }
}

fn shown(text: &str) -> String {
    format!("‹{}›", text.replace('\n', "⏎"))
}
