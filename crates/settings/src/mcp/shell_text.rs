//! The word of a command that is the text of a shell.

/// Returns whether the word at an index is a shell's script (`sh -c TEXT`), because the shell
/// replaces variables itself.
pub(crate) fn is_shell_text(words: &[String], index: usize) -> bool {
    let is_shell = |word: &String| {
        let name = word.rsplit('/').next().unwrap_or_default();
        SHELLS.contains(&name)
    };
    let is_flag = |word: &String| {
        word.strip_prefix('-').is_some_and(|flags| !flags.starts_with('-') && flags.ends_with('c'))
    };
    index > 1 && is_flag(&words[index - 1]) && words[..index - 1].iter().any(is_shell)
}

/// The programs that read a script after `-c`.
const SHELLS: [&str; 7] = ["bash", "dash", "fish", "ksh", "mksh", "sh", "zsh"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_text_is_left_to_the_shell() {
        for (words, is_one) in [
            (&["sh", "-c", "x"][..], true),
            (&["env", "A=b", "/bin/bash", "-lc", "x"], true),
            (&["sh", "x", "-c", "y"], true),
            (&["python3", "-c", "x"], false),
            (&["sh", "--norc", "x"], false),
            (&["-c", "x"], false),
            (&["x"], false),
        ] {
            let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(is_shell_text(&words, words.len() - 1), is_one, "{words:?}");
        }
    }
}
