//! The commands of the guide print what the guide shows.

use std::process::Command;

use crate::support::Sandbox;

const PAGE: &str = include_str!("../../../../docs/guide.md");

/// A command with the lines that the guide shows after it.
struct Shown<'a> {
    command: &'a str,
    lines: Vec<&'a str>,
}

#[test]
fn guide_commands_print_the_documented_output() {
    let sandbox = Sandbox::new();
    sandbox.write("root/notes.md", "# Notes\n\nBuy bread.\n");
    sandbox.write("root/plan.txt", "Meeting at ten.\n");
    let shown = shown(PAGE);
    assert_eq!(shown.len(), 33);
    for Shown { command, lines } in shown {
        if command.ends_with("turn.txt") {
            sandbox.write("root/turn.txt", turn(PAGE));
        }
        let printed = run(&sandbox, command.strip_prefix("silcrow ").unwrap());
        assert!(fits(&printed, &lines), "{command} prints:\n{}", printed.join("\n"));
    }
}

/// Returns the lines that a command prints on both streams, in order, without the lines of usage.
fn run(sandbox: &Sandbox, args: &str) -> Vec<String> {
    let silcrow = sandbox.command(&[]);
    let program = silcrow.get_program().to_str().unwrap();
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("'{program}' {args} 2>&1 </dev/null"));
    shell.current_dir(sandbox.root());
    for (name, value) in silcrow.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let output = shell.output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    // A run that waits for answers has another exit code.
    let waits = output.status.code() == Some(3);
    assert!(output.status.success() || waits, "{args}: {printed}");
    printed.lines().filter(|line| !line.starts_with("· ")).map(str::to_owned).collect()
}

/// The turn that the page has the reader save.
fn turn(page: &str) -> &str {
    let (_, turn) = page.split_once("```text\n").unwrap();
    turn.split("```").next().unwrap()
}

/// The commands in the blocks of kind `console`.
fn shown(page: &str) -> Vec<Shown<'_>> {
    let mut shown: Vec<Shown<'_>> = Vec::new();
    for block in page.split("```console\n").skip(1) {
        for line in block.split("```").next().unwrap().lines() {
            match line.strip_prefix("$ ") {
                Some(command) => shown.push(Shown { command, lines: Vec::new() }),
                None => shown.last_mut().unwrap().lines.push(line),
            }
        }
    }
    shown
}

/// Returns whether lines match the shown ones, in which `…` is any number of lines.
fn fits(printed: &[String], shown: &[&str]) -> bool {
    match shown {
        [] => printed.is_empty(),
        ["…", rest @ ..] => (0..=printed.len()).any(|at| fits(&printed[at..], rest)),
        [first, rest @ ..] => {
            printed.split_first().is_some_and(|(line, more)| line == first && fits(more, rest))
        }
    }
}

#[test]
fn lines_that_differ_do_not_fit() {
    let printed = ["a", "b", "c"].map(str::to_owned);
    for shown in [&["a", "b", "c"][..], &["…"], &["…", "c"], &["a", "…", "c", "…"]] {
        assert!(fits(&printed, shown), "{shown:?}");
    }
    for shown in [&["a", "b"][..], &["…", "d", "…"], &["b", "…"], &[]] {
        assert!(!fits(&printed, shown), "{shown:?}");
    }
}
