//! Wire text to typed fragments and back, one file per dialect, chunk by chunk.
