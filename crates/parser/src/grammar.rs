mod action;
mod automaton;
mod gbnf;
mod json;
mod lark;
mod phase;
mod regex;
mod rules;
mod set;
mod sigil;
mod text;

use silcrow_lex::Dialect;

use regex::Regexes;

/// The language that a grammar is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GrammarFormat {
    /// GBNF, as llama.cpp reads it.
    Gbnf,
    /// Lark, as llguidance reads it: with `&` and `~` between tokens.
    Lark,
}

/// A grammar for constrained decoding: it lets a model write one well-formed turn, and nothing
/// else.
///
/// A turn is what a model writes before it waits: up to the execution point, `end`, or the end of
/// its answer. Well-formed is what reads without a note, by a parser without
/// [`inline`](crate::Options), and stands as [`write`](crate::write) writes it (P-3, P-4, P-34), a
/// call being `{"name": …, "args": {…}}` with arguments of any shape. Free are line breaks between a
/// tag and its text, white space in JSON, and what an action may leave unsaid. With `tools`, only
/// these are called; empty names are left out, and without a name nothing is called.
///
/// Both forms accept the same texts. Where no grammar of bounded size can be exact it refuses:
/// no fence of more than 6 is opened, names, numbers, white space and depth of JSON are bounded, and
/// in a thought of the action dialect what looks like an action's tag is escaped also where its
/// attributes are broken. Two things it cannot see, and they read with a note: a call body of more
/// than [`MAX_BODY`](crate::MAX_BODY), and an id that is given twice.
///
/// ```
/// use silcrow_parser::{Dialect, GrammarFormat, grammar};
///
/// let tools = ["file_list", "file_read"];
/// let gbnf = grammar(Dialect::Sigil, GrammarFormat::Gbnf, Some(&tools));
/// assert!(gbnf.starts_with("root ::= turn\n"));
/// assert!(gbnf.contains(r#"name ::= "\"file_list\"" | "\"file_read\"""#));
/// ```
pub fn grammar(dialect: Dialect, form: GrammarFormat, tools: Option<&[&str]>) -> String {
    let regexes = Regexes::default();
    let rules = rules::rules(&regexes, dialect, tools);
    match form {
        GrammarFormat::Gbnf => gbnf::gbnf(&regexes, &rules),
        GrammarFormat::Lark => lark::lark(&regexes, &rules),
    }
}
