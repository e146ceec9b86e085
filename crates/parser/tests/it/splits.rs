//! The split gallery: the tokens for each delimiter and each position where a chunk may cut it.
//! `cargo xtask splits` regenerates it.

use silcrow_lex::{BodyEnd, Lexer, TagEnd, Token};
use silcrow_parser::Dialect;

/// A delimiter in its context; the gallery cuts between the two `│`.
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

const ACTION: &[(&str, &str)] = &[
    ("thought", "a│<thought>│b"),
    ("thought_end", "<thought>a│</thought>│b"),
    ("action", "a│<action>│{}"),
    ("action_end", "<action>{}│</action>│b"),
    ("response", "a│<response>│b"),
    ("response_end", "<response>a│</response>│b"),
    ("comment", "a│<!--│b"),
    ("comment_end", "<!--a│-->│b"),
    ("attributes", "a│<action id=\"b>\" c = d>│{}"),
    ("array", "a│<action b=['x\">\"]>│{}"),
    ("final", "a│<response final='false'>│b"),
    ("doubled", "a│<<thought>│b"),
    ("doubled_end", "<response>a│<</response>│b"),
    ("doubled_tag", "a│<<action id=b>│c"),
    ("doubled_comment", "a│<<!--│b"),
    ("tripled_tag", "a│<<<response>│b"),
    ("no_marker", "a│<thoughts>│b"),
    ("no_tag", "a│<action id=b/>│c"),
    ("doubled_no_tag", "a│<<action id>│b"),
    ("tag_in_a_tag", "a│<action id=\"<thought>│b"),
    ("no_comment", "a│<!-b-->│c"),
    ("forgotten_thought", "<thought>a⏎│<response>│b"),
    ("within_a_line", "<thought>a│<response>│b"),
    ("action_in_thought", "<thought>a│<action>{}</action>│b"),
    ("body", "<action>│{\"n\":\"</action>\"} </action>│"),
    ("broken_string", "<action>{\"n\":\"│x⏎</action>│b"),
];

#[test]
fn sigil() {
    gallery(Dialect::Sigil, SIGIL);
}

#[test]
fn phase() {
    gallery(Dialect::Phase, PHASE);
}

#[test]
fn action() {
    gallery(Dialect::Action, ACTION);
}

/// Every delimiter is in the gallery.
#[test]
fn every_marker_hangs_in_the_gallery() {
    for (dialect, samples) in
        [(Dialect::Sigil, SIGIL), (Dialect::Phase, PHASE), (Dialect::Action, ACTION)]
    {
        for (_, literal) in dialect.delimiters() {
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

/// Writes one line per cut: the text with the cut, the tokens of the first chunk, what is pending,
/// and after `┊` the tokens of the second chunk and of the end of the input.
fn picture(dialect: Dialect, sample: &str) -> String {
    let from = sample.find('│').expect("it has a beginning");
    let to = sample.rfind('│').expect("it has an end") - '│'.len_utf8();
    let plain = sample.replace('│', "");
    let cuts = (from..=to).filter(|&at| plain.is_char_boundary(at));
    cuts.map(|at| row(dialect, plain.split_at(at)) + "\n").collect()
}

fn row(dialect: Dialect, (left, right): (&str, &str)) -> String {
    let mut lexer = Lexer::new(dialect);
    let (left_text, right_text) = (left.replace('⏎', "\n"), right.replace('⏎', "\n"));
    let first = push(&mut lexer, &left_text);
    let held = &left_text[first.iter().map(|(_, text)| text.len()).sum()..];
    let second = push(&mut lexer, &right_text);
    let mut end = Vec::new();
    while let Some(token) = lexer.finish() {
        end.push(named(&token));
    }
    let mut row = format!("{left}┊{right}  ");
    write(&mut row, "", &first);
    if !held.is_empty() {
        write(&mut row, "", &[("holds ", held.to_owned())]);
    }
    row.push_str(" ┊");
    write(&mut row, "", &second);
    write(&mut row, "␄", &end);
    row
}

/// A token by its name, and its text.
type Named = (&'static str, String);

/// Joins adjacent text of one kind, because a lexer may cut it anywhere.
fn push(lexer: &mut Lexer, text: &str) -> Vec<Named> {
    let mut rest = text;
    let mut tokens: Vec<Named> = Vec::new();
    while let Some(token) = lexer.next(&mut rest) {
        let (name, text) = named(&token);
        match tokens.last_mut() {
            Some((last, all)) if *last == name && STREAMED.contains(&name) => all.push_str(&text),
            _ => tokens.push((name, text)),
        }
    }
    tokens
}

const STREAMED: [&str; 5] = ["", "body ", "glue ", "name ", "value "];

fn named(token: &Token<'_>) -> Named {
    let (name, text) = match *token {
        Token::Text(text) => ("", text),
        Token::Escape(text) => ("escape ", text),
        Token::Delimiter(_, literal) => ("▸", literal),
        Token::Body(text) => ("body ", text),
        Token::Glue(text) => ("glue ", text),
        Token::Close(BodyEnd::Complete) => ("◂complete", ""),
        Token::Close(BodyEnd::Unclosed) => ("◂unclosed", ""),
        Token::Close(BodyEnd::Torn) => ("◂torn", ""),
        Token::Tag(_, name) => ("tag ", name),
        Token::Name(text) => ("name ", text),
        Token::Value(text) => ("value ", text),
        Token::TagEnd(TagEnd::Broken) => ("◂no tag", ""),
        Token::TagEnd(TagEnd::Escaped) => ("◂escaped", ""),
        ref other => panic!("unknown token {other:?}"),
    };
    (name, text.to_owned())
}

fn write(row: &mut String, before: &str, tokens: &[Named]) {
    for (name, text) in tokens {
        let text = text.replace('\n', "⏎");
        row.extend([" ", before, name]);
        match *name {
            "▸" => row.push_str(&text),
            _ if text.is_empty() => {}
            _ => row.extend(["‹", &text, "›"]),
        }
    }
}
