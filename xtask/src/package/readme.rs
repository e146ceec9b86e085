//! The README of a crate, made from the documentation of its library.
//!
//! In a README links to items lead nowhere and hidden lines of examples are visible, so both are
//! removed.

/// Returns the documentation at the top of a library's source.
pub(crate) fn docs(source: &str) -> String {
    let mut docs = String::new();
    for line in source.lines() {
        if let Some(text) = line.strip_prefix("//!") {
            docs.push_str(text.strip_prefix(' ').unwrap_or(text));
            docs.push('\n');
        } else if line.starts_with("#![cfg_attr(feature") && line.contains(r#"doc = "```""#) {
            // The fence of an example that needs a feature is an attribute in the source.
            docs.push_str("```\n");
        } else if !line.starts_with("#![cfg_attr(not") {
            break;
        }
    }
    docs
}

/// Returns the README of a crate with this documentation.
pub(crate) fn readme(package: &str, docs: &str) -> String {
    let mut readme = format!("# {package}\n\n");
    let mut block = BlockKind::None;
    // A link may go on in the next line.
    let mut prose = String::new();
    for line in docs.lines() {
        if block == BlockKind::None && !line.starts_with("```") {
            // Definitions of links to items are removed with their links.
            if !line.starts_with("[`") || !line.contains("`]: ") {
                prose.push_str(line);
                prose.push('\n');
            }
            continue;
        }
        readme.push_str(&without_item_links(&std::mem::take(&mut prose)));
        match (line.strip_prefix("```"), block) {
            (Some(language), BlockKind::None) => {
                let is_rust = matches!(language, "" | "no_run" | "ignore" | "should_panic");
                block = if is_rust { BlockKind::Rust } else { BlockKind::Other };
                readme.push_str(if is_rust { "```rust" } else { line });
            }
            (Some(_), _) => {
                block = BlockKind::None;
                readme.push_str(line);
            }
            (None, BlockKind::Rust) if line == "#" || line.starts_with("# ") => continue,
            (None, _) => readme.push_str(line),
        }
        readme.push('\n');
    }
    readme + &without_item_links(&prose) + FOOTER
}

/// The kind of block that a line is in.
#[derive(Clone, Copy, PartialEq)]
enum BlockKind {
    None,
    Rust,
    Other,
}

/// Returns prose in which links to items are only their text.
fn without_item_links(prose: &str) -> String {
    let mut out = String::new();
    let mut rest = prose;
    while let Some((before, link)) = rest.split_once('[') {
        let Some((text, after)) = link.split_once(']') else { break };
        let target = after.strip_prefix('(').and_then(|after| after.split_once(')'));
        let (shown, after) = match target {
            Some((target, after)) if target.starts_with("http") => {
                (format!("[{text}]({target})"), after)
            }
            Some((_, after)) => (text.to_owned(), after),
            None if text.starts_with('`') => (text.to_owned(), after),
            None => (format!("[{text}]"), after),
        };
        out.push_str(before);
        out.push_str(&shown);
        rest = after;
    }
    out + rest
}

const FOOTER: &str = "
## More

This crate is a part of [silcrow](https://github.com/silcrow/silcrow), which has a guide and the description of the protocol.

Licensed under MIT or Apache-2.0, at your option.
";

#[cfg(test)]
mod tests {
    use super::{docs, readme};

    #[test]
    fn readme_has_no_item_links_or_hidden_lines() {
        let readme = readme("silcrow-lex", &docs(include_str!("readme/library.txt")));
        let beginning = include_str!("readme/readme.txt");
        assert!(readme.starts_with(beginning), "{readme}");
    }
}
