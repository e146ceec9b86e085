//! The check of the dependencies that a crate's docs show before the first example.

use std::collections::BTreeSet;

/// Returns the error of the `toml` block before the first example, if it has one.
///
/// The block must name exactly the crates that the example uses, with the versions of the
/// workspace.
pub(crate) fn check(package: &str, docs: &str, workspace: &str) -> Option<String> {
    let example = block(docs, &["", "no_run", "ignore"])?;
    let known = versions(workspace);
    let is_used = |name: &str| {
        let ident = name.replace('-', "_");
        let path = format!("{ident}::");
        example.match_indices(&path).any(|(at, _)| {
            !example[..at].ends_with(|char: char| char.is_alphanumeric() || "_:".contains(char))
        })
    };
    let used: BTreeSet<_> =
        known.iter().filter(|(name, _)| is_used(name) || *name == package).copied().collect();
    let manifest = block(docs, &["toml"]).unwrap_or_default();
    let listed: BTreeSet<_> = manifest.lines().filter_map(dependency).collect();
    let is_same = used.len() == listed.len()
        && used.iter().zip(&listed).all(|((name, version), (listed, required))| {
            name == listed && is_prefix(required, version)
        });
    (!is_same).then(|| {
        let lines = used.iter().map(|(name, version)| format!("{name} = \"{version}\""));
        let lines = lines.collect::<Vec<_>>().join("\n");
        format!("before the first example, a block `toml` says what it depends on:\n{lines}")
    })
}

/// Returns the first block of a page in one of these languages.
fn block(docs: &str, languages: &[&str]) -> Option<String> {
    let mut lines = docs.lines();
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix("```") else { continue };
        let block: Vec<_> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
        if languages.contains(&language) {
            return Some(block.join("\n"));
        }
    }
    None
}

/// Returns the dependencies of the workspace with their versions, including its own crates.
fn versions(workspace: &str) -> Vec<(&str, &str)> {
    let table = workspace.split_once("[workspace.dependencies]").map_or("", |(_, table)| table);
    let table = table.split("\n[").next().unwrap_or_default();
    table.lines().filter_map(dependency).collect()
}

/// Reads `name = "1.2"` or `name = { version = "1.2", … }`.
fn dependency(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(" = ")?;
    let value = value.split_once("version = ").map_or(value, |(_, value)| value);
    let version = value.strip_prefix('"')?.split('"').next()?;
    Some((name, version.trim_start_matches('=')))
}

/// Returns whether a version such as `1` or `1.2` is a prefix of one such as `1.2.3`.
fn is_prefix(short: &str, version: &str) -> bool {
    version.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::check;

    const WORKSPACE: &str = "[workspace.dependencies]\nsilcrow-lex = { version = \"0.1.0\" }\n\
        tokio = { version = \"1.54\" }\ntokio-util = \"1\"\n\n[profile.dist]\n";

    #[test]
    fn manifest_lines_name_the_examples_dependencies() {
        let example = "```\nuse silcrow_lex::Lexer;\n# tokio::spawn(x);\n```\n";
        let docs = |lines: &str| format!("```toml\n[dependencies]\n{lines}```\n\n{example}");
        let check = |docs: &str| check("silcrow-lex", docs, WORKSPACE);
        let both = "silcrow-lex = \"0.1\"\ntokio = { version = \"1\", features = [\"rt\"] }\n";
        assert_eq!(check(&docs(both)), None);
        for wrong in [
            "silcrow-lex = \"0.1\"\n",
            "silcrow-lex = \"0.2\"\ntokio = \"1\"\n",
            "silcrow-lex = \"0.1\"\ntokio = \"1\"\ntokio-util = \"1\"\n",
        ] {
            let fault = check(&docs(wrong)).unwrap();
            assert!(fault.ends_with("\nsilcrow-lex = \"0.1.0\"\ntokio = \"1.54\""), "{fault}");
        }
        assert!(check(example).is_some());
        assert_eq!(check("No example.\n"), None);
    }
}
