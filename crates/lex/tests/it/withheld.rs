//! L-3: at any time exactly the longest suffix of the input is withheld that may still become a
//! delimiter which counts there, and the end of the input gives it out.

use proptest::prelude::*;
use silcrow_lex::{BodyEnd, Delimiter, Dialect, Lexer, Token};

proptest! {
    #[test]
    fn what_may_become_a_marker_is_withheld_and_no_more(
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
            prop_assert_eq!(reader.withheld(), reader.place.pending(&reader.fed), "{:?}", reader.fed);
        }
        reader.finish();
        prop_assert_eq!(reader.given, text);
    }
}

#[test]
fn the_end_of_the_input_gives_out_each_beginning_of_a_marker() {
    let mut tried = 0;
    for (dialect, context) in CONTEXTS {
        let mut reader = Reader::new(dialect, false);
        reader.push(context);
        for (literal, _) in reader.place.counting() {
            for len in (1..literal.len()).filter(|&len| literal.is_char_boundary(len)) {
                let mut reader = Reader::new(dialect, false);
                reader.push(context);
                reader.push(&literal[..len]);
                assert_eq!(reader.withheld(), &literal[..len], "{context:?}");
                reader.finish();
                assert_eq!(reader.given, format!("{context}{}", &literal[..len]));
                assert!(reader.ends_in_content, "{}", reader.given);
                tried += 1;
            }
        }
    }
    assert!(tried > 250, "{tried}");
}

/// Texts behind which all delimiters count that ever do.
const CONTEXTS: [(Dialect, &str); 16] = [
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
    (Dialect::Action, "<!-- a"),
];

const PIECES: [&str; 24] = [
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
];

fn prefix(text: &str, len: usize) -> &str {
    &text[..text.floor_char_boundary(len)]
}

struct Reader {
    lexer: Lexer,
    fed: String,
    given: String,
    place: Place,
    ends_in_content: bool,
}

impl Reader {
    fn new(dialect: Dialect, inline: bool) -> Self {
        let place = Place::new(dialect, inline);
        let lexer = Lexer::new(dialect, inline);
        Self { lexer, fed: String::new(), given: String::new(), place, ends_in_content: false }
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
        let text = match token {
            Token::Text(text) | Token::Body(text) | Token::Glue(text) => text,
            Token::Name(text) | Token::Value(text) => text,
            Token::Escape(text) | Token::Delimiter(_, text) | Token::Tag(_, text) => text,
            _ => "",
        };
        self.given.push_str(text);
        self.ends_in_content = match token {
            Token::Text(_) | Token::Body(_) | Token::Glue(_) => true,
            Token::Delimiter(..) | Token::Tag(..) => false,
            _ => self.ends_in_content,
        };
        self.place.pass(token, self.given.len());
    }

    fn withheld(&self) -> &str {
        &self.fed[self.given.len()..]
    }
}

/// Where in the input the next byte stands, as far as the tokens tell: the clauses, as short as
/// they can be said.
struct Place {
    dialect: Dialect,
    inline: bool,
    section: Section,
    /// What the tag at hand, and what the body at hand, stands in.
    before: Section,
    outer: Section,
    /// Of the body at hand: the text around its items, and the text of the item that is open.
    glue: String,
    item: String,
    /// The end of the last delimiter, and where from on blanks do not take a line's start away.
    since: usize,
    after: Option<usize>,
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

impl Place {
    fn new(dialect: Dialect, inline: bool) -> Self {
        let (section, before, outer) = (Section::Text, Section::Text, Section::Text);
        let (glue, item) = (String::new(), String::new());
        Self { dialect, inline, section, before, outer, glue, item, since: 0, after: None }
    }

    fn pass(&mut self, token: Token<'_>, end: usize) {
        match token {
            Token::Tag(..) => (self.before, self.section) = (self.section, Section::Tag),
            Token::TagEnd(_) => self.section = self.before,
            Token::Delimiter(marker, _) => {
                let from = if self.section == Section::Tag { self.before } else { self.section };
                self.section = self.opened(marker);
                if self.section == Section::Body {
                    self.outer = from;
                }
                self.glue.clear();
                self.item.clear();
                self.since = end;
                let is_word = self.dialect == Dialect::Sigil && marker == Delimiter::Execute;
                self.after = is_word.then_some(end);
            }
            Token::Body(text) => self.item.push_str(text),
            Token::Glue(text) if self.section == Section::Body => self.glue.push_str(text),
            Token::Close(close) => {
                self.item.clear();
                // A list of one needs no bracket (P-17).
                self.glue.push('[');
                if self.dialect == Dialect::Sigil && close == BodyEnd::Complete {
                    self.section = Section::Text;
                    self.after = Some(end);
                }
            }
            _ => {}
        }
    }

