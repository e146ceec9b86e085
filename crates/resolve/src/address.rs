//! Which addresses are public.
//!
//! This module has the tables of the networks that no request may reach. It resolves nothing.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns whether an address belongs to the public internet.
///
/// An address is not public if the tables of special addresses name it: loopback, private,
/// link-local and shared networks, addresses for documentation and for benchmarks, multicast and
/// reserved ones, and the networks of tunnels. An IPv4 address within an IPv6 address is checked
/// separately if the system or a translator would use it: in `::ffff:0:0/96` and in `64:ff9b::/96`.
///
/// ```
/// use silcrow_resolve::is_public;
///
/// assert!(is_public("93.184.215.14".parse().unwrap()));
/// assert!(!is_public("169.254.169.254".parse().unwrap()));
/// assert!(!is_public("::ffff:127.0.0.1".parse().unwrap()));
/// ```
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match embedded_v4(address) {
            Some(inner) => is_public_v4(inner),
            None => is_public_v6(address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = address.to_bits();
    !SPECIAL_V4.iter().any(|&(network, length)| {
        let shift = 32 - length;
        bits >> shift == Ipv4Addr::from(network).to_bits() >> shift
    })
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let is_in = |&(network, length): &(Ipv6Addr, u32)| {
        let shift = 128 - length;
        address.to_bits() >> shift == network.to_bits() >> shift
    };
    is_in(&GLOBAL_V6) && !SPECIAL_V6.iter().any(is_in)
}

/// Returns the IPv4 address that a connection to this address reaches, if there is one.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [.., high, low] = address.segments();
    let prefix = address.to_bits() >> 32;
    let is_embedded = [MAPPED, TRANSLATED].iter().any(|known| known.to_bits() >> 32 == prefix);
    is_embedded.then(|| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
}

/// `::ffff:0:0/96`: the system connects to the IPv4 address.
const MAPPED: Ipv6Addr = Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0);

/// `64:ff9b::/96`: a translator (NAT64) connects to the IPv4 address.
const TRANSLATED: Ipv6Addr = Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0);

/// The IPv4 networks that are not public: the network and the length of its prefix in bits.
const SPECIAL_V4: [([u8; 4], u32); 15] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    // Shared by the customers of a provider.
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    // Link-local, with the metadata services of clouds.
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    // For documentation.
    ([192, 0, 2, 0], 24),
    // Relays of 6to4.
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    // For benchmarks.
    ([198, 18, 0, 0], 15),
    // For documentation.
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    // Multicast.
    ([224, 0, 0, 0], 4),
    // Reserved, with the broadcast address.
    ([240, 0, 0, 0], 4),
];

/// The only IPv6 network with public addresses.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// The IPv6 networks in it that are not public.
const SPECIAL_V6: [(Ipv6Addr, u32); 4] = [
    // Of protocols, with Teredo.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    // For documentation.
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    // 6to4, which has an IPv4 address in it.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    // For documentation.
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];
