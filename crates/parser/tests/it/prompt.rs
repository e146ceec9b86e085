//! L-3: text that is certain is not pending.

use std::iter;

use silcrow_lex::{Lexer, Token};
use silcrow_parser::{Dialect, Options, Parser};
use silcrow_testkit::{Form, Joined, by_chars, pending, seed};

/// Texts up to this many bytes are checked after each character, longer ones at some positions.
const SHORT: usize = 64;
const POSITIONS: usize = 8;

/// Checks that text is emitted with the character that makes it certain.
pub(crate) fn prompt(text: &str, form: Form, options: Options) {
    if !seed(text.as_bytes()).is_multiple_of(crate::PROMPT_SHARE) {
        return;
    }
    let mut parser = Parser::new(options);
    let mut emitted = Joined::default();
    let mut from = 0;
    for to in positions(text) {
        parser.push(&text[from..to], &mut |fragment| emitted.push(fragment));
        from = to;
        let prefix = &text[..to];
        let pending = pending(prefix, form, &emitted);
        assert!(
            pending.is_empty()
                || is_in_tag(prefix, options)
                    && pending.trim_start() == options.dialect.first_char()
                || is_about_a_fence(prefix, options) && may_be_pending(&pending, options),
            "{form:?} {prefix:?} keeps {pending:?} pending"
        );
    }
}

fn positions(text: &str) -> Vec<usize> {
    let ends = by_chars(text).into_iter().scan(0, |at, char| {
        *at += char.len();
        Some(*at)
    });
    if text.len() <= SHORT {
        return ends.collect();
    }
    let random = seed(text.as_bytes()) as usize % SHORT;
    ends.filter(|at| (at + random).is_multiple_of(text.len() / POSITIONS)).collect()
}

/// Returns whether the prefix may end within a tag, so that the white space and the character
/// before it are pending.
fn is_in_tag(prefix: &str, options: Options) -> bool {
    let Some(start) = prefix.rfind('<').filter(|_| options.dialect == Dialect::Action) else {
        return false;
    };
    let (mut lexer, mut tag) = (Lexer::new(options), &prefix[start..]);
    iter::from_fn(|| lexer.next(&mut tag)).all(|token| {
        matches!(token, Token::Tag(..) | Token::Name(_) | Token::Value(_) | Token::Glue(_))
    })
}

/// Returns whether a fence, or a line that may be an escaped one, is involved. Only the parser
/// follows fences (P-34), so the lexer keeps a possible delimiter pending even in them.
fn is_about_a_fence(prefix: &str, options: Options) -> bool {
    let line = prefix.rsplit('\n').next().unwrap_or_default();
    let first = options.dialect.first_char();
    let escapes = [first, "`", "~"].map(|next| format!("{first}{next}"));
    escapes.iter().any(|escape| line.contains(escape))
        || ["```", "~~~"].iter().any(|fence| prefix.contains(fence))
}

/// Returns whether text may be pending there: in the parser a line break and a possible escaped
/// fence, and in the lexer a proper prefix of a delimiter, or a whole control delimiter (P-11).
fn may_be_pending(text: &str, options: Options) -> bool {
    let line = text.strip_prefix("\r\n").or_else(|| text.strip_prefix(['\r', '\n']));
    let line = line.unwrap_or(text);
    let escape = line.strip_prefix(options.dialect.first_char());
    let after = escape.map(|ticks| ticks.trim_start_matches(['`', '~']));
    let is_prefix = |pending: &str| {
        options.dialect.delimiters().any(|(_, literal)| {
            let is_control = literal.starts_with('§') && !literal.ends_with(':');
            // After a backtick, an end waits for the next character (P-39).
            let is_end = literal.starts_with("</") || literal == "<end>";
            literal.starts_with(pending) && (pending.len() < literal.len() || is_control || is_end)
        })
    };
    // In a fence, an end alone on its line waits for the text after it (P-34).
    let is_held = ["§end", "<end>", "</response>"]
        .iter()
        .filter_map(|end| line.trim_start_matches(' ').strip_prefix(end))
        .any(|after| is_prefix(after.trim_start_matches([' ', '\t', '\r', '\n'])));
    is_held || is_prefix(line) || after.is_some_and(is_prefix)
}
