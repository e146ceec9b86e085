//! L-3: what is certain is not withheld.

use silcrow_parser::{Options, Parser};
use silcrow_testkit::{Form, Joined, by_chars, seed, withheld};

/// Texts up to this many bytes are looked at behind each character, longer ones at some places.
const SHORT: usize = 64;
const PLACES: usize = 8;

/// Text is given out with the character that makes it certain.
pub(crate) fn prompt(text: &str, form: Form, options: Options) {
    let mut parser = Parser::new(options);
    let mut given = Joined::default();
    let mut from = 0;
    for to in places(text) {
        parser.push(&text[from..to], &mut |fragment| given.push(fragment));
        from = to;
        let prefix = &text[..to];
        let withheld = withheld(prefix, form, &given);
        assert!(
            withheld.is_empty()
                || is_about_a_fence(prefix, options) && may_wait(&withheld, options),
            "{form:?} {prefix:?} withholds {withheld:?}"
        );
    }
}

fn places(text: &str) -> Vec<usize> {
    let ends = by_chars(text).into_iter().scan(0, |at, char| {
        *at += char.len();
        Some(*at)
    });
    if text.len() <= SHORT {
        return ends.collect();
    }
    let random = seed(text.as_bytes()) as usize % SHORT;
    ends.filter(|at| (at + random).is_multiple_of(text.len() / PLACES)).collect()
}

/// In a fence, and at the start of a line where one may be escaped, it is the parser who knows
/// (P-34): what the lexer withholds there waits for the end of what may be a delimiter.
fn is_about_a_fence(prefix: &str, options: Options) -> bool {
    let line = prefix.rsplit('\n').next().unwrap_or_default();
    let first = options.dialect.first();
    let escapes = [first, "`", "~"].map(|behind| format!("{first}{behind}"));
    escapes.iter().any(|escape| line.contains(escape))
        || ["```", "~~~"].iter().any(|fence| prefix.contains(fence))
}

/// What waits there: a line break and what may be an escaped fence in the parser, and in the lexer
/// a proper prefix of a delimiter, or a whole control delimiter (P-11).
fn may_wait(text: &str, options: Options) -> bool {
    let line = text.strip_prefix("\r\n").or_else(|| text.strip_prefix(['\r', '\n']));
    let line = line.unwrap_or(text);
    let escape = line.strip_prefix(options.dialect.first());
    let behind = escape.map(|ticks| ticks.trim_start_matches(['`', '~']));
    let is_prefix = |held: &str| {
        options.dialect.delimiters().any(|(_, literal)| {
            let is_control = literal.starts_with('§') && !literal.ends_with(':');
            literal.starts_with(held) && (held.len() < literal.len() || is_control)
        })
    };
    is_prefix(line) || behind.is_some_and(is_prefix)
}
