use crate::tidy::source::SourceFile;
use crate::tidy::{phrases, text};

#[test]
fn a_phrase_is_found_in_comments_literals_and_pages() {
    for phrase in ["gives out", "Behind the", "at\n/// hand", "is told", "whoever", ", save"] {
        let comment = format!("/// One {phrase} two.\nfn a() {{}}\n");
        assert_eq!(in_source(&comment), [1], "{comment}");
        let page = format!("# Title\n\nOne {} two.\n", phrase.replace("/// ", ""));
        assert_eq!(in_page(&page), [3], "{page}");
    }
    assert_eq!(in_source("let a = \"x\";\nlet b = \"it is none\";\n"), [2]);
    assert_eq!(in_source("let a = \"one \\\n    and goes \\\n    on\";\n"), [2]);
}

#[test]
fn the_line_is_that_of_the_first_word() {
    assert_eq!(in_source("//! One goes\n//! on.\n\n// And given\n// out.\n"), [1, 4]);
    assert_eq!(in_page("| a | b goes on |\n|---|---|\n| c | at hand |\n"), [1, 3]);
}

#[test]
fn code_and_what_is_quoted_is_not_prose() {
    for text in [
        "/// One `goes on` two ``given out` `` three.\n",
        "/// ```\n/// let anew = 1; // goes on\n/// ```\n",
        "fn anew() {}\n",
        "#[cfg(test)]\nmod tests {\n    const A: &str = \"goes on\";\n}\n",
        "/// It goes. On\n",
        "/// It goes\n///\n/// on.\n",
        "/// one gives\nfn out() {}\n",
    ] {
        assert_eq!(in_source(text), [0; 0], "{text}");
    }
    for text in ["[a](b.md#goes on)\n", "````text\n```\ngoes on\n````\n", "foregoes on\n"] {
        assert_eq!(in_page(text), [0; 0], "{text}");
    }
}

#[test]
fn good_english_around_a_phrase_is_fine() {
    assert_eq!(in_page("There is none. A part stands in for another.\n"), [0; 0]);
    assert_eq!(in_page("Its mode is none. It stands in a line.\n"), [1, 1]);
}

#[test]
fn a_span_that_is_never_closed_ends_with_its_paragraph() {
    assert_eq!(in_page("One ` two goes on\n\nthree goes on\n"), [3]);
}

fn in_source(text: &str) -> Vec<usize> {
    let source = SourceFile::new(text.to_owned());
    let mut all = text::comments(&source);
    all.extend(text::literals(&source));
    lines(&all)
}

fn in_page(text: &str) -> Vec<usize> {
    lines(&text::page(text))
}

fn lines(text: &[text::Paragraph]) -> Vec<usize> {
    let mut findings = Vec::new();
    phrases::check("a", text, &mut findings);
    findings.sort();
    findings.iter().map(|finding| finding.line).collect()
}
