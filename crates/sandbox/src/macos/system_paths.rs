//! The paths of macOS that commands read, and those in them that they do not.

/// The paths of the system that a command may read.
pub(crate) const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/opt",
    "/nix",
    "/System",
    "/Applications/Xcode.app",
    "/Library/Apple",
    "/Library/Developer",
    "/Library/Frameworks",
    "/Library/Java",
    "/Library/Perl",
    "/Library/Python",
    "/Library/Ruby",
    "/private/etc",
    "/private/var/db/dyld",
    "/private/var/db/timezone",
    "/private/var/db/xcode_select_link",
    "/private/var/select",
    "/dev/random",
    "/dev/urandom",
];

/// The paths that have secrets of the system.
pub(crate) const SYSTEM_SECRETS: &[&str] = &[
    "/private/etc/master.passwd",
    "/private/etc/krb5.keytab",
    "/private/etc/ppp",
    "/private/etc/racoon",
    "/private/etc/ssh",
    "/private/etc/sudoers",
    "/private/etc/sudoers.d",
    "/private/etc/wireguard",
];

/// The toolchains in a home folder that other systems do not have there.
pub(crate) const HOME: &[&str] = &["Library/Java/JavaVirtualMachines", "Library/Python"];

/// The paths of a home folder with secrets that other systems do not have there. They count if a
/// home folder is the root.
pub(crate) const HOME_SECRETS: &[&str] = &[
    "Library/Application Support/Claude",
    "Library/Application Support/Firefox",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/gcloud",
    "Library/Cookies",
    "Library/Keychains",
    "Library/Mail",
    "Library/Messages",
    "Library/Safari",
];
