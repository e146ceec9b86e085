//! The seccomp filter: system calls that a command cannot use.
//!
//! All system calls are allowed except those that reach the network, other processes or the state
//! of the system. A call that programs replace by another one on older kernels fails with `ENOSYS`,
//! and the others fail with `EPERM`.

use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::error::Error;

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Width, SeccompCmpOp as Is, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, apply_filter,
};

use super::{file_attributes, shared_state, sockets};
use crate::supervised::settings::HelperSettings;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type FilterResult<T> = Result<T, Box<dyn Error>>;

/// Confines this process. Unless Landlock covers cutting files by name, nothing can cut them so.
pub(super) fn apply(settings: &HelperSettings, is_cutting_covered: bool) -> FilterResult<()> {
    let arch = TargetArch::try_from(ARCH)?;
    let mut unknown: Rules = UNKNOWN.iter().map(|call| (*call, Vec::new())).collect();
    let mut denied: Rules = DENIED.iter().map(|call| (*call, Vec::new())).collect();
    denied.extend(denied_by_argument()?);
    denied.extend(sockets::denied(settings.sockets)?);
    denied.extend(other_users_programs()?);
    if arch == TargetArch::x86_64 {
        denied.extend(X32_ONLY.iter().map(|call| (*call, Vec::new())));
    }
    if !is_cutting_covered {
        denied.insert(libc::SYS_truncate, Vec::new());
    }
    let all = |calls: &[i64]| -> Vec<_> { calls.iter().map(|call| (*call, Vec::new())).collect() };
    if !settings.layers.namespaces {
        denied.extend(all(shared_state::SHARED));
        denied.extend(all(file_attributes::ATTRIBUTES));
        denied.extend(shared_state::about_others()?);
        denied.extend(shared_state::owners()?);
        deny_flags(&mut denied)?;
        denied.extend(guardians(&settings.guardians)?);
        // It takes a folder of `/proc` in place of the number of a process.
        unknown.insert(libc::SYS_pidfd_send_signal, Vec::new());
    }
    if settings.is_read_only {
        denied.extend(all(file_attributes::MODES_OWNERS_TIMES));
        denied.extend(all(file_attributes::ATTRIBUTES));
        deny_flags(&mut denied)?;
    }
    for (rules, error) in [(denied, libc::EPERM), (unknown, libc::ENOSYS)] {
        let deny = SeccompAction::Errno(error.unsigned_abs());
        let rules = with_other_numbers(rules, arch);
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, deny, arch)?;
        apply_filter(&BpfProgram::try_from(filter)?)?;
    }
    Ok(())
}

/// Returns the rules for calls that are denied only with some arguments.
fn denied_by_argument() -> FilterResult<Rules> {
    let namespaces = [
        libc::CLONE_NEWNS,
        libc::CLONE_NEWCGROUP,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
        NEWTIME,
    ];
    let namespaces = namespaces.map(|flag| u64::from(flag.unsigned_abs()));
    let clones: FilterResult<_> =
        namespaces.map(|flag| rule(0, Is::MaskedEq(flag), flag)).into_iter().collect();
    Ok(Rules::from([
        (libc::SYS_clone, clones?),
        // Typing into a terminal, and its selection.
        (libc::SYS_ioctl, vec![rule(1, Is::Eq, TIOCSTI)?, rule(1, Is::Eq, TIOCLINUX)?]),
        // The limits of another process.
        (libc::SYS_prlimit64, vec![rule(0, Is::Ne, 0)?]),
    ]))
}

/// Adds the rules that keep the flags of files as they are.
fn deny_flags(denied: &mut Rules) -> FilterResult<()> {
    let rules = denied.entry(libc::SYS_ioctl).or_default();
    for request in file_attributes::FLAGS {
        rules.push(rule(1, Is::Eq, *request)?);
    }
    Ok(())
}

