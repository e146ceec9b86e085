//! The seccomp rules about sockets: which ones a command can make, and how it can use them.
//!
//! A filter sees numbers and no addresses. So the network namespace and the view of files decide
//! what a socket can reach; a command without these has pairs only.

use std::error::Error;

use nix::libc;
use seccompiler::{SeccompCmpArgLen as Width, SeccompCmpOp as Is, SeccompCondition, SeccompRule};

use crate::supervised::socket_access::SocketAccess;

type SocketRules = Result<Vec<(i64, Vec<SeccompRule>)>, Box<dyn Error>>;

/// Returns the denied calls.
pub(super) fn denied(access: SocketAccess) -> SocketRules {
    let pairs = vec![all(&[is_not(0, libc::AF_UNIX)?])?];
    // One of a pair could send a datagram to any local socket without `connect`.
    let datagrams = [libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_RDM];
    let datagrams = datagrams.map(|kind| all(&[is_kind(kind)?])).into_iter();
    let streams = pairs.iter().cloned().map(Ok).chain(datagrams);
    let streams = streams.collect::<Result<Vec<_>, _>>()?;
    match access {
        SocketAccess::Pairs => {
            // Without an address it is how libraries write to a socket that is connected.
            let send_to = SeccompCondition::new(4, Width::Qword, Is::Ne, 0)?;
            let mut rules = vec![
                (libc::SYS_socket, streams.clone()),
                (libc::SYS_socketpair, streams),
                (libc::SYS_sendto, vec![SeccompRule::new(vec![send_to])?]),
            ];
            rules.extend(CONNECTIONS.iter().map(|call| (*call, Vec::new())));
            Ok(rules)
        }
        SocketAccess::Network => {
            Ok(vec![(libc::SYS_socket, of_the_network(&[])?), (libc::SYS_socketpair, streams)])
        }
        SocketAccess::Local => Ok(vec![
            (libc::SYS_socket, of_the_network(&[libc::AF_UNIX])?),
            (libc::SYS_socketpair, pairs),
        ]),
    }
}

/// Returns the rules that let sockets be made of IPv4, IPv6 and the families of `more`: TCP and UDP, and
/// the list of interfaces of netlink, which only the privileged can change.
fn of_the_network(more: &[i32]) -> Result<Vec<SeccompRule>, Box<dyn Error>> {
    let families = [libc::AF_INET, libc::AF_INET6];
    let known = families.iter().chain(&[libc::AF_NETLINK]).chain(more);
    let others = known.map(|family| is_not(0, *family)).collect::<Result<Vec<_>, _>>()?;
    let lists = [is(0, libc::AF_NETLINK)?, is_not(2, libc::NETLINK_ROUTE)?];
    let mut rules = vec![all(&others)?, all(&lists)?];
    for family in families {
        rules.push(all(&[
            is(0, family)?,
            is_not(2, 0)?,
            is_not(2, libc::IPPROTO_TCP)?,
            is_not(2, libc::IPPROTO_UDP)?,
        ])?);
        rules.push(all(&[is(0, family)?, is_kind(libc::SOCK_RAW)?])?);
    }
    Ok(rules)
}

fn all(conditions: &[SeccompCondition]) -> Result<SeccompRule, Box<dyn Error>> {
    Ok(SeccompRule::new(conditions.to_vec())?)
}

fn is(argument: u8, value: i32) -> Result<SeccompCondition, Box<dyn Error>> {
    Ok(SeccompCondition::new(argument, Width::Dword, Is::Eq, value.unsigned_abs().into())?)
}

fn is_not(argument: u8, value: i32) -> Result<SeccompCondition, Box<dyn Error>> {
    Ok(SeccompCondition::new(argument, Width::Dword, Is::Ne, value.unsigned_abs().into())?)
}

/// Returns the condition that a socket is of a kind, whatever its flags are.
fn is_kind(kind: i32) -> Result<SeccompCondition, Box<dyn Error>> {
    let is = Is::MaskedEq(0xf);
    Ok(SeccompCondition::new(1, Width::Dword, is, kind.unsigned_abs().into())?)
}

/// The calls that a command cannot make on its sockets, if these are only pairs.
const CONNECTIONS: &[i64] = &[
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_sendmmsg,
];
