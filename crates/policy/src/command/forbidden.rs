//! Commands that no mode runs, because they destroy the system or stop it.
//!
//! The list is a guard against accidents. It is not a wall: the sandbox confines commands.

use super::script::{ShellScript, ShellWord, SimpleCommand};

/// Returns why a text is never run, if one of the commands that it reaches is on the list.
pub(crate) fn reason(
    text: &str,
    script: &ShellScript,
    reached: &[SimpleCommand],
) -> Option<String> {
    if is_fork_bomb(text) {
        return Some("it starts processes without end".to_owned());
    }
    // The folder in which later commands run, if it is a place that must not be lost.
    let mut folder = None;
    let mut places = script.commands.iter().map(|command| {
        if matches!(command.name(), "cd" | "pushd") {
            folder = command.args().next_back().and_then(vital_place);
        }
        (command, folder)
    });
    let here = places.find_map(|(command, folder)| of_command(command, folder));
    here.or_else(|| reached.iter().find_map(|command| of_command(command, None)))
}

/// Returns why a command is never run. `folder` is the vital place in which it runs.
fn of_command(command: &SimpleCommand, folder: Option<&str>) -> Option<String> {
    let name = command.name();
    let device =
        |word: &str| is_raw_device(word).then(|| format!("it writes to the device {word}"));
    let written = command.redirects.iter().find_map(|word| device(&word.text));
    written.or_else(|| match name {
        "rm" | "chmod" | "chown" | "chgrp" => {
            if command.args().any(|arg| arg == "--no-preserve-root") {
                return Some(format!("`{name}` gets leave to change the whole system"));
            }
            let is_recursive = command.args().any(|arg| {
                let letters = arg.strip_prefix('-').unwrap_or_default();
                let is_long = letters.starts_with('-');
                (!is_long && letters.contains(['r', 'R']))
                    || (letters.len() > 2 && "-recursive".starts_with(letters))
            });
            let lost = command.words.iter().skip(1).find_map(|word| lost_place(word, folder));
            lost.filter(|_| is_recursive)
                .map(|place| format!("`{name}` would change everything in {place}"))
        }
        "find" => {
            let changes = |arg: &str| ["-delete", "rm", "shred"].contains(&arg);
            let place =
                command.args().take_while(|arg| !arg.starts_with('-')).find_map(vital_place);
            place
                .filter(|_| command.args().any(changes))
                .map(|place| format!("`find` would delete everything in {place}"))
        }
        "dd" => command.args().find_map(|arg| device(arg.strip_prefix("of=")?)),
        "tee" | "shred" | "wipefs" | "blkdiscard" | "truncate" | "fdisk" | "sfdisk" | "parted" => {
            command.args().find_map(device)
        }
        // The last argument is the destination of the others.
        "mv" if command.args().rev().skip(1).any(|arg| vital_place(arg).is_some()) => {
            Some("`mv` would move the system or the home away".to_owned())
        }
        "cp" | "mv" | "install" => command.args().next_back().and_then(device),
        "mke2fs" | "mkswap" => Some(format!("`{name}` formats a disk")),
        _ if name == "mkfs" || name.starts_with("mkfs.") => {
            Some("`mkfs` formats a disk".to_owned())
        }
        "shutdown" | "reboot" | "halt" | "poweroff" => Some(format!("`{name}` stops the machine")),
        "init" | "telinit" => {
            let stops = command.args().any(|arg| ["0", "1", "6", "s", "S"].contains(&arg));
            stops.then(|| format!("`{name}` stops the machine"))
        }
        "systemctl" | "loginctl" => {
            let stops = command.args().any(|arg| STOPS.contains(&arg));
            stops.then(|| format!("`{name}` stops the machine"))
        }
        "kill" => {
            let is_all = command.args().next_back() == Some("-1") && command.words.len() > 2;
            is_all.then(|| "it ends every process".to_owned())
        }
        _ => None,
    })
}

/// Returns the vital place that a recursive change of this word reaches.
fn lost_place<'a>(word: &'a ShellWord, folder: Option<&'a str>) -> Option<&'a str> {
    let is_all_here = ["*", ".", "./", "./*", ".*"].contains(&&*word.text);
    vital_place(&word.text).or_else(|| folder.filter(|_| is_all_here))
}

/// Returns the path if all of the system, of a system folder or of the home would be lost with it.
fn vital_place(path: &str) -> Option<&str> {
    let home = ["~", "$HOME", "${HOME}"].iter().find_map(|home| path.strip_prefix(home));
    let is_home = home.is_some_and(|rest| ["", "/", "/*", "/.", "/.*"].contains(&rest));
    if is_home {
        return Some(path);
    }
    let mut parts = Vec::new();
    for part in path.strip_prefix('/')?.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    if matches!(parts.last(), Some(&("*" | ".*" | "{*,.*}"))) {
        parts.pop();
    }
    let is_vital = match *parts {
        [] => true,
        [top] => SYSTEM_FOLDERS.contains(&top),
        _ => false,
    };
    is_vital.then_some(path)
}

/// Returns whether a path is a disk, the memory, the way to a crash of the system, or a connection.
fn is_raw_device(path: &str) -> bool {
    if path.starts_with("/proc/sysrq-trigger") {
        return true;
    }
    let Some(device) = path.strip_prefix("/dev/") else { return false };
    RAW_DEVICES.iter().any(|raw| device.starts_with(raw))
}

/// Returns whether a text defines a function that starts itself twice.
fn is_fork_bomb(text: &str) -> bool {
    let text: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    text.match_indices("(){").any(|(at, _)| {
        let before = &text[..at];
        let is_name = |char: char| char.is_alphanumeric() || "_:.-".contains(char);
        let start = before
            .rfind(|char| !is_name(char))
            .map_or(0, |last| last + before[last..].chars().next().map_or(1, char::len_utf8));
        let name = before[start..].strip_prefix("function").unwrap_or_else(|| &before[start..]);
        let body = text[at + 3..].split('}').next().unwrap_or_default();
        !name.is_empty() && body.contains(&format!("{name}|{name}"))
    })
}

const SYSTEM_FOLDERS: [&str; 18] = [
    "bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "opt", "proc", "root", "run",
    "sbin", "srv", "sys", "usr", "var", "Users",
];

/// The beginnings of the names of devices that are not a terminal or a stream of zeros.
const RAW_DEVICES: [&str; 17] = [
    "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "mapper/", "dm-", "md", "loop", "mem",
    "kmem", "port", "mtd", "tcp/", "udp/",
];

/// The commands of service managers that stop the machine.
const STOPS: [&str; 8] =
    ["poweroff", "reboot", "halt", "kexec", "suspend", "hibernate", "rescue", "emergency"];