    fn opened(&self, marker: Delimiter) -> Section {
        match marker {
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

    /// The delimiters that count, and whether only at a line's start.
    fn counting(&self) -> Vec<(&'static str, bool)> {
        use Delimiter::*;
        let markers: Vec<Delimiter> = match (self.dialect, self.section) {
            (_, Section::Tag | Section::Done) => vec![],
            (Dialect::Sigil, _) => self.dialect.delimiters().map(|(marker, _)| marker).collect(),
            (Dialect::Phase, Section::Text) => vec![Think, Calls, Results, End],
            (Dialect::Phase, Section::Results) => vec![ResultsEnd],
            (Dialect::Phase, Section::Body) => vec![Execute],
            (_, Section::Text) => vec![Think, Call, Respond, Comment],
            (Dialect::Action, Section::Think) => vec![ThinkEnd, Call, Respond],
            (_, Section::Think) => vec![ThinkEnd],
            (_, Section::Body) => vec![CallEnd],
            (_, Section::Comment) => vec![CommentEnd],
            _ => vec![RespondEnd],
        };
        let (in_string, broken) = self.string();
        let at_line_start = |marker| {
            let forgotten = self.section == Section::Think && marker == Respond;
            in_string || forgotten || (self.dialect == Dialect::Sigil && !self.inline)
        };
        let none = in_string && !broken;
        let markers = markers.into_iter().filter(|_| !none);
        markers.map(|marker| (self.dialect.literal(marker), at_line_start(marker))).collect()
    }

    /// Whether the item at hand is in a string, and has a raw line break in one (P-8).
    fn string(&self) -> (bool, bool) {
        // Strings stand alone in a list only.
        let tracked = if self.glue.contains('[') { &['{', '[', '"'][..] } else { &['{', '['] };
        let (mut inside, mut escaped, mut broken) = (false, false, false);
        for char in self.item.chars().filter(|_| self.item.starts_with(tracked)) {
            broken |= inside && char == '\n';
            inside ^= char == '"' && !escaped;
            escaped = inside && char == '\\' && !escaped;
        }
        (inside, broken)
    }

    /// The longest suffix that may still become a delimiter, or the fence before a body.
    fn pending<'a>(&self, fed: &'a str) -> &'a str {
        if self.section == Section::Body && self.item.is_empty() && self.glue.trim().is_empty() {
            let ticks = fed.len() - fed.trim_end_matches('`').len();
            if ticks > 0 {
                return &fed[fed.len() - ticks..];
            }
        }
        let counting = self.counting();
        let mut starts = (self.since..fed.len()).filter(|&at| fed.is_char_boundary(at));
        let found = starts.find(|&at| {
            let suffix = &fed[at..];
            let run = fed[..at].trim_end_matches(self.dialect.first()).len();
            // Nothing is escaped in a body: behind a doubled first character comes content (P-3).
            let escaped = run < at && self.section == Section::Body;
            counting.iter().any(|(literal, at_line_start)| {
                // `§end` waits for what comes behind it (P-11), as does a tag's name.
                let waits = self.dialect == Dialect::Sigil && !literal.ends_with(':');
                literal.starts_with(suffix)
                    && (suffix.len() < literal.len() || waits)
                    && (!at_line_start || self.is_line_start(fed, run))
                    && (!escaped || suffix == self.dialect.first())
            })
        });
        &fed[found.unwrap_or(fed.len())..]
    }

    fn is_line_start(&self, fed: &str, at: usize) -> bool {
        let is_blank = |after: usize| fed[after..at].trim_matches([' ', '\t']).is_empty();
        at == 0
            || fed[..at].ends_with('\n')
            || self.after.is_some_and(|after| after <= at && is_blank(after))
    }
}
