//! `cargo lab picture`, which draws the pictures of a terminal in the README and the docs.
//!
//! It runs the real command in a pseudo terminal, which `script` of util-linux creates, types as a
//! person would, and draws the screen. This module has the scenes of the pictures. `screen` reads
//! the terminal, and `svg` writes SVG.
//!
//! A picture is the same each time: models and stubs always do the same, and text that depends on
//! the machine or on time is left out or replaced.

mod screen;
mod svg;

use std::fs;
use std::io::{Read as _, Write as _};
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use screen::{TerminalLine, lines};

/// A picture, which has one scene or more.
struct Picture {
    /// The file, from the root of the workspace.
    file: &'static str,
    columns: u16,
    scenes: &'static [PictureScene],
}

/// A command that is typed, and the part of its output that is drawn.
struct PictureScene {
    typed: &'static str,
    args: &'static [&'static str],
    /// The text for which it waits, and the keys that are typed then.
    keys: &'static [(&'static str, &'static str)],
    /// The folder of the command, or `None` for a folder with two small files.
    folder: Option<&'static str>,
    /// The most lines that are drawn. One line with `…` stands in for the rest.
    lines: usize,
}

const PICTURES: [Picture; 4] = [
    Picture {
        file: "docs/terminal.svg",
        columns: 92,
        scenes: &[
            PictureScene {
                typed: "silcrow run \"What is in this directory?\"",
                args: &["run", "--store", "memory", "What is in this directory?"],
                keys: &[],
                folder: None,
                lines: 20,
            },
            PictureScene {
                typed: "silcrow dev rehearse --dialect action --rate 60 --stubs research.json research.txt",
                args: &[
                    "dev",
                    "rehearse",
                    "--dialect",
                    "action",
                    "--rate",
                    "60",
                    "--stubs",
                    "research.json",
                    "research.txt",
                ],
                keys: &[],
                folder: Some("crates/simulation/tests/wire"),
                lines: 7,
            },
        ],
    },
    Picture {
        file: "docs/session.svg",
        columns: 80,
        scenes: &[session(
            "silcrow",
            &[
                ("/help", "Summarize the notes.\r"),
                ("out \u{203a}", "/thoughts\r"),
                ("what is there. \u{203a}", ""),
            ],
        )],
    },
    Picture {
        file: "docs/session-60.svg",
        columns: 60,
        scenes: &[session("silcrow", &[("/help", "Summarize the notes.\r"), ("out \u{203a}", "")])],
    },
    Picture {
        file: "docs/question.svg",
        columns: 80,
        scenes: &[session(
            "silcrow --permissions ask",
            &[
                ("/help", "Summarize the notes.\r"),
                ("out \u{203a}", "Now add a line to plan.txt.\r"),
                ("? more", ""),
            ],
        )],
    },
];

/// A session with a model whose answers are written down.
const fn session(
    typed: &'static str,
    keys: &'static [(&'static str, &'static str)],
) -> PictureScene {
    PictureScene {
        typed,
        args: &[
            "chat",
            "--store",
            "memory",
            "--permissions",
            "ask",
            "--model",
            "script:../answers.txt",
        ],
        keys,
        folder: None,
        lines: 60,
    }
}

/// Draws the pictures again. With `--check`, it fails instead if one differs from the current
/// output of the commands.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let checks = match args {
        [] => false,
        ["--check"] => true,
        _ => return Err("`picture` takes nothing but `--check`".to_owned()),
    };
    let program = crate::build("dev")?;
    for picture in &PICTURES {
        let file = picture.file;
        let kept = fs::read_to_string(crate::root().join(file)).unwrap_or_default();
        let drawn = draw(&program, picture)?;
        match (drawn == kept, checks) {
            (true, _) => println!("{file}: as it was"),
            (false, true) => return Err(stale(file, &drawn, &kept)),
            (false, false) => {
                write(&crate::root().join(file), &drawn)?;
                println!("{file}: drawn");
            }
        }
    }
    Ok(())
}

fn stale(file: &str, drawn: &str, kept: &str) -> String {
    let differs = drawn.lines().zip(kept.lines()).find(|(drawn, kept)| drawn != kept);
    let differs = differs.map_or_else(
        || "one has more lines".to_owned(),
        |(drawn, kept)| format!("the file has\n{kept}\nand the command shows\n{drawn}"),
    );
    format!("{file} is stale: {differs}\ndraw it again with `cargo lab picture` and look at it")
}

