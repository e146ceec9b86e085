//! The tables of addresses.

use std::net::IpAddr;

use silcrow_resolve::is_public;

#[test]
fn private_network_bounds_are_exact() {
    // The network's first and last address; and whether the addresses next to it are public.
    let networks = [
        ("0.0.0.0", "0.255.255.255", false, true),
        ("10.0.0.0", "10.255.255.255", true, true),
        ("100.64.0.0", "100.127.255.255", true, true),
        ("127.0.0.0", "127.255.255.255", true, true),
        ("169.254.0.0", "169.254.255.255", true, true),
        ("172.16.0.0", "172.31.255.255", true, true),
        ("192.0.0.0", "192.0.0.255", true, true),
        ("192.0.2.0", "192.0.2.255", true, true),
        ("192.88.99.0", "192.88.99.255", true, true),
        ("192.168.0.0", "192.168.255.255", true, true),
        ("198.18.0.0", "198.19.255.255", true, true),
        ("198.51.100.0", "198.51.100.255", true, true),
        ("203.0.113.0", "203.0.113.255", true, true),
        ("224.0.0.0", "255.255.255.255", true, false),
        ("::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false, true),
        ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", true, true),
        ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", true, true),
        ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true, true),
        ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", true, true),
        ("4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true, false),
    ];
    for (first, last, is_before, is_after) in networks {
        let (first, last): (IpAddr, IpAddr) = (first.parse().unwrap(), last.parse().unwrap());
        assert!(!is_public(first) && !is_public(last), "{first} to {last}");
        assert_eq!(beside(first, -1).is_some_and(is_public), is_before, "before {first}");
        assert_eq!(beside(last, 1).is_some_and(is_public), is_after, "after {last}");
    }
}

fn beside(address: IpAddr, step: i128) -> Option<IpAddr> {
    match address {
        IpAddr::V4(address) => {
            let bits = u32::try_from(i128::from(address.to_bits()) + step).ok()?;
            Some(IpAddr::V4(bits.into()))
        }
        IpAddr::V6(address) => Some(IpAddr::V6(address.to_bits().checked_add_signed(step)?.into())),
    }
}

#[test]
fn embedded_ipv4_addresses_count_where_used() {
    for (v4, public) in [("8.8.8.8", true), ("127.0.0.1", false), ("10.1.2.3", false)] {
        for prefix in ["::ffff:", "64:ff9b::"] {
            let address = format!("{prefix}{v4}").parse().unwrap();
            assert_eq!(is_public(address), public, "{address}");
        }
        for prefix in ["::", "::ffff:0:", "64:ff9b:1::", "2002:", "fe80::"] {
            let hex = v4.parse::<std::net::Ipv4Addr>().unwrap().to_bits();
            let text = match prefix {
                "2002:" => format!("2002:{:x}:{:x}::", hex >> 16, hex & 0xffff),
                prefix => format!("{prefix}{:x}:{:x}", hex >> 16, hex & 0xffff),
            };
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
    }
}
