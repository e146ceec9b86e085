//! Many bytes at once: the compiler makes vector instructions of what has no branches.

pub(crate) const BLOCK: usize = 32;

/// The length of the whole blocks in front in which `hit` is nowhere true of a byte and the one
/// `gap` behind it.
#[inline]
pub(crate) fn clear(bytes: &[u8], gap: usize, hit: impl Fn(u8, u8) -> bool) -> usize {
    let Some(behind) = bytes.get(gap..) else { return 0 };
    let ((blocks, _), (behind, _)) = (bytes.as_chunks::<BLOCK>(), behind.as_chunks::<BLOCK>());
    let is_clear = |(block, behind): &(&[u8; BLOCK], &[u8; BLOCK])| {
        let pairs = block.iter().zip(*behind);
        !pairs.fold(false, |any, (&one, &other)| any | hit(one, other))
    };
    BLOCK * blocks.iter().zip(behind).take_while(is_clear).count()
}
