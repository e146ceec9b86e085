//! The text of comments (P-21). Their end `-->` can overlap a prefix of itself, as in `--->`, so it
//! has its own search.

use memchr::memchr;

use crate::lexer::Lexer;
use crate::pending::{Pending, PendingStage};
use crate::recognise::Candidate;
use crate::token::Token;

impl Lexer {
    /// Returns text of a comment up to its end.
    #[cold]
    pub(crate) fn comment<'a>(&mut self, input: &mut &'a str) -> Option<Token<'a>> {
        let candidate = self.search_comment(input.as_bytes());
        self.emit_text(input, candidate)
    }

    /// Returns the first `-->`, or the dashes at the end that may become one.
    fn search_comment(&self, bytes: &[u8]) -> Option<Candidate> {
        let rules = self.table().index.counting(self.state, false, self.inline);
        let candidate = |at, len, stage| Candidate {
            at,
            pending: Pending { rules, len, stage, ..Pending::EMPTY },
        };
        let mut from = 0;
        while let Some(hit) = memchr(b'>', &bytes[from..]) {
            let at = from + hit;
            if bytes[..at].ends_with(b"--") {
                return Some(candidate(at - 2, 3, PendingStage::Delimiter));
            }
            from = at + 1;
        }
        let dashes = bytes.iter().rev().take(2).take_while(|&&byte| byte == b'-').count();
        (dashes > 0).then(|| candidate(bytes.len() - dashes, dashes as u8, PendingStage::Prefix))
    }

    /// Compares the input with the dashes that are pending.
    pub(crate) fn resume_comment(&mut self, input: &mut &str) -> Option<Token<'static>> {
        while let Some(&next) = input.as_bytes().first() {
            let is_third = match (self.pending.len, next) {
                (1, b'-') => {
                    self.pending.len = 2;
                    false
                }
                (2, b'-') => true,
                (2, b'>') => {
                    self.pending.stage = PendingStage::Delimiter;
                    *input = &input[1..];
                    return None;
                }
                _ => return self.release_pending(),
            };
            *input = &input[1..];
            if is_third {
                // The first dash is text, and the other two stay pending.
                return Some(Token::Text("-"));
            }
        }
        None
    }
}
