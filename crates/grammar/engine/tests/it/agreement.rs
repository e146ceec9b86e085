//! Both formats of one grammar, which must agree about every text.

use silcrow_grammar::{Dialect, GrammarFormat, GrammarTool, grammar, grammar_of_tools};

use crate::engine::Engine;
use crate::gbnf::Gbnf;

/// A grammar in both formats.
pub(crate) struct Both {
    pub(crate) dialect: Dialect,
    pub(crate) tools: Option<&'static [&'static str]>,
    pub(crate) engine: Engine,
    pub(crate) gbnf: Gbnf,
}

/// Names of tools with characters that a grammar must escape.
pub(crate) const TOOLS: &[&str] =
    &["ls", "a\"b", "", "§end", "ls", "</action>\\", "\u{7f}\u{1}\u{85}\u{2028}😀"];

impl Both {
    pub(crate) fn new(dialect: Dialect, tools: Option<&'static [&'static str]>) -> Self {
        let gbnf = Gbnf::new(&grammar(dialect, GrammarFormat::Gbnf, tools));
        Self { dialect, tools, engine: Engine::new(dialect, tools), gbnf }
    }

    /// Returns the grammars in which arguments fit the schemas of these tools.
    pub(crate) fn of_tools(dialect: Dialect, tools: &[GrammarTool<'_>]) -> Self {
        let gbnf = Gbnf::new(&grammar_of_tools(dialect, GrammarFormat::Gbnf, tools));
        let engine = Engine::from_lark(grammar_of_tools(dialect, GrammarFormat::Lark, tools));
        Self { dialect, tools: None, engine, gbnf }
    }

    /// Returns the grammars of each dialect, with and without tools.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let with = |dialect| [None, Some(TOOLS)].map(|tools| Self::new(dialect, tools));
        Dialect::ALL.into_iter().flat_map(with)
    }

    /// Returns whether the grammar accepts `text`.
    #[track_caller]
    pub(crate) fn accept(&mut self, text: &str) -> bool {
        let (engine, gbnf) = (self.engine.accepts(text), self.gbnf.accepts(text));
        assert_eq!(engine, gbnf, "the formats differ: {text:?}");
        engine
    }
}
