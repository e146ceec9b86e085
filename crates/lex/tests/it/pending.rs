//! L-3: at any time exactly the longest suffix of the input is pending that may still become a
//! delimiter which counts there. The end of the input emits it.

use proptest::prelude::*;
use silcrow_lex::{BodyEnd, Delimiter, Dialect, Lexer, Options, Token};

proptest! {
    #[test]
    fn only_possible_delimiters_are_pending(
        dialect in prop::sample::select(&Dialect::ALL[..]),
        inline: bool,
        picks in prop::collection::vec((any::<prop::sample::Index>(), 0..20_usize), 0..16),
    ) {
        let literals: Vec<_> = dialect.delimiters().map(|(_, literal)| literal).collect();
        let pieces = picks.iter().map(|(index, kind)| match kind {
            0..=6 => *index.get(&PIECES),
            7..=9 => *index.get(&literals),
            more => prefix(index.get::<&str>(&literals), more - 9),
        });
        let text: String = pieces.collect();
        let mut reader = Reader::new(dialect, inline);
        for char in text.split_inclusive(|_: char| true) {
            reader.push(char);
            prop_assert_eq!(reader.pending(), reader.context.pending(&reader.fed), "{:?}", reader.fed);
        }
        reader.finish();
        prop_assert_eq!(reader.emitted, text);
    }
}

#[test]
fn end_of_input_emits_delimiter_prefixes() {
    let mut tried = 0;
    for (dialect, context) in CONTEXTS {
        let mut reader = Reader::new(dialect, false);
        reader.push(context);
        for (literal, _) in reader.context.counting() {
            for len in (1..literal.len()).filter(|&len| literal.is_char_boundary(len)) {
                let mut reader = Reader::new(dialect, false);
                reader.push(context);
                reader.push(&literal[..len]);
                assert_eq!(reader.pending(), &literal[..len], "{context:?}");
                reader.finish();
                assert_eq!(reader.emitted, format!("{context}{}", &literal[..len]));
                assert!(reader.ends_in_content, "{}", reader.emitted);
                tried += 1;
            }
        }
    }
    assert!(tried > 250, "{tried}");
}

/// Texts after which delimiters count, so that each delimiter counts after one of them.
const CONTEXTS: [(Dialect, &str); 17] = [
    (Dialect::Sigil, ""),
    (Dialect::Sigil, "§think: a\n"),
    (Dialect::Sigil, "§execute \t"),
    (Dialect::Sigil, "§call: \n"),
    (Dialect::Sigil, "§call: {\"a\":\n"),
    (Dialect::Sigil, "§call: {\"a\": \"\n"),
    (Dialect::Sigil, "§call: {} "),
    (Dialect::Phase, "a"),
    (Dialect::Phase, "<think>a"),
    (Dialect::Phase, "<execute>[{}, "),
    (Dialect::Phase, "<results>["),
    (Dialect::Action, "a"),
    (Dialect::Action, "<thought>a\n"),
    (Dialect::Action, "<action id=a>{\"a\": \"\\\"\"} "),
    (Dialect::Action, "<response>a"),
    (Dialect::Action, "<results>["),
    (Dialect::Action, "<!-- a"),
];

/// The closing tags of control blocks, which end nothing in inline code.
const BLOCK_ENDS: [&str; 7] =
    ["</if>", "</then>", "</else>", "</foreach>", "</parallel>", "</transaction>", "</value>"];

const PIECES: [&str; 28] = [
    "§",
    "<",
    "-",
    ">",
    "`",
    "```",
    "a",
    "1",
    "°",
    "\n",
    " ",
    "\t",
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    "{\"a\": \"",
    "\"}",
    " x=\"",
    "§§",
    "<<",
    "`",
    "```",
    "~~~",
    "\n  ",
];

fn prefix(text: &str, len: usize) -> &str {
    &text[..text.floor_char_boundary(len)]
}

struct Reader {
    lexer: Lexer,
    fed: String,
    emitted: String,
    context: Context,
    ends_in_content: bool,
}

impl Reader {
    fn new(dialect: Dialect, inline: bool) -> Self {
        let context = Context::new(dialect, inline);
        let lexer = Lexer::new(Options::new(dialect).with_inline(inline));
        Self { lexer, fed: String::new(), emitted: String::new(), context, ends_in_content: false }
    }

