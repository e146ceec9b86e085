//! The check of links between pages, and of pages that comments name.
//!
//! It knows the files and headings of the repository. It does not check addresses elsewhere.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::Finding;
use super::source::{ByteKind, SourceFile};

/// The Markdown pages by their path from the root of the workspace.
#[derive(Default)]
pub(crate) struct Pages {
    texts: BTreeMap<String, String>,
}

impl Pages {
    pub(crate) fn push(&mut self, file: String, text: String) {
        self.texts.insert(file, text);
    }

    fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().map(|(file, text)| (&**file, &**text))
    }

    /// Reports relative links to files or headings that do not exist.
    pub(crate) fn check(&self, root: &Path, findings: &mut Vec<Finding>) {
        for (file, text) in self.iter() {
            for (line, target) in targets(text) {
                if let Some(what) = self.broken(root, file, &target) {
                    findings.push(Finding { file: file.to_owned(), line, what });
                }
            }
        }
    }

    /// Reports pages that a comment names and that do not exist.
    pub(crate) fn check_comments(
        &self,
        file: &str,
        source: &SourceFile,
        findings: &mut Vec<Finding>,
    ) {
        for (index, line) in source.only(&[ByteKind::Comment], true).lines().enumerate() {
            for (at, _) in line.match_indices("docs/") {
                let end = |char: char| !char.is_alphanumeric() && !"/._-".contains(char);
                let name = &line[at..];
                let name = name[..name.find(end).unwrap_or(name.len())].trim_end_matches('.');
                if name.ends_with(".md") && !self.texts.contains_key(name) {
                    let what = format!("there is no page `{name}`; name the one that there is");
                    findings.push(Finding { file: file.to_owned(), line: index + 1, what });
                }
            }
        }
    }

    fn broken(&self, root: &Path, from: &str, target: &str) -> Option<String> {
        let (path, heading) = target.split_once('#').unwrap_or((target, ""));
        let path = if path.is_empty() { from.to_owned() } else { relative(from, path) };
        if !root.join(&path).exists() {
            return Some(format!("the link `{target}` leads to no file; mend or remove it"));
        }
        let page = self.texts.get(&path)?;
        (!heading.is_empty() && !headings(page).iter().any(|one| one == heading))
            .then(|| format!("the link `{target}` leads to no heading of `{path}`; mend it"))
    }
}

/// Returns the targets of a page's links within the repository, with their lines.
fn targets(text: &str) -> Vec<(usize, String)> {
    let mut targets = Vec::new();
    let mut in_fence = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        }
        if in_fence {
            continue;
        }
        let rest = line.match_indices("](").map(|(at, open)| &line[at + open.len()..]);
        let inline = rest.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
        let defined = line.strip_prefix('[').and_then(|line| line.split_once("]: "));
        for target in inline.chain(defined.map(|(_, target)| target.trim())) {
            if !target.contains("://") && !target.starts_with("mailto:") {
                targets.push((index + 1, target.to_owned()));
            }
        }
    }
    targets
}

/// Returns the path from the root of a link that is relative to the folder of its page.
fn relative(from: &str, path: &str) -> String {
    let mut parts = PathBuf::new();
    for part in Path::new(from).parent().into_iter().flat_map(Path::components) {
        parts.push(part);
    }
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => _ = parts.pop(),
            Component::CurDir => {}
            other => parts.push(other),
        }
    }
    parts.to_string_lossy().replace('\\', "/")
}

/// Returns the anchors that GitHub makes of the headings of a page.
fn headings(text: &str) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut names = Vec::new();
    let mut in_fence = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        }
        let title = line.trim_start_matches('#');
        if in_fence || title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let is_kept = |char: &char| char.is_alphanumeric() || matches!(char, ' ' | '-' | '_');
        let name: String = title.trim().to_lowercase().chars().filter(is_kept).collect();
        let name = name.replace(' ', "-");
        let count = counts.entry(name.clone()).or_default();
        names.push(if *count == 0 { name } else { format!("{name}-{count}") });
        *count += 1;
    }
    names
}
