mod arrows;
mod circles;
mod first_lines;
mod held;
mod lengths;
mod links;
mod phrases;
mod source;
mod table;
mod unique;
mod words;

#[test]
fn the_house_is_tidy() {
    let findings = super::find(&crate::root(), None).unwrap().findings;
    let lines: Vec<_> = findings.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "\n{}", lines.join("\n"));
}
