//! A shell text as its simple commands: the result of the scanner, which all decisions use.
//!
//! This module splits words, and does not interpret commands.

/// A shell text as the simple commands in it.
///
/// All commands of the text are listed, including commands in substitutions, subshells and compound
/// commands. A text without an opaque part is a list of simple commands whose words are known,
/// joined by `|`, `&&`, `||`, `;` and line breaks.
#[derive(Debug, Default)]
pub(crate) struct ShellScript {
    pub(crate) commands: Vec<SimpleCommand>,
    /// The texts of here-documents and here-strings.
    pub(crate) inputs: Vec<String>,
    /// The first reason why the text is more than plain commands.
    pub(crate) opaque: Option<&'static str>,
    /// Whether a command has harmless variables in front.
    pub(crate) sets_variables: bool,
}

impl ShellScript {
    /// Records a reason why the text is more than plain commands. The first one stays.
    pub(crate) fn note_opaque(&mut self, why: &'static str) {
        self.opaque.get_or_insert(why);
    }
}

/// A program or a builtin with its arguments.
#[derive(Clone, Debug, Default)]
pub(crate) struct SimpleCommand {
    /// The words, without assignments and keywords in front, and without redirections.
    pub(crate) words: Vec<ShellWord>,
    /// The targets of redirections.
    pub(crate) redirects: Vec<ShellWord>,
}

impl SimpleCommand {
    /// Returns the name of the program without its folder, or an empty text if there is no word.
    pub(crate) fn name(&self) -> &str {
        let first = self.words.first().map_or("", |word| &*word.text);
        first.rsplit('/').next().unwrap_or_default()
    }

    /// Returns the texts of the words after the first.
    pub(crate) fn args(&self) -> impl DoubleEndedIterator<Item = &str> + Clone {
        self.words.iter().skip(1).map(|word| &*word.text)
    }
}

/// A word after the shell has removed its quotes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShellWord {
    /// The text. The parts that the shell replaces are written as in the script.
    pub(crate) text: String,
    /// Whether a part of the word was quoted.
    pub(crate) is_quoted: bool,
    /// Whether only the shell can tell the text, because it has a variable or a substitution.
    pub(crate) is_dynamic: bool,
    /// The position of the first `*`, `?` or `[` that the shell replaces with names of files.
    pub(crate) glob: Option<usize>,
}

impl ShellWord {
    /// Returns whether the word is this keyword or operator of the shell.
    pub(crate) fn is_keyword(&self, word: &str) -> bool {
        !self.is_quoted && !self.is_dynamic && self.text == word
    }

    /// Returns whether the word is an assignment, such as `NAME=value`.
    pub(crate) fn is_assignment(&self) -> bool {
        let Some((name, _)) = self.text.split_once('=') else { return false };
        let name = name.strip_suffix('+').unwrap_or(name);
        let name = name.split('[').next().unwrap_or_default();
        let mut letters = name.bytes();
        letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
            && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == b'_')
    }
}
