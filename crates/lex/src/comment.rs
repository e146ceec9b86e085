use memchr::memchr;

use crate::lexer::{Lexer, Token};
use crate::pending::{Pending, Stage};
use crate::recognise::Found;

/// The end of a comment (P-21) overlaps itself, as in `--->`: it has a search of its own.
impl Lexer {
    /// Where `-->` begins, or what may become it.
    pub(crate) fn search_comment(&self, bytes: &[u8]) -> Option<Found> {
        let rules = self.table().index.counting(self.mode, false);
        let found =
            |at, len, stage| Found { at, held: Pending { rules, len, stage, ..Pending::EMPTY } };
        let mut from = 0;
        while let Some(hit) = memchr(b'>', &bytes[from..]) {
            let at = from + hit;
            if bytes[..at].ends_with(b"--") {
                return Some(found(at - 2, 3, Stage::Marker));
            }
            from = at + 1;
        }
        let dashes = bytes.iter().rev().take(2).take_while(|&&byte| byte == b'-').count();
        (dashes > 0).then(|| found(bytes.len() - dashes, dashes as u8, Stage::Prefix))
    }

    /// Compares the input with the dashes that are withheld.
    pub(crate) fn resume_comment(&mut self, input: &mut &str) -> Option<Token<'static>> {
        while let Some(&next) = input.as_bytes().first() {
            let three = match (self.held.len, next) {
                (1, b'-') => {
                    self.held.len = 2;
                    false
                }
                (2, b'-') => true,
                (2, b'>') => {
                    self.held.stage = Stage::Marker;
                    *input = &input[1..];
                    return None;
                }
                _ => return self.release_pending(),
            };
            *input = &input[1..];
            if three {
                // The first of them is text, the others are withheld on.
                return Some(Token::Text("-"));
            }
        }
        None
    }
}
