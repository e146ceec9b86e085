//! The stand-in model: plain rules that write a dialect and act on real tools.
