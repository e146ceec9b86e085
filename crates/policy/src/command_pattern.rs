//! The patterns of commands, and matching them.
//!
//! A rule that allows compares word for word. A rule that denies or asks also finds its words
//! behind options, and its options in another order or spelling: the spelling must not let a
//! command pass it. If the words do not show whether it matches, the answer is unknown.

use crate::command::{OptionWidth, ProgramOptions, ShellScript, ShellWord, SimpleCommand};
use crate::pattern::TextPattern;

/// A pattern of a command, such as `cargo test *`: a `*` at its end stands for any further words,
/// and elsewhere for one word or a part of one.
#[derive(Clone, Debug)]
pub(crate) struct CommandPattern {
    words: Vec<TextPattern>,
    /// Whether further words may follow.
    is_open: bool,
}

impl CommandPattern {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let script = ShellScript::parse(text);
        let ([command], None, false) = (&*script.commands, script.opaque, script.sets_variables)
        else {
            return Err(format!(
                "`{text}` is not the words of one command; write a rule for each command, without \
                 operators, variables and redirections"
            ));
        };
        let mut words: Vec<_> = command.words.iter().map(|word| word.text.clone()).collect();
        let is_open = words.len() > 1 && words.last().is_some_and(|last| last == "*");
        if is_open {
            words.pop();
        }
        if words.first().is_some_and(|first| first == "*") {
            return Err(
                "the first word is the name of a command, and not `*`; leave out `command` \
                        for all commands"
                    .to_owned(),
            );
        }
        let words = words.iter().map(|word| TextPattern::parse(word)).collect::<Result<_, _>>()?;
        Ok(Self { words, is_open })
    }

    /// Returns whether the pattern matches all words of a command, as they are.
    pub(crate) fn covers(&self, command: &SimpleCommand) -> bool {
        let is_long = self.is_open || command.words.len() == self.words.len();
        let first = command.words.first();
        is_long && first.is_some_and(|first| self.matches(&first.text, command))
    }

    /// Returns whether a command matches the pattern, whatever folder its program is in, and
    /// whatever options come before its words.
    pub(crate) fn finds(&self, command: &SimpleCommand) -> CommandMatch {
        if self.matches(command.name(), command) {
            return CommandMatch::Yes;
        }
        let Some((name, rest)) = self.words.split_first() else { return CommandMatch::No };
        if !name.matches(command.name()) || rest.iter().any(|word| word.as_str() == "--") {
            return CommandMatch::No;
        }
        let (options, operands): (Vec<_>, Vec<_>) =
            rest.iter().partition(|word| is_option(word.as_str()));
        let search = CommandSearch::new(command, operands);
        let options = options.into_iter().map(|option| search.has_option(option));
        options.fold(search.operands(), CommandMatch::min)
    }

    fn matches(&self, name: &str, command: &SimpleCommand) -> bool {
        let words = std::iter::once(name).chain(command.args());
        command.words.len() >= self.words.len()
            && self.words.iter().zip(words).all(|(pattern, word)| pattern.matches(word))
    }
}

/// Whether a command is one that a pattern names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CommandMatch {
    No,
    /// The words do not show it, for example because an option is not known.
    Maybe,
    Yes,
}

/// The search for the words of a pattern in a command.
struct CommandSearch<'a> {
    /// The words after the program.
    words: &'a [ShellWord],
    /// The words of the pattern after the program, without options.
    wanted: Vec<&'a TextPattern>,
    program: Option<&'static ProgramOptions>,
    /// The options of the subcommand that the pattern names first, if they are known.
    subcommand: Option<&'static ProgramOptions>,
}

impl<'a> CommandSearch<'a> {
    fn new(command: &'a SimpleCommand, wanted: Vec<&'a TextPattern>) -> Self {
        let name = command.name();
        let program = ProgramOptions::find(name);
        let subcommand = wanted.first().map(|first| format!("{name} {}", first.as_str()));
        let subcommand = subcommand.and_then(|name| ProgramOptions::find(&name));
        Self { words: command.words.get(1..).unwrap_or_default(), wanted, program, subcommand }
    }

    /// Returns whether the first words that are not options match the words of the pattern.
    ///
    /// It goes from the last word to the first one. For each word and each number of wanted words
    /// before it, it records whether the rest has the others.
    fn operands(&self) -> CommandMatch {
        let wanted = self.wanted.len();
        if wanted > MOST_WANTED {
            return CommandMatch::Maybe;
        }
        let mut end = vec![CommandMatch::No; wanted + 1];
        end[wanted] = CommandMatch::Yes;
        let (mut next, mut second) = (end.clone(), end);
        for at in (0..self.words.len()).rev() {
            let row = (0..=wanted).map(|found| self.at(at, found, &next, &second)).collect();
            second = std::mem::replace(&mut next, row);
        }
        next[0]
    }

