//! Syntax colours by the grammars of syntect.
//!
//! This module has the languages and the roles of their scopes. The grammars are loaded when the
//! first block of code names its language, and once.

use std::sync::OnceLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use crate::{Style, TextRole};

/// A reader of one block of code, line by line.
#[derive(Debug)]
pub(crate) struct Highlighter {
    state: ParseState,
    scopes: ScopeStack,
    /// The line with its line break, which the grammars want to see.
    line: String,
}

/// The grammars, and the roles of scopes.
#[derive(Debug)]
struct Grammars {
    syntaxes: SyntaxSet,
    roles: Vec<(Scope, TextRole)>,
}

impl Highlighter {
    /// Returns a highlighter for the language of a block, if it is known.
    pub(crate) fn new(info: &str) -> Option<Self> {
        let language = info.split([' ', ',', '{']).next().filter(|name| !name.is_empty())?;
        let state = ParseState::new(grammars().syntax(language)?);
        Some(Self { state, scopes: ScopeStack::new(), line: String::new() })
    }

    /// Takes the next line, and emits its pieces.
    pub(crate) fn push_line(&mut self, line: &str, emit: &mut dyn FnMut(&str, Style)) {
        self.line.clear();
        self.line.push_str(line);
        self.line.push('\n');
        let is_short = line.len() <= LONGEST_LINE && self.scopes.len() <= MOST_SCOPES;
        let grammars = grammars();
        let parsed = is_short.then(|| self.state.parse_line(&self.line, &grammars.syntaxes).ok());
        let mut start = 0;
        for (end, operation) in parsed.flatten().unwrap_or_default() {
            let end = end.min(line.len());
            if start < end {
                emit(&line[start..end], grammars.style(&self.scopes));
                start = end;
            }
            if self.scopes.apply(&operation).is_err() {
                break;
            }
        }
        if start < line.len() {
            emit(&line[start..], grammars.style(&self.scopes));
        }
    }
}

impl Grammars {
    fn syntax(&self, language: &str) -> Option<&SyntaxReference> {
        let language = language.to_ascii_lowercase();
        let similar = SIMILAR.iter().find(|(name, _)| *name == language);
        self.syntaxes.find_syntax_by_token(similar.map_or(&language, |(_, known)| known))
    }

    /// Returns the style of the innermost scope that has a role.
    fn style(&self, scopes: &ScopeStack) -> Style {
        let role = scopes.as_slice().iter().rev().find_map(|scope| {
            self.roles.iter().find(|(known, _)| known.is_prefix_of(*scope)).map(|(_, role)| *role)
        });
        Style::new(role.unwrap_or(TextRole::Plain))
    }
}

fn grammars() -> &'static Grammars {
    static GRAMMARS: OnceLock<Grammars> = OnceLock::new();
    GRAMMARS.get_or_init(|| Grammars {
        syntaxes: SyntaxSet::load_defaults_newlines(),
        roles: ROLES
            .iter()
            .filter_map(|(scope, role)| Some((Scope::new(scope).ok()?, *role)))
            .collect(),
    })
}

/// The roles of scopes. The first scope that fits counts.
const ROLES: [(&str, TextRole); 15] = [
    ("comment", TextRole::Comment),
    ("string", TextRole::Literal),
    ("constant.character", TextRole::Literal),
    ("constant", TextRole::Number),
    ("entity.name.function", TextRole::Function),
    ("support.function", TextRole::Function),
    ("support.macro", TextRole::Function),
    ("variable.function", TextRole::Function),
    ("entity.name", TextRole::Type),
    ("support.type", TextRole::Type),
    ("support.class", TextRole::Type),
    ("storage", TextRole::Keyword),
    ("keyword", TextRole::Keyword),
    ("markup.inserted", TextRole::Added),
    ("markup.deleted", TextRole::Removed),
];

/// Languages without a grammar, and a language that reads alike.
const SIMILAR: [(&str, &str); 12] = [
    ("console", "sh"),
    ("cjs", "js"),
    ("json5", "json"),
    ("jsonc", "json"),
    ("jsx", "js"),
    ("mjs", "js"),
    ("shell", "sh"),
    ("toml", "properties"),
    ("ts", "js"),
    ("tsx", "js"),
    ("typescript", "js"),
    ("zsh", "sh"),
];

/// The longest line that gets colours, in bytes.
const LONGEST_LINE: usize = 1024;

/// The number of scopes in each other after which there are no more colours.
const MOST_SCOPES: usize = 200;
