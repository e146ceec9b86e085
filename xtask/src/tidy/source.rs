//! The tokens of a Rust file, without comments, literals and the modules that only tests build.

use std::iter::Peekable;

use proc_macro2::{Delimiter, LexError, Spacing, TokenStream, TokenTree, token_stream};

/// The tokens of a Rust file.
pub(crate) struct SourceFile {
    pub(crate) tokens: Vec<SourceToken>,
}

/// A name or a sign, with `::` as one sign.
pub(crate) struct SourceToken {
    pub(crate) text: String,
    /// The line, from 1.
    pub(crate) line: usize,
    /// The number of brackets of any kind that it stands in.
    pub(crate) depth: usize,
}

impl SourceFile {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Returns an error for a text that does not consist of Rust's tokens.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let stream: TokenStream = text
            .parse()
            .map_err(|why: LexError| format!("{why}, from line {} on", why.span().start().line))?;
        let mut source = Self { tokens: Vec::new() };
        source.push_all(stream, 0);
        Ok(source)
    }

    /// Returns the place of the first token of a sequence.
    pub(crate) fn find(&self, sequence: &[&str]) -> Option<&SourceToken> {
        let is_it = |tokens: &&[SourceToken]| {
            tokens.iter().zip(sequence).all(|(token, text)| token.text == *text)
        };
        self.tokens.windows(sequence.len()).find(is_it)?.first()
    }

    fn push_all(&mut self, stream: TokenStream, depth: usize) {
        let mut trees = stream.into_iter().peekable();
        while let Some(tree) = trees.next() {
            let line = tree.span().start().line;
            let mut push = |text: String| self.tokens.push(SourceToken { text, line, depth });
            match tree {
                TokenTree::Punct(sign) if sign.as_char() == '#' && is_test_mark(&mut trees) => {
                    skip_item(&mut trees);
                }
                TokenTree::Punct(sign)
                    if sign.as_char() == ':' && sign.spacing() == Spacing::Joint =>
                {
                    push(if is_sign(trees.peek(), ':') { "::" } else { ":" }.to_owned());
                    trees.next_if(|tree| is_sign(Some(tree), ':'));
                }
                TokenTree::Punct(sign) => push(sign.to_string()),
                TokenTree::Ident(name) => push(name.to_string()),
                TokenTree::Literal(_) => {}
                TokenTree::Group(group) => {
                    let [open, close] = match group.delimiter() {
                        Delimiter::Parenthesis => ["(", ")"],
                        Delimiter::Brace => ["{", "}"],
                        Delimiter::Bracket => ["[", "]"],
                        Delimiter::None => ["", ""],
                    };
                    push(open.to_owned());
                    self.push_all(group.stream(), depth + 1);
                    let line = group.span_close().start().line;
                    self.tokens.push(SourceToken { text: close.to_owned(), line, depth });
                }
            }
        }
    }
}

type Trees = Peekable<token_stream::IntoIter>;

/// Returns whether `[cfg(test)]` follows.
fn is_test_mark(trees: &mut Trees) -> bool {
    let Some(TokenTree::Group(group)) = trees.peek() else { return false };
    group.stream().to_string().replace(' ', "") == "cfg(test)"
}

/// Skips an item, which ends with braces or with a semicolon.
fn skip_item(trees: &mut Trees) {
    let is_end = |tree: &TokenTree| match tree {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        tree => is_sign(Some(tree), ';'),
    };
    trees.find(is_end);
}

fn is_sign(tree: Option<&TokenTree>, char: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(sign)) if sign.as_char() == char)
}
