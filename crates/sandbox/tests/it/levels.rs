//! The working layers are detected, and a failing one is never ignored.

use silcrow_sandbox::{
    ConfinedCommand, ErrorKind, Sandbox, SandboxLayers, SandboxLevel, SandboxOptions,
};

use super::{HELPER, Place, WITHOUT_NAMESPACES, run};

#[test]
fn the_best_level_of_this_machine_is_found() {
    let sandbox = Sandbox::new(Place::new().options()).unwrap();
    assert_eq!(sandbox.level(), SandboxLevel::FilesAndNetwork, "{}", sandbox.layers());
    assert_eq!(sandbox.level().to_string(), "files and network");
}

#[test]
fn remembered_layers_are_tried_before_first_command() {
    let (place, kept) = (Place::new(), tempfile::tempdir().unwrap());
    let memory = kept.path().join("trials");
    let options = || place.options().with_trial_memory(&memory);
    let first = Sandbox::new(options()).unwrap();
    assert_eq!(memory.exists(), first.layers() == SandboxLayers::ALL);
    if !memory.exists() {
        return super::say("not all layers work on this machine, and none are remembered");
    }
    let sandbox = Sandbox::new(options()).unwrap();
    assert_eq!(sandbox.level(), SandboxLevel::FilesAndNetwork);
    assert_ne!(run(&sandbox, "ls /root/").outcome.code, Some(0));
    assert!(memory.exists());

    // A helper that confines nothing: making the sandbox does not start it, and no command runs.
    let broken = Sandbox::new(options().with_helper("/bin/true")).unwrap();
    assert_eq!(broken.level(), SandboxLevel::FilesAndNetwork);
    for _ in 0..2 {
        let error = broken.spawn(&ConfinedCommand::shell("touch made")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert!(error.to_string().contains("does not work now"), "{error}");
    }
    assert!(!place.path().join("made").exists() && !memory.exists());
    // The next one is tried at once.
    let error = Sandbox::new(options().with_helper("/bin/true")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
}

#[test]
fn fewer_layers_than_wanted_are_not_remembered() {
    let (place, kept) = (Place::new(), tempfile::tempdir().unwrap());
    let memory = kept.path().join("trials");
    let layers = SandboxLayers { landlock: false, ..SandboxLayers::ALL };
    let options = place.options().with_layers(layers).with_trial_memory(&memory);
    assert!(Sandbox::new(options).is_err() && !memory.exists());
    let options = place.options().with_layers(WITHOUT_NAMESPACES).with_trial_memory(&memory);
    Sandbox::new(options).unwrap();
    assert!(memory.exists(), "these are all that are wanted");
}

#[test]
fn an_older_kernel_has_a_lower_level() {
    let place = Place::new();
    let with = |layers| Sandbox::new(place.options().with_layers(layers));
    let landlock_alone = SandboxLayers { landlock: true, ..SandboxLayers::NONE };
    let without = with(WITHOUT_NAMESPACES).unwrap();
    assert_eq!(
        (without.layers(), without.level()),
        (WITHOUT_NAMESPACES, SandboxLevel::ContentsAndNetwork)
    );
    let files = with(landlock_alone).unwrap();
    assert_eq!((files.level(), files.level().as_str()), (SandboxLevel::FilesOnly, "files only"));
    assert!(run(&files, "cat /etc/passwd").stdout.contains("root"));
    assert_ne!(run(&files, "ls /root/").outcome.code, Some(0));
}

#[test]
fn sandbox_requires_landlock() {
    let place = Place::new();
    let layers = SandboxLayers { landlock: false, ..SandboxLayers::ALL };
    let error = Sandbox::new(place.options().with_layers(layers)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.to_string().contains("a person has to approve each command"), "{error}");
}

#[test]
fn unsupported_layers_are_detected() {
    let place = Place::new();
    // In a sandbox without namespaces no command can make namespaces.
    let helper = std::path::Path::new(HELPER);
    let options = place.options().with_layers(WITHOUT_NAMESPACES).with_readable(helper);
    let outer = Sandbox::new(options).unwrap();
    let inner = format!("{} {} yes 'echo inner'", helper.display(), place.path().display());
    let done = run(&outer, &inner);
    assert_eq!((&*done.stdout, &*done.stderr), ("inner\n", "Landlock, seccomp\n"), "{done:?}");
}

#[test]
fn unconfined_commands_need_explicit_request() {
    let place = Place::new();
    let sandbox = Sandbox::unconfined(place.options()).unwrap();
    assert_eq!(sandbox.level().to_string(), "none");
    let done = run(&sandbox, "ls / && echo $$");
    assert_eq!(done.outcome.code, Some(0), "{done:?}");
}

#[test]
fn missing_helper_call_is_detected() {
    let place = Place::new();
    for program in ["/bin/true", "/bin/cat", "/nonexistent"] {
        let error = Sandbox::new(place.options().with_helper(program)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
        silcrow_testkit::check_sources(&error);
    }
    let words = std::error::Error::source(
        &Sandbox::new(place.options().with_helper("/bin/true")).unwrap_err(),
    )
    .unwrap()
    .to_string();
    assert!(words.contains("run_helper_if_asked"), "{words}");
}

#[test]
fn program_without_helper_call_is_not_restarted() {
    // The `main` of this test belongs to its harness.
    let place = Place::new();
    let error = Sandbox::new(SandboxOptions::new(place.path())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    let reason = std::error::Error::source(&error).unwrap().to_string();
    assert!(reason.contains("cannot start itself"), "{reason}");
}

#[test]
fn helper_without_its_call_starts_no_other() {
    let place = Place::new();
    let program = place.path().join("never-asks");
    std::fs::copy(HELPER, &program).unwrap();
    let done = std::process::Command::new(&program).output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(!done.status.success() && said.contains("run_helper_if_asked"), "{said}");
    let starts = std::fs::read(place.path().join("starts")).unwrap();
    assert_eq!(starts.len(), 5, "the program, and once for each choice of layers");
}

#[test]
fn non_directory_root_is_rejected() {
    let place = Place::new();
    let file = place.path().join("file");
    super::write(&file, "");
    let whole = std::path::PathBuf::from("/");
    for root in [whole, file, place.path().join("missing")] {
        let error = Sandbox::new(SandboxOptions::new(root)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }
}