    fn push(&mut self, chunk: &str) {
        self.fed.push_str(chunk);
        let mut rest = chunk;
        while let Some(token) = self.lexer.next(&mut rest) {
            self.take(token);
        }
    }

    fn finish(&mut self) {
        while let Some(token) = self.lexer.finish() {
            self.take(token);
        }
    }

    fn take(&mut self, token: Token<'_>) {
        self.emitted.push_str(token.text());
        self.ends_in_content = match token {
            Token::Text(_) | Token::Body(_) | Token::Glue(_) => true,
            Token::Delimiter(..) | Token::Tag(..) => false,
            _ => self.ends_in_content,
        };
        self.context.pass(token, self.emitted.len());
    }

    fn pending(&self) -> &str {
        &self.fed[self.emitted.len()..]
    }
}

/// The context of the next byte, derived from the tokens: a slow, short version of the clauses.
struct Context {
    dialect: Dialect,
    inline: bool,
    section: Section,
    /// The states around the current tag and around the current body.
    before: Section,
    outer: Section,
    /// The text around the items of the current body, and the text of the open item.
    glue: String,
    item: String,
    /// The end of the last delimiter.
    since: usize,
    /// The end of a control delimiter or a complete body, after which blanks keep a line's start.
    after_control: Option<usize>,
}

#[derive(Clone, Copy, PartialEq)]
enum Section {
    Text,
    Think,
    Respond,
    Results,
    Comment,
    Body,
    Tag,
    Done,
}

impl Context {
    fn new(dialect: Dialect, inline: bool) -> Self {
        let (section, before, outer) = (Section::Text, Section::Text, Section::Text);
        let (glue, item) = (String::new(), String::new());
        Self { dialect, inline, section, before, outer, glue, item, since: 0, after_control: None }
    }

    fn pass(&mut self, token: Token<'_>, end: usize) {
        match token {
            Token::Tag(..) => (self.before, self.section) = (self.section, Section::Tag),
            Token::TagEnd(_) => self.section = self.before,
            Token::Delimiter(delimiter, _) => {
                let from = if self.section == Section::Tag { self.before } else { self.section };
                self.section = self.opened(delimiter);
                if self.section == Section::Body {
                    self.outer = from;
                }
                self.glue.clear();
                self.item.clear();
                self.since = end;
                let is_word = self.dialect == Dialect::Sigil && delimiter == Delimiter::Execute;
                self.after_control = is_word.then_some(end);
            }
            Token::Body(text) => self.item.push_str(text),
            Token::Glue(text) if self.section == Section::Body => self.glue.push_str(text),
            Token::Close(close) => {
                self.item.clear();
                // A list with one item needs no bracket (P-17).
                self.glue.push('[');
                if self.dialect == Dialect::Sigil && close == BodyEnd::Complete {
                    self.section = Section::Text;
                    self.after_control = Some(end);
                }
            }
            _ => {}
        }
    }

    fn opened(&self, delimiter: Delimiter) -> Section {
        match delimiter {
            Delimiter::Call | Delimiter::Calls => Section::Body,
            Delimiter::CallEnd => self.outer,
            Delimiter::End => Section::Done,
            _ if self.dialect == Dialect::Sigil => Section::Text,
            Delimiter::Think => Section::Think,
            Delimiter::Respond => Section::Respond,
            Delimiter::Results => Section::Results,
            Delimiter::Comment => Section::Comment,
            _ => Section::Text,
        }
    }

    /// Returns the delimiters that count, and whether they do so only at a line's start.
    fn counting(&self) -> Vec<(&'static str, bool)> {
        use Delimiter::*;
        let delimiters: Vec<Delimiter> = match (self.dialect, self.section) {
            (_, Section::Tag | Section::Done) => vec![],
            (Dialect::Sigil, _) => {
                self.dialect.delimiters().map(|(delimiter, _)| delimiter).collect()
            }
            (Dialect::Phase, Section::Text) => vec![Think, Calls, Results, End],
            (_, Section::Results) => vec![ResultsEnd],
            (Dialect::Phase, Section::Body) => vec![Execute],
            (_, Section::Text) => {
                let tags = self.dialect.delimiters().map(|(tag, _)| tag);
                let blocks = tags.filter(|tag| tag.is_block());
                [Think, Call, Respond, Results, Comment].into_iter().chain(blocks).collect()
            }
            (Dialect::Action, Section::Think) => vec![ThinkEnd, Call, Respond],
            (_, Section::Think) => vec![ThinkEnd],
            (_, Section::Body) => vec![CallEnd],
            (_, Section::Comment) => vec![CommentEnd],
            _ => vec![RespondEnd],
        };
        let (in_string, torn) = self.string();
        let at_line_start = |delimiter| {
            let forgotten = self.section == Section::Think && delimiter == Respond;
            in_string || forgotten || (self.dialect == Dialect::Sigil && !self.inline)
        };
        let none = in_string && !torn;
        let delimiters = delimiters.into_iter().filter(|_| !none);
        delimiters
            .map(|delimiter| (self.dialect.literal(delimiter), at_line_start(delimiter)))
            .collect()
    }

