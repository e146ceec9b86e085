//! The Lark format in llguidance, with one byte per token.

use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::ApproximateTokEnv;
use llguidance::{Matcher, ParserFactory};
use silcrow_grammar::{Dialect, GrammarFormat, grammar};

/// A matcher for one grammar, with the limits of llguidance itself.
pub(crate) struct Engine(Matcher);

/// The token that ends a text.
const END: u32 = 261;

impl Engine {
    pub(crate) fn new(dialect: Dialect, tools: Option<&[&str]>) -> Self {
        Self::from_lark(grammar(dialect, GrammarFormat::Lark, tools))
    }

    /// Creates an engine of a grammar in Lark.
    pub(crate) fn from_lark(lark: String) -> Self {
        let factory = ParserFactory::new_simple(&ApproximateTokEnv::single_byte_env()).unwrap();
        let grammar = TopLevelGrammar::from_lark(lark);
        let mut matcher = Matcher::new(factory.create_parser(grammar));
        assert_eq!(matcher.get_error(), None);
        assert_eq!(matcher.grammar_warnings(), Vec::<String>::new());
        Self(matcher)
    }

    pub(crate) fn accepts(&mut self, text: &str) -> bool {
        self.0.reset().unwrap();
        for tokens in tokens(text).chunks(50) {
            // A server does this, too, and it resets the engine's limit of effort.
            self.0.compute_mask_or_eos().unwrap();
            if self.0.try_consume_tokens(tokens).unwrap() < tokens.len() {
                return false;
            }
        }
        self.0.is_accepting().unwrap()
    }

    /// Returns to the state before any text.
    pub(crate) fn restart(&mut self) {
        self.0.reset().unwrap();
    }

    /// Consumes as many bytes of the text as the engine accepts, and returns their number.
    pub(crate) fn consume(&mut self, text: &str) -> usize {
        self.0.try_consume_tokens(&tokens(text)).unwrap()
    }

    /// Takes back the last bytes.
    pub(crate) fn pop(&mut self, bytes: usize) {
        self.0.rollback(bytes).unwrap();
    }

    pub(crate) fn may_end(&mut self) -> bool {
        self.0.is_accepting().unwrap()
    }

    /// Returns a random text that the engine allows, or `None` if it does not end. `choice` selects
    /// among the allowed bytes and the `pieces` that fit.
    pub(crate) fn walk(
        &mut self,
        pieces: &[&str],
        mut choice: impl FnMut(usize) -> usize,
    ) -> Option<String> {
        self.0.reset().unwrap();
        let mut text = Vec::new();
        while !self.0.is_stopped() {
            let mask = self.0.compute_mask().unwrap();
            let late = text.len() > 200;
            if text.len() > 900 {
                return None;
            }
            if mask.is_allowed(END) && (late || choice(20) == 0) {
                break;
            }
            // Late in the text every way out is tried.
            let mut pieces = if late { ENDS.to_vec() } else { pieces.to_vec() };
            if late {
                pieces.retain(|piece| self.fits(&tokens(piece)));
            }
            let at = choice(pieces.len().max(1));
            let piece = tokens(pieces.get(at).copied().unwrap_or_default());
            let tokens = if choice(3) > 0 && !piece.is_empty() && self.fits(&piece) {
                piece
            } else {
                let liked = if late { CLOSING } else { LIKED };
                let allowed = |byte: &u8| mask.is_allowed((*byte).into());
                let mut bytes: Vec<u8> = liked.bytes().filter(allowed).collect();
                if bytes.is_empty() || choice(15) == 0 {
                    bytes = (0..=255).filter(allowed).collect();
                }
                if bytes.is_empty() {
                    break;
                }
                vec![bytes[choice(bytes.len())].into()]
            };
            self.0.consume_tokens(&tokens).unwrap();
            text.extend(tokens.iter().map(|token| *token as u8));
        }
        Some(String::from_utf8(text).unwrap())
    }

    /// Returns whether the engine allows all of these tokens now.
    fn fits(&mut self, tokens: &[u32]) -> bool {
        self.0.validate_tokens(tokens).unwrap() == tokens.len()
    }
}

fn tokens(text: &str) -> Vec<u32> {
    text.bytes().map(u32::from).collect()
}

/// The characters of JSON, escapes and words.
const LIKED: &str = "\n\r \"\"\"\"\"\\{}[],:-+.0123456789abcdefu§<`~";

/// The characters that close JSON.
const CLOSING: &str = "\"\"\"}}}]]]: ";

/// The texts that close fences and sections.
const ENDS: &[&str] = &[
    "\n``````\n",
    "\n~~~~~~\n",
    "\n\"",
    "x\n§end",
    "x\n</think>\n",
    "\n</if>",
    "\n</foreach>",
    "\n</parallel>",
    "\n</transaction>",
    "n\">",
    "n\"/>",
    "x\n</thought>",
    "x\n</response>",
    "\n]\n</execute>",
    "}</action>",
    "\n§execute",
];
