use crate::tidy::lengths::hint;

#[test]
fn a_file_of_more_than_350_lines_is_long() {
    let found = |lines: usize| hint("a.rs", &"x\n".repeat(lines));
    assert_eq!(found(350), None);
    assert!(found(351).unwrap().starts_with("a.rs has 351 lines"));
}
