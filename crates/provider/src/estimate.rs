use silcrow_event::Message;

/// How many tokens a text is, by a rule of thumb: for models that do not tell.
///
/// Every vendor cuts text by a table of its own, so this counts letters by their script and adds
/// up what one costs on average. It needs no table and does not depend on how the text is cut up.
/// docs/measurements.md says how far off it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// In hundredths of a token.
    hundredths: u64,
}

impl Estimate {
    /// Takes in more of the text.
    pub fn push(&mut self, text: &str) {
        self.hundredths += text.chars().map(cost).sum::<u64>();
    }

    /// So far, rounded up.
    pub const fn tokens(self) -> u64 {
        self.hundredths.div_ceil(100)
    }

    /// Of messages, with what frames each.
    pub fn of_messages(messages: &[Message]) -> u64 {
        let mut all = Self::default();
        for message in messages {
            all.push(&message.content);
            all.hundredths += FRAME;
        }
        all.tokens()
    }
}

/// Of one character, in hundredths of a token: an average of the tables of o200k and Gemma.
const fn cost(char: char) -> u64 {
    match char {
        // Mostly the beginning of a word's own token.
        ' ' => 5,
        'a'..='z' | 'A'..='Z' => 22,
        '0'..='9' => 80,
        '\0'..='\u{7f}' => 75,
        // Latin letters with marks, and signs.
        '\u{80}'..='\u{24f}' => 80,
        // Cyrillic.
        '\u{400}'..='\u{52f}' => 24,
        // Greek, Hebrew, Arabic; then the scripts of South and South East Asia.
        '\u{250}'..='\u{10ff}' => 33,
        '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}' => 58,
        // Han, Kana and what is written with them.
        '\u{2e80}'..='\u{a4cf}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff00}'..='\u{ffef}'
        | '\u{20000}'..='\u{3ffff}' => 70,
        // Pictures are cut into several.
        _ => 250,
    }
}

/// What marks the beginning, the role and the end of a message.
const FRAME: u64 = 400;
