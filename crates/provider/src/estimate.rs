//! An estimate of the number of tokens, for models that do not report it.

use silcrow_event::{Content, Message};
use silcrow_media::ImageTokenRule;

/// A rough estimate of the number of tokens of a text.
///
/// Each vendor has a different tokenizer, so the estimate adds up the average cost of each
/// character, which depends on its script. The way the text is cut makes no difference.
///
/// ```
/// use silcrow_event::Message;
/// use silcrow_provider::Estimate;
///
/// let mut estimate = Estimate::default();
/// estimate.push("The weather will ");
/// estimate.push("be fine.");
/// assert!((3..10).contains(&estimate.tokens()), "{}", estimate.tokens());
/// // A message costs more than its text.
/// let message = Message::user("The weather will be fine.");
/// assert!(Estimate::of_messages(&[message]) > estimate.tokens());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// The sum of the costs, in hundredths of a token.
    hundredths: u64,
}

impl Estimate {
    /// Adds a piece of the text.
    pub fn push(&mut self, text: &str) {
        self.hundredths += match text.is_ascii() {
            true => text.bytes().map(|byte| u64::from(ASCII[usize::from(byte)])).sum::<u64>(),
            false => text.chars().map(cost).sum(),
        };
    }

    /// Returns the number of tokens so far, rounded up.
    pub const fn tokens(self) -> u64 {
        self.hundredths.div_ceil(100)
    }

    /// Returns the estimated number of tokens of messages, with the delimiters that a vendor puts
    /// around each.
    pub fn of_messages(messages: &[Message]) -> u64 {
        Self::of_messages_for(messages, ImageTokenRule::UNKNOWN)
    }

    /// Returns the same for a model that counts pictures by a rule.
    pub fn of_messages_for(messages: &[Message], images: ImageTokenRule) -> u64 {
        let all = messages.iter().map(|message| Self::of_content(&message.content, images)).sum();
        Self { hundredths: all }.tokens()
    }

    /// Returns the cost of a message with this content, in hundredths of a token.
    pub(crate) fn of_content(content: &Content, images: ImageTokenRule) -> u64 {
        let mut estimate = Self { hundredths: FRAME };
        estimate.push(&content.text());
        let media = content.media();
        let tokens = media.map(|it| images.tokens_of_file(&it.mime, it.bytes, it.size));
        estimate.hundredths + 100 * tokens.sum::<u64>()
    }

    /// Returns this many hundredths as a number of tokens, rounded up.
    pub(crate) const fn of_hundredths(hundredths: u64) -> u64 {
        Self { hundredths }.tokens()
    }
}

/// Returns the cost of a character in hundredths of a token: an average over o200k and Gemma.
const fn cost(char: char) -> u64 {
    match char {
        // A space is mostly the beginning of a word's token.
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
        // Han, Kana and related scripts.
        '\u{2e80}'..='\u{a4cf}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff00}'..='\u{ffef}'
        | '\u{20000}'..='\u{3ffff}' => 70,
        // Pictures are split into several tokens.
        _ => 250,
    }
}

/// The cost of each ASCII character, since a run estimates all that it reads. The upper half is not
/// used.
static ASCII: [u8; 256] = {
    let mut costs = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        costs[byte as usize] = cost(byte as char) as u8;
        byte += 1;
    }
    costs
};

/// The cost of the delimiters around a message, in hundredths of a token.
const FRAME: u64 = 400;
