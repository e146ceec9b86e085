//! The part of the scanner that takes redirections and the texts of here-documents.

use super::redirection::{HereDocument, Redirection};
use super::scan_state::ScanState;

impl ScanState<'_> {
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
        self.opaque("it reads its input from a here-document");
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
