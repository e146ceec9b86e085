use crate::tidy::lengths::check;

#[test]
fn a_file_has_at_most_350_lines() {
    let found = |lines: usize| {
        let mut findings = Vec::new();
        check("a.rs", &"x\n".repeat(lines), &mut findings);
        findings.into_iter().map(|finding| finding.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(found(350), [""; 0]);
    assert!(found(351)[0].starts_with("a.rs:351: the file has 351 lines"), "{:?}", found(351));
}
