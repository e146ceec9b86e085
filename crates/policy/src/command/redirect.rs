//! Redirections of the scanner: files, here-documents and process substitutions.
//!
//! Only a redirection to `/dev/null`, or of errors to the output and back, leaves a text plain.

use super::scanner::ShellScanner;
use super::script::ShellWord;

/// A redirection whose target is the next word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Redirection {
    Output,
    Input,
    /// To or from another descriptor, such as `2>&1`.
    Descriptor,
    /// Of a word as the input, with `<<<`.
    HereString,
}

impl Redirection {
    /// Returns why a redirection to this target is not plain, if it is not.
    pub(super) fn reason_against(self, target: &ShellWord) -> Option<&'static str> {
        let is_null = target.text == "/dev/null" && target.glob.is_none();
        match self {
            _ if target.is_dynamic => Some("it opens a file whose name is not known here"),
            Self::Output if !is_null => Some("it writes its output to a file"),
            Self::Input if !is_null => Some("it reads its input from a file"),
            Self::Descriptor if !["1", "2"].contains(&&*target.text) => {
                Some("it changes a descriptor")
            }
            Self::HereString => Some("it has an input of its own"),
            _ => None,
        }
    }
}

/// A here-document whose text begins after the current line.
#[derive(Debug)]
pub(super) struct HereDocument {
    end: String,
    /// Whether tabs in front of a line do not count.
    strips_tabs: bool,
}

impl ShellScanner<'_> {
    /// Takes a redirection that begins with this character.
    pub(super) fn redirect(&mut self, first: char) {
        let is_number = self.frame().word.as_ref().is_some_and(|word| {
            !word.is_quoted && word.text.bytes().all(|byte| byte.is_ascii_digit())
        });
        if is_number {
            let number = self.frame().word.take().unwrap_or_default();
            if first == '&' || !["0", "1", "2"].contains(&&*number.text) {
                self.opaque("it uses an unusual descriptor");
            }
        } else {
            self.end_word();
        }
        let mut operator = String::from(first);
        while operator.len() < 3
            && let Some(next) = self.rest.next_if(|next| "<>&|".contains(*next))
        {
            operator.push(next);
        }
        if self.frame().redirection.is_some() {
            self.opaque(CONFUSING);
        }
        if matches!(&*operator, "<" | ">") && self.rest.next_if_eq(&'(').is_some() {
            return self.substitute_process();
        }
        let redirection = match &*operator {
            ">" | ">>" | ">|" | "&>" | "&>>" => Redirection::Output,
            "<" => Redirection::Input,
            ">&" => Redirection::Descriptor,
            "<<<" => Redirection::HereString,
            "<<" => return self.here_document(),
            _ => {
                self.opaque(CONFUSING);
                Redirection::Output
            }
        };
        self.frame().redirection = Some(redirection);
    }

    /// Takes the word that ends a here-document.
    fn here_document(&mut self) {
        self.opaque("it has an input of its own");
        let strips_tabs = self.rest.next_if_eq(&'-').is_some();
        while self.rest.next_if(|next| " \t".contains(*next)).is_some() {}
        let mut end = String::new();
        while let Some(char) = self.rest.next_if(|next| !" \t\n;|&<>()".contains(*next)) {
            if !"'\"\\".contains(char) {
                end.push(char);
            }
        }
        self.documents.push(HereDocument { end, strips_tabs });
    }

    /// Takes the texts of the here-documents of the line that has just ended.
    pub(super) fn read_documents(&mut self) {
        for document in std::mem::take(&mut self.documents) {
            let mut text = String::new();
            while self.rest.peek().is_some() {
                let mut line = String::new();
                while let Some(char) = self.rest.next_if(|next| *next != '\n') {
                    line.push(char);
                }
                self.rest.next();
                let line = if document.strips_tabs { line.trim_start_matches('\t') } else { &line };
                if line == document.end {
                    break;
                }
                text.push_str(line);
                text.push('\n');
            }
            self.script.inputs.push(text);
        }
    }
}

const CONFUSING: &str = "it has a redirection that not every shell knows";