    /// Returns whether the open item ends inside a string, and whether a string has a raw line
    /// break (P-8).
    fn string(&self) -> (bool, bool) {
        // A string is an item only in a list.
        let followed = if self.glue.contains('[') { &['{', '[', '"'][..] } else { &['{', '['] };
        let (mut inside, mut escaped, mut torn) = (false, false, false);
        for char in self.item.chars().filter(|_| self.item.starts_with(followed)) {
            torn |= inside && char == '\n';
            inside ^= char == '"' && !escaped;
            escaped = inside && char == '\\' && !escaped;
        }
        (inside, torn)
    }

    /// Returns the longest suffix that may still become a delimiter, or the fence before a body.
    fn pending<'a>(&self, fed: &'a str) -> &'a str {
        if self.section == Section::Body && self.item.is_empty() && self.glue.trim().is_empty() {
            for tick in ['`', '~'] {
                let ticks = fed.len() - fed.trim_end_matches(tick).len();
                if ticks > 0 {
                    return &fed[fed.len() - ticks..];
                }
            }
        }
        let counting = self.counting();
        let mut starts = (self.since..fed.len()).filter(|&at| fed.is_char_boundary(at));
        let found = starts.find(|&at| {
            let suffix = &fed[at..];
            let run = fed[..at].trim_end_matches(self.dialect.first_char()).len();
            // A body has no escapes: content follows a doubled first character (P-3).
            let escaped = run < at && self.section == Section::Body;
            let text = &fed[self.since..run.max(self.since)];
            let ticks = text.len() - text.trim_end_matches('`').len();
            let is_code = matches!(ticks, 1 | 2) && self.is_text();
            counting.iter().any(|(literal, at_line_start)| {
                let is_word = self.dialect == Dialect::Sigil && !literal.ends_with(':');
                // `§end` needs its boundary (P-11), and so does a tag's name.
                let waits = is_word || is_code;
                let ends = literal.starts_with("</") || *literal == "<end>";
                if is_code && !(is_word || ends && !BLOCK_ENDS.contains(literal)) {
                    return false;
                }
                literal.starts_with(suffix)
                    && (suffix.len() < literal.len() || waits)
                    && (!at_line_start || self.is_line_start(fed, run))
                    && (!escaped || suffix == self.dialect.first_char())
            })
        });
        &fed[found.unwrap_or(fed.len())..]
    }

    fn is_text(&self) -> bool {
        matches!(self.section, Section::Text | Section::Think | Section::Respond | Section::Results)
    }

    fn is_line_start(&self, fed: &str, at: usize) -> bool {
        let is_blank = |after: usize| fed[after..at].trim_matches([' ', '\t']).is_empty();
        let line = fed[self.since..at.max(self.since)].rfind('\n').map(|end| self.since + end + 1);
        let line = line
            .or_else(|| (self.since == 0).then_some(0))
            .filter(|_| self.is_text() && self.dialect == Dialect::Sigil);
        at == 0
            || fed[..at].ends_with('\n')
            || line.is_some_and(|from| is_indent_or_fence(&fed[from..at]))
            || self.after_control.is_some_and(|after| after <= at && is_blank(after))
    }
}

/// Returns whether a line begins with at most three spaces, and perhaps the run of a fence and
/// blanks (P-2, P-34).
fn is_indent_or_fence(line: &str) -> bool {
    let rest = line.trim_start_matches(' ');
    let is_fence = |tick: char| {
        let after = rest.trim_start_matches(tick);
        rest.len() - after.len() >= 3 && after.trim_matches([' ', '\t']).is_empty()
    };
    line.len() - rest.len() <= 3 && (rest.is_empty() || is_fence('`') || is_fence('~'))
}
