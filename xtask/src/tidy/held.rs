//! The parts of the workspace that are held to the rules of prose.
//!
//! This module lists the parts that are still being rewritten. The list only becomes shorter: a
//! part without findings is taken off it.

use std::collections::BTreeMap;

use super::source::SourceFile;
use super::{Finding, first_lines, phrases, text};

/// The checks of prose, and the findings in parts that are not held yet.
pub(crate) struct Prose<'a> {
    /// A part whose findings are reported although it is not held.
    shown: Option<&'a str>,
    not_held: BTreeMap<&'static str, usize>,
}

impl<'a> Prose<'a> {
    pub(crate) fn new(shown: Option<&'a str>) -> Self {
        Self { shown, not_held: BTreeMap::new() }
    }

    /// Checks a Markdown page.
    pub(crate) fn check_page(&mut self, file: &str, text: &str, findings: &mut Vec<Finding>) {
        let mut found = Vec::new();
        phrases::check(file, &text::page(text), &mut found);
        self.hold(file, found, findings);
    }

    /// Checks comments, and in library code also the beginnings of docs and the words of messages.
    pub(crate) fn check_source(
        &mut self,
        file: &str,
        source: &SourceFile,
        is_library: bool,
        findings: &mut Vec<Finding>,
    ) {
        let mut found = Vec::new();
        phrases::check(file, &text::comments(source), &mut found);
        if is_library {
            first_lines::check(file, source, &mut found);
            phrases::check(file, &text::literals(source), &mut found);
        }
        self.hold(file, found, findings);
    }

    /// Counts findings in a part that is not held, and reports all others.
    fn hold(&mut self, file: &str, found: Vec<Finding>, findings: &mut Vec<Finding>) {
        let part = NOT_YET.iter().find(|part| file.starts_with(**part));
        if let Some(part) = part {
            *self.not_held.entry(part).or_default() += found.len();
        }
        if part.is_none() || self.shown.is_some_and(|shown| file.starts_with(shown)) {
            findings.extend(found);
        }
    }

    /// Reports the parts that can be taken off the list, and returns the others.
    pub(crate) fn finish(self, findings: &mut Vec<Finding>) -> BTreeMap<&'static str, usize> {
        for part in NOT_YET.iter().filter(|part| self.not_held.get(*part).is_none_or(|n| *n == 0)) {
            let what = format!("nothing is found in `{part}`; take it off the list");
            findings.push(Finding { file: FILE.to_owned(), line: 1, what });
        }
        self.not_held
    }
}

const FILE: &str = "xtask/src/tidy/held.rs";

/// Folders and pages whose prose is not held yet.
pub(crate) const NOT_YET: &[&str] = &[];
