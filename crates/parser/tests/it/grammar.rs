//! The exported grammars, held against the parser: the Lark form in a real engine, the GBNF form in
//! a recogniser of its own.

mod engine;
mod every;
mod gbnf;
mod generated;
mod judge;
mod listed;
mod looks;

use silcrow_parser::{Dialect, GrammarFormat, grammar};

use self::engine::Engine;
use self::gbnf::Gbnf;

/// Both forms of one grammar.
struct Both {
    dialect: Dialect,
    tools: Option<&'static [&'static str]>,
    engine: Engine,
    gbnf: Gbnf,
}

/// Tools whose names hold what a grammar must spell with care.
const TOOLS: &[&str] =
    &["ls", "a\"b", "", "§end", "ls", "</action>\\", "\u{7f}\u{1}\u{85}\u{2028}😀"];

impl Both {
    fn new(dialect: Dialect, tools: Option<&'static [&'static str]>) -> Self {
        let gbnf = Gbnf::new(&grammar(dialect, GrammarFormat::Gbnf, tools));
        Self { dialect, tools, engine: Engine::new(dialect, tools), gbnf }
    }

    /// Of each dialect, with and without tools.
    fn all() -> impl Iterator<Item = Self> {
        let with = |dialect| [None, Some(TOOLS)].map(|tools| Self::new(dialect, tools));
        Dialect::ALL.into_iter().flat_map(with)
    }

    /// What both forms say.
    #[track_caller]
    fn accept(&mut self, text: &str) -> bool {
        let (engine, gbnf) = (self.engine.accepts(text), self.gbnf.accepts(text));
        assert_eq!(engine, gbnf, "the forms differ: {text:?}");
        engine
    }
}
