//! The paths of Linux that commands read, and those in them that they do not.

/// The paths of the system. Landlock itself denies reading the memory and the environment of other
/// processes beneath `/proc`.
pub(crate) const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/snap",
    "/run/current-system",
    "/proc",
    "/sys/devices/system",
    "/sys/fs/cgroup",
    "/var/lib/dpkg",
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// The paths that have secrets of the system. None may be beneath `/proc`, whose processes come and
/// go: a folder with an exception inside is only as readable as it was at the start.
pub(crate) const SYSTEM_SECRETS: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssh",
    "/etc/ssl/private",
    "/etc/krb5.keytab",
    "/etc/NetworkManager",
    "/etc/wireguard",
    "/etc/kubernetes",
    "/etc/mysql/debian.cnf",
    "/etc/ppp",
    "/etc/rancher",
];

/// The toolchains in a home folder that other systems do not have there.
pub(crate) const HOME: &[&str] = &[];

/// The paths of a home folder with secrets that other systems do not have there.
pub(crate) const HOME_SECRETS: &[&str] = &[];
