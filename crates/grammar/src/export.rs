//! The export of a dialect: from its rules to text in a format.

use silcrow_lex::Dialect;

use crate::format::GrammarFormat;
use crate::regex::Regexes;
use crate::turn::turn;
use crate::{gbnf, lark};

/// Writes a grammar that lets a model write one well-formed turn of `dialect`, and nothing else.
///
/// A turn is the text that a model writes before it waits: up to the execution point, the end
/// delimiter, or the end of its answer. A turn is well-formed if a parser without the option
/// `inline` reads it without a diagnostic, and if it is spelled as `silcrow_parser::write` spells
/// it (P-3, P-4, P-34). Line breaks between a tag and its text, white space in JSON, and the
/// optional parts of an action are free.
///
/// With `tools`, a call can name only these tools. An empty name is ignored, and with an empty list
/// nothing can be called. With `None`, a call can name any tool. Arguments are any JSON object.
///
/// Both formats accept the same texts. A grammar of bounded size cannot be exact everywhere. Where
/// it is not, it mostly accepts less: a fence has at most 6 characters; names, numbers, white space
/// and the depth of JSON are bounded; in a thought of `action`, everything that looks like the tag
/// of an action must be escaped. It accepts two kinds of text that a parser reads with a
/// diagnostic: a call's body beyond the parser's limit, and an id that is used twice.
pub fn grammar(dialect: Dialect, format: GrammarFormat, tools: Option<&[&str]>) -> String {
    let regexes = Regexes::default();
    let rules = turn(&regexes, dialect, tools);
    match format {
        GrammarFormat::Gbnf => gbnf::gbnf(&regexes, &rules),
        GrammarFormat::Lark => lark::lark(&regexes, &rules),
    }
}