    /// Returns whether the words from one on contain the remaining wanted ones. `next` and `second`
    /// are the answers for the words after it.
    fn at(
        &self,
        at: usize,
        found: usize,
        next: &[CommandMatch],
        second: &[CommandMatch],
    ) -> CommandMatch {
        let Some(wanted) = self.wanted.get(found) else { return CommandMatch::Yes };
        let word = &self.words[at];
        let is_toolchain = at == 0 && word.text.starts_with('+');
        if is_toolchain && self.program.is_some_and(ProgramOptions::has_toolchain) {
            return next[found];
        }
        if is_option(&word.text) {
            let after = self.words.get(at + 1).map(|word| &*word.text);
            return match self.width(&word.text, after, found) {
                OptionWidth::One => next[found],
                OptionWidth::Two => second[found],
                OptionWidth::Unknown if next[found] == second[found] => next[found],
                OptionWidth::Unknown => next[found].max(second[found]).min(CommandMatch::Maybe),
                OptionWidth::Renames => CommandMatch::Maybe,
            };
        }
        let is_wanted = match (wanted.matches(&word.text), word.glob) {
            (true, _) => next[found + 1],
            // The shell may replace it with any name.
            (false, Some(_)) => next[found + 1].min(CommandMatch::Maybe),
            (false, None) => CommandMatch::No,
        };
        match self.program.is_some_and(ProgramOptions::has_many_subcommands) {
            true => is_wanted.max(next[found]),
            false => is_wanted,
        }
    }

    /// Returns the number of words that an option takes, after this many words of the pattern.
    fn width(&self, word: &str, after: Option<&str>, found: usize) -> OptionWidth {
        if word == "--" {
            return OptionWidth::One;
        }
        let nothing = ProgramOptions::default();
        let width =
            |options: Option<&ProgramOptions>| options.unwrap_or(&nothing).width(word, after);
        match (found, width(self.subcommand)) {
            (1.., width) if width != OptionWidth::Unknown => width,
            _ => width(self.program),
        }
    }

    /// Returns whether the command has an option of the pattern, in any place and spelling.
    fn has_option(&self, option: &TextPattern) -> CommandMatch {
        let words = self.words.iter().map(|word| &*word.text);
        let given: Vec<_> =
            words.take_while(|word| *word != "--").filter(|word| is_option(word)).collect();
        let text = option.as_str();
        if given.iter().any(|word| option.matches(word) || name_of(word) == text) {
            return CommandMatch::Yes;
        }
        if text.contains(['*', '?', '[', '{', '\\']) {
            return CommandMatch::No;
        }
        if self.program.is_some_and(ProgramOptions::has_long_options) && !text.starts_with("--") {
            let name = text.trim_start_matches('-');
            let is_it = |word: &&str| name_of(word).trim_start_matches('-') == name;
            let same = self.same(text).iter().any(|same| given.contains(&&**same));
            return if same || given.iter().any(is_it) {
                CommandMatch::Yes
            } else {
                CommandMatch::No
            };
        }
        if text.starts_with("--") {
            return self.has_spelling(text, &given);
        }
        let letters = text[1..].chars().map(|letter| format!("-{letter}"));
        let found = letters.map(|letter| self.has_spelling(&letter, &given));
        found.min().unwrap_or(CommandMatch::No)
    }

    /// Returns whether one option is given, separately, joined with others, or by a synonym.
    fn has_spelling(&self, option: &str, given: &[&str]) -> CommandMatch {
        let is_given = |same: &String| match same.strip_prefix("--") {
            Some(_) => given.iter().map(|word| spelled(same, name_of(word))).max(),
            None => {
                let letter = &same[1..];
                let joined = |word: &&&str| !word.starts_with("--") && word[1..].contains(letter);
                given.iter().find(joined).map(|_| CommandMatch::Yes)
            }
        };
        let found = self.same(option).iter().filter_map(is_given).max();
        found.unwrap_or(CommandMatch::No)
    }

    /// Returns the options that mean the same as one, with itself.
    fn same(&self, option: &str) -> Vec<String> {
        let tables = [self.program, self.subcommand].into_iter().flatten();
        let same = tables.flat_map(|options| options.same_as(option)).map(str::to_owned);
        [option.to_owned()].into_iter().chain(same).collect()
    }
}

/// Returns whether a word is a long option, or may be because it is the beginning of it.
fn spelled(option: &str, word: &str) -> CommandMatch {
    match word {
        word if word == option => CommandMatch::Yes,
        word if word.len() >= SHORTEST && option.starts_with(word) => CommandMatch::Maybe,
        _ => CommandMatch::No,
    }
}

/// Returns an option without its value.
fn name_of(word: &str) -> &str {
    word.split_once('=').map_or(word, |(name, _)| name)
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// The number of words of a pattern that are searched behind options.
const MOST_WANTED: usize = 32;

/// The length of the shortest beginning of a long option that programs may read as the whole.
const SHORTEST: usize = 3;
