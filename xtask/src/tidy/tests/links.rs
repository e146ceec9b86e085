use crate::tidy::links::Pages;

#[test]
fn links_lead_to_files_and_headings() {
    let here = "# Links\n\n## How it is shown\n\n## `Twice`, and more\n\n## Twice\n\n## Twice\n";
    for (target, is_fine) in [
        ("#how-it-is-shown", true),
        ("#twice-and-more", true),
        ("#twice-1", true),
        ("#twice-2", false),
        ("style.md#links", true),
        ("../README.md", true),
        ("./../Cargo.toml", true),
        ("missing.md", false),
        ("../docs/style.md#gone", false),
        ("https://example.org/missing.md", true),
    ] {
        for link in [format!("See [it]({target}).\n"), format!("See [it].\n\n[it]: {target}\n")] {
            let mut pages = Pages::default();
            pages.push("docs/style.md".to_owned(), format!("{here}\n{link}"));
            let mut findings = Vec::new();
            pages.check(&crate::root(), &mut findings);
            assert_eq!(findings.is_empty(), is_fine, "{link}: {findings:?}");
        }
    }
}

#[test]
fn links_in_code_are_none() {
    let mut pages = Pages::default();
    pages.push("a.md".to_owned(), "```text\n[it](missing.md)\n```\n".to_owned());
    let mut findings = Vec::new();
    pages.check(&crate::root(), &mut findings);
    assert_eq!(findings, []);
}

#[test]
fn pages_that_comments_name_are_there() {
    let mut pages = Pages::default();
    pages.push("docs/style.md".to_owned(), String::new());
    // In capitals, so that it is no comment of this file.
    let text = "// See docs/style.md, and `docs/gone.MD`.\nlet a = \"docs/other.MD\";\n";
    let text = &text.replace(".MD", ".md");
    let mut findings = Vec::new();
    pages.check_comments("a.rs", text, &mut findings);
    assert_eq!(findings.len(), 1);
    assert!(findings[0].what.contains("docs/gone.md"), "{findings:?}");
}
