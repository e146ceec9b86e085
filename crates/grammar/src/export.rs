//! The export of a dialect: from its rules to text in a format.

use silcrow_lex::Dialect;

use crate::format::GrammarFormat;
use crate::grammar_tool::GrammarTool;
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
/// a grammar is not exact, it mostly accepts less: a fence has at most 6 characters; names,
/// numbers, white space and the depth of JSON are bounded; in a thought of `action`, everything
/// that looks like the tag of an action must be escaped. It accepts two kinds of text that a parser
/// reads with a diagnostic: a call's body beyond the parser's limit, and an id that is used twice.
pub fn grammar(dialect: Dialect, format: GrammarFormat, tools: Option<&[&str]>) -> String {
    let tools: Option<Vec<_>> =
        tools.map(|names| names.iter().map(|name| GrammarTool::new(name)).collect());
    written(dialect, format, tools.as_deref())
}

/// Writes a grammar as [`grammar`] does, in which the arguments of a call fit the schema of its tool.
///
/// An object has the properties of its schema, in their order, the required ones among them, and no
/// others; one that may have others is any object. Types, `enum`, `const`, `items`, an array that is not
/// empty, `anyOf`, `oneOf` and references within the schema are held, to a depth of 12. Everything else,
/// such as a pattern or the bound of a number, stays free. In `action` the name of an output may stand for
/// any value, such as `"$listing"` (P-26).
///
/// ```
/// use silcrow_grammar::{Dialect, GrammarFormat, GrammarTool, grammar_of_tools};
///
/// let schema = r#"{"properties": {"unit": {"enum": ["C", "F"]}}, "required": ["unit"]}"#;
/// let tools = [GrammarTool::new("weather").with_schema(schema)];
/// let gbnf = grammar_of_tools(Dialect::Sigil, GrammarFormat::Gbnf, &tools);
/// assert!(gbnf.contains(r#""\"C\"" | "\"F\"""#));
/// ```
pub fn grammar_of_tools(
    dialect: Dialect,
    format: GrammarFormat,
    tools: &[GrammarTool<'_>],
) -> String {
    written(dialect, format, Some(tools))
}

fn written(dialect: Dialect, format: GrammarFormat, tools: Option<&[GrammarTool<'_>]>) -> String {
    let regexes = Regexes::default();
    let rules = turn(&regexes, dialect, tools);
    match format {
        GrammarFormat::Gbnf => gbnf::gbnf(&regexes, &rules),
        GrammarFormat::Lark => lark::lark(&regexes, &rules),
    }
}
