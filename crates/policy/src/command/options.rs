//! The words of a command, compared with an entry of the list of harmless commands.
//!
//! This module parses options as programs do. Where programs differ, a word is not harmless: a
//! value that begins with `-`, an abbreviated long option, and a pattern that the shell could
//! replace with an option.

use globset::Glob;

use super::entry::{HarmlessCommand, HarmlessOptions, shortened};
use super::script::ShellWord;

/// Returns why the words after a command or a subcommand are not all harmless, if they are not.
pub(super) fn check(name: &str, entry: &HarmlessCommand, args: &[ShellWord]) -> Result<(), String> {
    let mut read = ReadOptions::default();
    let mut args = args;
    while let Some((word, rest)) = args.split_first() {
        args = rest;
        let text = &*word.text;
        if read.take(name, entry, word)? {
            continue;
        }
        if !entry.subcommands.is_empty() {
            let subcommand = entry.subcommands.get(text).filter(|_| word.glob.is_none());
            let subcommand = subcommand.ok_or_else(|| {
                format!("`{name} {}` is not on the list of harmless commands", shortened(text))
            })?;
            return check(&format!("{name} {text}"), subcommand, rest);
        }
        check_operand(name, entry, word, read.operands)?;
        read.operands += 1;
    }
    if entry.max_operands.is_some_and(|most| read.operands > most) {
        return Err(format!("`{name}` may change something if it gets this argument"));
    }
    if !entry.needs.is_empty() && !read.has_needed {
        return Err(format!("`{name}` is harmless only with {}", entry.needs.join(" or ")));
    }
    let needs_subcommand = !entry.subcommands.is_empty() && !read.has_option;
    if needs_subcommand || (entry.script.is_some() && read.operands == 0) {
        return Err(format!("`{name}` needs another word to be harmless"));
    }
    Ok(())
}

/// The state of reading options.
#[derive(Default)]
struct ReadOptions {
    operands: usize,
    /// Whether all further words are operands.
    is_over: bool,
    /// Whether the next word is the value of an option.
    takes_next: bool,
    has_option: bool,
    /// Whether one of the options was there that the entry needs.
    has_needed: bool,
}

impl ReadOptions {
    /// Takes a word, and returns whether it is an option or the value of one.
    fn take(
        &mut self,
        name: &str,
        entry: &HarmlessCommand,
        word: &ShellWord,
    ) -> Result<bool, String> {
        let text = &*word.text;
        let unlisted =
            || format!("`{name} {}` is not on the list of harmless options", shortened(text));
        let HarmlessOptions::Listed(listed) = &entry.options else { return Ok(false) };
        let may_be_option = text.starts_with('-') || word.glob == Some(0);
        if std::mem::take(&mut self.takes_next) {
            // A pattern may become several words, and only the first of them is the value.
            if may_be_option || (word.glob.is_some() && entry.limits_operands()) {
                return Err(unlisted());
            }
            return Ok(true);
        }
        if self.is_over || !may_be_option || (text == "-" && word.glob.is_none()) {
            return Ok(false);
        }
        if text == "--" {
            self.is_over = true;
            return Ok(true);
        }
        // The shell would replace the pattern with names of files, and those may be options.
        let is_value = word.glob.zip(text.find('=')).is_some_and(|(glob, equals)| equals < glob);
        if word.glob.is_some() && !(is_value && text.starts_with("--")) {
            return Err(format!("`{}` may become an option of `{name}`", shortened(text)));
        }
        let has = |option: &str| listed.iter().any(|known| known == option);
        let is_listed = if entry.long && !text.starts_with("--") {
            has(text) || (has("-#") && is_number(&text[1..]))
        } else if text.starts_with("--") {
            let option = text.split('=').next().unwrap_or_default();
            self.takes_next = option == text && has(&format!("{option}="));
            has(option) || has(&format!("{option}="))
        } else {
            self.take_letters(&text[1..], &has)
        };
        if !is_listed {
            return Err(unlisted());
        }
        self.has_option = true;
        self.has_needed |= entry.needs.iter().any(|needed| needed == text);
        Ok(true)
    }

    /// Takes the letters of short options in one word.
    fn take_letters(&mut self, letters: &str, has: &dyn Fn(&str) -> bool) -> bool {
        for (at, letter) in letters.char_indices() {
            let rest = &letters[at + letter.len_utf8()..];
            if has(&format!("-{letter}=")) {
                self.takes_next = rest.is_empty();
                return true;
            }
            if has(&format!("-{letter}?")) {
                return true;
            }
            let is_digit = letter.is_ascii_digit() && has("-#");
            if !is_digit && !has(&format!("-{letter}")) {
                return false;
            }
        }
        true
    }
}

/// Returns why an operand is not harmless, if it is not. `before` is the number of operands before.
fn check_operand(
    name: &str,
    entry: &HarmlessCommand,
    word: &ShellWord,
    before: usize,
) -> Result<(), String> {
    let text = &*word.text;
    if word.glob.is_some() && entry.limits_operands() {
        return Err(format!("`{}` may become several arguments of `{name}`", shortened(text)));
    }
    let is_listed =
        entry.operands.is_empty() || entry.operands.iter().any(|known| matches(known, text));
    let script = entry.script.as_ref().filter(|_| before == 0);
    let is_script = script.is_none_or(|letters| text.chars().all(|char| letters.contains(char)));
    let is_avoided = entry.avoids.iter().any(|avoided| text.contains(&**avoided));
    if is_listed && is_script && !is_avoided {
        return Ok(());
    }
    Err(format!("`{name} {}` is not on the list of harmless commands", shortened(text)))
}

fn matches(pattern: &str, text: &str) -> bool {
    Glob::new(pattern).is_ok_and(|glob| glob.compile_matcher().is_match(text))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
