//! The check of links between pages, and of pages that comments name.
//!
//! It checks files and headings of the repository, and no addresses elsewhere.

use std::collections::BTreeMap;
use std::path::Path;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::Finding;

/// The Markdown pages by their path from the root of the workspace.
#[derive(Default)]
pub(crate) struct Pages {
    texts: BTreeMap<String, String>,
}

impl Pages {
    pub(crate) fn push(&mut self, file: String, text: String) {
        self.texts.insert(file, text);
    }

    /// Reports relative links to files or headings that do not exist.
    pub(crate) fn check(&self, root: &Path, findings: &mut Vec<Finding>) {
        for (file, text) in &self.texts {
            for (line, target) in targets(text) {
                if let Some(what) = self.broken(root, file, &target) {
                    findings.push(Finding { file: file.to_owned(), line, what });
                }
            }
        }
    }

    /// Reports pages that a comment names and that do not exist.
    pub(crate) fn check_comments(&self, file: &str, text: &str, findings: &mut Vec<Finding>) {
        for (index, line) in text.lines().enumerate() {
            let Some((_, line)) = line.split_once("// ").or_else(|| line.split_once("//! ")) else {
                continue;
            };
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
        let from = root.join(from);
        let path = if path.is_empty() { from } else { from.parent()?.join(path) };
        let Ok(path) = path.canonicalize() else {
            return Some(format!("the link `{target}` leads to no file; mend or remove it"));
        };
        let path = super::from_root(&root.canonicalize().ok()?, &path);
        let page = self.texts.get(&path)?;
        (!heading.is_empty() && !headings(page).iter().any(|one| one == heading))
            .then(|| format!("the link `{target}` leads to no heading of `{path}`; mend it"))
    }
}

/// Returns the targets of a page's links within the repository, with their lines.
fn targets(text: &str) -> Vec<(usize, String)> {
    let links = Parser::new(text).into_offset_iter().filter_map(|(event, range)| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some((text[..range.start].matches('\n').count() + 1, dest_url.into_string()))
        }
        _ => None,
    });
    links.filter(|(_, to)| !to.contains("://") && !to.starts_with("mailto:")).collect()
}

/// Returns the anchors that GitHub makes of the headings of a page.
fn headings(text: &str) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut names = Vec::new();
    let mut title = None;
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => title = Some(String::new()),
            Event::Text(part) | Event::Code(part) => {
                title.iter_mut().for_each(|title| title.push_str(&part));
            }
            Event::End(TagEnd::Heading(_)) => {
                let is_kept = |char: &char| char.is_alphanumeric() || " -_".contains(*char);
                let title = title.take().unwrap_or_default().to_lowercase();
                let name = title.chars().filter(is_kept).collect::<String>().replace(' ', "-");
                let count = counts.entry(name.clone()).or_default();
                names.push(if *count == 0 { name } else { format!("{name}-{count}") });
                *count += 1;
            }
            _ => {}
        }
    }
    names
}
