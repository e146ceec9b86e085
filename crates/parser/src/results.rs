use std::borrow::Cow;

use serde_json::Value;
use silcrow_event::{Batch, Outcome};
use silcrow_lex::{Dialect, Marker, Token};

use crate::escape::escape_markers;
use crate::flow::is_space;
use crate::options::Options;
use crate::sigil;

/// What the model is sent as the results of a batch, by position: `§result: …` for each, or
/// `<results>[…]</results>` (section 9). Nothing in them reads as a marker (P-3, P-18).
pub fn write_results<'a>(
    results: impl IntoIterator<Item = &'a Outcome>,
    options: impl Into<Options>,
) -> String {
    let options = options.into();
    let mut out = String::new();
    match options.dialect {
        Dialect::Sigil => {
            for result in results {
                sigil::section(&mut out, Marker::Results);
                let mut lexer = options.lexer();
                let mut opening = Dialect::Sigil.literal(Marker::Results);
                while lexer.next(&mut opening).is_some() {}
                escape_markers(&result.content, lexer, None, options, &mut out);
            }
        }
        Dialect::Phase | Dialect::Action => {
            out.push_str(Dialect::Phase.literal(Marker::Results));
            out.push('\n');
            out.push_str(&Batch::fold(results).content.replace('<', "\\u003c"));
            out.push('\n');
            out.push_str(Dialect::Phase.literal(Marker::ResultsEnd));
        }
    }
    out
}

/// The contents in a message of results, by position: the inverse of [`write_results`]. White
/// space at both ends of a content is dropped. Empty if the text is no such message.
pub fn read_results(text: &str, options: impl Into<Options>) -> Vec<String> {
    let options = options.into();
    match options.dialect {
        Dialect::Sigil => read_sections(text, options),
        Dialect::Phase | Dialect::Action => read_array(text).unwrap_or_default(),
    }
}

/// A person's own text so that none of it reads as a marker, a results' one above all.
pub fn escape_user(text: &str, options: impl Into<Options>) -> Cow<'_, str> {
    let options = options.into();
    if !text.contains(options.dialect.first()) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let options = match options.dialect {
        Dialect::Action => Options { dialect: Dialect::Phase, ..options },
        _ => options,
    };
    escape_markers(text, options.lexer(), None, options, &mut out);
    Cow::Owned(out)
}

fn read_sections(text: &str, options: Options) -> Vec<String> {
    let mut lexer = options.lexer();
    let mut contents: Vec<String> = Vec::new();
    let mut in_result = false;
    let mut take = |token: Token<'_>| match token {
        Token::Marker(marker, _) => {
            in_result = marker == Marker::Results;
            if in_result {
                contents.push(String::new());
            }
        }
        Token::Text(text) if in_result => {
            if let Some(content) = contents.last_mut() {
                content.push_str(text);
            }
        }
        _ => {}
    };
    let mut rest = text;
    while let Some(token) = lexer.next(&mut rest) {
        take(token);
    }
    while let Some(token) = lexer.finish() {
        take(token);
    }
    contents.iter().map(|content| content.trim_matches(is_space).to_owned()).collect()
}

fn read_array(text: &str) -> Option<Vec<String>> {
    let body = text
        .trim_matches(is_space)
        .strip_prefix(Dialect::Phase.literal(Marker::Results))?
        .strip_suffix(Dialect::Phase.literal(Marker::ResultsEnd))?;
    let results: Vec<Value> = serde_json::from_str(body).ok()?;
    let content = |result: &Value| match result.get("content") {
        Some(Value::String(content)) => content.trim_matches(is_space).to_owned(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    Some(results.iter().map(content).collect())
}
