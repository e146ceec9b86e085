//! A setting that is kept just before the machine loses its power.

use std::fs;
use std::process::Stdio;

use crate::disk::{Cut, Disk};
use crate::killer::chance;
use crate::recorder::Recorder;
use crate::support::{Sandbox, file};

#[test]
fn saved_setting_survives_a_power_cut() {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("config/silcrow");
    sandbox.write("config/silcrow/config.toml", "# mine\n");
    let mut disk = Disk::read(&folder);
    let recorder = Recorder::new();
    let mut command = sandbox.command(&["config", "set", "model", "rehearsal"]);
    recorder.watch(&mut command, &folder);
    recorder.boot(&mut command, 1);
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    recorder.take(&folder).iter().for_each(|record| disk.apply(record));

    let left = tempfile::tempdir().unwrap();
    disk.cut(left.path(), Cut::Lost, &chance());
    let kept = file(&folder.join("config.toml"));
    assert!(kept.contains("rehearsal"), "{kept}");
    assert_eq!(fs::read_to_string(left.path().join("config.toml")).unwrap(), kept);
}
