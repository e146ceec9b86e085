//! A search over 32 bytes at once. It has no branches in its loop, so the compiler vectorises it.

pub(crate) const BLOCK: usize = 32;

/// Returns the length of the leading whole blocks without a hit. `hit` looks at each byte together
/// with the byte that is `gap` bytes after it.
#[inline]
pub(crate) fn clear(bytes: &[u8], gap: usize, hit: impl Fn(u8, u8) -> bool) -> usize {
    let Some(later) = bytes.get(gap..) else { return 0 };
    let ((blocks, _), (later, _)) = (bytes.as_chunks::<BLOCK>(), later.as_chunks::<BLOCK>());
    let is_clear = |(block, later): &(&[u8; BLOCK], &[u8; BLOCK])| {
        let pairs = block.iter().zip(*later);
        !pairs.fold(false, |any, (&one, &other)| any | hit(one, other))
    };
    BLOCK * blocks.iter().zip(later).take_while(is_clear).count()
}
