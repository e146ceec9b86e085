//! The environment in which git runs no program that a repository names, if a setting can prevent
//! it.
//!
//! Settings in the environment take precedence over a repository's. A driver that attributes name,
//! for differences, text conversion or filters, has a name of its own and cannot be switched off in
//! this way. So this is an additional protection: programs that git runs nevertheless are confined
//! like git itself.

/// Returns the variables. `attributes` is the file of attributes that rank below the repository's.
pub(crate) fn git_environment(attributes: &str) -> Vec<(String, String)> {
    let own = [("core.attributesFile", attributes)];
    let count = ("GIT_CONFIG_COUNT".to_owned(), (SETTINGS.len() + own.len()).to_string());
    let settings = SETTINGS.iter().chain(&own).enumerate().flat_map(|(at, (key, value))| {
        let pair = [("KEY", *key), ("VALUE", *value)];
        pair.map(|(part, text)| (format!("GIT_CONFIG_{part}_{at}"), text.to_owned()))
    });
    let plain = VARIABLES.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    plain.chain([count]).chain(settings).collect()
}

/// Returns the variables that keep git from writing its settings for a command that may change the
/// data of a repository: the settings are guarded. Git also leaves nothing running in the
/// background.
pub(crate) fn data_environment() -> Vec<(String, String)> {
    let settings = [("branch.autoSetupMerge", "false"), ("gc.autoDetach", "false")];
    let count = ("GIT_CONFIG_COUNT".to_owned(), settings.len().to_string());
    let settings = settings.iter().enumerate().flat_map(|(at, (key, value))| {
        let pair = [("KEY", *key), ("VALUE", *value)];
        pair.map(|(part, text)| (format!("GIT_CONFIG_{part}_{at}"), text.to_owned()))
    });
    [count].into_iter().chain(settings).collect()
}

const VARIABLES: &[(&str, &str)] = &[
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_ASKPASS", "/bin/false"),
    ("GIT_EDITOR", "/bin/false"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_SSH_COMMAND", "/bin/false"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("PAGER", "cat"),
];

/// Settings of git. The setting about bare repositories keeps git out of a repository that a clone
/// brought in an ordinary folder.
const SETTINGS: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("diff.ignoreSubmodules", "all"),
    ("log.showSignature", "false"),
    ("safe.bareRepository", "explicit"),
    ("status.submoduleSummary", "false"),
];
