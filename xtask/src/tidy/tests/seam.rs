use crate::tidy::seam::ArgumentSeam;
use crate::tidy::source::SourceFile;

/// Returns the files that are reported.
fn reported(files: &[(&str, &str)]) -> Vec<String> {
    let mut seam = ArgumentSeam::default();
    for (file, text) in files {
        let file = format!("crates/{file}");
        seam.push(&file, &SourceFile::parse(text).unwrap());
    }
    let mut findings = Vec::new();
    seam.check(&mut findings);
    findings.iter().map(ToString::to_string).collect()
}

#[test]
fn only_the_entry_of_a_command_knows_arguments() {
    let uses = "//! About `crate::args`.\nuse crate::args::LogArgs;\n";
    let commands = "fn f() { work(move || log::log(&args)); work(|| config::command(&args)) }";
    let found = reported(&[
        ("cli/src/commands.rs", commands),
        ("cli/src/main.rs", uses),
        ("cli/src/args/log.rs", uses),
        ("cli/src/log.rs", uses),
        ("cli/src/config/command.rs", uses),
        ("cli/src/log/list.rs", uses),
        ("cli/src/catalog.rs", uses),
        ("cli/src/og.rs", uses),
        ("cli/src/debug_log.rs", "//! Not about `crate::args`.\n"),
        ("session/src/log.rs", uses),
    ]);
    let files: Vec<_> = found.iter().map(|line| line.split(": ").next().unwrap()).collect();
    assert_eq!(
        files,
        ["crates/cli/src/log/list.rs:2", "crates/cli/src/catalog.rs:2", "crates/cli/src/og.rs:2"],
        "{found:?}"
    );
}