/// Returns the rules that keep a command from making a program that runs with the rights of its
/// owner, even when another user starts it.
fn other_users_programs() -> FilterResult<Rules> {
    let set_user_id = u64::from(libc::S_ISUID);
    let creates = u64::from(libc::O_CREAT.unsigned_abs());
    let mode = |argument| rule(argument, Is::MaskedEq(set_user_id), set_user_id);
    let created = |flags, mode| -> FilterResult<SeccompRule> {
        let flags = SeccompCondition::new(flags, Width::Dword, Is::MaskedEq(creates), creates)?;
        let is = Is::MaskedEq(set_user_id);
        let mode = SeccompCondition::new(mode, Width::Dword, is, set_user_id)?;
        Ok(SeccompRule::new(vec![flags, mode])?)
    };
    let mut rules = Rules::from([
        (libc::SYS_fchmod, vec![mode(1)?]),
        (libc::SYS_fchmodat, vec![mode(2)?]),
        (FCHMODAT2, vec![mode(2)?]),
        (libc::SYS_mknodat, vec![mode(2)?]),
        (libc::SYS_openat, vec![created(2, 3)?]),
    ]);
    #[cfg(target_arch = "x86_64")]
    rules.extend([
        (libc::SYS_chmod, vec![mode(1)?]),
        (libc::SYS_mknod, vec![mode(1)?]),
        (libc::SYS_creat, vec![mode(1)?]),
        (libc::SYS_open, vec![created(1, 2)?]),
    ]);
    Ok(rules)
}

/// Returns the rules that protect the processes that end the command.
fn guardians(processes: &[i32]) -> FilterResult<Rules> {
    let mut targets = vec![-1];
    targets.extend(processes.iter().flat_map(|process| [*process, -process]));
    let all = |argument| -> FilterResult<Vec<SeccompRule>> {
        targets
            .iter()
            .map(|target| rule(argument, Is::Eq, u64::from(target.cast_unsigned())))
            .collect()
    };
    let calls = [
        (libc::SYS_kill, 0),
        (libc::SYS_tkill, 0),
        (libc::SYS_tgkill, 0),
        (libc::SYS_rt_sigqueueinfo, 0),
        (libc::SYS_rt_tgsigqueueinfo, 0),
        (libc::SYS_pidfd_open, 0),
    ];
    let mut rules: Rules = calls
        .into_iter()
        .map(|(call, argument)| Ok((call, all(argument)?)))
        .collect::<FilterResult<_>>()?;
    // A descriptor can send a signal to its owner, which need not be its holder.
    let owners = [libc::F_SETOWN, F_SETOWN_EX].map(|command| u64::from(command.unsigned_abs()));
    let owners: FilterResult<_> =
        owners.map(|command| rule(1, Is::Eq, command)).into_iter().collect();
    rules.insert(libc::SYS_fcntl, owners?);
    Ok(rules)
}

/// Adds the second numbers that calls have on x86-64 in the ABI x32, which shares its audit number.
fn with_other_numbers(rules: Rules, arch: TargetArch) -> Rules {
    let mut all = rules.clone();
    if arch == TargetArch::x86_64 {
        all.extend(rules.into_iter().map(|(call, rules)| (call | X32, rules)));
    }
    all
}

fn rule(argument: u8, is: Is, value: u64) -> FilterResult<SeccompRule> {
    Ok(SeccompRule::new(vec![SeccompCondition::new(argument, Width::Dword, is, value)?])?)
}

/// Calls that fail as on a kernel without them. The arguments of `clone3` and `openat2` are in memory,
/// which a filter cannot read, and libraries then use `clone` and `openat`.
const UNKNOWN: &[i64] = &[
    libc::SYS_clone3,
    libc::SYS_openat2,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

/// Calls that are denied with any arguments.
const DENIED: &[i64] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_madvise,
    libc::SYS_userfaultfd,
    libc::SYS_perf_event_open,
    // Keys, and programs in the kernel.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_bpf,
    // Mounts and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    libc::SYS_quotactl,
    // The system itself.
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
];

/// The bit of the numbers of x32.
const X32: i64 = 0x4000_0000;
/// The calls of x32 with different numbers: `ptrace`, `sendmmsg`, `process_vm_readv`,
/// `process_vm_writev` and `kexec_load`.
const X32_ONLY: &[i64] = &[521, 538, 539, 540, 528];

const FCHMODAT2: i64 = 452;
const F_SETOWN_EX: i32 = 15;
const NEWTIME: i32 = 0x80;
const TIOCSTI: u64 = 0x5412;
const TIOCLINUX: u64 = 0x541c;
