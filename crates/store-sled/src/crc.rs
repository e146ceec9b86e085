/// CRC-32C (Castagnoli) of the concatenation of `parts`: that of our own records.
pub(crate) fn crc32c(parts: &[&[u8]]) -> u32 {
    crc(&CASTAGNOLI, parts)
}

/// CRC-32 (ISO 3309): that of sled.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    crc(&ISO, &[bytes])
}

fn crc(table: &[u32; 256], parts: &[&[u8]]) -> u32 {
    let mut crc = !0;
    // Plain loops: a build for tests, without optimisation, spends most of its time here.
    for part in parts {
        for byte in *part {
            crc = table[usize::from(crc as u8 ^ byte)] ^ (crc >> 8);
        }
    }
    !crc
}

/// 0x1EDC6F41, bits reversed.
const CASTAGNOLI: [u32; 256] = table(0x82F6_3B78);
/// 0x04C11DB7, bits reversed.
const ISO: [u32; 256] = table(0xEDB8_8320);

const fn table(polynomial: u32) -> [u32; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < table.len() {
        let mut crc = index as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = (crc >> 1) ^ (polynomial & (crc & 1).wrapping_neg());
            bit += 1;
        }
        table[index] = crc;
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{crc32, crc32c};

    /// The examples of RFC 3720, B.4, and the check value of the CRC catalogue.
    #[test]
    fn known_values() {
        assert_eq!(crc32c(&[]), 0);
        assert_eq!(crc32c(&[b"123456789"]), 0xE306_9283);
        assert_eq!(crc32c(&[b"1234", b"", b"56789"]), 0xE306_9283);
        assert_eq!(crc32c(&[&[0; 32]]), 0x8A91_36AA);
        assert_eq!(crc32c(&[&[0xFF; 32]]), 0x62A8_AB43);
        let rising: Vec<u8> = (0..32).collect();
        assert_eq!(crc32c(&[&rising]), 0x46DD_794E);
    }

    /// The check value of the CRC catalogue.
    #[test]
    fn known_value_of_sleds() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }
}
