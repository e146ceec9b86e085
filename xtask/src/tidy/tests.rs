mod arrows;
mod circles;
mod lengths;
mod links;
mod seam;
mod source;
mod table;
mod unique;

#[test]
fn the_house_is_tidy() {
    let findings = super::find(&crate::root()).unwrap();
    let lines: Vec<_> = findings.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "\n{}", lines.join("\n"));
}