fn draw(program: &Path, picture: &Picture) -> Result<String, String> {
    let mut lines = Vec::new();
    for (index, scene) in picture.scenes.iter().enumerate() {
        if index > 0 {
            lines.push(TerminalLine::default());
        }
        lines.push(TerminalLine::typed(scene.typed));
        lines.extend(play(program, scene, picture.columns)?);
    }
    Ok(svg::draw(&lines, picture.columns.into()))
}

/// Runs a scene's command in a terminal and returns the lines that are drawn.
fn play(program: &Path, scene: &PictureScene, columns: u16) -> Result<Vec<TerminalLine>, String> {
    let folder = match scene.folder {
        Some(folder) => crate::root().join(folder),
        None => example_folder()?,
    };
    let quoted = |word: &str| format!("'{}'", word.replace('\'', r"'\''"));
    let args: Vec<_> = scene.args.iter().map(|arg| quoted(arg)).collect();
    let program = quoted(&program.to_string_lossy());
    let command = format!("stty cols {columns} rows {ROWS}; exec {program} {}", args.join(" "));
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &command, "/dev/null"]);
    script.current_dir(&folder).stdin(Stdio::piped()).stdout(Stdio::piped());
    script.env("TERM", "xterm-256color").env("LANG", "C.UTF-8").env_remove("LC_ALL");
    let home = crate::root().join("target/picture");
    script.env("XDG_CONFIG_HOME", home.join("settings")).env("HOME", home);
    script.env_remove("NO_COLOR").env_remove("SILCROW_MODEL").env_remove("SILCROW_USER");
    let child = script.spawn();
    let mut child = child.map_err(|why| format!("`script` of util-linux does not start: {why}"))?;
    let (Some(mut keyboard), Some(mut output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("`script` has no pipes".to_owned());
    };
    let size = |count: u16| NonZeroU16::new(count).unwrap_or(NonZeroU16::MIN);
    let mut terminal = vt100::Parser::new(size(ROWS), size(columns), 0);
    let mut buffer = [0; 4096];
    let mut keys = scene.keys.iter().peekable();
    loop {
        let shown = terminal.screen().contents().split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((_, typed)) = keys.next_if(|(text, _)| shown.contains(text)) {
            if keys.peek().is_none() {
                // The picture is complete.
                let _ = child.kill();
                break;
            }
            let typed = keyboard.write_all(typed.as_bytes());
            typed.map_err(|why| format!("`{}` reads no keys: {why}", scene.typed))?;
            continue;
        }
        let len = output.read(&mut buffer).map_err(|why| format!("{}: {why}", scene.typed))?;
        if len == 0 {
            break;
        }
        terminal.process(&buffer[..len]);
    }
    let ended = child.wait().map_err(|why| format!("{}: {why}", scene.typed))?;
    if scene.keys.is_empty() && !ended.success() {
        return Err(format!("`{}` failed: {}", scene.typed, terminal.screen().contents()));
    }
    let mut lines = lines(terminal.screen());
    lines.retain(|line| !DEPENDS.iter().any(|start| line.text().trim_start().starts_with(start)));
    if lines.len() > scene.lines {
        lines.truncate(scene.lines);
        lines.push(TerminalLine::dim("…"));
    }
    Ok(lines)
}

/// The answers of the model in the sessions.
const ANSWERS: &str = include_str!("picture/answers.txt");

/// The number of rows of a terminal.
const ROWS: u16 = 100;

/// The starts of the lines that depend on the machine, on the time or on the person's settings.
const DEPENDS: [&str; 6] = [
    "· ",
    "permissions ",
    "you are asked",
    "it out",
    "changes something or sends it out",
    "sandbox: ",
];

/// Creates a folder with two files in the build folder.
fn example_folder() -> Result<PathBuf, String> {
    let folder = crate::root().join("target/picture/notes");
    write(&folder.join("../answers.txt"), ANSWERS)?;
    write(&folder.join("notes.md"), "# Notes\n\nBuy bread.\n")?;
    write(&folder.join("plan.txt"), "Meeting at ten.\n")?;
    Ok(folder)
}

/// Writes a file, and makes its folder.
fn write(file: &Path, text: &str) -> Result<(), String> {
    let folder = file.parent().map_or(Ok(()), fs::create_dir_all);
    folder.and_then(|()| fs::write(file, text)).map_err(|why| format!("{}: {why}", file.display()))
}

#[cfg(test)]
mod tests;
